"""New Game: a secret hand each, sealed bids, and the highest card takes the trick."""

from backroom.engine.kernel import EVERYONE, NATURE, UNKNOWN, kernel, record, shuffle

from .pieces import CARDS, MOST_SEATS

NAME = "new-game"
TITLE = "New Game"
VERSION = 1
SEATS = (2, 3, 4)
SEAT_NAMES = ("Ann", "Ben", "Cleo", "Dan")
SECRETS = True

DECK = MOST_SEATS
"""The place of a card: a seat, the deck, or out of play; UNKNOWN in the view of a seat that may not know."""
PLAYED = DECK + 1

STATE = record(
    [
        ("where", "i2", CARDS),  # for each card: a seat, DECK or PLAYED
        ("held", "i2", MOST_SEATS),  # the number of cards of each seat: public, unlike which cards
        ("bid", "i2", MOST_SEATS),  # the number of the card that a seat has chosen; 0: none yet
        ("last", "i2", MOST_SEATS),  # the numbers of the last trick's cards; 0: there was none
        ("won", "i2", MOST_SEATS),  # tricks
        ("due", "i2"),  # the number of cards still to be dealt
        ("hand", "i2"),
        ("seats", "i2"),
        ("work", "i2", CARDS),
    ]
)

DEAL = 0  # + card
BID = DEAL + CARDS  # + card

BACK = UNKNOWN  # no choice takes more than one step
MOST_MOVES = CARDS
LONGEST = 2000  # 16 deals and 16 bids; random players change a sealed bid now and then


# §2: the deal


@kernel
def setup(s, seats, options):
    s.where[:] = DECK
    s.held[:] = 0
    s.bid[:] = 0
    s.last[:] = 0
    s.won[:] = 0
    s.hand = options[0]
    s.due = options[0] * seats
    s.seats = seats


@kernel
def next_to_get(s):
    """§2.1: the seat that gets the next card."""
    return (s.hand * s.seats - s.due) % s.seats


@kernel
def is_over(s):
    """§4.1: all hands are empty."""
    return s.due == 0 and s.held[0] == 0


@kernel
def asked(s):
    if s.due > 0:
        return 1 << NATURE
    mask = 0
    if not is_over(s):
        for seat in range(s.seats):
            if s.bid[seat] == 0:
                mask |= 1 << seat
    return mask


@kernel
def moves(s, seat, out):
    n = 0
    if seat == NATURE:
        if s.due > 0:
            for card in range(CARDS):
                if s.where[card] == DECK:
                    out[n] = DEAL + card
                    n += 1
    elif s.due == 0 and seat < s.seats:
        for card in range(CARDS):
            if s.where[card] == seat and s.bid[seat] != card + 1:  # §3.1: a choice may be changed
                out[n] = BID + card
                n += 1
    return n


@kernel
def odds(s, out):
    """All cards of the deck are equally likely."""
    n = moves(s, NATURE, out)
    out[:n] = 1
    return n


@kernel
def play(s, seat, move):
    if move < BID:
        to = next_to_get(s)
        s.where[move - DEAL] = to
        s.held[to] += 1
        s.due -= 1
        return
    s.bid[seat] = move - BID + 1
    if bids_made(s) == s.seats:
        turn_up(s)


# §3: a trick


@kernel
def bids_made(s):
    n = 0
    for seat in range(s.seats):
        if s.bid[seat] != 0:
            n += 1
    return n


@kernel
def turn_up(s):
    """§3.2: the highest takes the trick."""
    best = 0
    for seat in range(s.seats):
        if s.bid[seat] > s.bid[best]:
            best = seat
    s.won[best] += 1
    for seat in range(s.seats):
        s.where[s.bid[seat] - 1] = PLAYED
        s.held[seat] -= 1
        s.last[seat] = s.bid[seat]
        s.bid[seat] = 0


# Who knows what


@kernel
def seen(s, seat, move):
    """§2.2, §3.1: the seat that gets a card sees which it is; a bid is seen by its own seat, the last bid by all."""
    if move < BID:
        return 1 << next_to_get(s)
    others = bids_made(s) - (1 if s.bid[seat] != 0 else 0)
    return EVERYONE if others == s.seats - 1 else 1 << seat


@kernel
def hide(s, seat):
    for card in range(CARDS):
        if s.where[card] != seat and s.where[card] != PLAYED:
            s.where[card] = UNKNOWN
    for other in range(s.seats):
        if other != seat and s.bid[other] != 0:
            s.bid[other] = UNKNOWN


@kernel
def imagine(s, seat, dice):
    """Deal the cards that the seat does not know anew; a seat that has bid, has bid one of its new cards."""
    n = 0
    for card in range(CARDS):
        if s.where[card] == UNKNOWN:
            s.where[card] = DECK
            s.work[n] = card
            n += 1
    shuffle(dice, s.work, n)
    for other in range(s.seats):
        if other != seat:
            for _ in range(s.held[other]):
                n -= 1
                s.where[s.work[n]] = other
                if s.bid[other] == UNKNOWN:
                    s.bid[other] = s.work[n] + 1


# §4: the end


@kernel
def score(s, out):
    """§4.1: the tricks."""
    for seat in range(s.seats):
        out[seat] = s.won[seat]


@kernel
def is_whole(s):
    """Whether every card is in one place, and the counts agree with the cards."""
    tricks = 0
    for seat in range(MOST_SEATS):
        tricks += s.won[seat]
        held = 0
        for card in range(CARDS):
            if s.where[card] == seat:
                held += 1
        if held != s.held[seat] or (s.bid[seat] != 0 and s.where[s.bid[seat] - 1] != seat):
            return False
    played = 0
    for card in range(CARDS):
        if s.where[card] < 0 or s.where[card] > PLAYED:
            return False
        if s.where[card] == PLAYED:
            played += 1
    return played == tricks * s.seats
