"""What a first game of Run explains, each once, when it first arises."""

from backroom.engine.protocol import Seat, Situation, State

from .pieces import MOTHER, OFF, POINTS
from .reasons import is_untouched
from .rules import asked, is_home, is_open, is_running

NEARLY_DONE = 8
"""The number of men off from which the size of the win becomes interesting."""


def is_asked(v: State, seat: Seat) -> bool:
    return int(asked(v)) == 1 << seat


def has_arrived(v: State, seat: Seat) -> bool:
    return is_asked(v, seat) and not is_running(v, seat) and not is_home(v, seat)


def meets_a_closed_point(v: State, seat: Seat) -> bool:
    """Whether a die that is to be played leads a man onto the opponent's men."""
    dice = [int(v.dice[which]) for which in (0, 1) if v.left[which]]
    return is_asked(v, seat) and any(
        v.men[seat, point] and point + die <= POINTS and not is_open(v, seat, point + die)
        for point in range(1, POINTS + 1)
        for die in dice
    )


def rolled_a_double(v: State, seat: Seat) -> bool:
    return is_asked(v, seat) and int(v.dice[0]) == int(v.dice[1])


def loses_a_die(v: State, seat: Seat) -> bool:
    """Whether the roll cannot be played completely."""
    whole = 4 if int(v.dice[0]) == int(v.dice[1]) else 2
    return is_asked(v, seat) and int(v.left.sum()) < whole and is_untouched(v)


def holds_five_of_the_mother(v: State, seat: Seat) -> bool:
    return is_asked(v, seat) and (int(v.held[seat]) & MOTHER).bit_count() == 5


def bears_off(v: State, seat: Seat) -> bool:
    return is_asked(v, seat) and bool(is_home(v, seat))


def may_win_double(v: State, seat: Seat) -> bool:
    return is_asked(v, seat) and v.men[seat, OFF] >= NEARLY_DONE and v.men[1 - seat, OFF] == 0


def may_lose_double(v: State, seat: Seat) -> bool:
    return is_asked(v, seat) and v.men[1 - seat, OFF] >= NEARLY_DONE and v.men[seat, OFF] == 0


SITUATIONS = (
    Situation(
        "course",
        "Points are counted from where your men start: all fifteen go up by number, from 1 round to 24, and then off "
        "the board (§1.2). Choose a man to see where a die takes it.",
        is_asked,
    ),
    Situation(
        "runner",
        "Your first man is the runner. Until it has reached point 13, none of your other men may move (§3.5).",
        lambda v, seat: is_asked(v, seat) and bool(is_running(v, seat)),
    ),
    Situation(
        "arrived",
        "Your runner has arrived: from now on any man may move (§3.5). Men left behind on point 1 can be shut in.",
        has_arrived,
    ),
    Situation(
        "closed point",
        "One man of the opponent closes a point: you may pass over it, and not stop there (§3.1). Nobody is ever hit.",
        meets_a_closed_point,
    ),
    Situation("double", "Two equal dice: the number is played four times (§3.3).", rolled_a_double),
    Situation(
        "lost die",
        "Your men cannot play the whole roll. As much of it as possible has to be played; the rest is lost (§3.4).",
        loses_a_die,
    ),
    Situation(
        "five of six",
        "You hold five of the six points of your first quarter. A turn may not end with all six held (§3.7).",
        holds_five_of_the_mother,
    ),
    Situation(
        "bearing off",
        "All your men are home, so they may leave the board: point 24 takes a 1, point 19 takes a 6 (§4.1).",
        bears_off,
    ),
    Situation(
        "double win",
        "If you finish before your opponent has taken a single man off, you win double (§5.1).",
        may_win_double,
    ),
    Situation(
        "double loss",
        "Take one man off before the end: whoever has none off loses double (§5.1).",
        may_lose_double,
    ),
)
