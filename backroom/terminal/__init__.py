"""The terminal: play, watch and replay any game of the registry on a page of text."""
