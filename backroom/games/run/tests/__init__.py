"""Tests of Run, one for each § of its rulebook."""
