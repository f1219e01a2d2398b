"""The train: who begins, the roll, the move and its yellow spaces, how it ends (§3.1 to §3.4, §5.1, §5.3)."""

from backroom.engine.kernel import NATURE, kernel
from backroom.games.runaway_train.pieces import BEFORE, CANNOT, MOST_YELLOW, SUITCASES

from .state import (
    BRAKED,
    BRAKING,
    CHOOSING,
    OVER,
    PLUNGED,
    ROLLING,
    STOPPED,
    STOPPING,
    SWITCHING,
    is_aboard,
)


@kernel
def next_in_lots(s):
    """The seat that rolls next for the first turn as engineer; NATURE if all have."""
    for seat in range(s.seats):
        if s.contenders >> seat & 1 and s.lot[seat] == 0:
            return seat
    return NATURE


@kernel
def draw_lot(s):
    """§3: the highest roll is the first engineer; ties roll again."""
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
    """§3.1, §3.2: the roll changes the speed, and the train moves."""
    if s.die == 6:
        s.speed += 2
    elif s.die > 2:
        s.speed += 1
    beyond = max(s.at + s.speed - s.end[s.track], 0)
    s.at += s.speed - beyond
    s.left = beyond if s.track == BEFORE else 0  # §3.2: nothing is beyond an end
    go_on(s)


@kernel
def has_reached_yellow(s):
    """Whether a yellow space has been reached and not been carried out yet."""
    return s.due < MOST_YELLOW and 0 < s.yellow_at[s.track, s.due] <= s.at


@kernel
def go_on(s):
    """§3.3: carry out in order what was reached, up to the first thing that asks somebody; cards come last."""
    while has_reached_yellow(s):
        if s.yellow_is[s.track, s.due] < 0:
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
    """§3.3: the rest of this move is made on the chosen track."""
    s.track, s.due = track, 0
    s.at = min(s.at + s.left, s.end[track])
    s.left = 0
    go_on(s)


@kernel
def brake(s):
    """§3.3, §3.4: a brake slows the train by its roll; at 0 the train stands."""
    s.speed -= s.die // -s.yellow_is[s.track, s.due]
    s.due += 1
    if s.speed < 1:
        s.left = 0
        halt(s, BRAKED)
    else:
        go_on(s)


@kernel
def is_at_the_end(s):
    return s.track != BEFORE and s.at == s.end[s.track]


@kernel
def least_roll(s, track, speed):
    """§2.2, §2.3: the lowest roll that stops the train at the end of a track; CANNOT if none does."""
    if speed > s.fastest[track]:
        return CANNOT
    return s.stops[track, max(speed - s.slowest[track], 0)]


@kernel
def stop(s):
    """§5.1: the last roll decides whether the train stops at the end of the track or goes over the cliff."""
    if s.die >= least_roll(s, s.track, s.speed):
        halt(s, STOPPED)
    else:
        s.ask, s.fate = OVER, PLUNGED


@kernel
def halt(s, fate):
    """§5.3: everyone aboard adds the plain value of the suitcases he has left."""
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
