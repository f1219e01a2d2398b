"""Booze Barons for bots: ratings of moves, in coins, by terms that are tuned for each number of seats."""

import tomllib
from pathlib import Path

import numpy as np

from backroom.engine.kernel import below, bit_count, kernel
from backroom.games.booze_barons.pieces import (
    BARBER,
    BIT,
    CASINO,
    CAVES,
    CLUB,
    DOCK,
    IN_MOB,
    LOCATIONS,
    MOST_SEATS,
    PETES,
    SHOWS,
)
from backroom.games.booze_barons.rules.state import (
    EVENT,
    EVENT_CARD,
    EVENT_SEAT,
    GO,
    NAME_BOOZE,
    NOTHING,
    PASS,
    STEAL,
    TAIL,
    TAKE_CARD,
    after,
    can_be_exposed,
    fitting,
    is_b,
    is_exposed,
    mob_of,
    stealable,
)

from .inference import NO_ODDS, are_mates, chance, posterior

FRESH = 27
"""The deliveries that are left in the deck when the first round begins (§2.3)."""

# Where to go
MISS = 0
CLUB_GO = MISS + 1
CASINO_GO = CLUB_GO + 1
SECOND_GO = CASINO_GO + 1
HIDING = SECOND_GO + 1
LIKING = HIDING + 1  # + location
# What to take
SAFETY = LIKING + LOCATIONS
WATCHED = SAFETY + 1
CASINO_DRAW = WATCHED + 1
CASINO_SHOWS = CASINO_DRAW + 1
CASINO_LATE = CASINO_SHOWS + 1
SECOND = CASINO_LATE + 1
# Whom to look at, and what to do then
LOOKING = SECOND + 1
EXPOSING = LOOKING + 1
HINT = EXPOSING + 1
HINT_LATE = HINT + 1
STEALING = HINT_LATE + 1
GIVING = STEALING + 1
# The value of a coin, and what others' choices tell
COIN = GIVING + 1
HEAT = COIN + 1
COUNT = HEAT + 1

BOX = tomllib.loads(Path(__file__).with_name("terms.toml").read_text("utf-8"))["terms"]
NAMES = tuple(term["name"] for term in BOX)
TERMS = np.zeros((MOST_SEATS + 1, COUNT))
"""The terms of the ratings, by the number of seats; `terms.toml` says what each means."""
TERMS[3:] = np.array([term["by_seats"] for term in BOX]).T
PLAIN = np.array([term["plain"] for term in BOX])
"""The terms before they were tuned."""

WHIM = 0.1
"""The largest random bonus of a move, in coins."""


@kernel
def lateness(s):
    """0 when the first round begins, 1 when the deck is empty."""
    return 1.0 - s.deck / FRESH


@kernel
def worth_of_a_name(s, p, t):
    """§4.3: the value of a guess that is right with probability p, in coins. A wrong one tells something, too."""
    return p * t[EXPOSING] + (1.0 - p) * (t[HINT] + t[HINT_LATE] * lateness(s))


@kernel
def worth_of_a_look(s, seat, other, odds, t):
    """§4.3: the value of a look at another seat, in coins."""
    found = 0.0
    if can_be_exposed(s, other):
        found = worth_of_a_name(s, chance(s, seat, other, -1, odds), t)
    if not are_mates(s, seat, other) and stealable(s, seat, other):
        found = max(found, t[STEALING])
    return found


@kernel
def watchers(s, seat):
    """The number of seats that can still tail a seat in this round where it is, or by the Club's event."""
    found, place = 0, int(s.pawn[seat])
    if place == CAVES and not is_b(s, CAVES):
        return 0
    for steps in range(1, int(s.seats) - int(s.acted)):
        other = after(s, int(s.turn), steps)
        is_there = s.pawn[other] == place
        if s.pawn[other] == CLUB and after(s, other, -1 if is_b(s, CLUB) else 1) == seat:
            is_there = True
        if other != seat and is_there and not are_mates(s, seat, other):
            found += 1
    return found


@kernel
def worth_of_a_card(s, seat, card, t):
    """The value of a delivery, less the cost of what it reveals, in coins."""
    if is_exposed(s, seat):
        return 1.0
    before = int(s.could[seat])
    left = max(bit_count(before & SHOWS[card]), 1)
    shown = 1.0 / left - 1.0 / max(bit_count(before), 1)
    return 1.0 - (t[SAFETY] + t[WATCHED] * watchers(s, seat)) * shown


