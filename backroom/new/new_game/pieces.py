"""The components: cards numbered from 1 (§1.1), and the sizes of hands."""

CARDS = 16
MOST_SEATS = 4
HANDS = (3, 2, 4)
"""The possible numbers of cards in a hand (§2.1); the first is the default."""
