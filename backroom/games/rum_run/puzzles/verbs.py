"""The ranges of move numbers that a learner chooses from, which are Rum Run's."""

from backroom.games.rum_run.verbs import verbs

__all__ = ["verbs"]
