"""The features of New Game and a hand-made value."""

from backroom.engine.kernel import kernel

from .pieces import CARDS, MOST_SEATS
from .rules import DECK, PLAYED, is_over

FEATURES = 2 * CARDS + 2 * MOST_SEATS

LEVELS = {
    "easy": ("search", {"iterations": 16, "blur": 2.0}),
    "medium": ("search", {"iterations": 100}),
    "hard": ("search", {"iterations": 1000}),
}


@kernel
def features(s, seat, out):
    """The seat's cards and the cards out of play; then everybody's tricks and hand sizes, the seat's own first."""
    for card in range(CARDS):
        out[card] = 1.0 if s.where[card] == seat else 0.0
        out[CARDS + card] = 1.0 if s.where[card] == PLAYED else 0.0
    for place in range(MOST_SEATS):
        other = (seat + place) % s.seats
        out[2 * CARDS + place] = s.won[other] if place < s.seats else 0.0
        out[2 * CARDS + MOST_SEATS + place] = s.held[other] if place < s.seats else 0.0


@kernel
def standing(s, seat):
    """Tricks taken, plus what the hand may still take: a card's chance of a trick grows with its number.

    A card that is still to be dealt counts as the average of the deck.
    """
    total, rest, left = 1.0 * s.won[seat], 0.0, 0
    for card in range(CARDS):
        chance = (card / (CARDS - 1.0)) ** (s.seats - 1)
        if s.where[card] == seat:
            total += chance
        elif s.where[card] == DECK:
            rest += chance
            left += 1
    if s.due > 0:
        total += (s.hand - s.held[seat]) * rest / left
    return total


@kernel
def value(s, seat):
    """The share of the win: exact at the end, before that by how far the seat is ahead of the best other seat."""
    mine, best, equal = standing(s, seat), -1.0, 0
    for other in range(s.seats):
        theirs = standing(s, other)
        if other != seat:
            best = max(best, theirs)
            equal += 1 if theirs == mine else 0
    if is_over(s):
        return 0.0 if best > mine else 1.0 / (1 + equal)
    return min(max(0.5 + 0.25 * (mine - best), 0.02), 0.98)
