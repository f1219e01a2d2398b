"""The course of play: who is asked, what may be done, and its consequences."""

import numpy as np

from backroom.engine.kernel import NATURE, below, bit_count, kernel, lowest, nth
from backroom.games.booze_barons.pieces import (
    ANY_BOOZE,
    BARBER,
    BIT,
    BOOZES,
    CARDS,
    CASINO,
    CLUB,
    DOCK,
    FIRST_CARDS,
    IN_MOB,
    LOCATIONS,
    MOST_SEATS,
    PETES,
    SHOWS,
)

from .deck import drop_last_pile, infer, leave_deck, ways, ways_with
from .reckoning import expose, expose_the_poorest
from .state import (
    ACT,
    BARON,
    CASINO_DRAW,
    CASINO_TURN,
    DEAL,
    DEAL_BOOZE,
    DRAW,
    EVENT,
    EVENT_CARD,
    EVENT_SEAT,
    FIRST,
    GO,
    LOOK,
    LOT_BARON,
    LOT_CARD,
    MOVE,
    NAME_BOOZE,
    NOBODY,
    NOTHING,
    NOWHERE,
    OVER,
    PASS,
    REFILL,
    SIDE,
    SIDES,
    STEAL,
    TAIL,
    TAKE,
    TAKE_CARD,
    after,
    are_neighbours,
    can_be_exposed,
    can_be_tailed,
    fitting,
    home,
    is_b,
    open_places,
    shows,
    stealable,
    unexposed,
    where,
)

# who is asked


@kernel
def asked(s):
    if s.ask == MOVE:
        mask = 0
        for seat in range(MOST_SEATS):
            mask |= (s.sealed[seat] == NOWHERE) << seat
        return mask & ((1 << int(s.seats)) - 1)
    if s.ask == ACT or s.ask == LOOK:
        return 1 << int(s.turn)
    if s.ask == TAKE:
        return 1 << int(s.mark)
    return 0 if s.ask == OVER else 1 << NATURE


# What may be done


@kernel
def put(cards, verb, out, n):
    """Write a move of this verb for each card of a set; returns the new number of moves."""
    while cards:
        out[n] = verb + lowest(cards)
        cards &= cards - 1
        n += 1
    return n


@kernel
def moves(s, seat, out):
    if seat == NATURE:
        return natures_moves(s, out)
    if s.ask == MOVE:
        return places_to_go(s, seat, out) if seat < s.seats else 0
    if asked(s) != 1 << seat:
        return 0
    if s.ask == ACT:
        return actions(s, seat, out)
    if s.ask == LOOK:
        return after_a_look(s, seat, out)
    n = put(fitting(s, seat, s.among), TAKE_CARD, out, 0)  # TAKE
    out[n] = NOTHING  # §6.4
    return n + 1


@kernel
def places_to_go(s, seat, out):
    """§3.1: a choice may be changed until the last one is made."""
    n = 0
    for place in range(LOCATIONS):
        if open_places(s, seat) >> place & 1 and s.sealed[seat] != place:
            out[n] = GO + place
            n += 1
    return n


@kernel
def actions(s, seat, out):
    """§4: the actions open to a seat."""
    here = int(s.pawn[seat])
    n = put(fitting(s, seat, s.lying[here]), TAKE_CARD, out, 0)  # §4.1
    n = events(s, seat, here, out, n)
    for other in range(s.seats):  # §4.3
        if other != seat and s.pawn[other] == here and can_be_tailed(s, other):
            out[n] = TAIL + other
            n += 1
    out[n] = PASS
    return n + 1


@kernel
def events(s, seat, here, out, n):
    """§4.2, §6.3: the event of the seat's location in all the ways that have an effect."""
    b = is_b(s, here)
    if here == CLUB:
        other = after(s, seat, -1 if b else 1)
        if can_be_tailed(s, other):
            out[n] = EVENT_SEAT + other
            n += 1
    elif here == CASINO:
        if s.deck:
            out[n] = EVENT
            n += 1
    elif here == DOCK or (here == BARBER and not b):
        n = put(event_cards(s, seat, here, b), EVENT_CARD, out, n)
    elif here in (PETES, BARBER):
        for other in range(s.seats):
            if other != seat and event_reaches(s, here, b, other):
                out[n] = EVENT_SEAT + other
                n += 1
    return n


