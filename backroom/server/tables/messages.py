"""Messages to the readers of a table, made from nothing but the reader's view."""

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape

import msgspec

from backroom.engine.ending import REASONS
from backroom.engine.game import is_in
from backroom.engine.kernel import SPECTATOR, UNKNOWN
from backroom.engine.lessons import LessonStep
from backroom.engine.marks import parts, plain, subject
from backroom.engine.protocol import Seat, State
from backroom.scene.label import sign
from backroom.scene.patch import Picture
from backroom.server.markup import html, worded
from backroom.server.tables.config import NO_CLOCK
from backroom.server.tables.state import OVER, PLAYING, Change, Note, TableState

BEAT_MS = 320
"""Milliseconds for which a browser animates one picture, unless its reader skips ahead."""
WAY_MS = 1200
"""Most milliseconds for all pictures of one line, if a move is shown in several steps."""

MOST_ANSWERS = 1 << 13
"""Encoded moves that are kept, of all tables: the same few come up again and again."""

encode = msgspec.json.Encoder().encode


def heading(state: TableState, here: Collection[str], watchers: int, now: int, ends: int | None) -> dict[str, Any]:
    """Public information about a table besides the game itself."""
    stage = state.stage
    if stage not in state.kept_chairs:
        state.kept_chairs[stage] = chairs(state), state.is_rated
    seated, is_rated = state.kept_chairs[stage]
    found: dict[str, Any] = {
        "stage": stage,
        "seats": [seat_now(state, seat, told, here, now) for seat, told in enumerate(seated)],
        "clock": state.config.terms.clock,
        "watchers": watchers,
        "rated": is_rated,
    }
    if ends is not None:
        found["ends"] = max(0, ends - now)
    if (ready := state.ready()) is not None:
        found["ready"] = ready
    if (request := state.request) is not None:
        what = "end" if request.lines is None else "back"
        found["request"] = {"seat": request.seat, "waits": sorted(request.waits_for), "what": what}
    if state.clocks.flagged:
        found["flagged"] = sorted(state.clocks.flagged)
        found["votes"] = {str(seat): vote for seat, vote in state.votes.items()}
    if state.broken_off:
        found["broken"] = state.broken_off
    if state.next:
        found["next"] = state.next
    if state.lost:
        found["lost"] = {str(seat): REASONS[word] for seat, word in state.lost.items()}
    if state.score is not None:
        found["score"] = state.score
        found["result"] = result(state)
        found["ratings"] = state.rating_changes
    return found


def heading_key(state: TableState) -> tuple[Any, ...] | None:
    """What in a heading moves can change, if that is all: no clock runs, nothing is requested, the game goes on."""
    is_plain = state.stage == PLAYING and state.request is None and state.config.terms.clock == NO_CLOCK
    return (state.asked, state.ready()) if is_plain else None


def seat_now(state: TableState, seat: Seat, told: dict[str, Any], here: Collection[str], now: int) -> dict[str, Any]:
    """A seat's message: `told`, and what moves and arrivals change."""
    chair, clocks = state.chairs[seat], state.clocks
    is_here = chair.bot is not None or chair.owner in here
    return {
        **told,
        "here": is_here,
        "state": "free" if chair.is_free else "left" if chair.is_left else "here" if is_here else "away",
        "asked": seat in state.asked,
        "ms": clocks.remaining(seat, now),
        "runs": clocks.since[seat] is not None,
    }


def chairs(state: TableState) -> list[dict[str, Any]]:
    """The part of each seat's message that moves do not change during the game."""
    return [
        {
            "seat": state.game.seat_name(seat),
            "name": "" if chair.is_free else state.names[seat],
            "bot": chair.bot,
            "owned": chair.owner is not None,
            "free": chair.is_free,
            "left": chair.is_left,
            **described(state, seat),
            **({"ways": ways} if (ways := ways_of(state, seat)) else {}),
        }
        for seat, chair in enumerate(state.chairs)
    ]


