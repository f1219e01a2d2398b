"""The evaluation and the ratings of Booze Barons as they were in November 2026, for frozen opponents."""

import numpy as np

from backroom.engine.kernel import below, bit_count, kernel
from backroom.games.booze_barons.brain.inference import EVEN, NO_ODDS, SETS, are_mates, chance, posterior
from backroom.games.booze_barons.pieces import (
    BARBER,
    BIT,
    CASINO,
    CLUB,
    DOCK,
    IN_MOB,
    LOCATIONS,
    MOBS,
    PETES,
    SHOWS,
)
from backroom.games.booze_barons.rules.reckoning import mob_coins, mob_result
from backroom.games.booze_barons.rules.state import (
    ACT,
    EVENT,
    EVENT_CARD,
    EVENT_SEAT,
    GO,
    LOOK,
    MOVE,
    NAME_BOOZE,
    NOTHING,
    OVER,
    PASS,
    STEAL,
    TAIL,
    TAKE,
    TAKE_CARD,
    UNDEALT,
    after,
    can_be_exposed,
    fitting,
    is_b,
    is_exposed,
    mob_of,
    stealable,
)

# A handcrafted evaluation


@kernel
def outlook(s, seat):
    """The expected gain of a seat beyond its coins, in coins."""
    hope = 0.0
    if not is_exposed(s, seat):
        hope -= 1.5 / max(bit_count(int(s.could[seat])), 1)  # the fewer boozes are possible, the sooner it is guessed
    if s.booze[seat] < 0:
        return hope
    if s.ask == MOVE:
        place = int(s.sealed[seat])
        if 0 <= place < LOCATIONS:
            hope += there_for(s, seat, place)
    elif s.ask == ACT:
        if after(s, seat, -int(s.turn)) < s.seats - s.acted:
            hope += 0.7 * there_for(s, seat, int(s.pawn[seat]))
    elif s.ask == LOOK and s.turn == seat:
        hope += from_a_look(s, seat)
    elif s.ask == TAKE and s.mark == seat and fitting(s, seat, s.among):
        hope += 0.9
    return hope


@kernel
def there_for(s, seat, place):
    """The expected gain at a location: a delivery, and more if there is a choice."""
    fits = bit_count(fitting(s, seat, s.lying[place]))
    hope = 0.9 + 0.05 * fits if fits else 0.0
    if place == CASINO and s.deck >= 3:
        hope = max(hope, 1.3)
    return hope


@kernel
def from_a_look(s, seat):
    """§4.3: the expected gain of a look: a delivery to steal, or a booze to guess."""
    other = int(s.mark)
    hope = 0.9 if stealable(s, seat, other) else 0.0
    if can_be_exposed(s, other):
        hope = max(hope, 3.0 / max(bit_count(int(s.could[other])), 1))
    return hope


@kernel
def standing(s, mob):
    """The coins of a mob and its expected gain."""
    members, hope = 0, 0.0
    for seat in range(s.seats):
        if mob_of(s, seat) == mob:
            members += 1
            hope += outlook(s, seat)
    doubled = members == 1 and (s.seats == 4 or s.seats == 5)  # §8.2
    return mob_coins(s, mob) + (2 * hope if doubled else hope)


@kernel
def value(s, seat):
    """The logistic of the lead of the seat's mob over the best other, in coins."""
    if s.booze[seat] < 0 or s.booze[s.seats - 1] == UNDEALT:
        return 0.5
    mine, best, equal = mob_of(s, seat), -1e9, 1
    if s.ask == OVER:
        for mob in range(MOBS):
            if mob != mine:
                best = max(best, mob_result(s, mob))
                equal += int(mob_result(s, mob) == mob_result(s, mine))
        return 0.0 if best > mob_result(s, mine) else 1.0 / equal
    for mob in range(MOBS):
        if mob != mine:
            best = max(best, standing(s, mob))
    return 1.0 / (1.0 + np.exp((best - standing(s, mine)) / 4.0))


# Ratings of moves

COIN = 0.04
"""The value of a coin, as a share of the win."""
EXPOSING = 4.2
"""The value of a right guess, in coins: two coins, perhaps a snitch token, and the loss of the other."""
STEALING = 1.4
SAFETY = 1.2
"""The cost of being suspected, in coins, divided by the number of boozes that one may carry."""
WHIM = 0.1
"""The largest random bonus of a move, in coins."""
COUNTS = (3, SETS)
"""The shape of the scratch space for `rate_moves`: the `ways` of `posterior`, and its result."""


