"""The rules of RunAway Train as kernels: the state, the train, the cards, and the contract of a game."""