def described(state: TableState, seat: Seat) -> dict[str, Any]:
    """A seat in words, as pages show it: the name of a free seat, the level of a bot, a remark, whether it has won.

    Empty values are left out.
    """
    chair, own = state.chairs[seat], state.game.seat_name(seat)
    called = "free" if chair.is_free else state.names[seat]
    level = f"{chair.bot} plays" if chair.bot and chair.owner is not None else chair.bot or ""
    gone = REASONS[state.lost[seat]] if seat in state.lost else "has left" if chair.is_left else ""
    more = ", ".join(filter(None, ["" if f"({own})" in called else own, gone]))
    has_won = state.config.seats > 1 and state.result is not None and seat in state.result.winners
    found = {"called": called if chair.is_free else "", "level": level, "more": more, "won": has_won}
    return {name: value for name, value in found.items() if value}


def ways_of(state: TableState, seat: Seat) -> dict[str, list[str]]:
    """What can be done with a seat, and the button's text, for its owner, for the other players and for guests."""
    chair = state.chairs[seat]
    if state.stage == OVER:
        return {}
    if chair.is_free:
        return {"player": ["bot", "Ask a bot"], "guest": ["sit", "Sit here"]}
    found = {}
    if chair.is_left and not chair.bot and state.stage == PLAYING:
        found["player"] = ["bot", "Let a bot play"]
    if chair.owner is not None and (chair.bot or chair.is_left) and seat not in state.lost:
        found["owner"] = ["sit", "Take your seat back"]
    return found


def result(state: TableState) -> dict[str, Any] | None:
    """Who has won and why, and each seat's result as the game counts it, in plain text for everybody."""
    told = state.result
    if told is None:
        return None
    names = state.names
    return {
        **in_words("headline", told.headline, state),
        "seats": [plain(each, names) for each in told.seats],
        "winners": told.winners,
        "lines": [plain(line, names) for line in told.lines],
    }


def answers(state: TableState, v: State, seat: Seat, for_programs: bool = False) -> list[dict[str, Any]]:
    """The moves open to a seat, each with its name in notation, its label for people, and the pieces to touch for it.

    Programs get no touches, and labels without glyphs. A label that is more than words comes only as `html`: there may
    be a hundred moves.
    """
    moves = state.moves(seat)
    if not moves:
        return []
    rules, names = state.game.rules, state.names
    if for_programs:
        return [
            {"name": rules.name(v, move), "label": plain(rules.label(v, move), names), "back": move == rules.BACK}
            for move in moves
        ]
    return [
        {
            "name": rules.name(v, move),
            **label(state, rules.label(v, move)),
            "touch": rules.touch(v, seat, move),
            **({"back": True} if move == rules.BACK else {}),
        }
        for move in moves
    ]


def answers_for_programs(state: TableState, v: State, seat: Seat) -> list[msgspec.Raw]:
    """The same moves as `answers` has for programs, encoded."""
    rules, names = state.game.rules, tuple(state.names)
    return [
        _answer(rules.name(v, move), text := rules.label(v, move), move == rules.BACK, names if "@" in text else ())
        for move in state.moves(seat)
    ]


@functools.lru_cache(MOST_ANSWERS)
def _answer(name: str, text: str, is_back: bool, names: tuple[str, ...]) -> msgspec.Raw:
    """An open move for programs, with a label that names these players."""
    return msgspec.Raw(encode({"name": name, "label": plain(text, names), "back": is_back}))


def label(state: TableState, text: str) -> dict[str, Any]:
    """A move's label, as plain words or as `html`."""
    found = in_words("label", text, state)
    return {"html": found["html"]} if "html" in found else found


def in_words(what: str, text: str, state: TableState) -> dict[str, Any]:
    """A marked text as plain words, and as `html` if it has glyphs or links."""
    return worded(what, parts(text, state.names), state.game)


def sentence(state: TableState, text: str) -> dict[str, Any]:
    """A marked sentence of the story.

    If it begins with a player it can be joined with its neighbours about the same player: then it has the player's
    seat, its sign, the name, and the rest as HTML, without the full stop.
    """
    names = state.names
    seat, rest = subject(text)
    if seat is None or state.config.seats == 1:
        return in_words("text", text, state)
    return {
        "text": plain(text, names),
        "seat": seat,
        "name": names[seat],
        "sign": sign(seat, state.game.rules.GLYPHS),
        "rest": html(parts(rest, names), state.game),
    }


