"""New Game: everyone bids a card in secret, and the highest takes the trick."""