@kernel
def event_cards(s, seat, here, b):
    """§6: what the Barbershop's side A takes; what the Dockyard's A takes from next door, or its B can bring."""
    if here == BARBER:
        return fitting(s, seat, s.lying[BARBER])
    if not b:
        return fitting(s, seat, s.lying[PETES] | s.lying[BARBER])
    cards = np.int64(0)
    for place in range(LOCATIONS):
        if place != DOCK:
            cards |= s.lying[place]
    return cards


@kernel
def event_reaches(s, here, b, other):
    """§6.3: whether another player can be chosen for the event of Pete's, or of the Barbershop's side B."""
    if here == BARBER:
        return s.held[other] & ~s.up != 0
    if b:
        return are_neighbours(here, int(s.pawn[other])) and can_be_tailed(s, other)
    return s.lying[PETES] != 0


@kernel
def after_a_look(s, seat, out):
    """§4.3: steal, or expose, or neither."""
    n = put(stealable(s, seat, s.mark), STEAL, out, 0)
    if can_be_exposed(s, s.mark):
        for booze in range(BOOZES):
            out[n] = NAME_BOOZE + booze
            n += 1
    out[n] = NOTHING
    return n + 1


# what chance may do


@kernel
def natures_moves(s, out):
    n = 0
    if s.ask == SIDES:
        out[0], out[1] = SIDE, SIDE + 1
        return 2
    if s.ask == DEAL:
        for booze in range(BOOZES):
            if ways_with(s, booze):
                out[n] = DEAL_BOOZE + booze
                n += 1
    elif s.ask == LOT_BARON:
        for seat in range(s.seats):
            out[n] = BARON + seat
            n += 1
    elif asked(s) == 1 << NATURE:
        n = put(drawable(s), DRAW, out, 0)
    return n


@kernel
def drawable(s):
    """The deliveries of which nature draws one, as a set: the top layer of the deck, or somebody's (§6)."""
    if s.ask == LOT_CARD:
        return s.held[s.mark] & ~s.up
    top = 0 if s.height[0] else 1
    cards = np.int64(0)
    for card in range(CARDS):
        if s.layer[card] == top:
            cards |= BIT[card]
    return cards


@kernel
def odds(s, out):
    n = natures_moves(s, out)
    for i in range(n):
        out[i] = ways_with(s, out[i] - DEAL_BOOZE) if s.ask == DEAL else 1
    return n


@kernel
def chance(s, dice):
    """Nature's move: all that are possible are equally likely, but for boozes."""
    if s.ask == SIDES:
        return SIDE + below(dice, 2)
    if s.ask == DEAL:
        return DEAL_BOOZE + any_booze(s, dice)
    if s.ask == LOT_BARON:
        return BARON + below(dice, s.seats)
    cards = drawable(s)
    return DRAW + nth(cards, below(dice, bit_count(cards)))


@kernel
def any_booze(s, dice):
    """§2.1: a booze for the next seat, by the ways in which the deal can go on: as many with each of a mob's."""
    dealt = 0
    for seat in range(s.turn):
        dealt |= 1 << int(s.booze[seat])
    beer, liquor, wine = bit_count(dealt & 15), bit_count(dealt >> 4 & 15), bit_count(dealt >> 8)
    with_beer = ways(s.seats, beer + 1, liquor, wine)
    with_liquor = ways(s.seats, beer, liquor + 1, wine)
    with_wine = ways(s.seats, beer, liquor, wine + 1)
    total = (IN_MOB - beer) * with_beer + (IN_MOB - liquor) * with_liquor + (IN_MOB - wine) * with_wine
    booze, left = -1, below(dice, total)
    while left >= 0:
        booze += 1
        if not dealt >> booze & 1:
            left -= with_beer if booze < IN_MOB else with_liquor if booze < 2 * IN_MOB else with_wine
    return booze


