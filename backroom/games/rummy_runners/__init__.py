"""Rummy Runners, a rummy for two to four in which melds claim land. After Nathan Morse's game."""
