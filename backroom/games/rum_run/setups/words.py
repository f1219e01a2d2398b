"""The words of the editor: steps are called as one would say them, like `place log`, `at g6`, `turn` or `size 12`."""

from backroom.engine.phrases import did_you_mean
from backroom.engine.protocol import Move, Seat, State
from backroom.games.rum_run.pieces import EVENTS, LEAST_SIDE, NODES, OBJECTIVES, OBSTACLES, STILLS
from backroom.games.rum_run.setup_file import node_called, node_name

from .drafts import setup_of, status
from .pieces import FACES_OF, FIRST_CARD, FIRST_FOG, TOWN
from .rules import (
    AT,
    BACK,
    BOARD,
    DONE,
    EVENT,
    EVENT_LIST,
    FLIP,
    FOLK,
    OBJECTIVE,
    OBJECTIVE_LIST,
    OPEN_EVENTS,
    OPEN_OBJECTIVES,
    REMOVE,
    RESIZE,
    SIZES,
    TAKE,
    TAKE_ALL,
    TAKE_NONE,
    TURN,
)

TOWN_CENTER = "Town Center"
PLAIN = {
    TURN: "turn",
    FLIP: "flip",
    REMOVE: "remove",
    DONE: "done",
    FOLK: "folk",
    OPEN_EVENTS: "events",
    OPEN_OBJECTIVES: "objectives",
    TAKE_ALL: "all",
    TAKE_NONE: "none",
    BACK: "back",
}
IN_BOX = (*STILLS, *OBSTACLES, "fog", TOWN_CENTER)
"""What can be taken out of the box, in the order of moves."""
VERBS = {"place": (TAKE, IN_BOX), "event": (EVENT, EVENTS), "objective": (OBJECTIVE, OBJECTIVES)}
NAMES: dict[Move, str] = {
    **PLAIN,
    **{RESIZE + which: f"size {LEAST_SIDE + which}" for which in range(SIZES)},
    **{first + which: f"{verb} {word}" for verb, (first, words) in VERBS.items() for which, word in enumerate(words)},
    **{AT + node: f"at {node_name(node)}" for node in range(NODES)},
}
MOVES = {name.lower(): move for move, name in NAMES.items()}


def name(v: State, move: Move) -> str:
    """The move in the notation."""
    return NAMES[move]


def parse(v: State, text: str) -> Move:
    """The move of that name; capitals do not matter, nor the verbs before things and nodes."""
    said = text.lower()
    for verb in ("", "at ", "place ", "event ", "objective "):
        if f"{verb}{said}" in MOVES:
            return MOVES[f"{verb}{said}"]
    verb, _, rest = said.partition(" ")
    if verb == "at":
        return AT + node_called(rest)
    if verb in VERBS:
        raise ValueError(f"there is no {rest!r} to {verb}{did_you_mean(rest, [n.lower() for n in VERBS[verb][1]])}")
    raise ValueError("a step is written like place log, at g6, turn, flip, remove, size 12, folk, events, back or done")


def thing_name(v: State, thing: int) -> str:
    """What a thing is called: a card by the face that is up."""
    if thing < FIRST_CARD:
        return str(STILLS[thing])
    if thing < FIRST_FOG:
        return str(OBSTACLES[FACES_OF[thing - FIRST_CARD, v.flipped[thing]]])
    return "the Town Center" if thing == TOWN else "fog"


def where(v: State, thing: int) -> str:
    """A thing with its place, if it has one."""
    lies = int(v.lies[thing])
    return thing_name(v, thing) + (f" at {node_name(lies)}" if lies >= 0 else "")


def say(v: State, seat: Seat, move: Move, then: State) -> str:
    """What happened, for the log."""
    if move >= AT:
        return _say_at(v, move - AT, then)
    if move >= EVENT:
        cards, first, names = (v.events, EVENT, EVENTS) if move < OBJECTIVE else (v.objectives, OBJECTIVE, OBJECTIVES)
        return f"{names[move - first]} goes {'out' if int(cards) >> (move - first) & 1 else 'in'}."
    if move >= TAKE:
        what = IN_BOX[move - TAKE].replace(TOWN_CENTER, "the Town Center")
        if v.node >= 0:
            return f"Maker lays {what} at {node_name(int(v.node))}."
        return f"Maker takes {what} out of the box."
    if move >= RESIZE:
        back = int((v.lies >= 0).sum() - (then.lies >= 0).sum())
        gone = f"; {back} {'piece goes' if back == 1 else 'pieces go'} back into the box (§3.4)" if back else ""
        return f"The board is {then.width} × {then.width} now{gone}."
    if move in (TURN, FLIP, REMOVE):
        return _say_handling(v, move, then)
    return {
        DONE: "The draft is done.",
        FOLK: f"The Forest Folk {'come along' if then.folk else 'stay at home'}.",
        OPEN_EVENTS: "Maker looks at the events.",
        OPEN_OBJECTIVES: "Maker looks at the objectives.",
        TAKE_ALL: "All go in.",
        TAKE_NONE: "All go out.",
        BACK: "Maker thinks again." if v.ask == BOARD else "Maker looks at the board again.",
    }[move]


def _say_at(v: State, node: int, then: State) -> str:
    if v.hand >= 0:
        verb = "moves" if v.lies[v.hand] >= 0 else "lays"
        return f"Maker {verb} {thing_name(v, int(v.hand))} {'to' if verb == 'moves' else 'at'} {_lies(v, then)}."
    return f"Maker chooses {where(v, int(then.hand)) if then.hand >= 0 else node_name(node)}."


def _lies(v: State, then: State) -> str:
    return node_name(int(then.lies[v.hand]))


def _say_handling(v: State, move: Move, then: State) -> str:
    thing = int(v.hand)
    if move == TURN:
        return f"Maker turns {where(v, thing)}."
    if move == REMOVE:
        return f"Maker puts {where(v, thing)} back into the box."
    if thing < FIRST_CARD:
        return f"Maker turns {where(v, thing)} face {'down' if then.flipped[thing] else 'up'}."
    return f"Maker turns {where(v, thing)} over: {thing_name(then, thing)}."


def question(v: State, seat: Seat) -> str:
    """What is asked now; on the bare board, what keeps the setup from being played."""
    if v.over:
        return f"The game is over: the draft is done. {status(setup_of(v))}"
    if v.ask == EVENT_LIST:
        return f"Which events? {int(v.events).bit_count()} of {len(EVENTS)} are in (§10)."
    if v.ask == OBJECTIVE_LIST:
        return f"Which objectives? {int(v.objectives).bit_count()} of {len(OBJECTIVES)} are in (§11)."
    if v.hand >= 0 and v.lies[v.hand] >= 0:
        return f"What of {where(v, int(v.hand))}? Turn it, flip it, remove it, or move it to a node (§3.2)."
    if v.hand >= 0:
        return f"Where does {thing_name(v, int(v.hand))} go?"
    if v.node >= 0:
        return f"What goes on {node_name(int(v.node))}?"
    return status(setup_of(v))
