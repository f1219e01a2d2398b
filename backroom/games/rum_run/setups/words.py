"""The words of the editor: steps have plain names, like `place log`, `at g6`, `turn` or `size 12`."""

import re

import numpy as np

from backroom.engine.marks import who
from backroom.engine.phrases import did_you_mean, listing
from backroom.engine.protocol import Move, Result, Seat, State
from backroom.games.rum_run.pieces import (
    BARRELS,
    COLUMNS,
    EVENTS,
    LEAST_SIDE,
    MOST_STILLS,
    NODES,
    OBJECTIVES,
    OBSTACLES,
    SIDE,
    STILLS,
)
from backroom.games.rum_run.setup_file import NOWHERE, Setup, node_called, node_name

from .drafts import setup_of, status, wrongs
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
    asked,
    hand_moves,
    thing_at,
)

NOTATION = re.compile(r"\b[a-p][1-9][0-9]?\b")
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
"""The things in the box, in the order of moves."""
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
    """The move with this name, in capitals or not, with or without the verb."""
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
    """The name of a thing; a card's is that of the face which is up."""
    if thing < FIRST_CARD:
        return str(STILLS[thing])
    if thing < FIRST_FOG:
        return str(OBSTACLES[FACES_OF[thing - FIRST_CARD, v.flipped[thing]]])
    return "the Town Center" if thing == TOWN else "fog"


def where(v: State, thing: int) -> str:
    """A thing with its place, if it has one, in notation."""
    lies = int(v.lies[thing])
    return thing_name(v, thing) + (f" at {node_name(lies)}" if lies >= 0 else "")


# labels and sentences


def whereabouts(node: int) -> str:
    """A node in words."""
    return f"column {COLUMNS[node % SIDE].upper()}, row {node // SIDE + 1}"


def placed(v: State, thing: int) -> str:
    """A thing with its place, if it has one, in words."""
    lies = int(v.lies[thing])
    return thing_name(v, thing) + (f" at {whereabouts(lies)}" if lies >= 0 else "")


def label(v: State, move: Move) -> str:
    """The label of a step."""
    if move >= AT:
        return _label_at(v, move - AT)
    if move >= EVENT:
        cards, first, names = (v.events, EVENT, EVENTS) if move < OBJECTIVE else (v.objectives, OBJECTIVE, OBJECTIVES)
        return f"{'Leave out' if int(cards) >> (move - first) & 1 else 'Put in'} {names[move - first]}"
    if move >= TAKE:
        what = IN_BOX[move - TAKE].replace(TOWN_CENTER, "the Town Center")
        return f"Lay {what} there" if v.node >= 0 else f"Take {what} out of the box"
    if move >= RESIZE:
        return f"Make the board {LEAST_SIDE + move - RESIZE} × {LEAST_SIDE + move - RESIZE}"
    return {
        TURN: "Turn it",
        FLIP: "Turn it over",
        REMOVE: "Put it back",
        DONE: "Done",
        FOLK: f"The Forest Folk {'stay at home' if v.folk else 'come along'}",
        OPEN_EVENTS: "Choose the events",
        OPEN_OBJECTIVES: "Choose the objectives",
        TAKE_ALL: "Put all in",
        TAKE_NONE: "Leave all out",
        BACK: "Choose something else" if v.ask == BOARD else "Back to the board",
    }[move]


def _label_at(v: State, node: int) -> str:
    if v.hand >= 0:
        held = thing_name(v, int(v.hand))
        return f"Move {held} to {whereabouts(node)}" if v.lies[v.hand] >= 0 else f"Lay {held} at {whereabouts(node)}"
    thing = int(thing_at(v, node))
    return f"Choose {thing_name(v, thing) + ' at ' if thing >= 0 else ''}{whereabouts(node)}"


def say(v: State, seat: Seat, move: Move, then: State) -> str:
    """What happened, for the story; choosing and looking are left out, unless it was the very last step."""
    said = _happening(v, seat, move, then)
    return said or ("" if asked(then) else "That was the last step: the draft is done.")


