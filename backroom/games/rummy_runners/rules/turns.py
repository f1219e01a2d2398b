"""The course of a game: draws, turns, winning, and what each seat sees."""

import numpy as np

from backroom.engine.kernel import EVERYONE, UNKNOWN, below, bit_count, kernel, nth
from backroom.games.rummy_runners.pieces import ALL_CARDS, CARDS, HAND, LONGEST_SET

from .land import has_line, land_is_whole, largest_group, loose_tiles, place_tile, placings, turn_tile
from .melds import is_set, lay, step_back, take, takes, within_reach
from .state import (
    BACK,
    CARD,
    DEALING,
    DRAW,
    DRAWING,
    FIRST,
    LAY,
    LAYING,
    LOT,
    MELDING,
    OVER,
    PASS,
    PLACING,
    TAKE,
    TILE,
    asked,
    clear_picks,
    each,
    pass_on,
)


@kernel
def loose_cards(s):
    """The deck, as a set."""
    taken = np.int64(0)
    for seat in range(s.seats):
        taken |= s.hand[seat] | s.before[seat]
    return ALL_CARDS & ~taken


@kernel
def turn_card(s, card):
    """§1.3, §2.1: a card for the seat whose turn it is."""
    s.hand[s.turn] |= np.int64(1) << card
    s.held[s.turn] += 1
    s.deck -= 1
    pass_on(s)
    if s.stage == DRAWING or s.deck == CARDS - HAND * s.seats:
        s.stage = MELDING


@kernel
def moves(s, seat, out):
    if asked(s) != 1 << seat:
        return 0
    if s.stage == LOT:
        return each((np.int64(1) << s.seats) - 1, FIRST, out, 0)
    if s.stage == LAYING:
        return each(loose_tiles(s), TILE, out, 0)
    if s.stage == DEALING or s.stage == DRAWING:
        return each(loose_cards(s), CARD, out, 0)
    if s.stage == PLACING:
        return placings(s, seat, out)
    n = 0
    if s.picked == 0:
        out[0] = DRAW if s.deck else PASS
        n = 1
    elif is_set(s, seat):
        out[0] = LAY
        n = 1
    n = each(takes(s, seat), TAKE, out, n)
    if s.picked:
        out[n] = BACK
        n += 1
    return n


@kernel
def odds(s, out):
    n = s.deck
    if s.stage == LOT:
        n = s.seats
    elif s.stage == LAYING:
        n = bit_count(loose_tiles(s))
    out[:n] = 1
    return n


@kernel
def chance(s, dice):
    """Nature's move: all that are possible are equally likely."""
    if s.stage == LOT:
        return FIRST + below(dice, s.seats)
    if s.stage == LAYING:
        tiles = loose_tiles(s)
        return TILE + nth(tiles, below(dice, bit_count(tiles)))
    return CARD + nth(loose_cards(s), below(dice, s.deck))


@kernel
def play(s, seat, move):
    if move < TILE:
        s.first = move - FIRST
        s.turn = s.first
        s.stage = LAYING
    elif move < CARD:
        turn_tile(s, move - TILE)
    elif move < TAKE:
        turn_card(s, move - CARD)
    elif move < LAY:
        take(s, move - TAKE)
    elif move == LAY:
        s.idle = 0
        lay(s, seat)
        if has_won(s, seat):
            s.winner = seat
            s.stage = OVER
        elif s.deck:
            s.stage = DRAWING
        else:
            pass_on(s)
    elif move == DRAW:
        s.stage = DRAWING
    elif move == PASS:
        s.idle += 1
        pass_on(s)
        if s.idle == s.seats:
            s.stage = OVER
    elif move == BACK:
        step_back(s)
    else:
        place_tile(s, seat, move)


# §5: winning


@kernel
def has_won(s, seat):
    return has_line(s, np.int64(s.owned[seat])) or largest_group(s, s.owned[seat]) >= 4


@kernel
def standing(s, seat):
    """§5.3: spaces first, then the largest group."""
    spaces, rest = 0, np.int64(s.owned[seat])
    while rest:
        spaces += 1
        rest &= rest - 1
    return 100 * spaces + largest_group(s, s.owned[seat])


@kernel
def score(s, out):
    """§5: 1 for the winner; seats that share the win share the 1."""
    best, shared = -1, 0
    for seat in range(s.seats):
        mark = standing(s, seat) if s.winner == UNKNOWN else int(s.winner == seat)
        if mark > best:
            best, shared = mark, 0
        if mark == best:
            shared += 1
    for seat in range(s.seats):
        mark = standing(s, seat) if s.winner == UNKNOWN else int(s.winner == seat)
        out[seat] = 1.0 / shared if mark == best else 0.0


# Hidden information: hands, and picked cards until they are laid


@kernel
def seen(s, seat, move):
    if CARD <= move < TAKE:
        return 1 << s.turn
    if TAKE <= move < LAY or move == BACK:
        return 1 << seat
    return EVERYONE


@kernel
def hide(s, seat):
    s.work[:] = 0
    for other in range(s.seats):
        if other != seat:
            s.hand[other] = UNKNOWN
    if s.turn != seat:
        clear_picks(s)


@kernel
def imagine(s, seat, dice):
    """Distribute the unseen cards over hidden hands and the deck, in proportion to their sizes."""
    s.work[:] = 0
    cards = np.int64(0)
    room = np.int64(s.deck)
    for other in range(s.seats):
        cards |= s.before[other]
        if other == seat:
            cards |= s.hand[other]
        else:
            s.hand[other] = 0
            s.work[other] = s.held[other]
            room += s.held[other]
    cards = ALL_CARDS & ~cards
    for card in range(CARDS):
        if cards >> card & 1:
            at = below(dice, room)
            room -= 1
            for other in range(s.seats):
                if at < s.work[other]:
                    s.hand[other] |= np.int64(1) << card
                    s.work[other] -= 1
                    break
                at -= s.work[other]
    s.work[:] = 0


@kernel
def is_whole(s):
    return cards_are_whole(s) and land_is_whole(s)


@kernel
def cards_are_whole(s):
    seen_so_far, count = np.int64(0), 0
    for seat in range(s.seats):
        if s.hand[seat] < 0 or (s.hand[seat] | s.before[seat]) & seen_so_far or s.hand[seat] & s.before[seat]:
            return False
        if bit_count(np.int64(s.hand[seat])) != s.held[seat]:
            return False
        seen_so_far |= s.hand[seat] | s.before[seat]
    count = bit_count(seen_so_far)
    picked = np.int64(0)
    for i in range(LONGEST_SET):
        if (s.picks[i] == UNKNOWN) != (i >= s.picked):
            return False
        if i < s.picked:
            picked |= np.int64(1) << s.picks[i]
    if s.chosen != picked or bit_count(picked) != s.picked:
        return False
    if picked and picked & ~within_reach(s, s.turn):
        return False
    return seen_so_far & ~ALL_CARDS == 0 and count + s.deck == CARDS
