"""Positions of Rummy Runners on one line: parts between bars, in any order.

    land m13:s3 n13:m0 | first green | turn violet | green hand s3r m2b | green before a1r a1y | green claims a1

`land in order` lays out all tiles by suit and number; `tiles` are those a seat has still to place. `locked` and `dead`
tiles, cards `picked` in order, and `idle` turns with an empty deck (§2.2) are written if there are any. All other cards
are in the deck. `lot`, `dealing` and `drawing` say that nature moves next; a hidden hand of six is `?6`.
"""

from collections.abc import Iterable

from backroom.engine.kernel import UNKNOWN
from backroom.engine.protocol import Seat, State

from .pieces import CARDS, HAND, HEXES, MIDDLE, NULL, SPACES, STEPS, TILES
from .rules.land import lay_tile, loose_tiles
from .rules.melds import claimed, in_three_colours, in_two_colours, take, takes
from .rules.state import DEALING, DRAWING, LAYING, LOT, MELDING, PLACING, SEAT_NAMES
from .rules.turns import has_won
from .words import CARD_NAMES, TILE_NAMES, called, members, named, read_card, read_space, read_tile, space_name

_SEATS = tuple(name.lower() for name in SEAT_NAMES)
_OF_SEATS = ("hand", "before", "tiles", "claims")
_FLAGS = ("lot", "dealing", "drawing")
_PARTS = ("land", "first", "turn", "locked", "dead", "picked", "idle", *_FLAGS)


def position(v: State) -> str:
    """The state, or what a view shows of it, on one line."""
    if v.stage == LOT:
        return "lot"
    parts = [f"first {_SEATS[int(v.first)]}", f"turn {_SEATS[int(v.turn)]}"]
    spots = {int(spot): tile for tile, spot in enumerate(v.spot) if spot != UNKNOWN}
    if spots:
        parts.append(
            "land " + " ".join(f"{space_name(int(v.land), at)}:{TILE_NAMES[spots[at]]}" for at in sorted(spots))
        )
    for seat in range(int(v.seats)):
        hand = f"?{v.held[seat]}" if v.held[seat] and v.hand[seat] < 0 else named(max(int(v.hand[seat]), 0))
        said = (hand, named(int(v.before[seat])), _tiles(v.tiles[seat]), _tiles(v.owned[seat]))
        parts += [f"{_SEATS[seat]} {what} {these}" for what, these in zip(_OF_SEATS, said, strict=True) if these]
    for what, these in (("locked", _tiles(v.locked)), ("dead", _tiles(v.dead))):
        parts += [f"{what} {these}"] if these else []
    if v.picked:
        parts.append("picked " + " ".join(CARD_NAMES[int(card)] for card in v.picks[: int(v.picked)]))
    if v.idle:
        parts.append(f"idle {v.idle}")
    if v.stage in (DEALING, DRAWING):
        parts.append("dealing" if v.stage == DEALING else "drawing")
    return " | ".join(parts)


def _tiles(tiles: int) -> str:
    return " ".join(TILE_NAMES[tile] for tile in members(tiles))


def place(s: State, text: str) -> None:
    """Put a state after `setup` into this position; ValueError says what is impossible about it."""
    said = _parts(text, int(s.seats))
    if "lot" in said:
        if len(said) > 1:
            raise ValueError("before the lot nothing else has happened (§1.3)")
        return
    s.first = _seat(s, said.get("first", _SEATS[0]))
    s.turn = _seat(s, said.get("turn", _SEATS[int(s.first)]))
    _place_land(s, said.get("land", ""))
    _place_cards(s, said)
    for seat, name in enumerate(_SEATS[: int(s.seats)]):
        s.tiles[seat] = _set(map(read_tile, said.get(f"{name} tiles", "").split()), TILE_NAMES)
        s.owned[seat] = _set(map(read_tile, said.get(f"{name} claims", "").split()), TILE_NAMES)
    s.locked = _set(map(read_tile, said.get("locked", "").split()), TILE_NAMES)
    s.dead = _set(map(read_tile, said.get("dead", "").split()), TILE_NAMES)
    _check_tiles(s)
    if int(s.laid) < TILES or s.tiles.any():
        _begin(s, said)
        return
    s.stage = DEALING if "dealing" in said else DRAWING if "drawing" in said else MELDING
    if s.stage == DEALING:
        _check_dealing(s, said)
        return
    _check_claims(s)
    idle = said.get("idle", "0")
    if not idle.isdecimal() or int(idle) >= int(s.seats) or (int(idle) and s.deck):
        raise ValueError(f"idle {idle!r}; expected fewer turns than players, and an empty deck (§2.2)")
    s.idle = int(idle)
    if s.stage == DRAWING and (s.deck == 0 or "picked" in said):
        raise ValueError("there is nothing to draw, or something is picked before it (§2.1)")
    for word in said.get("picked", "").split():
        card = read_card(word)
        if not int(takes(s, int(s.turn))) >> card & 1:
            raise ValueError(f"picked {word}: it is no part of a set with what is picked before it (§3.1, §3.2)")
        take(s, card)


