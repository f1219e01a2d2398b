"""Booze Barons for bots: the exact posterior of who carries what, features, a handcrafted evaluation, and ratings."""

import numpy as np

from backroom.engine.kernel import below, bit_count, kernel, lowest

from .pieces import BARBER, BIT, BOOZES, CARDS, CASINO, CLUB, DOCK, IN_MOB, LOCATIONS, MOBS, MOST_SEATS, PETES, SHOWS
from .rules.reckoning import coins_seen, mob_coins, mob_result
from .rules.secrets import are_fair, possible
from .rules.state import (
    ACT,
    EVENT,
    EVENT_CARD,
    EVENT_SEAT,
    GO,
    LOOK,
    MOVE,
    NAME_BOOZE,
    NOTHING,
    NOWHERE,
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
    has_snitch,
    is_b,
    is_exposed,
    mob_of,
    stealable,
)

SETS = 1 << BOOZES

# Who carries what


@kernel
def posterior(s, seat, ways, out):
    """§2.1: the probability that each seat has each booze, given all that a seat knows. `out` gets BOOZES numbers for
    each seat. Returns the number of consistent deals.

    `ways` is scratch space of twice SETS numbers. For a set `used` of k boozes, `ways[0, used]` is the number of ways
    to deal it to the first k seats, and `ways[1, used]` the number of ways to deal other boozes to the other seats.
    """
    seats = int(s.seats)
    ways[:, :] = 0
    ways[0, 0] = 1
    for used in range(SETS):
        dealt = bit_count(used)
        if dealt < seats and ways[0, used]:
            free = possible(s, seat, dealt) & ~used
            while free:
                ways[0, used | free & -free] += ways[0, used]
                free &= free - 1
    for used in range(SETS - 1, -1, -1):
        dealt = bit_count(used)
        if dealt == seats and are_fair(bit_count(used & 15), bit_count(used >> 4 & 15), bit_count(used >> 8)):
            ways[1, used] = 1
        elif dealt < seats:
            free = possible(s, seat, dealt) & ~used
            while free:
                ways[1, used] += ways[1, used | free & -free]
                free &= free - 1
    total = ways[1, 0]
    out[: MOST_SEATS * BOOZES] = 0
    for used in range(SETS):
        dealt = bit_count(used)
        if dealt < seats and ways[0, used]:
            free = possible(s, seat, dealt) & ~used
            while free:
                out[dealt * BOOZES + lowest(free)] += ways[0, used] * ways[1, used | free & -free] / total
                free &= free - 1
    return total


@kernel
def taken(s, seat):
    """The boozes that no unexposed rival can have, as the seat knows: its own, those of exposed seats, and all of a mob
    that is complete (§2.2).
    """
    known = 1 << int(s.booze[seat])
    for other in range(s.seats):
        if is_exposed(s, other):
            known |= 1 << int(s.booze[other])
    least, over = int(s.seats) // MOBS, int(s.seats) % MOBS
    for mob in range(MOBS):
        over -= int(bit_count(known >> mob * IN_MOB & 15) > least)
    found = known
    for mob in range(MOBS):
        members = bit_count(known >> mob * IN_MOB & 15)
        if members > least or (members == least and over == 0):
            found |= 15 << mob * IN_MOB
    return found


# Features for learners

EACH = 11 + 2 * LOCATIONS + BOOZES
FEATURES = 2 * BOOZES + LOCATIONS + 4 + MOST_SEATS * EACH


@kernel
def features(s, seat, out):
    """The seat's booze; the deliveries that fit it at each location; the round, the deck, whether the seat is to act,
    and whether the game is over; if a player was looked at, the boozes that he can carry. Then for each seat from this
    one on: present, exposed, coins, deliveries, snitch, Baron, whether it has acted and whether it is asked about, what
    can be stolen from it, how few boozes it can carry, whether it is a known mate, its location, the one closed to it,
    and those boozes.
    """
    booze, known = int(s.booze[seat]), 0
    if 0 <= booze < BOOZES:
        known = taken(s, seat)
        out[booze] = 1.0
        for place in range(LOCATIONS):
            out[BOOZES + place] = bit_count(fitting(s, seat, s.lying[place])) / 4
    n = BOOZES + LOCATIONS
    out[n] = s.rounds / 16
    out[n + 1] = s.deck / 27
    out[n + 2] = 1.0 if s.ask == ACT and s.turn == seat else 0.0
    out[n + 3] = 1.0 if s.ask == OVER else 0.0
    n += 4
    if s.ask == LOOK and s.turn == seat and not is_exposed(s, s.mark):
        left = int(s.could[s.mark]) & ~known
        each = 1.0 / max(bit_count(left), 1)
        while left:
            out[n + lowest(left)] = each
            left &= left - 1
    n += BOOZES
    for steps in range(s.seats):
        other = after(s, seat, steps)
        is_out = is_exposed(s, other)
        out[n] = 1.0
        out[n + 1] = 1.0 if is_out else 0.0
        out[n + 2] = coins_seen(s, other) / 24
        out[n + 3] = bit_count(s.held[other]) / 8
        out[n + 4] = 1.0 if has_snitch(s, other) else 0.0
        out[n + 5] = 1.0 if s.baron == other else 0.0
        out[n + 6] = 1.0 if after(s, other, -int(s.baron)) < s.acted else 0.0
        out[n + 7] = 1.0 if (s.ask == LOOK or s.ask == TAKE) and s.mark == other else 0.0
        if 0 <= booze < BOOZES and steps:
            out[n + 8] = bit_count(stealable(s, seat, other)) / 4
        could = int(s.could[other])
        if not is_out:
            out[n + 9] = 1.0 / max(bit_count(could & ~known if steps else could), 1)
        out[n + 10] = 1.0 if steps and are_mates(s, seat, other) else 0.0
        if s.pawn[other] != NOWHERE:
            out[n + 11 + int(s.pawn[other])] = 1.0
        if s.lost[other] != NOWHERE:
            out[n + 11 + LOCATIONS + int(s.lost[other])] = 1.0
        for each_booze in range(BOOZES):
            if could >> each_booze & 1:
                out[n + 11 + 2 * LOCATIONS + each_booze] = 1.0
        n += EACH


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

