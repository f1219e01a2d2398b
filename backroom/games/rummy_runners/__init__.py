"""Rummy Runners, a rummy game for two to four in which melds claim land. After Nathan Morse's game."""
