"""The picture of Booze Barons: locations with what lies there, the sheet of players, the player's booze, the answers.

Deliveries that lie face down are drawn face down though every view contains them, unless they are the reader's own, the
reader is looking at them (§4.3), or the table's memory is open. A card's id is its name while its face is seen; backs
are only counted.
"""

from collections import Counter
from collections.abc import Iterator
from textwrap import wrap

from backroom.engine import marks
from backroom.engine.kernel import UNKNOWN
from backroom.engine.phrases import listing
from backroom.engine.plain import Plain
from backroom.engine.protocol import Move, Seat, State
from backroom.scene import Piece, Scene

from .board import board
from .pieces import (
    ANY_BOOZE,
    AT_LOCATION,
    BOOZE_CODES,
    BOOZE_NAMES,
    BOOZE_WORDS,
    BOOZES,
    CARD_WORDS,
    EVENT_WORDS,
    IN_MOB,
    LOCATIONS,
    PLACE_NAMES,
    PLACE_WORDS,
    SEAT_TITLES,
)
from .position import cards_in
from .rules.course import asked
from .rules.reckoning import coins as coins_of
from .rules.reckoning import coins_seen
from .rules.state import (
    ACT,
    EVENT,
    EVENT_CARD,
    EVENT_SEAT,
    GO,
    LOOK,
    MOVE,
    NAME_BOOZE,
    NOTHING,
    NOWHERE,
    OVER,
    SEAT_NAMES,
    STEAL,
    TAIL,
    TAKE,
    TAKE_CARD,
    can_be_exposed,
    stealable,
)
from .shapes import (
    ANSWERS,
    CHIP,
    CHIP_HIGH,
    CHIPS,
    CHIPS_Y,
    NAME_LETTERS,
    NAMED,
    ON_CARD,
    PANEL,
    PLACES,
    RING_HIGH,
    ROW,
    T_COLUMN,
    T_PANEL,
    T_ROWS,
    T_SHEET,
    T_SHEET_X,
    TILE,
    TOP,
    WIDTH,
    answers_y,
    column_x,
    panel_at,
    row_y,
    sheet_y,
)
from .words import boozes_on, delivery, question, result

LEFT = 110
"""Where answers begin, to the right of the player's own booze."""
NAMED_IN_ROW = 6
SYMBOL_HIGH = 15
"""The visible height of a delivery under another: its symbols, not their codes."""


LEGEND = (
    ("River Caves A", "a location, the side of it that is up, and its event below"),
    ("Bru", "a player's pawn: the first letters of the name"),
    ("club3 PoBl…", "a delivery that lies there, and the boozes that it shows"),
    ("*club3", "it shows your booze"),
    ("(you)", "where you will go"),
    (">", "is asked"),
    ("2 (1 up)", "two deliveries, one of them face up"),
    ("B", "the Booze Baron"),
    ("S", "has a snitch token"),
    ("ok", "has chosen"),
    ("-club", "the Curtain Club is closed to this player, who is exposed"),
    ("+H", "has captured a card of Hollis"),
    ("Po 2", "two deliveries that you see there show porter; x: does not carry it"),
)


def draw(v: State, seat: Seat) -> Scene:
    """The scene of a view."""
    booze = int(v.booze[seat]) if seat >= 0 else UNKNOWN
    mine = booze if 0 <= booze < BOOZES else UNKNOWN
    title, plain = marks.plain(question(v, seat), SEAT_NAMES), Plain(v)
    pieces = [*heading(plain), *locations(plain, seat, mine), *sheet(plain, seat, mine)]
    pieces += answers(plain, seat, mine)
    return Scene(board(plain.seats, plain.sides, tuple(plain.looks)), title, pieces)


PAUSE_MS = 900
"""Milliseconds for which what was taken lies open."""


def between(v: State, seat: Seat, move: Move, then: State) -> Iterator[State]:
    """§5.5: what was taken this round lies open for a moment before it is turned face down."""
    taken = int(v.up)
    for other in range(int(v.seats)):
        taken |= int(then.held[other]) & ~int(v.held[other])
    if taken and not then.up and v.rounds and then.ask != OVER:
        way = then.copy()
        way.up = taken
        yield way


