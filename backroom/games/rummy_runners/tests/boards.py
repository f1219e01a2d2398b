"""Positions for tests: `at` sets one up on a land in order of suits and numbers, `melds` lists what can be laid.

The land in order:      s0  s1  s2  s3
                      s4  s5  m0  m1  m2
                    m3  m4  m5  a0  a1  a2
                      a3  a4  a5  c0  c1
                        c2  c3  c4  c5
"""

import backroom
from backroom.engine.protocol import State

GAME = backroom.game("rummy-runners")
EVERY_CARD = [f"{suit}{number}{colour}" for suit in "smac" for number in range(1, 6) for colour in "ryb"]


def at(position: str, seats: int = 2, **options: object) -> State:
    """A state in the notation of `position.py`."""
    s = GAME.start(*GAME.settle(seats, options))
    GAME.rules.place(s, position if "land" in position else f"land in order | {position}")
    return s


def begun(seats: int = 2, first: str = "green", **options: object) -> State:
    """A game whose first player is known, and nothing else."""
    return after(GAME.start(*GAME.settle(seats, options)), f"first {first}")


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


def melded(s: State, cards: str) -> State:
    """The state after these cards are picked and laid."""
    return after(s, *(f"take {card}" for card in cards.split()), "lay")


def melds(s: State) -> set[frozenset[str]]:
    """Every set of cards that can be laid, found by trying all steps; no step is a dead end."""
    found, seen, todo = set(), {frozenset()}, [(s, frozenset())]
    while todo:
        s, picked = todo.pop()
        moves = names(s)
        assert moves, "a dead end"
        assert ("back" in moves) == bool(picked)
        assert not picked or moves[0] == "lay" or moves[0].startswith("take")
        if "lay" in moves:
            found.add(picked)
        for text in moves:
            if text.startswith("take"):
                more = picked | {text.removeprefix("take ")}
                if more not in seen:
                    seen.add(more)
                    todo.append((after(s, text), more))
    return found


def claims(s: State, seat: int) -> str:
    """The tiles that a seat has claimed."""
    return said(s).get(f"{('green', 'violet', 'black', 'white')[seat]} claims", "")


def said(s: State) -> dict[str, str]:
    """The parts of a position by their first words."""
    found = {}
    for part in GAME.rules.position(s).split(" | "):
        words = part.split()
        key = " ".join(words[:2]) if words[0] in ("green", "violet", "black", "white") else words[0]
        found[key] = part.removeprefix(key).strip()
    return found


def why(s: State, text: str) -> str:
    """Why a move may not be made."""
    return GAME.plain(GAME.rules.why(s, GAME.asked(s)[0], GAME.rules.parse(s, text)))


def all_out(seats: int = 2) -> str:
    """All cards in the hands of the seats, dealt round: an empty deck, and nothing melded."""
    hands = zip(("green", "violet", "black", "white")[:seats], range(seats), strict=True)
    return " | ".join(f"{name} hand {' '.join(EVERY_CARD[n::seats])}" for name, n in hands)
