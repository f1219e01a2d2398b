"""Reasons why a step in Rummy Runners is better than another: spaces claimed, cards taken from others, a win."""

from backroom.engine.marks import who
from backroom.engine.phrases import listing
from backroom.engine.protocol import Move, Seat, State

from .pieces import BY_COLOUR, BY_SUIT, CANVAS, COLOURS, KINDS, PLANE, SUITS
from .rules.melds import within_reach
from .rules.state import BACK, DRAW, LAY, PASS, PLACE, TAKE
from .rules.turns import play
from .words import called, members

TAKES_END = LAY
LEAST_OF_A_SET = 3


def reasons_for(v: State, seat: Seat, move: Move, other: Move) -> list[str]:
    """The reasons for the first of two steps over the second."""
    said = []
    if move == LAY:
        said = _for_laying(v, seat)
    elif TAKE <= move < TAKES_END:
        said = _for_taking(v, seat, int(move - TAKE)) or _for_the_set(v)
    elif move in (DRAW, PASS):
        hand = int(v.held[seat])
        said = [
            f"your {hand} cards stay together for a set that claims more",
            "what lies before you can be scavenged by others (§3.2)",
        ]
    elif PLACE <= move < BACK:
        return _for_placing(v, seat, move)
    return [*said, *_land(v, seat)]


def _land(v: State, seat: Seat) -> list[str]:
    """The land of the seat and of the rival who has most."""
    mine = int(v.owned[seat]).bit_count()
    rival = max((each for each in range(int(v.seats)) if each != seat), key=lambda each: int(v.owned[each]).bit_count())
    theirs = int(v.owned[rival]).bit_count()
    most = f"{who(rival)} has {_spaces(theirs)}" if theirs else "nobody else has any"
    return [f"you have {_spaces(mine)} and {most}: three in a line or four together win (§5)"]


def _spaces(number: int) -> str:
    return "one space" if number == 1 else f"{number or 'no'} spaces"


def _for_the_set(v: State) -> list[str]:
    """What is still missing in the set that is being picked."""
    missing = LEAST_OF_A_SET - int(v.picked) - 1
    return [f"then {missing} more make a set (§3.1)" if missing > 0 else "it makes the set larger (§3.1)"]


def _for_placing(v: State, seat: Seat, move: Move) -> list[str]:
    """§6, controlled zoning: what a tile is placed beside."""
    then, tile = v.copy(), int(move - PLACE) // (CANVAS * CANVAS)
    play(then, seat, move)
    beside = sum(int(each) >= 0 for each in then.near[tile])
    touched = f"it touches {beside} tile{'' if beside == 1 else 's'}" if beside else "it is the first tile"
    left = int(then.tiles[seat]).bit_count()
    return [
        f"{touched}, and only spaces that touch win together (§5)",
        f"you have {left or 'no'} tile{'' if left == 1 else 's'} to place after it (§6)",
    ]


def _colours_before(v: State, seat: Seat, space: int) -> int:
    """The number of colours of a space of which the seat has a card before it, or picked."""
    have = int(v.before[seat]) | int(v.chosen)
    return sum(have >> (space + PLANE * colour) & 1 for colour in range(3))


def _is_claimed(v: State, tile: int) -> bool:
    return any(int(v.owned[seat]) >> tile & 1 for seat in range(int(v.seats)))


def _for_laying(v: State, seat: Seat) -> list[str]:
    """What the picked set brings, by playing it."""
    then = v.copy()
    play(then, seat, LAY)
    if then.winner == seat:
        return ["it wins the game (§5)"]
    gained = members(int(then.owned[seat]) & ~int(v.owned[seat]))
    said = [f"it claims {listing([called(tile) for tile in gained], 'and')} (§4.1)"] if gained else []
    lost = [who(other) for other in range(int(v.seats)) if other != seat and int(v.before[other]) & int(v.chosen)]
    if lost:
        said.append(f"it takes cards from {listing(lost, 'and')} (§3.2)")
    return said or ["the cards before you count together with sets that you lay later (§3.3)"]


def _largest_set(v: State, seat: Seat, card: int) -> str:
    """The largest set of a kind within reach that contains this card and those picked; empty if there is none."""
    reach, hand, wanted = int(within_reach(v, seat)), int(v.hand[seat]), int(v.chosen) | 1 << card
    sizes = {
        kind: (reach & int(cards)).bit_count()
        for kind, cards in enumerate(KINDS)
        if not wanted & ~int(cards) and hand & int(cards)
    }
    if v.sets or not sizes or max(sizes.values()) < LEAST_OF_A_SET:
        return ""
    best = max(sizes, key=lambda kind: sizes[kind])
    if best < BY_SUIT:
        return f"{sizes[best]} cards with a {best + 1}"
    return f"{sizes[best]} {SUITS[best - BY_SUIT] if best < BY_COLOUR else f'{COLOURS[best - BY_COLOUR]} cards'}"


def _for_taking(v: State, seat: Seat, card: int) -> list[str]:
    space, said = card % PLANE, []
    if _colours_before(v, seat, space) == 1 and not _is_claimed(v, space):
        said.append(f"it makes two colours of {called(space)}, which claims that space (§4.1)")
    holders = [other for other in range(int(v.seats)) if other != seat and int(v.before[other]) >> card & 1]
    if holders:
        said.append(f"it takes a card away from {who(holders[0])} (§3.2)")
    fits = (int(v.hand[seat]) | int(v.before[seat])) & ~(1 << card)
    partners = sum(fits >> (space + PLANE * colour) & 1 for colour in range(3))
    if partners and not said and not _is_claimed(v, space):
        said.append(f"you have another colour of {called(space)} to go with it (§4.1)")
    if kind := _largest_set(v, seat, card):
        said.append(f"you can lay {kind} with it (§3.1)")
    near = [tile for tile in members(int(v.owned[seat])) if tile in [int(each) for each in v.near[space]]]
    if near and not _is_claimed(v, space):
        said.append(f"{called(space)} lies beside {called(near[0])}, which is yours (§5)")
    return said
