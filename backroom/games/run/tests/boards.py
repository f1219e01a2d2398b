"""Positions for tests: `at` sets one up, `turns` and `endings` say how it can go on."""

import backroom
from backroom.engine.kernel import NATURE
from backroom.engine.protocol import State

GAME = backroom.game("run")


def at(position: str, roll: str | None = None, **options: object) -> State:
    """A state in the notation of `position.py`; men that are not listed are on point 1."""
    s = GAME.start(*GAME.settle(2, options))
    GAME.rules.place(s, position)
    return after(s, f"roll {roll}") if roll else s


def names(s: State) -> list[str]:
    """The moves of the seat that is asked."""
    return [GAME.rules.name(s, move) for move in GAME.moves(s, GAME.asked(s)[0])]


def after(s: State, *moves: str) -> State:
    """The state after these moves of the seat that is asked, each of them legal."""
    for text in moves:
        (seat,) = GAME.asked(s)
        move = GAME.rules.parse(s, text)
        assert move in GAME.moves(s, seat), f"{text} is not among {names(s)}"
        s = GAME.after(s, seat, move)
    return s


def turns(s: State) -> set[str]:
    """All whole turns of the seat that is asked, as `1/7 7/11`; a lost turn is not among them."""
    (seat,) = GAME.asked(s)
    found = set()

    def go_on(s: State, played: tuple[str, ...]) -> None:
        if GAME.asked(s) != (seat,):
            found.add(" ".join(played))
            return
        for text in names(s):
            go_on(after(s, text), (*played, text))

    if seat != NATURE:
        go_on(s, ())
    return found


def endings(s: State) -> set[tuple[int, ...]]:
    """The mover's men after every possible turn, each as a tuple of points, with 25 for off."""
    (seat,) = GAME.asked(s)
    found, seen = set(), set()

    def go_on(s: State) -> None:
        if GAME.key(s) in seen:
            return
        seen.add(GAME.key(s))
        if GAME.asked(s) != (seat,):
            found.add(tuple(int(men) for men in s.men[seat]))
            return
        for move in GAME.moves(s, seat):
            go_on(GAME.after(s, seat, move))

    if seat != NATURE:
        go_on(s)
    return found


def why(s: State, text: str) -> str:
    """Why a move may not be made."""
    return GAME.plain(GAME.rules.why(s, GAME.asked(s)[0], GAME.rules.parse(s, text)))
