"""A table on the whole screen: `play` with a board that is redrawn in place, keys and a mouse."""
