"""Positions of the editor on one line: the setup as it stands in a log, then parts between bars.

`hand Fort Firewater` is what is chosen; out of the box it may be `hand Fort Firewater turned 1 flipped`. Of the fog
tokens on the board one says which: `hand fog f4`. `node g6` is the node that is chosen, `list events` or
`list objectives` what is looked at, `made 12` how many steps were made.
"""

import re

from backroom.engine.protocol import State
from backroom.games.rum_run.pieces import OBSTACLES, STILLS
from backroom.games.rum_run.setup_file import draft, line, node_called, node_name

from .drafts import setup_of, things_of
from .pieces import FACES_OF, FIRST_CARD, FIRST_FOG, TOWN
from .rules import (
    BOARD,
    EVENT_LIST,
    LONGEST,
    OBJECTIVE_LIST,
    is_on,
    thing_at,
    thing_with,
    ways_of,
)
from .words import TOWN_CENTER, thing_name, where


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
    s.mixed[:] = found.mixed
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
