"""Tests of the puzzles."""
