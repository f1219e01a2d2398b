"""Tests of RunAway Train, one a paragraph of its rulebook."""
