"""Tests of RunAway Train, one for each § of its rulebook."""
