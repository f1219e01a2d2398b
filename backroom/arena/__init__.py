"""The arena: playouts, matches between bots, ladders and analysis."""
