"""Rum Run Setups: lay out a forest of one's own, see what is wrong with it, save it and play it."""

FORMER_NAMES = ("editor",)
