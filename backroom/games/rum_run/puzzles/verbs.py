"""What a learner chooses from: the runs of move numbers that seats have, which are Rum Run's."""

from backroom.games.rum_run.verbs import verbs

__all__ = ["verbs"]
