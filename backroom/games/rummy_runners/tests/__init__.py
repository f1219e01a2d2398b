"""Tests of Rummy Runners, one for each § of its rulebook."""