@kernel
def worth_of_a_look(s, seat, other, odds):
    """§4.3: the value of a look at another seat, in coins."""
    found = EXPOSING * chance(s, seat, other, -1, odds) if can_be_exposed(s, other) else 0.0
    if not are_mates(s, seat, other) and stealable(s, seat, other):
        found = max(found, STEALING)
    return found


@kernel
def worth_of_a_card(s, seat, card):
    """The value of a delivery, less the cost of what it reveals, in coins."""
    if is_exposed(s, seat):
        return 1.0
    before = int(s.could[seat])
    return 1.0 - SAFETY * (1.0 / max(bit_count(before & SHOWS[card]), 1) - 1.0 / max(bit_count(before), 1))


@kernel
def worth_of_a_place(s, seat, place, odds):
    """§3.1: the value of a location, if others do not act there first, in coins."""
    fits = bit_count(fitting(s, seat, s.lying[place]))
    found = 1.0 - 0.35**fits
    b = is_b(s, place)
    if place == CLUB:
        found = max(found, 0.8 * worth_of_a_look(s, seat, after(s, seat, -1 if b else 1), odds))
    elif place == CASINO:
        found = max(found, 0.5 * min(2 if b else 3, s.deck))
    elif place == DOCK:
        near = bit_count(fitting(s, seat, s.lying[PETES] | s.lying[BARBER] | s.lying[DOCK]))
        found = max(found, 1.0 - 0.35**near)
    elif place == BARBER and not b and fits > 1:
        found += 0.7
    elif place == 0 and not b and not is_exposed(s, seat):
        found += SAFETY / max(bit_count(int(s.could[seat])), 1)
    return found


@kernel
def worth_of_an_event(s, seat, move, odds):
    """§6: the value of an event's move, in coins."""
    here = int(s.pawn[seat])
    b = is_b(s, here)
    if move == EVENT:
        return 0.5 * min(2 if b else 3, s.deck)
    if move >= EVENT_CARD:
        card = move - EVENT_CARD
        if here == DOCK and b:
            return 0.9 if fitting(s, seat, s.lying[DOCK] | BIT[card]) else 0.1
        more = here == BARBER and bit_count(fitting(s, seat, s.lying[BARBER])) > 1
        return worth_of_a_card(s, seat, card) + (0.9 if more else 0.0)
    other = move - EVENT_SEAT
    if here == CLUB or (here == PETES and b):
        return worth_of_a_look(s, seat, other, odds)
    if here == BARBER:
        return -0.4 if are_mates(s, seat, other) else 0.4
    return 1.0 if are_mates(s, seat, other) else -0.5


@kernel
def worth_of_a_move(s, seat, move, odds):
    """The value of a move by what the seat knows, in coins. `odds` are those of `posterior`, or empty."""
    if move >= PASS or move == NOTHING:
        return 0.0
    if move >= NAME_BOOZE:
        booze = move - NAME_BOOZE
        return -1.0 if booze // IN_MOB == mob_of(s, seat) else EXPOSING * chance(s, seat, int(s.mark), booze, odds)
    if move >= STEAL:
        return -0.1 if are_mates(s, seat, int(s.mark)) else STEALING - 1.0 + worth_of_a_card(s, seat, move - STEAL)
    if move >= TAIL:
        return worth_of_a_look(s, seat, move - TAIL, odds) - 0.1
    if move >= EVENT:
        return worth_of_an_event(s, seat, move, odds)
    if move >= TAKE_CARD:
        return worth_of_a_card(s, seat, move - TAKE_CARD)
    return worth_of_a_place(s, seat, move - GO, odds)


@kernel
def whim(dice):
    return WHIM * below(dice, 1 << 16) / (1 << 16)


@kernel
def rollout_policy(s, seat, out, n, dice):
    """The move of the highest estimated value, with a random bonus: for rollouts."""
    best, most = 0, -9.0
    for i in range(n):
        mark = worth_of_a_move(s, seat, out[i], NO_ODDS) + whim(dice)
        if mark > most:
            best, most = i, mark
    return best


@kernel
def rate_moves(s, seat, out, n, dice, marks, counts):
    """Rate the moves to choose from by the exact posterior, with a random bonus. A guess is best if its gain times its
    probability exceeds the value of every other move.
    """
    posterior(s, seat, EVEN, counts[:2], counts[2])
    for i in range(n):
        marks[i] = COIN * (worth_of_a_move(s, seat, out[i], counts[2]) + whim(dice))
