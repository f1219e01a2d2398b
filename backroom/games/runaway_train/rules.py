"""RunAway Train: three to six passengers throw their suitcases off a train without a driver, and follow in time."""

from backroom.engine.game import Option
from backroom.engine.kernel import EVERYONE, NATURE, UNKNOWN, below, kernel, record

from .pieces import (
    ALL_SUITCASES,
    BEFORE,
    CANNOT,
    MOST_SPEEDS,
    MOST_YELLOW,
    STANDARD,
    SUITCASES,
    read_track,
    track_numbers,
)


def countdown(text: str) -> str:
    """§6: seconds to choose."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 3 and 5 <= int(text) <= 120):
        raise ValueError(f"{text[:20]!r} is no number of seconds from 5 to 120")
    return str(int(text))


NAME = "runaway-train"
TITLE = "RunAway Train"
VERSION = 1
SEATS = (3, 4, 5, 6)
SEAT_NAMES = ("Red", "Blue", "Green", "Pink", "Amber", "Grey")
OPTIONS = (
    Option(
        "track",
        (STANDARD,),
        "The track and its stop chart, or a file with another (§2.3).",
        other="a track file",
        read=read_track,
        numbers=track_numbers,
        is_file=True,
    ),
    Option(
        "countdown",
        ("20", "off"),
        "Seconds to choose, at a live table (§3.5).",
        other="5 to 120",
        read=countdown,
        is_rule=False,
    ),
    Option("last_gasp", ("no", "yes"), "At the end of the track cards are played once more before the roll (§6)."),
)
MOST_SEATS = 6

STATE = record(
    [
        # the train
        ("speed", "i4"),  # the true one (§2.4)
        ("at", "i4"),  # its space
        ("track", "i4"),  # the part it is on: BEFORE the switch, SHORT or LONG
        ("due", "i4"),  # of that part's yellow spaces, the first that has not been carried out (§3.3)
        ("left", "i4"),  # spaces of this move that are left beyond the switch (§3.3)
        ("multiplier", "i4"),  # kept beside `due` for speed
        # the open question
        ("ask", "i4"),
        ("jumper", "i4"),  # who is asked when somebody may jump; otherwise 0
        ("fate", "i4"),  # how it ended
        # the players
        ("seats", "i4"),
        ("engineer", "i4"),
        ("aboard", "i4"),  # whose passengers are, as bits
        ("suitcases", "i4", MOST_SEATS),  # those left in each hand, as a set
        ("points", "i4", MOST_SEATS),
        ("choice", "i4", MOST_SEATS),  # sealed: 0 none yet, else a choice (see below), or UNKNOWN
        ("shown", "i4", MOST_SEATS),  # the choices of the last reveal
        ("gained", "i4", MOST_SEATS),  # the points of the last reveal
        # dice
        ("die", "i4"),  # the last that was rolled in this game; 0: none
        ("contenders", "i4"),  # while lots are drawn for the first engineer: who is in it, as bits
        ("lot", "i4", MOST_SEATS),  # and what they have rolled; 0: not yet
        # the table's rules
        ("yellow_at", "i2", (3, MOST_YELLOW)),  # the yellow spaces of each part; 0: no more
        ("yellow_is", "i2", (3, MOST_YELLOW)),  # a multiplier, or a brake (see `pieces`)
        ("switch", "i2"),
        ("end", "i2", 3),  # where a part ends: the switch, and the two ends
        ("slowest", "i2", 3),  # the first and last speeds of the stop charts of SHORT and LONG
        ("fastest", "i2", 3),
        ("stops", "i2", (3, MOST_SPEEDS)),  # the least rolls that stop the train
        ("last_gasp", "i4"),
    ]
)

# The open question
LOTS, ROLLING, BRAKING, SWITCHING, CHOOSING, JUMPING, STOPPING, OVER = range(8)

# How it ended (§5)
RUNNING, BRAKED, STOPPED, PLUNGED, EMPTY = range(5)

# Moves. Nature's four dice are told apart so that a log can be read.
LOT = 0  # + the die - 1, as the three that follow
ROLL = LOT + 6
BRAKE = ROLL + 6
STOP = BRAKE + 6
TAKE_SHORT = STOP + 6
TAKE_LONG = TAKE_SHORT + 1
PASS = TAKE_LONG + 1
BLUFF = PASS + 1
LEAVE = BLUFF + 1  # passenger + conductor
PASSENGER = LEAVE + 1  # + the suitcase - 1
CONDUCTOR = PASSENGER + SUITCASES
JUMP = CONDUCTOR + SUITCASES
STAY = JUMP + 1

# A choice is kept as the place of its move after PASS, from 1 on; a set of choices as bits.
FIRST_LEAVE = LEAVE - PASS + 1
FIRST_PASSENGER = PASSENGER - PASS + 1
FIRST_CONDUCTOR = CONDUCTOR - PASS + 1
CHOICES = JUMP - PASS
WITH_PASSENGER = sum(1 << FIRST_PASSENGER + i for i in range(SUITCASES))
WITH_CONDUCTOR = sum(1 << FIRST_CONDUCTOR + i for i in range(SUITCASES))

SECRETS = True
BACK = UNKNOWN
MOST_MOVES = CHOICES
LONGEST = 20_000  # the train goes at least a space a round, so 99 rounds; six seats rarely change 30 times in one
PLUNGED_BELOW = 1000  # more than anybody can score: what ranks the passengers of a plunged train after all others


# §1 and §2


@kernel
def setup(s, seats, options):
    n = 0
    for part in range(3):
        for i in range(MOST_YELLOW):
            s.yellow_at[part, i], s.yellow_is[part, i] = options[n], options[n + 1]
            n += 2
    s.switch = options[n]
    s.end[BEFORE], s.slowest[BEFORE], s.fastest[BEFORE] = options[n], 0, 0
    s.stops[BEFORE, :] = 0
    n += 1
    for part in range(1, 3):
        s.end[part], s.slowest[part], s.fastest[part] = options[n], options[n + 1], options[n + 2]
        for i in range(MOST_SPEEDS):
            s.stops[part, i] = options[n + 3 + i]
        n += 3 + MOST_SPEEDS
    s.last_gasp = options[n]
    s.speed, s.multiplier = 1, 1  # §2.4
    s.at, s.track, s.due, s.left = 0, BEFORE, 0, 0
    s.ask, s.jumper, s.fate = LOTS, 0, RUNNING
    s.seats, s.engineer, s.die = seats, 0, 0
    s.aboard = (1 << seats) - 1
    s.contenders = s.aboard
    s.lot[:], s.choice[:], s.shown[:], s.gained[:], s.points[:] = 0, 0, 0, 0, 0
    for seat in range(MOST_SEATS):
        s.suitcases[seat] = ALL_SUITCASES if seat < seats else 0  # §1.1


@kernel
def is_aboard(s, seat):
    return s.aboard >> seat & 1 == 1


@kernel
def asked(s):
    if s.ask == CHOOSING:
        mask = 0
        for seat in range(s.seats):
            if s.choice[seat] == 0 and is_aboard(s, seat):
                mask |= 1 << seat
        return mask
    if s.ask == SWITCHING:
        return 1 << s.engineer
    if s.ask == JUMPING:
        return 1 << s.jumper
    if s.ask == OVER:
        return 0
    return 1 << NATURE


@kernel
def due_die(s):
    """The first of the six moves of nature that are due."""
    if s.ask == LOTS:
        return LOT
    if s.ask == ROLLING:
        return ROLL
    return BRAKE if s.ask == BRAKING else STOP


@kernel
def has_two(suitcases):
    """Whether a set has at least two."""
    return suitcases & (suitcases - 1) != 0


@kernel
def moves(s, seat, out):
    if seat == NATURE:
        if s.ask == LOTS or s.ask == ROLLING or s.ask == BRAKING or s.ask == STOPPING:
            first = due_die(s)
            for face in range(6):
                out[face] = first + face
            return 6
    elif s.ask == CHOOSING:
        if is_aboard(s, seat):
            return choices(s, seat, out)
    elif s.ask == SWITCHING:
        if seat == s.engineer:
            out[0], out[1] = TAKE_SHORT, TAKE_LONG
            return 2
    elif s.ask == JUMPING and seat == s.jumper:
        out[0], out[1] = JUMP, STAY
        return 2
    return 0


@kernel
def choices(s, seat, out):
    """§3.5: two cards or none; what is sealed already is no move, but may be replaced."""
    hand, sealed = s.suitcases[seat], s.choice[seat] + PASS - 1
    n = 0
    if sealed != PASS:
        out[n] = PASS
        n += 1
    if sealed != BLUFF and has_two(hand):
        out[n] = BLUFF
        n += 1
    if sealed != LEAVE:
        out[n] = LEAVE
        n += 1
    for first in range(PASSENGER, JUMP, SUITCASES):
        for i in range(SUITCASES):
            if hand >> (i + 1) & 1 and sealed != first + i:
                out[n] = first + i
                n += 1
    return n


@kernel
def can_choose(s, seat, choice):
    """Whether the hand has the cards of a choice, sealed or not."""
    if choice < 1 or choice > CHOICES:
        return False
    if choice + PASS - 1 == BLUFF:
        return has_two(s.suitcases[seat])
    return choice < FIRST_PASSENGER or s.suitcases[seat] >> suitcase_of(choice) & 1 == 1


@kernel
def suitcase_of(choice):
    """The suitcase of a choice that has one with a passenger or a conductor."""
    return choice - FIRST_PASSENGER + 1 if choice < FIRST_CONDUCTOR else choice - FIRST_CONDUCTOR + 1


@kernel
def odds(s, out):
    out[:6] = 1
    return 6


@kernel
def play(s, seat, move):
    if move < TAKE_SHORT:
        s.die = move % 6 + 1
        if move < ROLL:
            draw_lot(s)
        elif move < BRAKE:
            roll(s)
        elif move < STOP:
            brake(s)
        else:
            stop(s)
    elif move < PASS:
        throw_switch(s, move - TAKE_SHORT + 1)
    elif move < JUMP:
        s.choice[seat] = move - PASS + 1
        if asked(s) == 0:
            reveal(s)
    else:
        if move == JUMP:
            s.aboard &= ~(1 << seat)  # §4.3, §4.4
        s.jumper = 0
        end_round(s)


# §3: who begins, the roll and the move


@kernel
def next_in_lots(s):
    """Who rolls next for the first turn as engineer; NATURE if all have."""
    for seat in range(s.seats):
        if s.contenders >> seat & 1 and s.lot[seat] == 0:
            return seat
    return NATURE


@kernel
def draw_lot(s):
    """§3: the highest is the first engineer, the tied roll again."""
    s.lot[next_in_lots(s)] = s.die
    if next_in_lots(s) != NATURE:
        return
    best, tied, count, first = 0, 0, 0, 0
    for seat in range(s.seats):
        if s.lot[seat] > best:
            best, tied, count, first = s.lot[seat], 0, 0, seat
        if s.lot[seat] == best:
            tied |= 1 << seat
            count += 1
    s.lot[:] = 0
    s.contenders = tied
    if count == 1:
        s.contenders = 0
        s.engineer = first
        s.ask = ROLLING


@kernel
def roll(s):
    """§3.1, §3.2"""
    if s.die == 6:
        s.speed += 2
    elif s.die > 2:
        s.speed += 1
    beyond = max(s.at + s.speed - s.end[s.track], 0)
    s.at += s.speed - beyond
    s.left = beyond if s.track == BEFORE else 0  # §3.2: nothing is beyond an end
    go_on(s)


@kernel
def is_brake(s):
    """Whether the next yellow space of the part is a brake."""
    return s.yellow_is[s.track, s.due] < 0


@kernel
def has_reached_yellow(s):
    """Whether a yellow space is reached that has not been carried out."""
    return s.due < MOST_YELLOW and 0 < s.yellow_at[s.track, s.due] <= s.at


@kernel
def go_on(s):
    """§3.3: carry out in order what was reached and asks nobody, up to what asks somebody; cards come last."""
    while has_reached_yellow(s):
        if is_brake(s):
            s.ask = BRAKING
            return
        s.multiplier = s.yellow_is[s.track, s.due]
        s.due += 1
    s.ask = CHOOSING
    if s.at == s.end[s.track]:
        if s.track == BEFORE:
            s.ask = SWITCHING
        elif not s.last_gasp:  # §6
            s.ask = STOPPING


@kernel
def throw_switch(s, track):
    """§3.3: the spaces left of this move are moved on the chosen track."""
    s.track, s.due = track, 0
    s.at = min(s.at + s.left, s.end[track])
    s.left = 0
    go_on(s)


@kernel
def brake(s):
    """§3.3, §3.4"""
    s.speed -= s.die // -s.yellow_is[s.track, s.due]
    s.due += 1
    if s.speed < 1:
        s.left = 0
        halt(s, BRAKED)
    else:
        go_on(s)


# §3.6 to §3.9, and §4


@kernel
def effective(s):
    """§3.6, §3.7: of the choices shown, those that take effect, as a set."""
    once, again = 0, 0
    for seat in range(s.seats):
        choice = 1 << s.shown[seat]
        again |= once & choice
        once |= choice
    single = once & ~again
    found = single & 1 << FIRST_LEAVE
    with_passenger, with_conductor = single & WITH_PASSENGER, single & WITH_CONDUCTOR
    found |= with_passenger & -with_passenger
    while has_two(with_conductor):
        with_conductor &= with_conductor - 1
    return found | with_conductor


@kernel
def worth(choice, multiplier):
    """§4.1, §4.2: what a suitcase scores that goes off."""
    suitcase = suitcase_of(choice)
    tip = suitcase - 1 if choice >= FIRST_CONDUCTOR else 0
    return suitcase * multiplier - tip


@kernel
def reveal(s):
    """All cards are shown together, and everything is settled before anybody jumps."""
    for seat in range(s.seats):
        s.shown[seat], s.choice[seat], s.gained[seat] = s.choice[seat], 0, 0
    found = effective(s)
    s.ask = CHOOSING
    for seat in range(s.seats):
        choice = s.shown[seat]
        if not found >> choice & 1:
            continue
        if choice == FIRST_LEAVE:
            s.aboard &= ~(1 << seat)
            continue
        s.suitcases[seat] &= ~(1 << suitcase_of(choice))  # §3.8
        s.gained[seat] = worth(choice, s.multiplier)
        s.points[seat] += s.gained[seat]
        if choice < FIRST_CONDUCTOR:
            s.jumper = seat  # §4.3: the lowest is one seat's alone
            s.ask = JUMPING
    if s.ask != JUMPING:
        end_round(s)


@kernel
def next_aboard(s):
    """§3.9: the next to the left of the engineer whose passenger is aboard."""
    seat = s.engineer
    for _ in range(s.seats):
        seat = (seat + 1) % s.seats
        if is_aboard(s, seat):
            break
    return seat


@kernel
def is_at_the_end(s):
    return s.track != BEFORE and s.at == s.end[s.track]


@kernel
def end_round(s):
    if s.aboard == 0:
        s.ask, s.fate = OVER, EMPTY  # §5.2
    elif is_at_the_end(s):  # §6: the last gasp is over
        if not is_aboard(s, s.engineer):
            s.engineer = next_aboard(s)
        s.ask = STOPPING
    else:
        s.engineer = next_aboard(s)
        s.ask = ROLLING


# §5


@kernel
def least_roll(s, track, speed):
    """§2.2, §2.3: what stops the train at the end of a track; CANNOT where nothing does."""
    if speed > s.fastest[track]:
        return CANNOT
    return s.stops[track, max(speed - s.slowest[track], 0)]


@kernel
def stop(s):
    """§5.1"""
    if s.die >= least_roll(s, s.track, s.speed):
        halt(s, STOPPED)
    else:
        s.ask, s.fate = OVER, PLUNGED


@kernel
def halt(s, fate):
    """§5.3: everyone aboard adds the plain value of his suitcases left."""
    for seat in range(s.seats):
        if is_aboard(s, seat):
            s.points[seat] += plain_value(s, seat)
    s.ask, s.fate = OVER, fate


@kernel
def plain_value(s, seat):
    total = 0
    for suitcase in range(1, SUITCASES + 1):
        if s.suitcases[seat] >> suitcase & 1:
            total += suitcase
    return total


@kernel
def score(s, out):
    """§5.4: points; who went over the cliff ranks below all who got off, and if nobody did all lose alike."""
    for seat in range(s.seats):
        out[seat] = s.points[seat]
        if s.fate == PLUNGED and is_aboard(s, seat):
            out[seat] -= PLUNGED_BELOW
            if s.aboard == (1 << s.seats) - 1:
                out[seat] = -PLUNGED_BELOW


# what everybody sees: all but the choices that others have sealed


@kernel
def seen(s, seat, move):
    if PASS <= move < JUMP and asked(s) & ~(1 << seat):
        return 1 << seat
    return EVERYONE  # the last choice opens them all


@kernel
def hide(s, seat):
    for other in range(s.seats):
        if other != seat and s.choice[other] != 0:
            s.choice[other] = UNKNOWN


@kernel
def imagine(s, seat, dice):
    """Any choice that a hand allows, each as likely."""
    for other in range(s.seats):
        if s.choice[other] == UNKNOWN:
            open_choices = 0
            for choice in range(1, CHOICES + 1):
                if can_choose(s, other, choice):
                    open_choices += 1
            nth = below(dice, open_choices)
            for choice in range(1, CHOICES + 1):
                if can_choose(s, other, choice):
                    if nth == 0:
                        s.choice[other] = choice
                    nth -= 1


@kernel
def reached_multiplier(s):
    """§3.3: the last multiplier that was carried out."""
    found = 1
    for part in range(3):
        if part == BEFORE or part == s.track:
            for i in range(MOST_YELLOW):
                carried_out = i < s.due if part == s.track else s.yellow_at[part, i] > 0
                if carried_out and s.yellow_is[part, i] > 0:
                    found = s.yellow_is[part, i]
    return found


@kernel
def is_whole(s):
    everyone = (1 << s.seats) - 1
    if s.aboard & ~everyone or s.multiplier != reached_multiplier(s) or s.at > s.end[s.track]:
        return False
    if s.ask != BRAKING and s.ask != OVER and has_reached_yellow(s):
        return False
    for seat in range(MOST_SEATS):
        if s.suitcases[seat] & ~ALL_SUITCASES:
            return False
        if seat >= s.seats and (s.suitcases[seat] or s.points[seat] or s.choice[seat] or s.shown[seat]):
            return False
        if s.choice[seat] and not (s.ask == CHOOSING and is_aboard(s, seat) and can_choose(s, seat, s.choice[seat])):
            return False
    for seat in range(s.seats):
        scored = s.points[seat] - (plain_value(s, seat) if is_stopped(s) and is_aboard(s, seat) else 0)
        thrown = ALL_SUITCASES & ~s.suitcases[seat]
        most = 0
        for suitcase in range(1, SUITCASES + 1):
            if thrown >> suitcase & 1:
                scored -= 1  # §4.2: a suitcase that goes off scores at least 1
                most += 9 * suitcase - 1
        if scored < 0 or scored > most:
            return False
    return True


@kernel
def is_stopped(s):
    """§5.3"""
    return s.fate == BRAKED or s.fate == STOPPED