def _parts(text: str, seats: int) -> dict[str, str]:
    """The parts of a position by their first words."""
    known = [*(f"{seat} {what}" for seat in _SEATS[:seats] for what in _OF_SEATS), *_PARTS]
    said: dict[str, str] = {}
    for part in (" ".join(part.lower().split()) for part in text.split("|")):
        key = next((key for key in known if part == key or part.startswith(f"{key} ")), None)
        if key is None or (part != key and key in _FLAGS):
            seat_parts = f"SEAT {' or '.join(_OF_SEATS)} of {', '.join(_SEATS[:seats])}"
            raise ValueError(f"{part!r} is no part of a position; expected {seat_parts}, or {', '.join(_PARTS)}")
        if key in said:
            raise ValueError(f"the position says {key!r} twice")
        said[key] = part.removeprefix(key).strip()
    return said


def _seat(s: State, name: str) -> Seat:
    if name not in _SEATS[: int(s.seats)]:
        raise ValueError(f"{name!r} does not play; expected {', '.join(_SEATS[: int(s.seats)])}")
    return _SEATS.index(name)


def _set(numbers: Iterable[int], names: list[str]) -> int:
    found = 0
    for number in numbers:
        if found >> number & 1:
            raise ValueError(f"the position says {names[number]} twice")
        found |= 1 << number
    return found


# the land


def _place_land(s: State, text: str) -> None:
    land = int(s.land)
    spots: dict[int, int] = {}
    if text == "in order":
        order = [tile for suit in range(4) for tile in (NULL + suit, *range(5 * suit, 5 * suit + 5))]
        spots = {int(space): tile for space, tile in zip(SPACES[land], order, strict=True)}
    else:
        for word in text.split():
            space, _, tile = word.partition(":")
            at = read_space(land, space)
            if at in spots:
                raise ValueError(f"the position says {space} twice")
            spots[at] = read_tile(tile)
    _set(spots.values(), TILE_NAMES)
    if s.zoning:
        _check_shape(land, set(spots))
    elif set(spots) != {int(space) for space in SPACES[land][: len(spots)]}:
        raise ValueError("the shuffled land is laid out in rows, as one reads (§1.2)")
    s.spot[:], s.near[:], s.laid = UNKNOWN, UNKNOWN, 0
    for at in spots:
        lay_tile(s, spots[at], at)


def _check_shape(land: int, spaces: set[int]) -> None:
    """§6: check that the tiles can have been placed so: each beside two others, but for the first and the second."""
    near = {at: {at + int(step) for step in STEPS[land] if step} & spaces for at in spaces}
    firsts = spaces & {MIDDLE} if land == HEXES else spaces
    if len(spaces) < 2:
        grown = len(spaces) == len(firsts)
    else:
        grown = any(_grown({first, second}, near) for first in firsts for second in near[first])
    if not grown:
        raise ValueError("the land cannot have grown so: the second tile beside the first, all others beside two (§6)")


def _grown(lie: set[int], near: dict[int, set[int]]) -> bool:
    while fits := [at for at in near if at not in lie and len(near[at] & lie) > 1]:
        lie.update(fits)
    return len(lie) == len(near)


def _check_tiles(s: State) -> None:
    """Check that no tile is in two places, and that claimed, locked and dead tiles are possible."""
    lying = sum(1 << tile for tile in range(TILES) if s.spot[tile] != UNKNOWN)
    for what, sets in (("placed", [lying, *map(int, s.tiles)]), ("claimed", [int(s.dead), *map(int, s.owned)])):
        seen = 0
        for tiles in sets:
            if seen & tiles:
                raise ValueError(f"{called(members(seen & tiles)[0])} is {what} twice")
            seen |= tiles
    if s.tiles.any() and not s.zoning:
        raise ValueError("nobody has tiles to place but in controlled zoning (§6)")
    if int(s.locked) & ~int(claimed(s)) or int(s.locked) >> NULL or (s.locked and not s.disputes):
        raise ValueError("only a claimed space with a number can be locked, in border disputes (§6)")
    if int(s.dead) % (1 << NULL):
        raise ValueError("only a null can be dead (§4.2)")


