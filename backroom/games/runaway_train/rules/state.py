"""The record of a game of RunAway Train, the vocabulary of its moves, and its beginning (§1, §2)."""

from backroom.engine.kernel import UNKNOWN, kernel, record
from backroom.games.runaway_train.pieces import (
    ALL_SUITCASES,
    BEFORE,
    MOST_SPEEDS,
    MOST_YELLOW,
    SUITCASES,
)

NAME = "runaway-train"
TITLE = "RunAway Train"
VERSION = 1
SEATS = (3, 4, 5, 6)
SEAT_NAMES = ("Red", "Blue", "Green", "Pink", "Amber", "Grey")
MOST_SEATS = 6

STATE = record(
    [
        # the train
        ("speed", "i4"),  # the true one (§2.4)
        ("at", "i4"),  # its space
        ("track", "i4"),  # the part it is on: BEFORE the switch, SHORT or LONG
        ("due", "i4"),  # the first of that part's yellow spaces that has not been carried out (§3.3)
        ("left", "i4"),  # spaces of this move that are left after the switch (§3.3)
        ("multiplier", "i4"),  # redundant with `due`, for speed
        # the open question
        ("ask", "i4"),
        ("jumper", "i4"),  # who is asked when somebody may jump; otherwise 0
        ("fate", "i4"),  # how it ended
        # the players
        ("seats", "i4"),
        ("engineer", "i4"),
        ("aboard", "i4"),  # whose passengers are aboard, as bits
        ("suitcases", "i4", MOST_SEATS),  # those left in each hand, as a set
        ("points", "i4", MOST_SEATS),
        ("choice", "i4", MOST_SEATS),  # sealed: 0 none yet, else a choice (see below), or UNKNOWN
        ("shown", "i4", MOST_SEATS),  # the choices of the last reveal
        ("gained", "i4", MOST_SEATS),  # the points of the last reveal
        # dice
        ("die", "i4"),  # the last one rolled in this game; 0: none
        ("contenders", "i4"),  # while lots are drawn for the first engineer: who takes part, as bits
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
        ("work", "f4", 32),  # scratch space of `brain`, for one seat at a time
    ]
)

# The open question
LOTS, ROLLING, BRAKING, SWITCHING, CHOOSING, JUMPING, STOPPING, OVER = range(8)

# How it ended (§5)
RUNNING, BRAKED, STOPPED, PLUNGED, EMPTY = range(5)

# Moves. Nature's four dice have different moves so that a log is readable.
LOT = 0  # + the die - 1, like the three that follow
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

# A choice is stored as the index of its move after PASS, from 1 on; a set of choices as bits.
FIRST_LEAVE = LEAVE - PASS + 1
FIRST_PASSENGER = PASSENGER - PASS + 1
FIRST_CONDUCTOR = CONDUCTOR - PASS + 1
CHOICES = JUMP - PASS
WITH_PASSENGER = sum(1 << FIRST_PASSENGER + i for i in range(SUITCASES))
WITH_CONDUCTOR = sum(1 << FIRST_CONDUCTOR + i for i in range(SUITCASES))

SECRETS = True
BACK = UNKNOWN
MOST_MOVES = CHOICES
LONGEST = 20_000  # at least one space a round, so 99 rounds; six seats rarely change their choices 30 times in one
PLUNGED_BELOW = 1000  # more than anybody can score: ranks the passengers of a plunged train after all others
ALL_LOSE = -PLUNGED_BELOW  # §5.4: everybody's score if nobody got off; then nobody wins


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
