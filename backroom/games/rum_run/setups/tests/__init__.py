"""Tests of the editor of setups."""
