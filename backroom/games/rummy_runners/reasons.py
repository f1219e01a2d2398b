"""Why a move of Rummy Runners is refused. What is legal is decided in the rules; this only finds the § to name."""

from backroom.engine.kernel import NATURE
from backroom.engine.protocol import Move, Seat, State

from .pieces import CANVAS
from .rules.land import space_of, spread_spaces, tile_of
from .rules.melds import within_reach
from .rules.state import (
    BACK,
    DRAW,
    LAY,
    LAYING,
    LOT,
    PASS,
    PLACE,
    PLACING,
    TAKE,
)
from .words import called, card_in_words


def why(v: State, seat: Seat, move: Move) -> str:
    """Why a move is not among `moves`: half a sentence, with the §."""
    if (seat == NATURE) != (move < TAKE):
        return "the lot, tiles and cards are nature's to turn, and all else the players' to do (§1.3)"
    if seat == NATURE:
        return _why_not_nature(v, move)
    if v.stage == PLACING:
        return _why_not_place(v, seat, move)
    if move >= PLACE and move != BACK:
        return "tiles are placed only before the cards are dealt, in controlled zoning (§6)"
    if move in (DRAW, PASS):
        if v.picked:
            return "you have begun a meld: lay it, or go back card by card (§2.1)"
        return "the deck is empty, so pass (§2.2)" if move == DRAW else "there is a deck, so you must draw (§2.1)"
    if move == BACK:
        return "you have picked nothing (§2.1)"
    return _why_not_lay(v, seat) if move == LAY else _why_not_take(v, seat, move - TAKE)


def _why_not_nature(v: State, move: Move) -> str:
    if v.stage == LOT:
        return "the first player is drawn by lot first, from those who play (§1.3)"
    if v.stage == LAYING:
        return "the tiles come first, each once (§1.2)"
    return "a card is due, and one that nobody has (§1.3)"


def _why_not_place(v: State, seat: Seat, move: Move) -> str:
    if move < PLACE or move == BACK:
        return "the land comes first: place a tile (§6)"
    tile, space = int(tile_of(move)), int(space_of(move))
    if not int(v.tiles[seat]) >> tile & 1:
        return f"you do not have {called(tile)} to place (§6)"
    if space in [int(spot) for spot in v.spot]:
        return "a tile lies there (§6)"
    if v.laid == 0:
        return "the first tile is laid in the middle: the land grows from there to all sides (§6)"
    spaces = v.copy()
    spread_spaces(spaces)
    if int(spaces.work[space // CANVAS + 1]) >> space % CANVAS & 1:
        return "it is not your turn to place (§6)"
    return (
        "the second tile goes beside the first (§6)" if v.laid == 1 else "a tile goes beside two others, at least (§6)"
    )


def _sets(v: State) -> str:
    if v.sets:
        return "1-2-3-4-5, four cards of four suits, or three or more of one colour (the hard way, §6)"
    return "three or more cards of one number, one suit or one colour (§3.1)"


def _why_not_lay(v: State, seat: Seat) -> str:
    if not v.picked:
        return "you have picked nothing to lay (§3.1)"
    if not int(v.chosen) & int(v.hand[seat]):
        return "at least one card of a set comes from your hand (§3.2)"
    return f"a set is {_sets(v)}"


def _why_not_take(v: State, seat: Seat, card: int) -> str:
    bit = 1 << card
    if int(v.chosen) & bit:
        return f"you have picked {card_in_words(card)} already (§3.1)"
    if int(v.before[seat]) & bit:
        return f"{card_in_words(card)} lies before you, and only what lies before others can be scavenged (§3.2)"
    if not int(within_reach(v, seat)) & bit:
        return f"{card_in_words(card)} is neither in your hand nor face up before another (§3.2)"
    if not v.hand[seat]:
        return "your hand is empty, and at least one card of a set comes from it (§3.2)"
    if v.picked:
        return f"with what you have picked it makes no set: {_sets(v)}, one of them from your hand (§3.2)"
    return f"it makes no set with what you can reach: {_sets(v)}, one of them from your hand (§3.2)"