@kernel
def worth_of_a_place(s, seat, place, odds, t):
    """§3.1: the value of a location, in coins."""
    is_hidden = not is_exposed(s, seat)
    suspicion = 1.0 / max(bit_count(int(s.could[seat])), 1) if is_hidden else 0.0
    fits = bit_count(fitting(s, seat, s.lying[place]))
    found = 1.0 - t[MISS] ** fits
    b, event = is_b(s, place), 0.0
    if place == CLUB:
        event = t[CLUB_GO] * worth_of_a_look(s, seat, after(s, seat, -1 if b else 1), odds, t)
    elif place == CASINO:
        event = (t[CASINO_GO] + t[CASINO_LATE] * lateness(s)) * min(2 if b else 3, s.deck)
        if is_hidden and s.deck:
            event -= t[CASINO_SHOWS] * (1.0 - suspicion)
    elif place == DOCK:
        near = bit_count(fitting(s, seat, s.lying[PETES] | s.lying[BARBER] | s.lying[DOCK]))
        event = 1.0 - t[MISS] ** near
    found = max(found, event)
    if place == BARBER and not b and fits > 1:
        found += t[SECOND_GO]
    if place == CAVES and not b:
        found += t[HIDING] * suspicion
    return found + t[LIKING + place]


@kernel
def worth_of_an_event(s, seat, move, odds, t):
    """§6: the value of an event's move, in coins."""
    here = int(s.pawn[seat])
    b = is_b(s, here)
    if move == EVENT:
        found = (t[CASINO_DRAW] + t[CASINO_LATE] * lateness(s)) * min(2 if b else 3, s.deck)
        if is_exposed(s, seat):
            return found
        return found - t[CASINO_SHOWS] * (1.0 - 1.0 / max(bit_count(int(s.could[seat])), 1))
    if move >= EVENT_CARD:
        card = move - EVENT_CARD
        if here == DOCK and b:
            return 0.9 if fitting(s, seat, s.lying[DOCK] | BIT[card]) else 0.1
        more = here == BARBER and bit_count(fitting(s, seat, s.lying[BARBER])) > 1
        return worth_of_a_card(s, seat, card, t) + (t[SECOND] if more else 0.0)
    other = move - EVENT_SEAT
    if here == CLUB or (here == PETES and b):
        return worth_of_a_look(s, seat, other, odds, t)
    if here == BARBER:
        return -0.4 if are_mates(s, seat, other) else 0.4
    return 1.0 if are_mates(s, seat, other) else t[GIVING]


@kernel
def worth_of_a_move(s, seat, move, odds, t):
    """The value of a move by what the seat knows, in coins. `odds` are those of `posterior`, or empty; `t` is a row of
    TERMS.
    """
    if move >= PASS or move == NOTHING:
        return 0.0
    if move >= NAME_BOOZE:
        booze = move - NAME_BOOZE
        if booze // IN_MOB == mob_of(s, seat):
            return -1.0
        p = chance(s, seat, int(s.mark), booze, odds)
        return worth_of_a_name(s, p, t) if p > 0.0 else 0.0
    if move >= STEAL:
        if are_mates(s, seat, int(s.mark)):
            return -0.1
        return t[STEALING] - 1.0 + worth_of_a_card(s, seat, move - STEAL, t)
    if move >= TAIL:
        return worth_of_a_look(s, seat, move - TAIL, odds, t) + t[LOOKING]
    if move >= EVENT:
        return worth_of_an_event(s, seat, move, odds, t)
    if move >= TAKE_CARD:
        return worth_of_a_card(s, seat, move - TAKE_CARD, t)
    return worth_of_a_place(s, seat, move - GO, odds, t)


@kernel
def whim(dice):
    return WHIM * below(dice, 1 << 16) / (1 << 16)


@kernel
def best_rated(s, seat, out, n, dice, t):
    """The index of the move with the highest estimated value, with a random bonus."""
    best, most = 0, -1e9
    for i in range(n):
        mark = worth_of_a_move(s, seat, out[i], NO_ODDS, t) + whim(dice)
        if mark > most:
            best, most = i, mark
    return best


@kernel
def rollout_policy(s, seat, out, n, dice):
    """The move of the highest estimated value, with a random bonus: for rollouts."""
    return best_rated(s, seat, out, n, dice, TERMS[s.seats])


@kernel
def rate_moves(s, seat, out, n, dice, marks, counts):
    """Rate the moves to choose from by the exact posterior, with a random bonus. A guess is best if its gain times its
    probability exceeds the value of every other move. `counts[3]` has the weights of boozes.
    """
    t = TERMS[s.seats]
    posterior(s, seat, counts[3], counts[:2], counts[2])
    for i in range(n):
        marks[i] = t[COIN] * (worth_of_a_move(s, seat, out[i], counts[2], t) + whim(dice))
