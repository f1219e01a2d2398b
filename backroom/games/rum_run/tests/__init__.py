"""Tests of Rum Run, beside the rules they test."""
