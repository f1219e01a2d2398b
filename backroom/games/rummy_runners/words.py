"""The words of Rummy Runners: `take s3r`, `lay`, `draw`, `place m4 n12`; labels, questions and sentences.

Suits are s(uns), m(oons), a(rms) and c(rowns). A card is its suit, its number and its colour, r(ed), y(ellow) or
b(lue); a tile is its suit and its number, 0 for the null. A space is its column's letter and its row's number.
"""

import re

import numpy as np

from backroom.engine.kernel import NATURE, UNKNOWN
from backroom.engine.marks import glyph, who
from backroom.engine.phrases import listing
from backroom.engine.protocol import Move, Result, Seat, State

from .pieces import CANVAS, CARDS, COLOURS, COLUMNS, FRAME, HEXES, NULL, PLANE, ROWS, STEPS, SUITS, TILES
from .rules.land import has_line, space_of, tile_of
from .rules.melds import is_set, takes
from .rules.state import (
    BACK,
    CARD,
    DEALING,
    DRAW,
    DRAWING,
    FIRST,
    LAY,
    LAYING,
    LOT,
    OVER,
    PASS,
    PLACE,
    PLACING,
    SEAT_NAMES,
    TAKE,
    TILE,
)
from .rules.turns import standing

SUIT_LETTERS, COLOUR_LETTERS = "smac", "ryb"
NOTATION = re.compile(r"\b[smac][0-5][ryb]?\b|\b[a-y][1-9][0-9]?\b")
VERBS = {LAY: "lay", DRAW: "draw", PASS: "pass", BACK: "back"}

# cards, tiles and spaces


def suit_of(card: int) -> int:
    """The suit of a card, or of a tile with a number."""
    return card % PLANE // 5


def card_name(card: int) -> str:
    return f"{SUIT_LETTERS[suit_of(card)]}{card % 5 + 1}{COLOUR_LETTERS[card // PLANE]}"


def tile_name(tile: int) -> str:
    return f"{SUIT_LETTERS[tile - NULL]}0" if tile >= NULL else card_name(tile)[:2]


def called(tile: int) -> str:
    """A tile in words."""
    return f"the null of {SUITS[tile - NULL]}" if tile >= NULL else f"the {tile % 5 + 1} of {SUITS[suit_of(tile)]}"


def space_name(land: int, space: int) -> str:
    at = space if land == HEXES else space - FRAME
    return f"{chr(ord('a') + at // CANVAS)}{at % CANVAS + 1}"


DIRECTIONS = (
    ("east", "west", "south-east", "north-west", "north-east", "south-west"),
    ("east", "west", "south", "north", "south-east", "north-west", "north-east", "south-west"),
)
"""The direction of a space one step away, in the order of STEPS, on hexes and on squares."""
NTH = ("first", "second", "third", "fourth", "fifth", "sixth")


def whereabouts(v: State, space: int) -> str:
    """A free space in words: by a tile beside it, or by its place on the empty table."""
    land, spots = int(v.land), {int(spot): tile for tile, spot in enumerate(v.spot) if spot != UNKNOWN}
    for step, direction in zip(STEPS[land].tolist(), DIRECTIONS[land], strict=False):
        if space - step in spots:
            return f"{direction} of {called(spots[space - step])}"
    if land == HEXES:
        return "in the middle"
    return f"in the {NTH[(space - FRAME) % CANVAS]} row, {NTH[(space - FRAME) // CANVAS]} column"


def card_in_words(card: int) -> str:
    """A card in a text."""
    words = f"the {COLOURS[card // PLANE]} {card % 5 + 1} of {SUITS[suit_of(card)]}"
    return glyph(f"card-{CARD_NAMES[card]}", words)


CARD_NAMES = [card_name(card) for card in range(CARDS)]
TILE_NAMES = [tile_name(tile) for tile in range(TILES)]


def read_card(text: str) -> int:
    if text not in CARD_NAMES:
        raise ValueError(f"{text!r} is no card; expected suit, number and colour, like s3r: smac, 1 to 5, ryb (§1.1)")
    return CARD_NAMES.index(text)


def read_tile(text: str) -> int:
    if text not in TILE_NAMES:
        raise ValueError(f"{text!r} is no tile; expected suit and number, like m4: smac, 0 for the null to 5 (§1.2)")
    return TILE_NAMES.index(text)


