"""New Game: everyone bids a card in secret, and the highest card takes the trick."""
