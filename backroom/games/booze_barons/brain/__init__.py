"""Booze Barons for bots: who carries what, ratings of moves, an evaluation, features for learners, and levels."""
