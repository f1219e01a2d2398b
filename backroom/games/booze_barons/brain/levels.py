"""The levels of Booze Barons."""

LEVELS = {
    "easy": ("rollouts", {"worlds": 0, "blur": 2.5}),
    "medium": ("rollouts", {"worlds": 0, "blur": 0.6}),
    "hard": ("rollouts", {"worlds": 96, "turns": 8, "trust": 100, "recall": 1.3}),
}
"""The lower levels only rate their moves, with errors; `hard` also uses rollouts, which show what follows from a guess.
"""
