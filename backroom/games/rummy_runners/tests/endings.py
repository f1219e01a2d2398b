"""Endings solved exactly, by enumeration: an empty deck, and at most two cards left in the hands of all seats.

Then a seat with a card knows where every card is, and at most two sets can still be laid: every turn is tried, and
every reply to it. Each seat maximizes its own share of the win; where it has several best turns, it plays the one that
is worst for the seat that began.
"""

from typing import Any, NamedTuple

import numpy as np

from backroom.bots import Bot
from backroom.engine.kernel import bit_count, kernel, lowest
from backroom.games.rummy_runners.pieces import KINDS, LAST_KIND
from backroom.games.rummy_runners.rules.melds import has_three, within_reach
from backroom.games.rummy_runners.rules.state import LAY, MELDING, OVER, PASS, TAKE
from backroom.games.rummy_runners.rules.turns import play, score

from .boards import GAME

MOST = 2
"""The most cards in the hands of an ending."""
DEEPEST = 16
"""More turns than an ending can have."""
MOST_SETS = 1 << 20
"""The most sets, of those that are tried, of each seat in an ending."""


class Turns(NamedTuple):
    """All turns of a seat in an ending: the cards laid, none for a pass, and the share of the win after each."""

    cards: Any
    worths: Any


@kernel
def cards_in_hands(s):
    count = 0
    for seat in range(s.seats):
        count += s.held[seat]
    return count


@kernel
def lay_cards(s, seat, cards):
    """Play a whole turn: pick these cards and lay them."""
    while cards:
        play(s, seat, TAKE + lowest(cards))
        cards &= cards - 1
    play(s, seat, LAY)


@kernel
def go_on(s):
    """Let seats without cards pass, which is all they can do."""
    while s.stage != OVER and s.held[s.turn] == 0:
        play(s, s.turn, PASS)


@kernel
def is_small(s, seat):
    """Whether a seat has few enough sets to try them all."""
    count, reach = 0, within_reach(s, seat)
    for k in range(LAST_KIND):
        if reach & KINDS[k] & s.hand[seat]:
            count += 1 << bit_count(reach & KINDS[k])
    return count <= MOST_SETS


@kernel
def replace(mine, other):
    """Copy results. Numba would allocate memory for `mine[:] = other`, as if they could overlap, and no kernel may."""
    for i in range(len(mine)):
        mine[i] = other[i]


@kernel
def last_set(states, depth, results, root):
    """Solve `states[depth]`, in which at most one card is left in the hands, into `results[depth]`.

    Nobody replies to the last set, and more cards never claim less: so of each kind all cards are laid, or none.
    """
    s, mine = states[depth], results[depth]
    go_on(s)
    if s.stage == OVER:
        score(s, mine)
        return
    seat = s.turn
    states[depth + 1] = s
    play(states[depth + 1], seat, PASS)
    last_set(states, depth + 1, results, root)
    replace(mine, results[depth + 1])
    hand, reach = np.int64(s.hand[seat]), within_reach(s, seat)
    for k in range(LAST_KIND if hand else 0):
        cards = reach & KINDS[k]
        if cards & hand and has_three(cards):
            states[depth + 1] = s
            lay_cards(states[depth + 1], seat, cards)
            last_set(states, depth + 1, results, root)
            better_of(mine, results[depth + 1], seat, root)


@kernel
def better_of(mine, other, seat, root):
    """Replace results by others that are better for a seat, or as good and worse for the root."""
    if other[seat] > mine[seat] + 1e-9 or (other[seat] > mine[seat] - 1e-9 and other[root] < mine[root]):
        replace(mine, other)


@kernel
def solve(states, depth, results, root, found_cards, found_worths):
    """Solve `states[depth]` into `results[depth]`; at depth 0 lists all turns with their worths, and returns their
    number. Cards that are a set of two kinds are listed twice.
    """
    s, mine, n = states[depth], results[depth], 0
    go_on(s)
    if cards_in_hands(s) < MOST and depth:
        last_set(states, depth, results, root)
        return 0
    if s.stage == OVER:
        score(s, mine)
        return 0
    seat = s.turn
    states[depth + 1] = s
    play(states[depth + 1], seat, PASS)
    solve(states, depth + 1, results, root, found_cards, found_worths)
    replace(mine, results[depth + 1])
    if depth == 0:
        found_cards[0], found_worths[0], n = 0, mine[seat], 1
    hand, reach = np.int64(s.hand[seat]), within_reach(s, seat)
    for k in range(LAST_KIND if hand else 0):
        cards = reach & KINDS[k]
        some = cards if cards & hand and has_three(cards) else np.int64(0)
        while some:
            if some & hand and has_three(some):
                states[depth + 1] = s
                lay_cards(states[depth + 1], seat, some)
                solve(states, depth + 1, results, root, found_cards, found_worths)
                if depth == 0 and n < len(found_cards):
                    found_cards[n], found_worths[n] = some, results[1, seat]
                    n += 1
                better_of(mine, results[depth + 1], seat, root)
            some = (some - 1) & cards
    return n


def turns_of(s: Any) -> Turns:
    """All turns in an ending, with what they are worth to the seat whose turn it is."""
    states, results = np.zeros(DEEPEST, GAME.rules.STATE), np.zeros((DEEPEST, 4))
    cards, worths = np.zeros(MOST_SETS, np.int64), np.zeros(MOST_SETS)
    states[0] = s
    n = solve(states, 0, results, int(s.turn), cards, worths)
    return Turns(cards[:n], worths[:n])


def is_ending(s: Any) -> bool:
    """Whether a state is an ending that can be solved, at the beginning of a turn of a seat that has a card."""
    is_late = s.stage == MELDING and s.deck == 0 and s.picked == 0 and s.hand[s.turn] > 0
    return bool(is_late and cards_in_hands(s) <= MOST and all(is_small(s, seat) for seat in range(s.seats)))


def laid_by(player: Bot, s: Any, seed: int) -> int:
    """The cards that a bot lays in its turn; 0 if it passes."""
    (seat,), memory = GAME.asked(s), player.memory()
    before = int(s.before[seat])
    while GAME.asked(s) == (seat,):
        s = GAME.after(s, seat, player.answer(GAME.view(s, seat), seat, seed, memory))
    return int(s.before[seat]) & ~before