def turn(state: TableState, reader: Seat, v: State | None) -> dict[str, Any]:
    """The question to the reader, and the possible answers."""
    if v is None:
        free = sum(chair.is_free for chair in state.chairs)
        waits = f"{free} seats are free." if free > 1 else "One seat is free." if free else "Ready to begin."
        return {"question": waits, "moves": []}
    if state.broken_off:
        return {"question": state.broken_off, "moves": []}
    if state.table is not None and state.table.is_ended:
        told = state.result
        said = "The game has ended without a result." if told is None else told.headline
        return {**in_words("question", said, state), "moves": []}
    if state.lesson and (step := state.lesson_step) and reader != SPECTATOR:
        answers = answer_to(state, reader, v) if step.right else {"moves": []}
        place = f"{state.lesson_at + 1} of {len(state.lesson.steps)}. "
        pointed = {"point": step.point, **pointed_at(step, answers["moves"])}
        return {"question": place + step.say, **answers, **pointed, "step": lesson_place(state)}
    if said := absence(state, reader):
        return {"question": said, "moves": []}
    said = question(state, reader, v)
    found = {**in_words("question", said, state), **answer_to(state, reader, v), "undo": has_moved(state, reader)}
    return found | ({"situations": situations(state, reader, v)} if state.config.terms.lead else {})


def absence(state: TableState, reader: Seat) -> str:
    """Why a player of a running game is asked nothing: a bot plays, or the player has left. Empty if neither."""
    if reader == SPECTATOR or state.stage != PLAYING:
        return ""
    chair = state.chairs[reader]
    way = "the others play on" if reader in state.lost else "you can take your seat back"
    return f"A bot plays for you; {way}." if chair.bot else f"You have left this table; {way}." if chair.is_left else ""


def question(state: TableState, reader: Seat, v: State) -> str:
    """The question to the reader, or how the game has ended, with marks."""
    told = state.result if state.lost and not state.asked else None
    return state.game.rules.question(v, reader) if told is None else told.headline


def has_moved(state: TableState, seat: Seat) -> bool:
    """Whether the seat has made a move that it could take back, or ask to."""
    if seat == SPECTATOR or state.table is None or state.stage != PLAYING:
        return False
    return any(line.seat == seat for line in reversed(state.table.lines))


def situations(state: TableState, reader: Seat, v: State) -> list[dict[str, Any]]:
    """Situations to explain to a newcomer, for as long as they last; the page knows which of them are new."""
    found = [] if reader == SPECTATOR or state.stage == OVER else state.game.situations(v, reader)
    return [{"name": each.name, **in_words("says", each.says, state)} for each in found]