def _happening(v: State, seat: Seat, move: Move, then: State) -> str:
    if move >= AT:
        return _say_at(v, then)
    if move >= EVENT:
        cards, first, names = (v.events, EVENT, EVENTS) if move < OBJECTIVE else (v.objectives, OBJECTIVE, OBJECTIVES)
        return f"{names[move - first]} goes {'out' if int(cards) >> (move - first) & 1 else 'in'}."
    if move >= TAKE:
        what = IN_BOX[move - TAKE].replace(TOWN_CENTER, "the Town Center")
        return f"{who(seat)} lays {what} at {whereabouts(int(v.node))}." if v.node >= 0 else ""
    if move >= RESIZE:
        back = int((v.lies >= 0).sum() - (then.lies >= 0).sum())
        gone = f"; {back} {'piece goes' if back == 1 else 'pieces go'} back into the box (§3.4)" if back else ""
        return f"The board is {then.width} × {then.width} now{gone}."
    if move in (TURN, FLIP, REMOVE):
        return _say_handling(v, seat, move, then)
    return {
        DONE: "The draft is done.",
        FOLK: f"The Forest Folk {'come along' if then.folk else 'stay at home'}.",
        TAKE_ALL: "All go in.",
        TAKE_NONE: "All go out.",
    }.get(move, "")


def _say_at(v: State, then: State) -> str:
    if v.hand < 0:
        return ""
    thing = thing_name(v, int(v.hand))
    at = whereabouts(int(then.lies[v.hand]))
    return f"{who(0)} moves {thing} to {at}." if v.lies[v.hand] >= 0 else f"{who(0)} lays {thing} at {at}."


def _say_handling(v: State, seat: Seat, move: Move, then: State) -> str:
    thing = int(v.hand)
    if move == TURN:
        return f"{who(seat)} turns {placed(v, thing)}."
    if move == REMOVE:
        return f"{who(seat)} puts {placed(v, thing)} back into the box."
    if thing < FIRST_CARD:
        return f"{who(seat)} turns {placed(v, thing)} face {'down' if then.flipped[thing] else 'up'}."
    return f"{who(seat)} turns {placed(v, thing)} over: {thing_name(then, thing)}."


def result(v: State) -> Result | None:
    """What was made: nothing is won or lost. None until it is done."""
    if not v.over:
        return None
    made = setup_of(v)
    has = f"{len(made.stills)} still{'' if len(made.stills) == 1 else 's'} and {made.barrels} barrels"
    return Result("The draft is done, and nothing is won or lost (§3.6).", (has,), ())


def question(v: State, seat: Seat) -> str:
    """What is asked now; on the empty board, what makes the setup unplayable."""
    if v.over:
        return f"The game is over: the draft is done. {_status(v)}"
    if v.ask == EVENT_LIST:
        return f"Which events? {int(v.events).bit_count()} of {len(EVENTS)} are in (§10)."
    if v.ask == OBJECTIVE_LIST:
        return f"Which objectives? {int(v.objectives).bit_count()} of {len(OBJECTIVES)} are in (§11)."
    if v.hand >= 0 and v.lies[v.hand] >= 0:
        return f"What of {placed(v, int(v.hand))}? {_ways(v)} (§3.2)."
    if v.hand >= 0:
        return f"Where does {thing_name(v, int(v.hand))} go?"
    if v.node >= 0:
        return f"What goes at {whereabouts(int(v.node))}?"
    return f"{_status(v)} Next: {next_step(setup_of(v))}"


def _ways(v: State) -> str:
    """What can be done with the chosen thing on the board, as labels."""
    out = np.empty(len(PLAIN), np.int32)
    ways = (label(v, int(move)) for move in out[: hand_moves(v, out)])
    return listing(["Move it", *(way[:1].lower() + way[1:] for way in ways)])


def next_step(setup: Setup) -> str:
    """What to do now, for a newcomer."""
    if setup.town == NOWHERE:
        return "take the Town Center out of the box and lay it in the forest."
    if not setup.stills:
        return "take stills out of the box and lay them around the Town Center."
    if found := wrongs(setup):
        if len(setup.stills) > MOST_STILLS:
            return "put a still back into the box."
        if not found[0].is_of_barrels:
            return "move, turn or take away what is marked red." if found[0].nodes else "change that."
        if setup.barrels > BARRELS:
            return "put a still back into the box."
        return "lay another still."
    return "play it; or add obstacles, fog, events, objectives."


def _status(v: State) -> str:
    """Whether the setup can be played, in words without notation."""
    return NOTATION.sub(lambda node: whereabouts(node_called(node[0])), status(setup_of(v)))