def touch(v: State, seat: Seat, move: Move) -> list[str]:
    """A location, a delivery, a player, a booze or a button; for an event first the event, then its target."""
    if not 0 <= seat < v.seats or move < GO:
        return []
    if move < TAKE_CARD:
        return [f"place-{PLACE_WORDS[move - GO]}"]
    event = f"event-{PLACE_WORDS[int(v.pawn[seat]) % LOCATIONS]}"
    if move < EVENT:
        return [f"card-{CARD_WORDS[move - TAKE_CARD]}"]
    if move < EVENT_SEAT:
        return [event]
    if move < EVENT_CARD:
        return [event, f"row-{SEAT_NAMES[move - EVENT_SEAT]}"]
    if move < TAIL:
        return [event, f"card-{CARD_WORDS[move - EVENT_CARD]}"]
    if move < STEAL:
        return [f"row-{SEAT_NAMES[move - TAIL]}"]
    if move < NAME_BOOZE:
        return [f"steal-{CARD_WORDS[move - STEAL]}"]
    return [f"name-{BOOZE_WORDS[move - NAME_BOOZE]}" if move < NOTHING else "nothing" if move == NOTHING else "pass"]


def spoken(card: int) -> str:
    """A delivery in words alone."""
    return marks.plain(delivery(card), SEAT_NAMES)


def heading(v: Plain) -> list[Piece]:
    """Above the locations: the round and the deck."""
    below = v.deck - v.height[0]
    deck = f"deck {v.deck}" + (f", {below} of them seen by somebody" if below else "")
    text = f"Round {v.rounds} · {deck}" if v.rounds else f"Setting up · {deck}"
    return [Piece("heading", "title", 8, 13, face=text, glyph=text)]


# locations


def locations(v: Plain, seat: Seat, mine: int) -> list[Piece]:
    found = []
    pawns, lying = v.pawn, v.lying
    sides = v.sides
    for place, word in enumerate(PLACE_WORDS):
        x, y = panel_at(place)
        column, row = PLACES[place][0] * T_COLUMN, 1 + PLACES[place][1] * T_PANEL
        label = f"{PLACE_NAMES[place]}, {EVENT_WORDS[place][sides >> place & 1]}"
        found.append(Piece(f"place-{word}", "place", x, y, label=label, cell=(column, row), span=T_COLUMN - 2))
        event = EVENT_WORDS[place][sides >> place & 1]
        at = (column + 1, row + 1)
        if place:
            found.append(
                Piece(f"event-{word}", f"event-{place}", x + 3, y + 17, label=event, z=1, glyph=event, cell=at)
            )
        else:
            found.append(Piece("event-caves", "note", x, y, glyph=event, cell=at))
        here = [other for other in range(v.seats) if pawns[other] == place]
        room = PANEL - 20 - 15 * v.lost.count(place)
        found += _pawns(here, x, y + 44, room, column, row + 2)
        if seat >= 0 and v.ask == MOVE and v.sealed[seat] == place:
            found.append(
                Piece(
                    f"choice-{SEAT_NAMES[seat]}",
                    f"ghost-{seat}",
                    x + PANEL - 14,
                    y + 44,
                    label="where you will go",
                    z=2,
                    glyph="(you)",
                    cell=(column + 20, row),
                )
            )
        found += _chips(cards_in(lying[place]), x + 4, y + CHIPS_Y, column, row + 3, mine)
    return found


def _pawns(here: list[Seat], x: float, y: float, room: float, column: int, row: int) -> list[Piece]:
    step = min(18.0, room / max(len(here) - 1, 1))
    letters = 3 if len(here) < 6 else 1
    return [
        Piece(
            f"pawn-{SEAT_NAMES[other]}",
            f"pawn-{other}",
            x + 12 + place * step,
            y,
            label=SEAT_NAMES[other],
            z=2,
            glyph=SEAT_NAMES[other][:letters],
            cell=(column + 1 + place * (letters + 1), row),
        )
        for place, other in enumerate(here)
    ]


