"""The terminal: play, watch, replay and learn any registered game as text."""
