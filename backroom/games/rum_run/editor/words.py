"""The words of the editor: steps are called as one would say them, like `place log`, `at g6`, `turn` or `size 12`.

A position is the setup as it stands in a log, then parts between bars: `hand Fort Firewater` is what is chosen; out of
the box it may be `hand Fort Firewater turned 1 flipped`. Of the fog tokens on the board one says which: `hand fog f4`.
`node g6` is the node that is chosen, `list events` or `list objectives` what is looked at, `made 12` how many steps
were made.
"""

import re

from backroom.engine.phrases import did_you_mean
from backroom.engine.protocol import Move, Seat, State
from backroom.games.rum_run.pieces import EVENTS, LEAST_SIDE, NODES, OBJECTIVES, OBSTACLES, STILLS
from backroom.games.rum_run.setups import draft, line, node_called, node_name

from .drafts import setup_of, status, things_of
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
    LONGEST,
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
    has_fog,
    is_fog_in_hand,
    is_on,
    thing_at,
    thing_with,
    ways_of,
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


def why(v: State, seat: Seat, move: Move) -> str:
    """Why a step cannot be made."""
    if v.over:
        return "the draft is done (§3.6)"
    if v.ask != BOARD:
        return "a list is looked at; go back first (§3.5)"
    if move in (TURN, FLIP, REMOVE):
        return _why_not_handled(v, move)
    if move == BACK:
        return "nothing is chosen (§3.2)"
    if move >= AT:
        if not is_on(v, move - AT):
            return f"{node_name(move - AT)} is off a board of {v.width} × {v.width} (§1.1)"
        return "there is fog already (§3.1)" if is_fog_in_hand(v) and has_fog(v, move - AT) else "it is chosen (§3.1)"
    if EVENT <= move < AT or move in (TAKE_ALL, TAKE_NONE):
        return "look at the events or the objectives first (§3.5)"
    if TAKE <= move < EVENT:
        in_hand = v.hand >= 0 and v.lies[v.hand] < 0 and thing_name(v, int(v.hand)) == IN_BOX[move - TAKE]
        return f"it is {'in the hand' if in_hand else 'not in the box'} (§3.1)"
    if v.hand >= 0 or v.node >= 0:
        return "something is chosen; lay it down, or go back first (§3.2)"
    return "the board has that size (§3.4)"


def _why_not_handled(v: State, move: Move) -> str:
    if v.hand < 0:
        return "choose something first (§3.2)"
    if move == REMOVE:
        return "it does not lie on the board (§3.2)"
    return "it looks the same from all sides (§3.2)" if move == TURN else "it has no other side (§3.2)"


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


# positions


def position(v: State) -> str:
    """The state on one line."""
    parts = [line(setup_of(v))]
    if v.hand >= 0:
        parts.append(f"hand {_hand(v, int(v.hand))}")
    if v.node >= 0:
        parts.append(f"node {node_name(int(v.node))}")
    if v.ask != BOARD:
        parts.append(f"list {'events' if v.ask == EVENT_LIST else 'objectives'}")
    if v.made:
        parts.append(f"made {v.made}")
    if v.over:
        parts.append("over")
    return " | ".join(parts)


def _hand(v: State, thing: int) -> str:
    called = thing_name(v, thing).removeprefix("the ")
    if v.lies[thing] >= 0:
        return where(v, thing).replace(" at ", " ") if thing_name(v, thing) == "fog" else called
    turned = f" turned {v.turned[thing]}" if v.turned[thing] else ""
    return called + turned + (" flipped" if thing < FIRST_CARD and v.flipped[thing] else "")


def place(s: State, text: str) -> None:
    """Put a draft into a position; ValueError says what is impossible about it."""
    setup, *parts = text.split(" | ")
    found = draft(setup)
    s.width, s.folk, s.events, s.objectives = found.size, found.has_folk, found.events, found.objectives
    for thing, (lies, turned, flipped) in enumerate(things_of(found)):
        s.lies[thing], s.turned[thing], s.flipped[thing] = lies, turned, flipped
    for part in parts:
        word, _, rest = part.partition(" ")
        if word not in _PARTS:
            raise ValueError(f"{part!r} is no part of it; expected {', '.join(_PARTS)}")
        _PARTS[word](s, rest)
    if sum(map(bool, (s.hand >= 0, s.node >= 0, s.ask != BOARD))) > 1:
        raise ValueError("only one thing at a time is chosen or looked at (§3.2)")


def _place_hand(s: State, text: str) -> None:
    match = re.fullmatch(r"(.*?)(?: turned ([0-3]))?( flipped)?", text)
    assert match is not None
    called, turned, flipped = match[1], int(match[2] or 0), bool(match[3])
    fog = re.fullmatch(r"fog(?: (\S+))?", called)
    if fog:
        lying = [node_name(node) for node in s.lies[FIRST_FOG:TOWN].tolist() if node >= 0]
        if fog[1] not in (None, *lying) or len(lying) + (fog[1] is None) > TOWN - FIRST_FOG:
            raise ValueError(f"hand {text!r}: there is no such fog token (§9)")
        s.hand = FIRST_FOG + (len(lying) if fog[1] is None else lying.index(fog[1]))
    elif called in STILLS:
        s.hand = STILLS.index(called)
    elif called in OBSTACLES:
        s.hand = thing_with(OBSTACLES.index(called))
    elif called == TOWN_CENTER:
        s.hand = TOWN
    else:
        raise ValueError(f"hand {text!r}: there is no such thing (§1)")
    thing = int(s["hand"])
    if s.lies[thing] < 0:
        is_back = FIRST_CARD <= thing < FIRST_FOG and FACES_OF[thing - FIRST_CARD, 1] == OBSTACLES.index(called)
        s.flipped[thing] = is_back or (flipped and thing < FIRST_CARD)
        if turned >= ways_of(s, thing):
            raise ValueError(f"hand {text!r}: it cannot be turned so (§3.2)")
        s.turned[thing] = turned
    elif turned or flipped or (not fog and thing_name(s, thing).removeprefix("the ") != called):
        raise ValueError(f"hand {text!r}: it lies on the board otherwise (§3.2)")


def _place_node(s: State, text: str) -> None:
    node = node_called(text)
    if not is_on(s, node) or thing_at(s, node) >= 0:
        raise ValueError(f"node {text!r}: an empty node of the board can be chosen (§3.1)")
    s.node = node


def _place_list(s: State, text: str) -> None:
    if text not in ("events", "objectives"):
        raise ValueError(f"list {text!r}; expected events or objectives (§3.5)")
    s.ask = EVENT_LIST if text == "events" else OBJECTIVE_LIST


def _place_made(s: State, text: str) -> None:
    if not re.fullmatch(r"[0-9]{1,4}", text) or int(text) >= LONGEST:
        raise ValueError(f"made {text!r}; expected a number of steps under {LONGEST} (§3.7)")
    s.made = int(text)


def _place_over(s: State, text: str) -> None:
    raise ValueError("nothing goes on from a draft that is done (§3.6)")


_PARTS = {"hand": _place_hand, "node": _place_node, "list": _place_list, "made": _place_made, "over": _place_over}