LEVELS = {
    "easy": ("rollouts", {"worlds": 0, "blur": 1.0}),
    "medium": ("rollouts", {"worlds": 0}),
    "hard": ("rollouts", {"worlds": 96, "turns": 5, "trust": 100}),
}
"""The lower levels only rate their moves, `easy` with large errors; `hard` also uses rollouts, which show what follows
from a guess.
"""

COIN = 0.04
"""The value of a coin, as a share of the win."""
EXPOSING = 4.2
"""The value of a right guess, in coins: two coins, perhaps a snitch token, and the loss of the other."""
STEALING = 1.4
SAFETY = 1.2
"""The cost of being suspected, in coins, divided by the number of boozes that one may carry."""
WHIM = 0.1
"""The largest random bonus of a move, in coins."""
NO_ODDS = np.zeros(0)
"""Stands for the posterior where probabilities are only estimated."""
COUNTS = (3, SETS)
"""The shape of the scratch space for `rate_moves`: the `ways` of `posterior`, and its result."""


@kernel
def estimate(s, seat, other, named):
    """The estimated probability that another seat carries the booze `named`; if that is below 0, that of the likeliest
    booze outside the seat's own mob. Seats are treated as nearly independent, unlike in `posterior`.
    """
    if named >= 0 and not int(s.could[other]) >> named & 1:
        return 0.0
    out, mine = taken(s, seat), mob_of(s, seat)
    total, best = 0.0, 0.0
    left = int(s.could[other]) & ~out
    while left:
        booze = lowest(left)
        left &= left - 1
        odds = 1.0
        for third in range(s.seats):
            if third != seat and third != other and int(s.could[third]) >> booze & 1:
                odds *= 1.0 - 1.0 / bit_count(int(s.could[third]) & ~out)
        total += odds
        if named == booze or (named < 0 and booze // IN_MOB != mine):
            best = max(best, odds)
    return best / total if total > 0.0 else 0.0


@kernel
def are_mates(s, seat, other):
    """Whether the seat knows that another is of its own mob."""
    return is_exposed(s, other) and mob_of(s, seat) == mob_of(s, other)


@kernel
def chance(s, seat, other, named, odds):
    """The probability that a guess is right, or that of the best guess if `named` is below 0: by the posterior `odds`,
    or estimated if these are empty. The best guess is never of one's own mob (§8.1).
    """
    if len(odds) == 0:
        return estimate(s, seat, other, named)
    if named >= 0:
        return odds[other * BOOZES + named]
    best = 0.0
    for booze in range(BOOZES):
        if booze // IN_MOB != mob_of(s, seat):
            best = max(best, odds[other * BOOZES + booze])
    return best


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
    posterior(s, seat, counts[:2], counts[2])
    for i in range(n):
        marks[i] = COIN * (worth_of_a_move(s, seat, out[i], counts[2]) + whim(dice))


# What a learned policy sees beyond the features

INSIGHTS = LOCATIONS + 2 * MOST_SEATS + BOOZES + CARDS


@kernel
def insights(s, seat, out, n):
    """What each location is worth; for each seat from this one on, how likely the best guess is right and what a look
    is worth; after a look, how likely each booze is; and what each delivery that lies open or can be stolen is worth.
    """
    out[n : n + INSIGHTS] = 0.0
    if not 0 <= s.booze[seat] < BOOZES or s.ask == OVER:
        return
    near = np.int64(0)
    for place in range(LOCATIONS):
        out[n + place] = worth_of_a_place(s, seat, place, NO_ODDS) / 2.0
        near |= s.lying[place]
    n += LOCATIONS
    for steps in range(1, s.seats):
        other = after(s, seat, steps)
        if can_be_exposed(s, other):
            out[n + steps] = estimate(s, seat, other, -1)
        out[n + MOST_SEATS + steps] = worth_of_a_look(s, seat, other, NO_ODDS) / EXPOSING
    n += 2 * MOST_SEATS
    if s.ask == LOOK and s.turn == seat:
        near |= stealable(s, seat, s.mark)
        if can_be_exposed(s, s.mark):
            for booze in range(BOOZES):
                out[n + booze] = estimate(s, seat, int(s.mark), booze)
    n += BOOZES
    cards = fitting(s, seat, near)
    while cards:
        card = lowest(cards)
        cards &= cards - 1
        out[n + card] = worth_of_a_card(s, seat, card)
