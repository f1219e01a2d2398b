"""The rules of Booze Barons: the state and its helpers, the course of play, secrets, and the reckoning.

Who knows what: a booze is known to its seat, and to everybody once it is exposed. A choice of movement is known to its
seat until all are revealed. The deck is a bag of fresh deliveries on top of piles of at most three; each pile is what
one seat drew at Casino Regale A and could not use, again a bag. For each card in a pile the record says which seats
have seen it (`known`); those keep seeing where it is (§6.2). Everything else was open at some time and stays in
everybody's view: if the table's `memory` is hidden the picture draws it face down, but nobody needs to remember it. The
look of a tail (§4.3) is a public move; what it shows is in the view already.

Inferences about boozes that everybody can make are in the record: `could` has, for each seat, the boozes that fit every
delivery it ever took, wherever that is now, without those that were named wrongly or that are shown by cards of the
seat's own pile that came up.

A seat adds what it sees for itself: a card that it knows in a pile does not show that drawer's booze (`possible`). When
such a card is drawn again in secret, into another's pile, this private inference is not kept: what is guaranteed is the
deal and the deliveries taken. Imagined states are uniform over the deals that fit; unseen cards of a pile are then
cards that do not show the drawer's imagined booze, as long as there are any.
"""