def _begin(s: State, said: dict[str, str]) -> None:
    """Set up a position whose land is not complete: tiles are being laid, dealt out or placed, before anything else."""
    if unfit := [key for key in said if key not in ("land", "first", "turn") and not key.endswith(" tiles")]:
        raise ValueError(f"{unfit[0]!r} cannot be said before all tiles lie (§1.2, §6)")
    seats, first = int(s.seats), int(s.first)
    s.stage = PLACING if s.zoning and loose_tiles(s) == 0 else LAYING
    if s.zoning:
        out = sum(len(members(tiles)) for tiles in s.tiles) + int(s.laid)
        turn = (first + (int(s.laid) if s.stage == PLACING else out)) % seats
        for seat in range(seats):
            place_in_turn = (seat - first) % seats
            dealt, placed = ((n + seats - 1 - place_in_turn) // seats for n in (out, int(s.laid)))
            if len(members(s.tiles[seat])) != dealt - placed or (s.laid and s.stage == LAYING):
                raise ValueError("the tiles are dealt out in turn, all of them, and then placed in turn (§6)")
    else:
        turn = first
    if int(s.turn) != turn:
        raise ValueError(
            f"turn {_SEATS[int(s.turn)]}; expected {_SEATS[turn]}, by who is first and what lies (§1.3, §6)"
        )


# the cards


def _place_cards(s: State, said: dict[str, str]) -> None:
    seen = 0
    for seat, name in enumerate(_SEATS[: int(s.seats)]):
        if said.get(f"{name} hand", "").startswith("?"):
            raise ValueError(
                f"{name} hand is hidden; expected its cards: nobody can begin from what one seat sees (§1.3)"
            )
        for what in ("hand", "before"):
            cards = _set(map(read_card, said.get(f"{name} {what}", "").split()), CARD_NAMES)
            if seen & cards:
                raise ValueError(f"the position says {CARD_NAMES[members(seen & cards)[0]]} twice")
            seen |= cards
            s[what][seat] = cards
        s.held[seat] = len(members(s.hand[seat]))
    s.deck = CARDS - len(members(seen))


def _check_dealing(s: State, said: dict[str, str]) -> None:
    seats, out = int(s.seats), CARDS - int(s.deck)
    due = [(out + seats - 1 - (seat - int(s.first)) % seats) // seats for seat in range(seats)]
    unfit = [key for key in said if key not in ("land", "first", "turn", "dealing") and not key.endswith(" hand")]
    if unfit or [int(n) for n in s.held[:seats]] != due or out >= HAND * seats or s.turn != (s.first + out) % seats:
        raise ValueError("while the cards are dealt, in turn from the first, nothing else has happened (§1.3)")


def _check_claims(s: State) -> None:
    taken = int(claimed(s))
    for seat, name in enumerate(SEAT_NAMES[: int(s.seats)]):
        if over := int(in_two_colours(int(s.before[seat]))) & ~taken:
            raise ValueError(f"{name} has two colours of {called(members(over)[0])} out, and nobody claims it (§4.1)")
        if s.disputes and (over := int(in_three_colours(int(s.before[seat]))) & ~int(s.locked)):
            raise ValueError(f"{name} has three colours of {called(members(over)[0])} out, and it is not locked (§6)")
        if has_won(s, seat):
            raise ValueError(f"{name} has won already: that game is over (§5.1, §5.2)")
    for suit in range(4):
        null = NULL + suit
        spaces = [(int(s.owned[seat]) >> 5 * suit & 31).bit_count() for seat in range(int(s.seats))]
        holder = next((seat for seat in range(int(s.seats)) if int(s.owned[seat]) >> null & 1), None)
        settled = holder is not None or int(s.dead) >> null & 1
        if not settled and (max(spaces) >= 3 or sum(spaces) == 5):
            raise ValueError(f"{called(null)} is settled by a majority, or by five claims without one (§4.2)")
        if settled and not s.disputes:
            lawful = max(spaces) < 3 and sum(spaces) == 5 if holder is None else spaces[holder] >= 3
            if not lawful:
                raise ValueError(
                    f"{called(null)} needs a majority to be claimed, and five claims without to die (§4.2)"
                )
