"""The engine: what every game is made with. It knows no game."""
