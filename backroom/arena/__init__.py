"""The arena: many games at once, and matches between bots."""
