"""Tests of Booze Barons."""