def _chips(cards: list[int], x: float, y: float, column: int, row: int, mine: int) -> list[Piece]:
    """Deliveries one below the other, overlapping if there are many; those with the player's booze are marked."""
    found = []
    room = (CHIPS - 1) * CHIP_HIGH
    step = CHIP_HIGH if len(cards) <= CHIPS else min(SYMBOL_HIGH, room / (len(cards) - 1))
    for place, card in enumerate(cards):
        word = CARD_WORDS[card]
        fits = mine in ON_CARD[card]
        codes = "".join(BOOZE_CODES[booze] for booze in ON_CARD[card])
        text = f"{'*' if fits else ' '}{word} {codes}"
        has_line = place < T_ROWS - 1 or len(cards) == T_ROWS
        found.append(
            Piece(
                f"card-{word}",
                f"chip-{card}",
                x,
                y + place * step,
                label=f"{spoken(card)}{', fits you' if fits else ''}",
                z=3 + place * 2,
                glyph=text if has_line else f" and {len(cards) - T_ROWS + 1} more" if place == T_ROWS - 1 else "",
                cell=(column, row + place),
            )
        )
        if fits:
            found.append(_fit(word, x + (ON_CARD[card].index(mine) + 0.5) * TILE, y + place * step, place))
    return found


def _fit(word: str, x: float, y: float, place: int = 0) -> Piece:
    """A mark around the player's own booze on a delivery."""
    return Piece(f"fit-{word}", "fit", x, y + CHIP_HIGH / 2 - 0.5, z=4 + place * 2)


# the sheet


def sheet(v: Plain, seat: Seat, mine: int) -> list[Piece]:
    seats = v.seats
    found = []
    if mine >= 0:
        found.append(Piece("mine", "mine", column_x(mine), sheet_y(), label=f"{BOOZE_NAMES[mine]}, your booze"))
    waiting = int(asked(v.state))
    captors = v.captor
    for other in range(seats):
        found += _row(v, seat, other, bool(waiting >> other & 1), captors)
        found += _row_boozes(v, seat, other)
    return found


def _row(v: Plain, seat: Seat, other: Seat, waited_for: bool, captors: list[int]) -> list[Piece]:
    """A player's row: name, possessions, and public knowledge about him."""
    who, y, line = SEAT_NAMES[other], row_y(other), T_SHEET + 1 + other
    middle = y + ROW / 2
    held, up = v.held[other], v.held[other] & v.up
    count, open_ = held.bit_count(), up.bit_count()
    coins = int(coins_of(v.state, other) if v.ask == OVER else coins_seen(v.state, other))
    look = v.looks[other]
    is_ = SEAT_TITLES[other] if look == other else f"as {SEAT_NAMES[look]} {SEAT_TITLES[look]}"
    deliveries = f"{count} {'delivery' if count == 1 else 'deliveries'}"
    label = f"{who}, {is_}: {coins} {'coin' if coins == 1 else 'coins'}, {deliveries}, {open_} face up"
    named = "name" if len(who) <= NAME_LETTERS else "long-name"
    found = [
        Piece(f"row-{who}", "row", 0, y, label=label, cell=(5, line), span=len("Desmond ")),
        Piece(f"name-{who}", named, 25, middle, face=who, glyph=f"{who:<8}", cell=(5, line)),
        Piece(f"coins-{who}", "coins", 111, middle, face=f"{coins}¢", glyph=f"{coins:>3}", cell=(13, line)),
    ]
    if waited_for:
        found.append(Piece(f"turn-{who}", "turn", 0, y, label=f"{who} is asked", glyph=">", cell=(0, line)))
    if v.pawn[other] == NOWHERE:
        found.append(Piece(f"pawn-{who}", f"pawn-{other}", 13, middle, z=2))
    else:
        found.append(Piece(f"seat-{who}", f"pawn-{other}", 13, middle, glyph="", z=1))
    if other == seat:
        found.append(Piece("you", "note", 0, y, glyph="you", cell=(1, line)))
    if v.baron == other and v.rounds:
        label = f"{who} is the Booze Baron"
        found.append(Piece("baron", "crown", 13, y + 5, label=label, z=3, glyph="B", cell=(27, line)))
    if v.snitches >> other & 1:
        found.append(
            Piece(
                *(f"snitch-{who}", "snitch", 21, y + ROW - 8, f"{who} has a snitch token"),
                z=3,
                glyph="S",
                cell=(28, line),
            )
        )
    if count:
        found.append(
            Piece(
                f"backs-{who}",
                "backs",
                136,
                middle,
                label=f"{deliveries}, {open_} of them face up",
                face=str(count),
                glyph=f"{count}" + (f" ({open_} up)" if open_ else ""),
                cell=(18, line),
            )
        )
    if v.sealed[other] != NOWHERE:
        found.append(
            Piece(f"chosen-{who}", "chosen", 119, y + 7, label=f"{who} has chosen", glyph="ok", cell=(30, line))
        )
    return found + _losses(v, other, captors)


