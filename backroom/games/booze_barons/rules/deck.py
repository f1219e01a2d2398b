"""What lies face down: the odds of dealing boozes, and the deck with the piles below it."""

from backroom.engine.kernel import kernel
from backroom.games.booze_barons.pieces import ANY_BOOZE, CARDS, IN_MOB, SHOWS, WAYS

from .state import OUT, shows


@kernel
def ways_with(s, booze):
    """§2.1: the number of ways the deal can go on when the next seat gets this booze."""
    beer = liquor = wine = 0
    for seat in range(s.turn + 1):
        had = booze if seat == s.turn else int(s.booze[seat])
        if seat != s.turn and had == booze:
            return 0
        if had // IN_MOB == 0:
            beer += 1
        elif had // IN_MOB == 1:
            liquor += 1
        else:
            wine += 1
    return ways(s.seats, beer, liquor, wine)


@kernel
def ways(seats, beer, liquor, wine):
    """§2.1: the number of ways the deal can go on after that many boozes of each mob."""
    return WAYS[seats, beer, liquor, wine] if max(beer, liquor, wine) < IN_MOB else 0


@kernel
def leave_deck(s, card):
    """A card of the top layer leaves the deck; an empty pile disappears."""
    layer = int(s.layer[card])
    s.layer[card] = OUT
    s.known[card] = 0
    s.height[layer] -= 1
    s.deck -= 1
    if layer and s.height[layer] == 0:
        for pile in range(1, s.piles):
            s.height[pile] = s.height[pile + 1]
            s.drawer[pile] = s.drawer[pile + 1]
        drop_last_pile(s)
        for other in range(CARDS):
            if s.layer[other] > 0:
                s.layer[other] -= 1


@kernel
def drop_last_pile(s):
    s.height[s.piles] = 0
    s.drawer[s.piles] = 0
    s.piles -= 1


@kernel
def infer(s, card):
    """A card comes up for all to see. If it is in somebody's pile, it does not show that player's booze."""
    layer = int(s.layer[card])
    if layer:
        drawer = int(s.drawer[layer])
        if not shows(card, s.booze[drawer]):  # this happens only in imagined states
            s.could[drawer] &= ANY_BOOZE & ~SHOWS[card]
