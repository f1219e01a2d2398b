"""The picture of Rum Run: the forest with roads, stills and barrels; below it tokens, players and objectives."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from backroom.engine.marks import plain
from backroom.engine.phrases import listing
from backroom.engine.plain import Plain
from backroom.engine.protocol import Move, Seat, State
from backroom.scene import Piece, Scene

from .board import board
from .brain import goal_of
from .pieces import (
    ARMS,
    COLOURS,
    DIRECTIONS,
    FACE_DIRECTION,
    FACE_VARIANT,
    FAR,
    LEAST,
    MOST_STILLS,
    MOST_TAPS,
    NEAR,
    OBJECTIVE_SHORT,
    PAIRS,
    REWARD,
    SIDE,
    STAR_STAR,
    STILLS,
    TOKENS,
    VARIANT_TOKEN,
    VARIANTS,
)
from .rules import BACK, MOST_MOVES, SEAT_NAMES, STATE, begin, moves
from .rules.caravans import is_ambush, step
from .rules.objectives import stash, total
from .rules.state import (
    ASK_ACT,
    ASK_OFF,
    ASK_SECOND,
    CARAVAN,
    CHOOSE,
    CLAIM,
    DO_CARAVAN,
    DOWN,
    DRAW_FOG,
    END,
    FOGGY,
    MUD,
    NODE,
    OBSTACLE,
    PASS,
    PICK,
    PLACE,
    RECRUIT,
    RETURN,
    SKIP,
    STILL,
    STILL_AT,
    TO,
    TOKEN,
    TOWARD,
    TOWN_AT,
    VIA,
    top,
)
from .rules.taps import linking_sides
from .setup_file import node_name
from .shapes import (
    BUTTON_ROW,
    CELL,
    CHIP,
    GOAL_COLUMNS,
    HAND_COLUMNS,
    HAND_EDGE,
    MARGIN,
    ROW,
    STOCK_COLUMNS,
    STRIP,
    TEXT_HAND,
    WIDTH,
    Layout,
    face_kind,
)
from .words import VERBS, barrels, question, token_in_words, token_name, whereabouts

BUTTONS = {PASS: "pass", SKIP: "skip", BACK: "back"}
IN_WORDS = {
    "pick": ("take up", "take up a loose token of yours, to place it elsewhere"),
    "return": ("return", "return a loose token of yours to the inventory"),
}
"""What a button for loose tokens (§4.6) says, and its label: the notation alone does not explain itself."""
LETTERS = "BROP"
RAISED = ("", *"¹²³⁴⁵⁶⁷⁸⁹⁺")
"""Barrels on a token in a terminal: up to nine, then a plus."""
LEGEND = (
    ("B3/5", "Blue's token, the 3 north and the 5 south (R Red, O Orange, P Purple)"),
    ("B3-5", "the 3 west, the 5 east"),
    ("B+3+", "a double"),
    ("B3-5²", "with two barrels on it"),
    ("b3-5", "a small letter: cut off from home"),
    ("B3~5 B3¦5", "on mud"),
    ("[TWN]", "the Town Center"),
    ("[Badger B]", "a still, and below it the barrels that it gives, the next first; B+2: two of Blue's on it"),
    ("> v < ^", "a tap, and where its still is; >B: Blue has used it"),
    ("#####", "an obstacle"),
    ("~~~~~", "fog"),
    ("=nw=R", "the paved road, its ends north and west, held by Red"),
    ("*3|4*", "the token that you have chosen; 3|4 in the list has the end first that links"),
    ("- longest road", "an objective that nobody holds"),
)


def draw(s: State, seat: Seat) -> Scene:
    """The scene of a view."""
    v = Plain(s)
    layout = layout_of(v, seat)
    known: dict[int, int] = {}
    ids = list(dict.fromkeys(name for move in moves_of(s, seat) for name in touched(v, s, move, known)))
    pieces = [
        *grounds(v, layout),
        *stills(v, layout),
        *roads(v, layout),
        *casks(v, layout),
        *targets(v, layout, ids),
        *hand(v, layout, seat),
        *buttons(layout, ids),
        *players(v, layout),
        *objectives(v, layout),
    ]
    return Scene(board(layout), plain(question(s, seat), SEAT_NAMES), pieces)


def between(v: State, seat: Seat, move: Move, then: State) -> Iterator[State]:
    """A caravan drops its barrels one by one: a view after each of them.

    The last one is left out, since `then` shows it, unless it leaves the board by scoring or an ambush.
    """
    if not any(first <= move < end for first, end in ((CARAVAN, CHOOSE), (DOWN, RECRUIT), (TO, END))):
        return
    s = copy_of(v)
    begin(s, seat, move)
    dropped = [copy_of(s)] if VIA <= move < TOWARD else []
    while top(s) == DO_CARAVAN and step(s):
        dropped.append(copy_of(s))
    if dropped and not (s.load == 0 and (s.at == TOWN_AT or is_ambush(s))):
        dropped.pop()
    yield from dropped


def copy_of(v: State) -> State:
    return np.ndarray(1, STATE, bytearray(v.tobytes()))[0]  # type: ignore[no-any-return]


def layout_of(v: Any, seat: Seat) -> Layout:
    """The layout of the board of a view."""
    fixed = tuple((node, ground) for node, ground in enumerate(v.ground) if ground >= OBSTACLE)
    mine = tuple(range(seat, v.colours, v.seats)) if seat >= 0 else ()
    return Layout(v.width, v.town, fixed, v.colours, v.goals, v.tokens, mine)


def moves_of(s: State, seat: Seat) -> list[Move]:
    """The moves of the viewer; a spectator has none."""
    if seat < 0:
        return []
    out = np.empty(MOST_MOVES, np.int32)
    return [int(move) for move in out[: moves(s, seat, out)]]


def ask_of(v: Any) -> int:
    return v.ask[v.depth - 1] if v.depth else 0


# Touching


def touch(v: State, seat: Seat, move: Move) -> list[str]:
    """The ids to touch: a node, half of a token in the hand, a number for a star, a side, a button."""
    return touched(v, v, move, {})


def touched(v: Any, s: State, move: Move, known: dict[int, int]) -> list[str]:
    """Like `touch`, for a sight or a view, when many moves are asked for: what is known about nodes is cached."""
    if move in BUTTONS:
        return [f"button-{BUTTONS[move]}"]
    if move >= PLACE:
        return _touch_placing(v, s, move, known)
    if DRAW_FOG <= move < SKIP:
        return []
    if move >= CLAIM:
        return [f"goal-{move - CLAIM}"]
    if move >= END:
        return [f"button-{DIRECTIONS[move - END]}"]
    if move >= TO:
        return [f"strip-{COLOURS[move - TO]}"]
    if move < NODE:
        return [f"hand-{move - TOKEN}"]
    if move < PICK:
        return [node_id(move - NODE)]
    first = max(first for first in VERBS if first <= move)
    node = move - first
    if first in (PICK, RETURN):
        return [f"button-{VERBS[first]}", node_id(node)]
    if first in (CARAVAN, DOWN):
        return [f"cask-{node_name(node)}"]
    return [node_id(node)]


def node_id(node: int) -> str:
    return f"node-{node_name(node)}"


def _touch_placing(v: Any, s: State, move: Move, known: dict[int, int]) -> list[str]:
    node, rest = divmod(move - PLACE, VARIANTS * 4)
    variant, side = divmod(rest, 4)
    token, near, far = int(VARIANT_TOKEN[variant]), int(NEAR[variant]), int(FAR[variant])
    is_chosen = ask_of(v) == ASK_ACT and v.node >= 0
    found = [] if is_chosen else [node_id(node)]
    star = PAIRS[token][0] == 0
    if near == far:
        return [*found, f"hand-{token}", *([f"number-{near}"] if token == STAR_STAR else [])]
    printed = PAIRS[token]
    is_first = near != printed[1] if star else near == printed[0]
    found.append(f"half-{token}-{0 if is_first else 1}")
    if star:
        found.append(f"number-{near if is_first else far}")
    if ask_of(v) == ASK_ACT and sides(s, node, known) > 1:
        found.append(f"button-{DIRECTIONS[side]}")
    return found


def sides(s: State, node: int, known: dict[int, int]) -> int:
    """The number of sides on which a token placed on a node could link."""
    if node not in known:
        known[node] = int(linking_sides(s, node)).bit_count()
    return known[node]


# The forest


def grounds(v: Any, layout: Layout) -> Iterator[Piece]:
    """Fog, mud, the paved road, and taps."""
    for node in [node for node, ground in enumerate(v.ground) if ground in (FOGGY, MUD)]:
        kind, glyph = ("fog", "~~~~~") if v.ground[node] == FOGGY else ("mud", " mud ")
        label = f"{kind} {whereabouts(v, node)}"
        yield Piece(
            f"{kind}-{node_name(node)}", kind, layout.x(node), layout.y(node), label, glyph=glyph, cell=layout.at(node)
        )
    if v.paved >= 0:
        node, ends = v.paved, v.ends
        held = f", held by {COLOURS[v.keeper]}" if v.keeper >= 0 else ""
        facing = "".join(DIRECTIONS[side][0] for side in range(4) if ends >> side & 1)
        yield Piece(
            "paved",
            f"paved-{ends}",
            layout.x(node),
            layout.y(node),
            f"paved road {whereabouts(v, node)}{held}",
            glyph=f"={facing}={LETTERS[v.keeper] if v.keeper >= 0 else ''}".ljust(CELL),
            cell=layout.at(node),
        )


def stills(v: Any, layout: Layout) -> Iterator[Piece]:
    """Stills with name, queue and taps; face down they are only dark."""
    for still in range(MOST_STILLS):
        corner, kind = v.corner[still], v.kind[still]
        if v.ground[corner] != STILL + still:
            continue
        x, y, (column, row) = layout.x(corner), layout.y(corner), layout.at(corner)
        where = node_name(corner)
        left = "-".join(str(number) for number in v.supply[still][: v.supplies[still]]) or "dry"
        spot = whereabouts(v, corner)
        label = f"{STILLS[kind]}, {spot}: {left}" if kind >= 0 else f"a still face down, {spot}"
        first, second = STILLS[kind].split(" ", 1) if kind >= 0 else ("", "?")
        whole = f"{STILLS[kind] if kind >= 0 else 'face down'}"[: 2 * CELL - 2]
        yield Piece(f"node-{where}", "still", x, y, label, z=1, glyph=f"[{whole:^{2 * CELL - 2}}]", cell=(column, row))
        size = layout.cell
        yield Piece(f"name-{where}", name_kind(first, layout), x, y - size * 0.1, face=first, z=2)
        yield Piece(f"more-{where}", name_kind(second, layout), x, y + size * 0.32, face=second, z=2)
        if kind >= 0:
            glyph = f"[{left:^{2 * CELL - 2}}]"
            yield Piece(
                f"supply-{where}", "supply", x, y + size * 0.95, face=left, z=2, glyph=glyph, cell=(column, row + 1)
            )
        for tap in range(v.tap_count[still]):
            node, faces = v.taps[still][tap], v.faces[still][tap]
            used = [c for c in range(v.colours) if v.tapped[c] >> (still * MOST_TAPS + tap) & 1]
            by = f", used by {listing([COLOURS[c] for c in used], 'and')}" if used else ""
            yield Piece(
                f"tap-{where}-{tap}",
                "tap",
                layout.x(node),
                layout.y(node),
                f"tap of {STILLS[kind]}, {whereabouts(v, node)}{by}",
                turn=90 * faces,
                glyph=f"{'^>v<'[faces]}{''.join(LETTERS[c] for c in used)}".center(CELL),
                cell=layout.at(node),
            )


def name_kind(word: str, layout: Layout) -> str:
    """A name that is too wide for its still is condensed."""
    return "still-name-long" if 11 * len(word) > 2 * layout.cell - 6 else "still-name"


def roads(v: Any, layout: Layout) -> Iterator[Piece]:
    """The tokens on the board."""
    where, faces, steps, held = v.where, v.face, v.dist, v.barrels
    for colour in range(v.colours):
        lying = v.tokens & ~v.hand[colour]
        for token in range(TOKENS):
            if lying >> token & 1:
                node = where[colour][token]
                face = faces[node]
                variant = int(FACE_VARIANT[face])
                joined = f"{steps_in_words(steps[node])} from home" if steps[node] else "cut off"
                yield Piece(
                    f"{COLOURS[colour]}-{token_name(token)}",
                    face_kind(COLOURS[colour], variant),
                    layout.x(node),
                    layout.y(node),
                    f"{COLOURS[colour]}, {spoken(token)}{facing(face)}, {whereabouts(v, node)}, {joined}",
                    turn=0 if NEAR[variant] == FAR[variant] else 90 * int(FACE_DIRECTION[face]),
                    z=3,
                    glyph=_glyph(colour, face, held[node], bool(steps[node]), v.ground[node] == MUD),
                    cell=layout.at(node),
                )


def _glyph(colour: int, face: int, held: int, is_joined: bool, is_mud: bool) -> str:
    """A token in the terminal: B3-5 lies west to east, B3/5 north to south, B+3+ is a double.

    Barrels are superscripts after it. A lower-case letter marks a token that is cut off; on mud, other signs are
    between the ends.
    """
    north, east, south, west = (int(number) for number in ARMS[face])
    flat, steep, cross = ("~", "¦", "~") if is_mud else ("-", "/", "+")
    text = f"{cross}{north}{cross}" if north and east else f"{north}{steep}{south}" if north else f"{west}{flat}{east}"
    letter = LETTERS[colour] if is_joined else LETTERS[colour].lower()
    return f"{letter}{text}{RAISED[min(held, len(RAISED) - 1)]}".ljust(CELL)


def casks(v: Any, layout: Layout) -> Iterator[Piece]:
    """Barrels as counted casks: on tokens, on stills, and in a caravan's hand."""
    for node in [node for node, held in enumerate(v.barrels) if held]:
        held = v.barrels[node]
        far = layout.cell * 0.38
        yield Piece(
            f"cask-{node_name(node)}",
            "cask",
            layout.x(node) + far,
            layout.y(node) - far,
            f"{barrels(held)}, {whereabouts(v, node)}",
            face=str(held),
            z=6,
        )
    for still in range(MOST_STILLS):
        for place, colour in enumerate(c for c in range(v.colours) if v.stored[c][still]):
            corner, held = v.corner[still], v.stored[colour][still]
            where = node_name(corner)
            label = f"{barrels(held)} of {COLOURS[colour]} on the still {whereabouts(v, corner)}"
            x = layout.x(corner) + (place - 0.1) * layout.cell * 0.6
            mark = f"{LETTERS[colour]}+{held}"
            y = layout.y(corner) + layout.cell * 1.25
            name = f"cask-{where}" if place == 0 else f"cask-{where}-{COLOURS[colour]}"
            column, row = layout.at(corner)
            yield Piece(name, "cask", x, y, label, face=str(held), z=6, glyph=mark, cell=(column + 4 * place, row + 1))
            yield Piece(f"mark-{where}-{place}", f"mark-{COLOURS[colour]}", x + 20, y, z=6)
    if DO_CARAVAN in v.ask[: v.depth] and (v.load or v.at == TOWN_AT):
        yield from _load(v, layout)