def _losses(v: Plain, other: Seat, captors: list[int]) -> list[Piece]:
    """A location closed for good, and the movement cards that were captured from others."""
    who, y, line = SEAT_NAMES[other], row_y(other), T_SHEET + 1 + other
    found = []
    if v.lost[other] != NOWHERE:
        place = v.lost[other]
        x, top = panel_at(place)
        before = sum(v.lost[earlier] == place for earlier in range(other))
        found.append(
            Piece(
                f"closed-{who}",
                f"closed-{other}",
                x + PANEL - 11 - 15 * before,
                top + 44,
                label=f"{PLACE_NAMES[place]} is closed to {who}",
                z=3,
                glyph=f"-{PLACE_WORDS[place]}",
                cell=(32, line),
            )
        )
    taken = [victim for victim in range(v.seats) if captors[victim] == other]
    for place, victim in enumerate(taken):
        whose = SEAT_NAMES[victim]
        found.append(
            Piece(
                f"captured-{whose}",
                f"captured-{victim}",
                118 + min(place, 2) * 4,
                y + ROW - 9,
                label=f"{who} has {whose}’s card of {PLACE_NAMES[v.lost[victim]]}",
                z=place,
                glyph=f"+{whose[0]}" if place == 0 else whose[0],
                cell=(39 if place == 0 else 40 + place, line),
            )
        )
    return found


def shown_to(v: Plain, seat: Seat, other: Seat) -> int:
    """The deliveries in front of another player that a seat's picture shows open."""
    held: int = v.held[other]
    looking = v.ask == LOOK and v.turn == seat and v.mark == other
    return held if other == seat or looking or v.memory or v.ask == OVER else held & int(v.up)


def _row_boozes(v: Plain, seat: Seat, other: Seat) -> list[Piece]:
    """A player's row in the columns of boozes: deliveries as dashes, wrong guesses as crosses, an exposed booze."""
    who, y = SEAT_NAMES[other], row_y(other)
    cards = cards_in(shown_to(v, seat, other))
    step = min(5.0, (ROW - 8) / max(len(cards) - 1, 1))
    first = y + ROW / 2 - step * (len(cards) - 1) / 2
    found = [
        Piece(
            f"card-{CARD_WORDS[card]}",
            f"line-{card}",
            0,
            first + place * step,
            label=f"{who}: {spoken(card)}",
            z=1,
        )
        for place, card in enumerate(cards)
    ]
    booze = v.booze[other]
    if v.ask == OVER or v.exposed >> other & 1:
        what = f"{who} carries {BOOZE_NAMES[booze]}"
        at, code = _cell(other, booze), BOOZE_CODES[booze]
        found.append(
            Piece(f"shown-{who}", f"shown-{booze}", column_x(booze), y + ROW / 2, what, z=2, glyph=code, cell=at)
        )
        return found
    denied = v.denied[other]
    could = v.could[other] if v.memory else ANY_BOOZE
    for which, word in enumerate(BOOZE_WORDS):
        on = sum(which in ON_CARD[card] for card in cards)
        x, at = column_x(which), _cell(other, which)
        if denied >> which & 1:
            label = f"{who} does not carry {word}"
            found.append(Piece(f"not-{who}-{word}", "denied", x, y + ROW / 2, label, z=2, glyph="x", cell=at))
        elif could >> which & 1 and (v.memory or on):
            kind = "could" if v.memory else "note"
            found.append(Piece(f"could-{who}-{word}", kind, x, y + ROW - 5, glyph=f"{on or '.'}", cell=at))
    return found


def _cell(other: Seat, booze: int) -> tuple[int, int]:
    """Where a booze's column meets a player's row in a terminal."""
    return T_SHEET_X + booze * 3 + booze // IN_MOB, T_SHEET + 1 + other


# The player's own booze, and the possible answers