# Consequences


@kernel
def play(s, seat, move):
    is_over = False
    if seat == NATURE:
        if move >= DRAW:
            is_over = drawn(s, move - DRAW)
        elif move >= BARON:
            s.baron = move - BARON
            begin_round(s)
        elif move >= DEAL_BOOZE:
            deal(s, move - DEAL_BOOZE)
        else:
            turn_side(s, move - SIDE)
    elif move < TAKE_CARD:
        s.sealed[seat] = move - GO
        if asked(s) == 0:
            reveal(s)
    elif s.ask == ACT:
        is_over = act(s, seat, move)
    elif s.ask == LOOK:
        follow_up(s, seat, move)
        is_over = True
    else:
        is_over = take_or_not(s, seat, move)
    if is_over:  # in one place, for smaller code on a GPU
        end_turn(s)


@kernel
def turn_side(s, b):
    """§9, sides mixed: one location after the other."""
    s.sides |= b << (LOCATIONS - int(s.todo))
    s.todo -= 1
    if s.todo == 0:
        s.ask = DEAL


@kernel
def deal(s, booze):
    """§2.1, §2.3: deal a booze to the next seat; after the last, the first deliveries are drawn."""
    s.booze[s.turn] = booze
    s.turn += 1
    if s.turn == s.seats:
        s.turn = 0
        s.ask = FIRST
        s.todo = FIRST_CARDS


@kernel
def begin_round(s):
    """§3.1: ask everybody where to go."""
    s.rounds += 1
    s.ask = MOVE
    s.turn = s.baron
    s.acted = 0


@kernel
def reveal(s):
    """§3.1: all pawns move, and the Baron acts first."""
    for seat in range(s.seats):
        s.pawn[seat] = s.sealed[seat]
        s.sealed[seat] = NOWHERE
    s.ask = ACT


@kernel
def act(s, seat, move):
    """§4: carry out an action. Returns whether the turn is over."""
    here = int(s.pawn[seat])
    if move == PASS:
        return True
    if move >= TAIL:
        look_at(s, move - TAIL)
        return False
    if move >= EVENT_CARD:
        return event_with_card(s, seat, here, move - EVENT_CARD)
    if move >= EVENT_SEAT:
        event_on(s, here, move - EVENT_SEAT)
        return False
    if move == EVENT:
        casino(s, seat)
        return False
    take(s, seat, here, move - TAKE_CARD)
    return True


@kernel
def take(s, seat, place, card):
    """§4.5: a delivery goes to a seat, face up; so the seat's booze is one of those shown."""
    s.lying[place] &= ~BIT[card]
    s.held[seat] |= BIT[card]
    s.up |= BIT[card]
    s.could[seat] &= SHOWS[card]


@kernel
def look_at(s, other):
    """§4.3: ask the tailing seat what to do after the look."""
    s.mark = other
    s.ask = LOOK


@kernel
def offer(s, seat, cards, times):
    """§6.4: the seat may take from these cards, `times` times."""
    s.mark = seat
    s.among = cards
    s.todo = times
    s.ask = TAKE


@kernel
def event_with_card(s, seat, here, card):
    """§6: Dockyard A takes it from next door, Dockyard B brings it, Barbershop A takes it and may take another.

    Returns whether the turn is over.
    """
    if here == DOCK and is_b(s, here):
        s.lying[where(s, card)] &= ~BIT[card]
        s.lying[here] |= BIT[card]
    else:
        take(s, seat, where(s, card), card)
        if here == DOCK:
            return True
    offer(s, seat, s.lying[here], 1)
    return False