def pointed_at(step: LessonStep, moves: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What to point at besides a lesson step's own `point`, so that its right move can be found.

    Either the pieces that the move touches, or its button (`press`).
    """
    right = [move for move in moves if move["name"] in step.right]
    if not right or any(touched in step.point for move in right for touched in move["touch"]):
        return {}
    touch = right[0]["touch"]
    return {"point": (*step.point, *touch)} if touch else {"press": right[0]["name"]}


def lesson_place(state: TableState) -> dict[str, Any]:
    """The place in a lesson: the step, the number of steps, and whether the step is only read."""
    assert state.lesson is not None
    step = state.lesson_step
    return {"at": state.lesson_at + 1, "of": len(state.lesson.steps), "read": step is not None and not step.right}


def answer_to(state: TableState, reader: Seat, v: State | None, for_programs: bool = False) -> dict[str, Any]:
    """The reader's possible answers, without the question in words."""
    if reader == SPECTATOR or v is None or state.broken_off:
        return {"moves": []}
    moves = answers_for_programs(state, v, reader) if for_programs else answers(state, v, reader)
    return {"ask": state.asks[reader], "asked": reader in state.asked, "moves": moves}


def note(said: Note) -> dict[str, Any]:
    return {"who": said.who, "text": said.text, "at": said.at} if said.who else {"text": said.text, "at": said.at}


def story(state: TableState, reader: Seat, most: int, since: int = 0) -> list[dict[str, Any]]:
    """The latest events as the reader knows them: sentences of the log with the notes between them.

    Lines are numbered as the reader noticed them, because the real numbers would reveal the lines it did not.
    """
    if state.table is None:
        return [note(said) for said in state.notes][-most:]
    noticed = state.noticed(reader)
    first = max(since, noticed[-most] - 1 if len(noticed) > most else 0)
    place = {number: n for n, number in enumerate(noticed, 1)}
    found: list[tuple[int, int, dict[str, Any]]] = [
        (number, 0, {"n": place[number], **sentence(state, text)})
        for number, text in state.table.chronicle(reader, first)
        if number <= state.lines
    ]
    found += [(said.lines, 1, note(said)) for said in state.notes if said.lines >= first]
    return [item for *_, item in sorted(found, key=lambda at: at[:2])][-most:]


def as_items(items: Iterable[Mapping[str, Any]]) -> str:
    """A story as list items of a page; consecutive sentences about one player are joined."""
    found: list[tuple[Seat | None, str]] = []
    for item in items:
        seat = item.get("seat")
        if found and seat is not None and found[-1][0] == seat:
            found[-1] = seat, f"{found[-1][1].removesuffix(END)}, {_rest(item)}"
        else:
            found.append((seat, _item(item)))
    return "".join(markup for _, markup in found)


END = ".</li>"


def _item(item: Mapping[str, Any]) -> str:
    if "who" in item:
        return f'<li class="said"><b>{escape(item["who"])}</b> {escape(item["text"])}</li>'
    if "seat" in item:
        return f'<li data-seat="{item["seat"]}"><b>{item["sign"]}{escape(item["name"])}</b> {_rest(item)}'
    said = item.get("html") or escape(item["text"])
    return f'<li class="note">{said}</li>' if "at" in item else f"<li>{said}</li>"


def _rest(item: Mapping[str, Any]) -> str:
    """A sentence about a player after the name; scripts find its full stop, to join it with the next."""
    return f"<span>{item['rest']}</span>{END}"


def beats_for_people(
    state: TableState, reader: Seat, picture: Picture, change: Change, v: State
) -> tuple[list[dict[str, Any]], State]:
    """Each new line noticed by a reader whose view before it was `v`: the changes to the picture, and a sentence.

    A move along a path takes several beats, with the sentence in the first; a game with pauses for what is revealed
    has it in the last.
    """
    found = []
    pause: int = getattr(state.game.rules, "PAUSE_MS", 0)
    for number, step in enumerate(change.steps):
        if is_in(step.line.noticed, reader):
            before, (v, said) = v, change.seen(state, number, reader, v)
            move = step.line.move if is_in(step.line.seen, reader) else UNKNOWN
            views = [*state.game.between(before, step.line.seat, move, v), v]
            for place, seen in enumerate(views, 1):
                patch = picture.change(state.game.rules.draw(seen, reader))
                patch["say"] = ""
                if said and (not pause or place == len(views)):
                    patch |= told_in_beat(state, said)
                    said = ""
                changes = patch.get("up") or patch.get("kinds") or patch.get("gone")
                patch["ms"] = min(BEAT_MS, WAY_MS // len(views)) if changes else 0
                if pause and changes and place < len(views):
                    patch["ms"], patch["hold"] = BEAT_MS, pause
                found.append(patch)
    return found, v


def told_in_beat(state: TableState, text: str) -> dict[str, Any]:
    """A sentence for a beat: `say` in plain words, and `item` as an item of the story."""
    told = sentence(state, text)
    return {"say": told["text"], "item": _item(told)}


def lines_for_programs(state: TableState, reader: Seat, change: Change, v: State) -> tuple[list[msgspec.Raw], State]:
    """Each new line that the reader noticed, encoded: the seat, the move (if the reader saw it), and a sentence.

    Readers who are told the same share it.
    """
    found = []
    for number, step in enumerate(change.steps):
        line = step.line
        if is_in(line.noticed, reader):
            v, said = change.seen(state, number, reader, v)
            key = number, said, is_in(line.seen, reader)
            told = change.told.get(key)
            if told is None:
                name, says = line.name if key[2] else None, plain(said, state.names) if said else ""
                told = msgspec.Raw(encode({"seat": seat_number(line.seat, state), "move": name, "says": says}))
                change.told[key] = told
            found.append(told)
    return found, v


def seat_number(seat: Seat, state: TableState) -> int | None:
    """The number of a seat for programs; None for nature."""
    return seat if seat < state.config.seats else None


def fields(v: State) -> dict[str, Any]:
    """A view as named numbers without scratch space; -1 stands for what the seat may not know."""
    names = v.dtype.names or ()
    return {name: v[name].tolist() for name in names if name != "work"}