def answers(v: Plain, seat: Seat, mine: int) -> list[Piece]:
    top, line = answers_y(v.seats), T_SHEET + 2 + v.seats
    found = []
    if mine >= 0:
        what = f"You carry {BOOZE_NAMES[mine]} ({BOOZE_CODES[mine]})."
        found.append(Piece("own", f"own-{mine}", 6, top + 3, label=what, glyph=what, cell=(0, line)))
    if seat >= 0 and (v.ask != LOOK or v.turn != seat):
        found += _told(v, top) or _own_deliveries(v, seat, top)
    if v.ask == OVER:
        found += _reckoned(v, line + 1)
    if seat < 0 or not int(asked(v.state)) >> seat & 1:
        return found
    if v.ask in (LOOK, TAKE):
        found.append(Piece("nothing", "button", 54, top + 86, face="nothing", label="nothing"))
    elif v.ask == ACT:
        found.append(Piece("pass", "button", 54, top + 86, face="pass", label="pass"))
    if v.ask == LOOK:
        found += _after_a_look(v, seat, top)
    return found


def _own_deliveries(v: Plain, seat: Seat, top: float) -> list[Piece]:
    """The player's own deliveries in two columns, overlapping if there are too many."""
    cards = cards_in(v.held[seat])
    rows = -(-len(cards) // 2)
    step = min(CHIP_HIGH + 4.0, (ANSWERS - 12 - CHIP_HIGH) / max(rows - 1, 1))
    return [
        Piece(
            *(f"own-{CARD_WORDS[card]}", f"chip-{card}", LEFT + place % 2 * (CHIP + 12), top + 6 + place // 2 * step),
            f"your delivery: {boozes_on(card)}",
            z=3 + place,
        )
        for place, card in enumerate(cards)
    ]


def _told(v: Plain, top: float) -> list[Piece]:
    """At a table with open memory: what the seat has seen go below the deck (§6.2)."""
    below = [card for card, layer in enumerate(v.layer) if layer > 0]
    if not v.memory or not below:
        return []
    counts = Counter(PLACE_NAMES[card // AT_LOCATION] for card in below)
    lines = wrap(f"Below the deck you know {listing([f'{n} for {place}' for place, n in counts.items()], 'and')}.", 38)
    whole = f"below the deck you know {listing([spoken(card) for card in below], 'and')}"
    return [
        Piece(f"told-{n}", "told", LEFT, top + 16 + n * 18, whole if n == 0 else "", line)
        for n, line in enumerate(lines)
    ]


def _reckoned(v: Plain, line: int) -> list[Piece]:
    """§8: the reckoning, line by line, on a ledger over the locations, which no longer matter."""
    told = result(v.state)
    assert told is not None
    lines = [part for said in told.lines for part in wrap(marks.plain(said, SEAT_NAMES), 60, subsequent_indent="  ")]
    step = min(18.0, (RING_HIGH - 24) / len(lines))
    ledger = Piece("ledger", "ledger", 3, TOP, label="the reckoning (§8)", z=100)
    return [
        ledger,
        *(
            Piece(
                f"reckoned-{n}", "reckoned", 12, TOP + 16 + n * step, face=said, z=101, glyph=said, cell=(0, line + n)
            )
            for n, said in enumerate(lines)
        ),
    ]


def _after_a_look(v: Plain, seat: Seat, top: float) -> list[Piece]:
    """§4.3: the twelve boozes to name, and the deliveries to steal."""
    found = []
    for booze in range(BOOZES) if can_be_exposed(v.state, v.mark) else ():
        x, y = LEFT + booze % NAMED_IN_ROW * NAMED, top + 18 + booze // NAMED_IN_ROW * 34
        label = f"name {BOOZE_NAMES[booze]}"
        found.append(Piece(f"name-{BOOZE_WORDS[booze]}", f"say-{booze}", x, y, label=label))
    cards = cards_in(stealable(v.state, seat, v.mark))
    step = min(CHIP + 6.0, (WIDTH - 6 - LEFT - CHIP) / max(len(cards) - 1, 1))
    for place, card in enumerate(cards):
        word = CARD_WORDS[card]
        label = f"steal {spoken(card)}"
        found.append(
            Piece(f"steal-{word}", f"chip-{card}", LEFT + place * step, top + 73, label=label, z=3 + place * 2)
        )
    return found
