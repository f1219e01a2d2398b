"""The kernels of the contract: who is asked, the moves, what they do, who sees them, and who has won (§5.4)."""

from backroom.engine.kernel import EVERYONE, NATURE, UNKNOWN, below, kernel
from backroom.games.runaway_train.pieces import ALL_SUITCASES, BEFORE, MOST_YELLOW, SUITCASES

from .cards import can_choose, choices, end_round, reveal
from .state import (
    BRAKE,
    BRAKED,
    BRAKING,
    CHOICES,
    CHOOSING,
    JUMP,
    JUMPING,
    LOT,
    LOTS,
    MOST_SEATS,
    OVER,
    PASS,
    PLUNGED,
    PLUNGED_BELOW,
    ROLL,
    ROLLING,
    STAY,
    STOP,
    STOPPED,
    STOPPING,
    SWITCHING,
    TAKE_LONG,
    TAKE_SHORT,
    is_aboard,
)
from .train import brake, draw_lot, has_reached_yellow, plain_value, roll, stop, throw_switch


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
def odds(s, out):
    out[:6] = 1
    return 6


@kernel
def chance(s, dice):
    """Nature's move: a die."""
    return due_die(s) + below(dice, 6)


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


@kernel
def score(s, out):
    """§5.4: points. Passengers who went over the cliff rank below all who got off; if nobody got off, all
    lose alike.
    """
    for seat in range(s.seats):
        out[seat] = s.points[seat]
        if s.fate == PLUNGED and is_aboard(s, seat):
            out[seat] -= PLUNGED_BELOW
            if s.aboard == (1 << s.seats) - 1:
                out[seat] = -PLUNGED_BELOW


@kernel
def seen(s, seat, move):
    if PASS <= move < JUMP and asked(s) & ~(1 << seat):
        return 1 << seat
    return EVERYONE  # the last choice reveals them all


@kernel
def hide(s, seat):
    for other in range(s.seats):
        if other != seat and s.choice[other] != 0:
            s.choice[other] = UNKNOWN


@kernel
def imagine(s, seat, dice):
    """Any choice that a hand allows, all equally likely."""
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
    """§5.3: whether the train has stopped."""
    return s.fate == BRAKED or s.fate == STOPPED
