"""What a player of New Game looks at, and a first judgement by hand."""

from backroom.engine.kernel import kernel

from .pieces import CARDS, MOST_SEATS
from .rules import PLAYED, is_over

FEATURES = 2 * CARDS + 2 * MOST_SEATS

LEVELS = {
    "easy": ("search", {"iterations": 16, "blur": 2.0}),
    "medium": ("search", {"iterations": 100}),
    "hard": ("search", {"iterations": 1000}),
}


@kernel
def features(s, seat, out):
    """The seat's cards, the cards out of play; the tricks and hands of all, the seat's own first."""
    for card in range(CARDS):
        out[card] = 1.0 if s.where[card] == seat else 0.0
        out[CARDS + card] = 1.0 if s.where[card] == PLAYED else 0.0
    for place in range(MOST_SEATS):
        other = (seat + place) % s.seats
        out[2 * CARDS + place] = s.won[other] if place < s.seats else 0.0
        out[2 * CARDS + MOST_SEATS + place] = s.held[other] if place < s.seats else 0.0


@kernel
def standing(s, seat):
    """Tricks taken, and what the hand may still take: a card takes a trick about as often as it is high."""
    total = 1.0 * s.won[seat]
    for card in range(CARDS):
        if s.where[card] == seat:
            total += (card / (CARDS - 1.0)) ** (s.seats - 1)
    return total


@kernel
def value(s, seat):
    """The share of the win: known at the end, before that by how far the seat is ahead of the best other."""
    mine, best, equal = standing(s, seat), -1.0, 0
    for other in range(s.seats):
        theirs = standing(s, other)
        if other != seat:
            best = max(best, theirs)
            equal += 1 if theirs == mine else 0
    if is_over(s):
        return 0.0 if best > mine else 1.0 / (1 + equal)
    return min(max(0.5 + 0.25 * (mine - best), 0.02), 0.98)
