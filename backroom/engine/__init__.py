"""The engine: the parts that all games are built from. It imports no game."""
