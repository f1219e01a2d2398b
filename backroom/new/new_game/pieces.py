"""What is in the box: cards numbered from 1 (§1.1), and hands as large as the option says."""

CARDS = 16
MOST_SEATS = 4
HANDS = (3, 2, 4)
"""How many cards may be dealt to each (§2.1); the first is the default."""