def read_space(land: int, text: str) -> int:
    match = re.fullmatch("([a-y])([1-9][0-9]?)", text)
    column, row = (ord(match[1]) - ord("a"), int(match[2]) - 1) if match else (CANVAS, CANVAS)
    columns, rows = (CANVAS, CANVAS) if land == HEXES else (COLUMNS, ROWS)
    if column >= columns or row >= rows:
        last = f"{chr(ord('a') + columns - 1)}{rows}"
        raise ValueError(f"{text!r} is no space; expected a column and a row, a1 to {last} (§6)")
    return (0 if land == HEXES else FRAME) + column * CANVAS + row


def members(bits: int) -> list[int]:
    """The elements of a set."""
    return [n for n in range(int(bits).bit_length()) if int(bits) >> n & 1]


def in_order(cards: int) -> list[int]:
    """A set of cards in the order of a hand: by suit, number and colour."""
    return sorted(members(cards), key=lambda card: (card % PLANE, card // PLANE))


def named(cards: int) -> str:
    """A set of cards in notation."""
    return " ".join(CARD_NAMES[card] for card in in_order(cards))


def set_in_words(cards: int) -> str:
    """A set of cards in a text."""
    return listing([card_in_words(card) for card in in_order(cards)], "and")


# moves


def name(v: State, move: Move) -> str:
    """`first green`, `tile s0` and `card s3r` are nature's; then `take s3r`, `lay`, `draw` …, `place m4 n12`."""
    if move < TILE:
        return f"first {SEAT_NAMES[move - FIRST].lower()}"
    if move < CARD:
        return f"tile {TILE_NAMES[move - TILE]}"
    if move < LAY:
        return f"card {CARD_NAMES[move - CARD]}" if move < TAKE else f"take {CARD_NAMES[move - TAKE]}"
    if move in VERBS:
        return VERBS[move]
    return f"place {TILE_NAMES[int(tile_of(move))]} {space_name(int(v.land), int(space_of(move)))}"


def parse(v: State, text: str) -> Move:
    """The move with this name, in capitals or not, and a card alone is taken."""
    words = text.lower().split()
    verb, rest = (words[0], words[1:]) if words else ("", [])
    for move, word in VERBS.items():
        if words == [word]:
            return move
    if words and not rest and verb in CARD_NAMES:
        return TAKE + CARD_NAMES.index(verb)
    if verb == "take" and len(rest) == 1:
        return TAKE + read_card(rest[0])
    if verb == "place" and len(rest) == 2:
        return PLACE + read_tile(rest[0]) * CANVAS * CANVAS + read_space(int(v.land), rest[1])
    if verb == "card" and len(rest) == 1:
        return CARD + read_card(rest[0])
    if verb == "tile" and len(rest) == 1:
        return TILE + read_tile(rest[0])
    if verb == "first" and len(rest) == 1 and rest[0].capitalize() in SEAT_NAMES:
        return FIRST + SEAT_NAMES.index(rest[0].capitalize())
    raise ValueError(
        "a move is take CARD, like take s3r; lay, draw, pass or back; or place TILE SPACE, like place m4 n12"
    )


# labels and sentences


def label(v: State, move: Move) -> str:
    """The label of a move."""
    if move < LAY:
        card = move - TAKE
        lies = next((other for other in range(int(v.seats)) if int(v.before[other]) >> card & 1), None)
        return f"Pick {card_in_words(card)}" if lies is None else f"Take {card_in_words(card)} from {who(lies)}"
    if move == BACK:
        return f"Put {card_in_words(int(v.picks[int(v.picked) - 1]))} back"
    if move in VERBS:
        return {LAY: "Lay the set", DRAW: "Draw a card", PASS: "Pass"}[move]
    return f"Place {called(int(tile_of(move)))} {whereabouts(v, int(space_of(move)))}"


def say(v: State, seat: Seat, move: Move, then: State) -> str:
    """What happened, for the story: a set when it is laid, not card by card, and a deal when it is complete."""
    if seat == NATURE:
        return _say_chance(v, move, then)
    if move in (UNKNOWN, BACK) or move < LAY:
        return ""
    if move == LAY:
        return _say_meld(v, seat, then)
    if move == PASS:
        over = " " + question(then, UNKNOWN) if then.stage == OVER else ""
        return f"{who(seat)} passes: the deck is empty (§2.2).{over}"
    if move == DRAW:
        return f"{who(seat)} melds nothing."
    return f"{who(seat)} places {called(int(tile_of(move)))} {whereabouts(v, int(space_of(move)))}."


def _say_chance(v: State, move: Move, then: State) -> str:
    if v.stage == LOT:
        return f"The lot falls on {who(move - FIRST)}, who is first (§1.3)."
    if v.stage == LAYING:
        if then.stage == LAYING:
            return ""
        return "The tiles are dealt out (§6)." if v.zoning else "The land is laid out (§1.2)."
    if v.stage == DEALING:
        return "" if then.stage == DEALING else "The cards are dealt (§1.3)."
    return f"{who(v.turn)} draws {'a card' if move == UNKNOWN else card_in_words(move - CARD)}."


def _say_meld(v: State, seat: Seat, then: State) -> str:
    laid = int(then.before[seat]) & ~int(v.before[seat])
    said = f"{who(seat)} lays {set_in_words(laid)}"
    for other in range(int(v.seats)):
        if scavenged := laid & int(v.before[other]):
            said += f"; of these {set_in_words(scavenged)} from {who(other)}"
    done = []
    gained = int(then.owned[seat]) & ~int(v.owned[seat])
    for other in range(int(v.seats)):
        if taken := gained & int(v.owned[other]):
            gained &= ~taken
            done.append(f"takes {listing([called(tile) for tile in members(taken)], 'and')} from {who(other)} (§6)")
    if gained:
        done.append(f"claims {listing([called(tile) for tile in members(gained)], 'and')} (§4)")
    if locked := int(then.locked) & ~int(v.locked):
        done.append(f"locks {listing([called(tile) for tile in members(locked)], 'and')} (§6)")
    if dead := int(then.dead) & ~int(v.dead):
        done.append(f"turns down {listing([called(tile) for tile in members(dead)], 'and')} (§4.2)")
    if then.stage == OVER:
        done.append(f"wins {_how(then)}")
    return f"{said}{''.join(f'; {part}' for part in done)}."


def _how(v: State) -> str:
    """By which § the winner has won."""
    if has_line(v, np.int64(v.owned[int(v.winner)])):
        return "with three in a line (§5.1)"
    return "with four that hang together (§5.2)"


def question(v: State, seat: Seat) -> str:
    """What is asked now."""
    player = who(v.turn)
    if v.stage == OVER:
        return f"The game is over: {_ending(v)}."
    if v.stage == LOT:
        return "The first player is drawn by lot."
    if v.stage == LAYING:
        return "The tiles are dealt out." if v.zoning else "The land is laid out."
    if v.stage in (DEALING, DRAWING):
        return "The cards are dealt." if v.stage == DEALING else f"{player} draws a card."
    if v.stage == PLACING:
        return "Place one of your tiles." if seat == v.turn else f"{player} places a tile."
    end = "draw" if v.deck else "pass"
    if seat != v.turn:
        return f"{player} may meld, and {end}{'s' if v.deck else 'es'}."
    if not v.picked:
        return f"Pick the cards of a set to meld, or {end}."
    picks = listing([card_in_words(int(card)) for card in v.picks[: int(v.picked)]], "and")
    if is_set(v, seat):
        return f"You have picked {picks}: lay them, or {'take more' if takes(v, seat) else 'go back'}."
    return f"You have picked {picks}: take more, or go back."


def result(v: State) -> Result | None:
    """Who has won and by which §, and the spaces of each; None until the game is over."""
    if v.stage != OVER:
        return None
    marks = [int(standing(v, seat)) for seat in range(int(v.seats))]
    best = [seat for seat, mark in enumerate(marks) if mark == max(marks)]
    winners = (int(v.winner),) if v.winner != UNKNOWN else tuple(best)
    text = _ending(v)
    return Result(f"{text[0].upper()}{text[1:]}.", tuple(map(_spaces, marks)), winners)


def _spaces(mark: int) -> str:
    """What `standing` means in words: spaces, and the largest group."""
    return f"{mark // 100} {'space' if mark // 100 == 1 else 'spaces'} and {mark % 100} together"


def _ending(v: State) -> str:
    if v.winner != UNKNOWN:
        return f"{who(v.winner)} has won {_how(v)}"
    marks = [int(standing(v, seat)) for seat in range(int(v.seats))]
    best = [who(seat) for seat, mark in enumerate(marks) if mark == max(marks)]
    has = _spaces(max(marks))
    if len(best) > 1:
        return f"nothing more is melded, and {listing(best, 'and')} share it with {has} each (§5.3)"
    return f"nothing more is melded, and {best[0]} has won with {has} (§5.3)"
