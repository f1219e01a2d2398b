"""Rum Run Setups: lay out your own forest, see what is wrong with it, save it and play it."""

FORMER_NAMES = ("editor",)
