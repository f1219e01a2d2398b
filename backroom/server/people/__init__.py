"""People: guests, kept names, tokens, results and ratings."""
