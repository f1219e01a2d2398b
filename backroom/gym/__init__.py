"""The gym: every game as an environment for learners, thousands of games at once; and thin adapters to their libraries."""

from backroom.gym.batch import Batch

__all__ = ["Batch"]
