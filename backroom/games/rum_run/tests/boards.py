"""Positions for tests: `at` sets one up, `after` plays on, `names` lists the open moves."""

import backroom
from backroom.engine.kernel import NATURE
from backroom.engine.protocol import State
from backroom.games.rum_run.pieces import COLOURS
from backroom.games.rum_run.rules.objectives import total
from backroom.games.rum_run.rules.state import ASK_EVENT, DO_DRAWS, DO_END
from backroom.games.rum_run.setup_file import node_called, node_name

GAME = backroom.game("rum-run")
LOOP = "blue f7:1|2> e7:2|2 e6:2|3v e5:3|3 f5:3|4< g5:4|4 h7:1|5< i7:5|5 i6:5|6v i5:6|6 h5:6|4>"
"""A road round the north of the Town Center, from f7 to h7; both ways meet at g5."""


def at(position: str, seats: int = 2, **options: object) -> State:
    """A state in the notation of `position.py`; it is blue's turn unless the text says otherwise.

    Stills without a supply in the text are dry, so that there are barrels for the roads.
    """
    s = GAME.start(*GAME.settle(seats, options))
    if "supply" not in position:
        corners = [node_name(int(s.corner[still])) for still in range(5) if s.kind[still] >= 0]
        position = " | ".join(filter(None, [position, "supply " + " ".join(f"{node}:0" for node in corners)]))
    GAME.rules.place(s, position)
    assert GAME.rules.is_whole(s)
    return s


def fresh(seats: int = 2, **options: object) -> State:
    """A game before the first pick."""
    return GAME.start(*GAME.settle(seats, options))


def names(s: State, seat: int | None = None) -> list[str]:
    """The moves of a seat, or of the seat that is asked."""
    seat = GAME.asked(s)[0] if seat is None else seat
    return [GAME.rules.name(s, move) for move in GAME.moves(s, seat)]


def after(s: State, *moves: str, seat: int | None = None) -> State:
    """The state after these legal moves of the seat that is asked. `g6 3|5` is both steps of a placing."""
    for text in moves:
        who = GAME.asked(s)[0] if seat is None else seat
        if " " in text and text[0] in "abcdefghijklmnop" and "|" in text and text.split()[0] in names(s):
            s = after(s, text.split()[0])
        move = GAME.rules.parse(s, text)
        assert move in GAME.moves(s, who), f"{text} is not among {names(s, who)}"
        s = GAME.after(s, who, move)
        assert GAME.rules.is_whole(s), text
    return s


def can(s: State, text: str) -> bool:
    """Whether the seat that is asked may play this, a placing in two steps."""
    node, _, _ = text.partition(" ")
    if "|" in text and " " in text and node in names(s):
        s = after(s, node)
    try:
        return GAME.rules.parse(s, text) in GAME.moves(s, GAME.asked(s)[0])
    except ValueError:
        return False


def why(s: State, text: str, seat: int | None = None) -> str:
    """Why a move may not be made."""
    who = GAME.asked(s)[0] if seat is None else seat
    move = GAME.rules.parse(s, text)
    assert move not in GAME.moves(s, who)
    return GAME.plain(GAME.rules.why(s, who, move))


def held(s: State, *nodes: str) -> list[int]:
    """The barrels on some nodes."""
    return [int(s.barrels[node_called(node)]) for node in nodes]


def owner(s: State, node: str) -> str:
    """The colour of the token on a node."""
    number = int(s.owner[node_called(node)])
    return COLOURS[number - 1] if number else "nobody"


def steps(s: State, node: str) -> int:
    """How far a token is from the Town Center; 0: not joined."""
    return int(s.dist[node_called(node)])


def scores(s: State) -> list[int]:
    """What each seat has scored, rewards included."""
    return [int(total(s, seat)) for seat in range(int(s.seats))]


def is_natures(s: State) -> bool:
    return GAME.asked(s) == (NATURE,)


DRAWING = f"ask {DO_END}:0:0 {DO_DRAWS}:0:0 {ASK_EVENT}:0:0"
"""The part of a position in which the colour in turn is about to draw an event."""


def drawn(event: str, position: str, seats: int = 2, **options: object) -> State:
    """The state after the colour in turn has drawn an event."""
    return after(at(f"{position} | {DRAWING}", seats, **{"events": "yes", **options}), f"event {event}")