@kernel
def event_on(s, here, other):
    """§6: the tails of the Club and of Pete's B; Pete's A lets another take two; Barbershop B sends one back."""
    if here == BARBER:
        s.mark = other
        s.ask = LOT_CARD
    elif here == PETES and not is_b(s, here):
        offer(s, other, s.lying[here], 2)
    else:
        look_at(s, other)


@kernel
def casino(s, seat):
    """§6: A draws three in secret, B turns up two."""
    if is_b(s, CASINO):
        s.ask = CASINO_TURN
        s.todo = min(2, s.deck)
        s.among = 0
    else:
        s.ask = CASINO_DRAW
        s.todo = min(3, s.deck)
        s.piles += 1
        s.drawer[s.piles] = seat


@kernel
def take_or_not(s, seat, move):
    """§6: one of the cards offered; then perhaps another. Returns whether the turn is over."""
    if move == NOTHING:
        return True
    card = move - TAKE_CARD
    take(s, seat, where(s, card), card)
    s.among &= ~BIT[card]
    s.todo -= 1
    return s.todo == 0


@kernel
def follow_up(s, seat, move):
    """§4.3: the consequences of a tail."""
    other = int(s.mark)
    if move < NAME_BOOZE:
        card = move - STEAL
        s.held[other] &= ~BIT[card]
        take(s, seat, home(card), card)
    elif move < NOTHING:
        booze = move - NAME_BOOZE
        if s.booze[other] == booze:
            expose(s, other, seat)
        else:
            s.denied[other] |= 1 << booze
            s.could[other] &= ANY_BOOZE & ~(1 << booze)


@kernel
def end_turn(s):
    s.among = 0
    s.mark = NOBODY
    s.todo = 0
    s.acted += 1
    if s.acted < s.seats:
        s.turn = after(s, int(s.turn), 1)
        s.ask = ACT
        return
    s.baron = after(s, int(s.baron), 1)  # §5.1
    s.turn = s.baron
    s.todo = min((int(s.seats) + 1 - int(s.refill)) // 2, s.deck)  # §5.2
    s.ask = REFILL
    if s.todo == 0:
        end_round(s)


@kernel
def end_round(s):
    """§5.3, §5.4, §5.5: if the deck is empty the poorest are exposed; then a new round begins, or the game is over."""
    if s.deck == 0 and unexposed(s) > 1:
        expose_the_poorest(s)
    s.up = 0
    if unexposed(s) < 2:
        s.ask = OVER
    else:
        begin_round(s)


# Draws


@kernel
def drawn(s, card):
    """§2.3, §5.2, §6: what happens to a card that nature draws. Returns whether a turn is over."""
    s.todo -= 1
    if s.ask == LOT_CARD:
        s.held[s.mark] &= ~BIT[card]
        s.lying[home(card)] |= BIT[card]
        return True
    comes_up, knowing = s.ask != CASINO_DRAW or shows(card, s.booze[s.turn]), int(s.known[card])
    if comes_up:
        infer(s, card)
    leave_deck(s, card)
    if s.ask == CASINO_DRAW:
        return drawn_at_the_casino(s, card, comes_up, knowing)
    s.lying[home(card)] |= BIT[card]
    if s.ask == CASINO_TURN:
        s.among |= BIT[card]
        if s.todo == 0:
            offer(s, s.turn, s.among, 1)
    elif s.todo == 0 and s.ask == FIRST:
        s.ask = LOT_BARON
    elif s.todo == 0:
        end_round(s)
    return False


@kernel
def drawn_at_the_casino(s, card, fits, knowing):
    """§6: what matches goes to the drawer, the rest below the deck, known to those who have seen it (§6.2). Returns
    whether the turn is over.
    """
    if fits:
        take(s, s.turn, home(card), card)
    else:
        s.layer[card] = s.piles
        s.known[card] = knowing | 1 << int(s.turn)
        s.height[s.piles] += 1
        s.deck += 1
    if s.todo == 0 and s.height[s.piles] == 0:
        drop_last_pile(s)
    return s.todo == 0
