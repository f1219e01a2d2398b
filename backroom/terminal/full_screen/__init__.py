"""A table on the whole screen: the conversation of `play`, with a board that is redrawn in place, keys and a mouse."""
