"""People: guests, protected names, tokens, results and ratings."""
