"""Tests of New Game, beside the rules they test."""
