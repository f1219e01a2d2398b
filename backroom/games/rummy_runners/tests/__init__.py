"""Tests of Run, one a paragraph of its rulebook."""
