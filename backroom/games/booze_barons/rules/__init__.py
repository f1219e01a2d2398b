"""The rules of Booze Barons: the state and its small change, the course of play, secrets, and the reckoning.

What is known to whom. A booze is known to its seat, and to all once it is exposed. A choice of movement is known to
its seat until all are shown. The deck is a bag of fresh deliveries, above piles of at most three: each pile is what
one seat drew at Casino Regale A and could not use, again a bag. Of each card in a pile the record says which seats
have seen it (`known`), and those keep seeing where it is (§6.2). Everything else has lain open once and is in
everybody's view for good: the picture draws it face down where the table's `memory` is hidden, but nobody needs to
remember. The look of a tail (§4.3) is a move that all see; what it shows is in the view already.

What follows about boozes is public and in the record: `could` has, of each seat, the boozes that fit every delivery
it ever took, whatever became of it since, and nothing that was named wrongly or lay in a pile of its own that came
up.

To this a seat adds what it sees for itself: a card that it knows in a pile does not show that drawer's booze
(`possible`). When such a card is drawn again in secret, into another's pile, that inference of a seat's own is not
kept: what is promised is the deal and the deliveries taken. Imagined worlds are even over the deals that fit;
unseen cards of a pile are then such as do not show the drawer's imagined booze, as long as there are any.
"""
