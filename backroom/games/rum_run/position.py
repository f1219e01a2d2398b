"""Positions of Rum Run on one line, written and read.

A position is parts between bars, in any order; what is not said is as at the beginning of the setup:

    blue g6:3|5^ g5:5|5 h5:5|*2<+2 | red h7:1|4< | turn red | scored 1 0 | tapped blue:c3.1

A token lies on its node with its first end facing the arrow (a double has none), and barrels after a plus. A still goes
by its upper left node. Without a part `picking` the first picks are over, and the colour in turn may act. The parts
`hand`, `walk` and `ask` say what is open in the middle of a turn, in the numbers of the record.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from backroom.engine.kernel import UNKNOWN
from backroom.engine.plain import Plain
from backroom.engine.protocol import State

from .pieces import (
    ARROWS,
    BARRELS,
    COLOURS,
    DIRECTIONS,
    EVENTS,
    FACE_OF,
    FACE_TOKEN,
    FAR,
    FOG,
    HOLDS,
    MOST_STILLS,
    MOST_SUPPLIES,
    NEAR,
    OBJECTIVE_SHORT,
    STILLS,
    TOKENS,
)
from .rules import draw_still, leave_out_ramparts
from .rules.links import (
    changed,
    put_down,
)
from .rules.state import (
    ASK_ACT,
    ASK_PICK,
    ASK_STILLS,
    BUILDING,
    DEEPEST,
    DO_END,
    FOGGY,
    FREE,
    MOVING,
    MUD,
    OUTSIDE,
    PAVED,
    STILL,
    push,
    top,
)
from .rules.taps import turn_up
from .setup_file import node_called, node_name
from .words import VARIANT_CALLED, face_name, token_called, token_name

_HAND = ("node", "token", "lifted", "lifted_face", "kept")
_WALK = ("walker", "road", "at", "load", "aim", "came", "was", "gain")
_COUNTERS = ("quiet", "passes", "stirred", "ties")
_LYING = re.compile(r"([a-p][0-9]{1,2}):(\*?[1-6]\|\*?[1-6])([\^>v<]?)(?:\+([0-9]{1,2}))?")


# Writing


def position(v: State) -> str:
    """The state, or what a view shows of it, on one line."""
    return " | ".join(_parts(Plain(v)))


def _parts(v: Any) -> Iterator[str]:
    for colour in range(v.colours):
        if tokens := [_lying(v, colour, token) for token in range(TOKENS) if _is_lying(v, colour, token)]:
            yield f"{COLOURS[colour]} {' '.join(tokens)}"
    yield f"turn {COLOURS[v.turn]}"
    yield from _players(v)
    yield from _board(v)
    yield from _decks(v)
    for counter in _COUNTERS:
        if vars(v)[counter]:
            yield f"{counter} {vars(v)[counter]}"
    if v.step != 1:
        yield "second begins"
    if v.over:
        yield f"over {v.winners}"
    yield from _open(v)


def _is_lying(v: Any, colour: int, token: int) -> bool:
    return bool((v.tokens & ~v.hand[colour]) >> token & 1)


def _lying(v: Any, colour: int, token: int) -> str:
    node = v.where[colour][token]
    held = f"+{v.barrels[node]}" if v.barrels[node] else ""
    return f"{node_name(node)}:{face_name(v.face[node])}{held}"


def _players(v: Any) -> Iterator[str]:
    for key in ("scored", "broken", "safe"):
        if any(vars(v)[key]):
            yield f"{key} {' '.join(str(number) for number in vars(v)[key][: v.seats])}"
    if first := [f"{COLOURS[c]}:{token_name(v.first[c] - 1)}" for c in range(4) if v.first[c]]:
        yield f"first {' '.join(first)}"
    if v.picking:
        yield f"picking {v.picking}"
    if sealed := [
        f"{COLOURS[c]}:{'?' if v.sealed[c] == UNKNOWN else token_name(v.sealed[c] - 1)}"
        for c in range(4)
        if v.sealed[c]
    ]:
        yield f"sealed {' '.join(sealed)}"
    if shown := [
        f"{COLOURS[c]}:{token_name(token)}" for c in range(4) for token in range(TOKENS) if v.shown[c] >> token & 1
    ]:
        yield f"shown {' '.join(shown)}"


def _board(v: Any) -> Iterator[str]:
    corners = [node_name(corner) for corner in v.corner]
    is_up = [v.kind[still] >= 0 for still in range(MOST_STILLS)]
    if v.bag:
        yield f"bag {', '.join(name for kind, name in enumerate(STILLS) if v.bag >> kind & 1)}"
    if turned := [f"{corners[i]}:{STILLS[v.kind[i]].replace(' ', '_')}" for i in range(MOST_STILLS) if is_up[i]]:
        yield f"stills {' '.join(turned)}"
        left = ["-".join(str(n) for n in v.supply[i][: v.supplies[i]]) or "0" for i in range(MOST_STILLS)]
        yield f"supply {' '.join(f'{corners[i]}:{left[i]}' for i in range(MOST_STILLS) if is_up[i])}"
    if tapped := [
        f"{COLOURS[c]}:{corners[tap // 4]}.{tap % 4}"
        for c in range(4)
        for tap in range(4 * MOST_STILLS)
        if v.tapped[c] >> tap & 1
    ]:
        yield f"tapped {' '.join(tapped)}"
    if stored := [
        f"{COLOURS[c]}:{corners[i]}+{v.stored[c][i]}" for c in range(4) for i in range(MOST_STILLS) if v.stored[c][i]
    ]:
        yield f"stored {' '.join(stored)}"
    foggy, muddy = ([node_name(node) for node, on in enumerate(v.ground) if on == ground] for ground in (FOGGY, MUD))
    if any(v.fog) or muddy or v.paved >= 0:  # there is fog in this game, or there was
        yield f"fog {' '.join(foggy) or 'none'}"
        yield f"unseen {' '.join(str(number) for number in v.fog)}"
    if muddy:
        yield f"mud {' '.join(muddy)}"
    if v.paved >= 0:
        ends = "".join(DIRECTIONS[side][0] for side in range(4) if v.ends >> side & 1)
        held = f"+{v.barrels[v.paved]}" if v.barrels[v.paved] else ""
        yield f"paved {node_name(v.paved)}:{ends}{held} {v.keeper} {v.last_keeper} {v.linked}"


def _decks(v: Any) -> Iterator[str]:
    for word, cards in (("used", v.cards & ~v.deck), ("doing", v.doing), ("tried", v.tried)):
        if cards:
            yield f"{word} {', '.join(name for event, name in enumerate(EVENTS) if cards >> event & 1)}"
    for word, field in (("held", v.holder), ("achieved", v.achiever)):
        if said := [f"{OBJECTIVE_SHORT[o]}: {COLOURS[seat]}" for o, seat in enumerate(field) if seat >= 0]:
            yield f"{word} {', '.join(said)}"
    if said := [f"{OBJECTIVE_SHORT[o]}: {seats}" for o, seats in enumerate(v.meets) if seats]:
        yield f"meets {', '.join(said)}"


def _open(v: Any) -> Iterator[str]:
    if any(vars(v)[key] != default for key, default in zip(_HAND, (-1, -1, -1, 0, 0), strict=True)):
        yield f"hand {' '.join(str(vars(v)[key]) for key in _HAND)}"
    if any(vars(v)[key] != default for key, default in zip(_WALK, (0, 0, 0, 0, -1, 0, 0, 0), strict=True)):
        yield f"walk {' '.join(str(vars(v)[key]) for key in _WALK)}"
    stack = [(v.ask[at], v.arg[at], v.who[at]) for at in range(v.depth)]
    if stack not in ([], _turn(v), [(ASK_PICK, 0, 0)]):
        yield f"ask {' '.join(':'.join(map(str, frame)) for frame in stack)}"


def _turn(v: Any) -> list[tuple[int, int, int]]:
    """The questions at the beginning of a turn."""
    return [(DO_END, 0, 0), (ASK_ACT, BUILDING | MOVING, int(v.turn) % int(v.seats))]


# Reading


def place(s: State, text: str) -> None:
    """Put a state after `setup` into this position; ValueError says what is wrong with it."""
    said = _split(text)
    if top(s) == ASK_STILLS:
        _draw_stills(s, said)
    s.depth, s.picking = 0, 0
    s.ask[:], s.arg[:], s.who[:] = 0, 0, 0
    s.turn = _one_of(said.pop("turn", COLOURS[0]), COLOURS[: int(s.colours)], "turn")
    s.step = 3 if "second begins" in said else 1
    for key in ("bag", "stills", "supply", "fog", "unseen", "mud", "paved"):  # the ground before what lies on it
        if key in said:
            _READ[key](s, said.pop(key))
    for key in [*COLOURS, *sorted(set(said) - set(COLOURS))]:
        if key in said:
            _READ[key](s, said[key])
    if s.depth == 0 and not s.over:
        for frame in [(ASK_PICK, 0, 0)] if s.picking else _turn(s):
            push(s, *frame)
    _balance(s)
    for colour in range(int(s.colours)):
        changed(s, colour)


def _split(text: str) -> dict[str, str]:
    said: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(" | "))):
        key = next((key for key in _READ if part == key or part.startswith(f"{key} ")), None)
        if key is None:
            raise ValueError(f"{part!r} is no part of a position; expected {', '.join(_READ)}")
        if key in said:
            raise ValueError(f"the position says {key!r} twice")
        said[key] = part.removeprefix(key).strip()
    return said


def _draw_stills(s: State, said: Mapping[str, str]) -> None:
    """§2.1: of stills drawn at random the position has to say which they are; they may be all turned up, or none."""
    missing = int(s.arg[s.depth - 1])
    down = [name.strip() for name in said.get("bag", "").split(",") if name.strip()]
    up = [called.replace("_", " ") for _, called in _pairs(said.get("stills", ""))]
    for name in (*down, *up):
        draw_still(s, _one_of(name, STILLS, "still"))
    drawn = int(s.bag).bit_count()
    if drawn != len(down) + len(up) or drawn > missing or (drawn < missing and "ask" not in said):
        raise ValueError(
            f"the position says {drawn} stills that were drawn, face down (`bag`) or up (`stills`); "
            f"expected {missing}, all different (§2.1)"
        )
    if drawn == missing:
        leave_out_ramparts(s)


def _balance(s: State) -> None:
    """§1.4: what is nowhere else is the reserve."""
    hidden = sum(int(HOLDS[kind]) for kind in range(len(STILLS)) if int(s.bag) >> kind & 1)
    used = [s.barrels, s.supply, s.stored, s.scored]
    left = BARRELS - hidden - int(s.load) - sum(int(field.sum()) for field in used)
    if left < 0:
        raise ValueError(f"there are {BARRELS - left} barrels, more than {BARRELS} (§1.4)")
    s.reserve = left


def _one_of(word: str, words: Any, what: str) -> int:
    if word not in words:
        raise ValueError(f"{what} {word!r}; expected {', '.join(words)}")
    return int(list(words).index(word))


def _number(text: str, what: str, least: int = -1, most: int = 32767) -> int:
    if not re.fullmatch("-?[0-9]{1,5}", text) or not least <= int(text) <= most:
        raise ValueError(f"{what} {text!r}; expected a number from {least} to {most}")
    return int(text)


def _on_board(s: State, text: str) -> int:
    node = node_called(text)
    if s.ground[node] == OUTSIDE:
        raise ValueError(f"{text} is off the board (§1.1)")
    return node


def _read_tokens(colour: int) -> Callable[[State, str], None]:
    def read(s: State, text: str) -> None:
        if colour >= s.colours:
            raise ValueError(f"nobody plays {COLOURS[colour]} here (§2.5)")
        for word in text.split():
            match = _LYING.fullmatch(word)
            if match is None or match[2] not in VARIANT_CALLED:
                raise ValueError(f"{word!r} is no token on a node; expected one like g6:3|5^ or g6:*3|5<+2 (§4.4)")
            node, variant = _on_board(s, match[1]), VARIANT_CALLED[match[2]]
            if (NEAR[variant] == FAR[variant]) == bool(match[3]):
                raise ValueError(f"{word!r}: an arrow says where the first end faces; a double has none")
            face = int(FACE_OF[variant, ARROWS.index(match[3]) if match[3] else 0])
            if s.ground[node] > MUD or s.owner[node]:
                raise ValueError(f"{word!r}: no token can lie there (§2.1)")
            if not int(s.hand[colour]) >> int(FACE_TOKEN[face]) & 1:
                raise ValueError(f"{word!r}: {COLOURS[colour]} does not have that token, or not twice (§1.2)")
            put_down(s, colour, node, face)
            s.barrels[node] = int(match[4] or 0)

    return read


def _read_seats(field: str) -> Callable[[State, str], None]:
    def read(s: State, text: str) -> None:
        words = text.split()
        if len(words) != s.seats:
            raise ValueError(f"{field} {text!r}; expected {s.seats} numbers")
        for seat, word in enumerate(words):
            s[field][seat] = _number(word, field, 0, 1000)

    return read


def _read_number(field: str) -> Callable[[State, str], None]:
    def read(s: State, text: str) -> None:
        s[field] = _number(text, field)

    return read


def _read_fields(fields: tuple[str, ...]) -> Callable[[State, str], None]:
    def read(s: State, text: str) -> None:
        words = text.split()
        if len(words) != len(fields):
            raise ValueError(f"{text!r}; expected {len(fields)} numbers: {', '.join(fields)}")
        for field, word in zip(fields, words, strict=True):
            s[field] = _number(word, field)

    return read


def _pairs(text: str) -> Iterator[tuple[str, str]]:
    for word in text.split():
        key, colon, value = word.partition(":")
        if not colon:
            raise ValueError(f"{word!r}; expected two words with a colon between")
        yield key, value


def _read_picks(field: str) -> Callable[[State, str], None]:
    def read(s: State, text: str) -> None:
        for colour, token in _pairs(text):
            which = _one_of(colour, COLOURS, field)
            s[field][which] = token_called(token) + 1

    return read


def _read_shown(s: State, text: str) -> None:
    for colour, token in _pairs(text):
        s.shown[_one_of(colour, COLOURS, "shown")] |= 1 << token_called(token)


def _still_at(s: State, text: str) -> int:
    ground = int(s.ground[_on_board(s, text)])
    if not STILL <= ground < STILL + MOST_STILLS:
        raise ValueError(f"no still lies on {text} (§2.1)")
    return ground - STILL


def _read_stills(s: State, text: str) -> None:
    for corner, called in _pairs(text):
        still, kind = _still_at(s, corner), _one_of(called.replace("_", " "), STILLS, "still")
        if s.kind[still] < 0:
            if not int(s.bag) >> kind & 1:
                raise ValueError(f"{STILLS[kind]} does not lie face down here (§2.1)")
            turn_up(s, still, kind)


def _read_bag(s: State, text: str) -> None:
    """Which stills lie face down: what the setup says, or what was drawn."""
    said = sum(1 << _one_of(name.strip(), STILLS, "bag") for name in text.split(","))
    if said & ~int(s.bag):
        raise ValueError(f"bag {text!r}: not all of them lie face down here (§2.1)")


def _read_supply(s: State, text: str) -> None:
    for corner, queue in _pairs(text):
        still = _still_at(s, corner)
        left = [_number(number, "supply", 0, BARRELS) for number in queue.split("-") if number != "0"]
        if len(left) > MOST_SUPPLIES:
            raise ValueError(f"supply {queue!r}; a queue has room for {MOST_SUPPLIES} (§10)")
        s.supplies[still] = len(left)
        s.supply[still] = left + [0] * (MOST_SUPPLIES - len(left))


def _read_tapped(s: State, text: str) -> None:
    for colour, tap in _pairs(text):
        corner, _, which = tap.partition(".")
        s.tapped[_one_of(colour, COLOURS, "tapped")] |= 1 << 4 * _still_at(s, corner) + _number(which, "tap", 0, 3)


def _read_stored(s: State, text: str) -> None:
    for colour, word in _pairs(text):
        corner, _, held = word.partition("+")
        s.stored[_one_of(colour, COLOURS, "stored"), _still_at(s, corner)] = _number(held, "stored", 0, BARRELS)


def _read_fog(s: State, text: str) -> None:
    s.ground[s.ground == FOGGY] = FREE
    for word in text.split() if text != "none" else ():
        s.ground[_on_board(s, word)] = FOGGY


def _read_unseen(s: State, text: str) -> None:
    words = text.split()
    if len(words) != len(FOG):
        raise ValueError(f"unseen {text!r}; expected how many there are of {', '.join(FOG)}")
    s.fog[:] = [_number(word, "unseen", 0, 2) for word in words]


def _read_mud(s: State, text: str) -> None:
    for word in text.split():
        s.ground[_on_board(s, word)] = MUD


def _read_paved(s: State, text: str) -> None:
    match = re.fullmatch(r"([a-p][0-9]{1,2}):([nesw]{1,2})(?:\+([0-9]{1,2}))?((?: -?[0-9]{1,2}){3})?", text)
    if match is None:
        raise ValueError(f"paved {text!r}; expected a node and the sides it faces, like paved f4:ns (§9.2)")
    s.paved = _on_board(s, match[1])
    s.ground[s.paved] = PAVED
    s.ends = sum(1 << side for side in range(4) if DIRECTIONS[side][0] in match[2])
    s.barrels[s.paved] = int(match[3] or 0)
    if match[4]:
        s.keeper, s.last_keeper, s.linked = (int(word) for word in match[4].split())


def _read_events(field: str) -> Callable[[State, str], None]:
    def read(s: State, text: str) -> None:
        cards = sum(1 << _one_of(name.strip(), EVENTS, field) for name in text.split(","))
        if field == "used":
            s.deck = int(s.cards) & ~cards
        else:
            s[field] = cards

    return read


def _read_objectives(field: str) -> Callable[[State, str], None]:
    def read(s: State, text: str) -> None:
        for word in text.split(","):
            short, _, value = word.strip().partition(": ")
            objective = _one_of(short, OBJECTIVE_SHORT, field)
            s[field][objective] = _number(value, field, 0, 15) if field == "meets" else _one_of(value, COLOURS, field)

    return read


def _read_over(s: State, text: str) -> None:
    s.over, s.winners = 1, _number(text, "over", 1, 15)


def _read_ask(s: State, text: str) -> None:
    for word in text.split():
        frame = [_number(number, "ask") for number in word.split(":")]
        if len(frame) != 3 or s.depth == DEEPEST:
            raise ValueError(f"ask {word!r}; expected three numbers a question, and {DEEPEST} questions at most")
        push(s, *frame)


def _nothing(s: State, text: str) -> None:
    """For parts that another function reads."""


_READ: dict[str, Callable[[State, str], None]] = {
    **{colour: _read_tokens(number) for number, colour in enumerate(COLOURS)},
    "turn": _nothing,
    "second begins": _nothing,
    **{key: _read_seats(key) for key in ("scored", "broken", "safe")},
    "first": _read_picks("first"),
    "picking": _read_number("picking"),
    "sealed": _read_picks("sealed"),
    "shown": _read_shown,
    "bag": _read_bag,
    "stills": _read_stills,
    "supply": _read_supply,
    "tapped": _read_tapped,
    "stored": _read_stored,
    "fog": _read_fog,
    "unseen": _read_unseen,
    "mud": _read_mud,
    "paved": _read_paved,
    "used": _read_events("used"),
    "doing": _read_events("doing"),
    "tried": _read_events("tried"),
    "held": _read_objectives("holder"),
    "achieved": _read_objectives("achiever"),
    "meets": _read_objectives("meets"),
    **{counter: _read_number(counter) for counter in _COUNTERS},
    "over": _read_over,
    "hand": _read_fields(_HAND),
    "walk": _read_fields(_WALK),
    "ask": _read_ask,
}