def _load(v: Any, layout: Layout) -> Iterator[Piece]:
    """What a caravan carries, beside what lies there; the last barrel to reach the Town Center is still shown.

    It is drawn lower than other casks, so that animations take it for those that were picked up.
    """
    is_still = STILL_AT <= v.at < TOWN_AT
    at = v.town if v.at == TOWN_AT else v.corner[v.at - STILL_AT] if is_still else v.at
    off = layout.cell / 2 if is_still else 0 if v.at == TOWN_AT else layout.cell * 0.3
    x, y = layout.x(at) + (off if is_still else -off), layout.y(at) + off
    label = f"{barrels(v.load)} in hand, {whereabouts(v, at)}" if v.load else "1 barrel scored"
    yield Piece("halo", "halo", x, y, z=4)
    yield Piece("load", "cask", x, y, label, face=str(v.load or 1), z=5)


def targets(v: Any, layout: Layout, ids: list[str]) -> Iterator[Piece]:
    """The nodes that can be touched now."""
    nodes = dict.fromkeys(name for name in ids if name.startswith("node-"))
    if v.node >= 0:
        nodes.setdefault(node_id(v.node))
    there = {f"node-{node_name(v.corner[i])}" for i in range(MOST_STILLS) if v.ground[v.corner[i]] == STILL + i}
    for name in nodes:
        if name not in there:
            node = _node_called(name)
            kind = "chosen" if node == v.node else "ring" if v.owner[node] else "node"
            label, cell = f"the space {whereabouts(v, node)}", layout.at(node)
            yield Piece(name, kind, layout.x(node), layout.y(node), label, z=5, cell=cell, span=CELL)


def _node_called(name: str) -> int:
    text = name.removeprefix("node-")
    return (int(text[1:]) - 1) * SIDE + ord(text[0]) - ord("a")


# Below the forest


def hand(v: Any, layout: Layout, seat: Seat) -> Iterator[Piece]:
    """The player's own tokens, large; when a node is chosen or a token in hand, each half can be touched."""
    if seat < 0:
        return
    colour = v.turn if v.turn % v.seats == seat else seat
    halves = v.turn % v.seats == seat and (
        ask_of(v) in (ASK_SECOND, ASK_OFF) or (ask_of(v) == ASK_ACT and (v.node >= 0 or v.token >= 0))
    )
    tokens = [token for token in range(TOKENS) if layout.tokens >> token & 1]
    width = (WIDTH - 2 * HAND_EDGE) / HAND_COLUMNS
    column = -1
    for place, token in enumerate(tokens):
        if not v.hand[colour] >> token & 1:
            continue
        column += 1
        x = HAND_EDGE + (place % HAND_COLUMNS + 0.5) * width
        y = layout.hand_top + (place // HAND_COLUMNS + 0.5) * ROW
        row = layout.text_rows[1] + column // TEXT_HAND
        label = f"{spoken(token)} in your inventory"
        if v.sealed[seat] == token + 1 or v.token == token:
            label += ", chosen"
        chosen = v.sealed[seat] == token + 1 or v.token == token
        glyph = f"*{token_name(token)}*" if chosen else f" {token_name(token)} "
        yield Piece(
            f"hand-{token}",
            f"hand-{COLOURS[colour]}-{token}",
            x,
            y - (5 if chosen else 0),
            label,
            z=2,
            glyph=glyph,
            cell=(3 + column % TEXT_HAND * 6, row),
        )
        if halves and PAIRS[token][0] != PAIRS[token][1]:
            for end in (0, 1):
                label = f"the {'star' if PAIRS[token][end] == 0 else PAIRS[token][end]} of {spoken(token)}"
                cell = (4 + column % TEXT_HAND * 6 + 2 * end, row)
                lift = 5 if chosen else 0
                yield Piece(
                    f"half-{token}-{end}", "half", x + (end - 0.5) * 34, y - lift, label, z=4, cell=cell, span=1
                )


def buttons(layout: Layout, ids: list[str]) -> Iterator[Piece]:
    """Moves that do not touch the board; only those needed now."""
    wanted = [name for name in ids if name.startswith(("button-", "number-"))]
    x = 8.0
    for name in sorted(wanted, key=lambda name: (not name.startswith("number-"), name)):
        kind, _, word = name.partition("-")
        is_number = kind == "number"
        width = 74 if is_number else 126
        face, label = (f"★ {word}", f"give the star a {word}") if is_number else IN_WORDS.get(word, (word, word))
        yield Piece(name, kind, x + width / 2, layout.below + BUTTON_ROW / 2, label, face=face, z=2)
        x += width


def players(v: Any, layout: Layout) -> Iterator[Piece]:
    """Each colour: whose turn it is, barrels scored and stashed, and what is left in the inventory."""
    goal = int(goal_of(v.state))
    for colour in range(v.colours):
        seat, word = colour % v.seats, COLOURS[colour]
        y = layout.strips_top + colour * STRIP
        row = layout.text_rows[0] + colour
        name = SEAT_NAMES[seat] if colour < v.seats else f"{SEAT_NAMES[seat]} ({word})"
        score, held = int(total(v.state, seat)), int(stash(v.state, seat))
        left = [token for token in range(TOKENS) if v.hand[colour] >> token & 1]
        safe = ", safe" if v.safe[seat] else ""
        note = f"{score} of {goal} · {barrels(held)} on the road{safe}"
        label = (
            f"{name}: {score} of {goal} scored, {barrels(held)} on the road, {len(left)} tokens in the inventory{safe}"
        )
        yield Piece(f"strip-{word}", f"strip-{word}", 6, y, label)
        is_turn = colour == v.turn and not v.over and not v.picking
        yield Piece(f"mark-{word}", f"mark-{word}", 44, y + 16, z=1)
        yield Piece(
            *(f"name-{word}", "bold", 62, y + 16), face=name, z=1, glyph=f"{LETTERS[colour]} {name}", cell=(3, row)
        )
        text = f"{score} of {goal}, {barrels(held)} on the road, {len(left)} tokens{safe}"
        yield Piece(f"note-{word}", "note", 236, y + 16, face=note, z=1, glyph=text, cell=(22, row))
        if is_turn:
            yield Piece("turn", "turn", 24, y + 16, f"{name} to play", z=1, glyph=">", cell=(1, row))
        yield from stock(v, layout, colour, y)


def stock(v: Any, layout: Layout, colour: int, y: float) -> Iterator[Piece]:
    """The tokens that a colour has not placed yet, each in its own place."""
    width = (WIDTH - 12) / STOCK_COLUMNS
    for place, token in enumerate(token for token in range(TOKENS) if layout.tokens >> token & 1):
        if v.hand[colour] >> token & 1:
            x, down = 6 + (place % STOCK_COLUMNS + 0.5) * width, y + 43 + place // STOCK_COLUMNS * 26
            face = "-".join(map(_end, PAIRS[token]))
            word = COLOURS[colour]
            yield Piece(f"stock-{word}-{token}", f"stock-{word}", round(x, 1), down, face=face, z=1)


def spoken(token: int) -> str:
    """A token in words alone: the 3-5."""
    return plain(token_in_words(token), ())


def facing(face: int) -> str:
    """The directions of a token's ends; empty for a double, which faces all ways."""
    ends = [(int(number), DIRECTIONS[side]) for side, number in enumerate(ARMS[face]) if number]
    return f" with the {ends[0][0]} to the {ends[0][1]}" if len(ends) == 2 else ""


def steps_in_words(steps: int) -> str:
    return "1 step" if steps == 1 else f"{steps} steps"


def _end(number: int) -> str:
    return "★" if number == 0 else str(number)


def objectives(v: Any, layout: Layout) -> Iterator[Piece]:
    """The objectives with their holders, and the event deck."""
    width = (WIDTH - 2 * MARGIN) / GOAL_COLUMNS
    row = layout.text_rows[2]
    chosen = [objective for objective in range(len(OBJECTIVE_SHORT)) if v.goals >> objective & 1]
    for place, objective in enumerate(chosen):
        holder = v.holder[objective]
        x = MARGIN + place % GOAL_COLUMNS * width
        y = layout.goals_top + (place // GOAL_COLUMNS + 0.5) * CHIP
        title = OBJECTIVE_SHORT[objective]
        kind = f"from {LEAST[objective]}" if LEAST[objective] else "once"
        held = f", held by {SEAT_NAMES[holder]}" if holder >= 0 else ""
        label = f"{title}, {kind}, worth {REWARD[objective]}{held}"
        mark = f"{LETTERS[holder]}" if holder >= 0 else "-"
        at = (3 + place % GOAL_COLUMNS * 24, row + place // GOAL_COLUMNS)
        face = f"{title} +{REWARD[objective]}"
        yield Piece(f"goal-{objective}", "goal", x, y, label, face=face, z=1, glyph=f"{mark} {title}", cell=at)
        if holder >= 0:
            yield Piece(f"held-{objective}", f"mark-{COLOURS[holder]}", x + 13, y, z=2)
    y = layout.goals_top + (layout.goal_rows + 0.5) * CHIP
    last = row + layout.goal_rows
    said = [f"reserve {barrels(v.reserve)}"]
    if v.cards:
        said.append(f"{bin(v.deck).count('1')} events in the deck")
    if any(v.fog):
        said.append(f"{v.ground.count(FOGGY)} fog")
    said.append(f"quiet turns {v.quiet}")
    text = " · ".join(said)
    face = text.replace(" in the deck", "")  # the whole would leave its frame from ten quiet turns on
    yield Piece("facts", "note", MARGIN, y, text, face=face, glyph=text.replace(" · ", ", "), cell=(3, last))
