"""A second opinion on sets, claims, wins and placings: the rulebook word for word, in plain Python.

Nothing of the rules is imported but the notation of positions. Cards are strings like s3r, tiles like s3, spaces are
pairs of a column and a row.
"""

import itertools
import random
from collections import Counter

import pytest

from backroom.engine.kernel import dice_from

from .boards import EVERY_CARD, GAME, at, melds, names, said

POSITIONS = 6000
GAMES = 288
SHARES = 3
"""The number of shares into which settings are split; each share has every value of every option."""
SEATS = ("green", "violet", "black", "white")


# §3.1, §3.2 and §6, the hard way


def is_set(cards, hard):
    suits, numbers, colours = ({card[place] for card in cards} for place in range(3))
    if not hard:
        return len(cards) >= 3 and 1 in (len(suits), len(numbers), len(colours))
    return (
        (len(cards) >= 3 and len(colours) == 1)
        or (len(cards) == 5 and numbers == set("12345"))
        or (len(cards) == 4 and suits == set("smac"))
    )


def all_melds(hand, others, hard):
    """Every subset of what is within reach that is a set and has a card of the hand."""
    reach = sorted(hand | others)
    return {
        frozenset(some)
        for size in range(3, len(reach) + 1)
        for some in itertools.combinations(reach, size)
        if is_set(some, hard) and hand & set(some)
    }


def thrown_together(rng, seats):
    """A few cards in the hand and before others, often alike, so that there are sets."""
    like = rng.choice(EVERY_CARD)
    weights = [1 + 4 * sum(a == b for a, b in zip(card, like, strict=True)) for card in EVERY_CARD]
    cards = list(dict.fromkeys(rng.choices(EVERY_CARD, weights, k=rng.randint(4, 11))))
    hand = set(cards[: rng.randint(0, len(cards))])
    rest = [card for card in cards if card not in hand]
    out = {who: set() for who in SEATS[1:seats]}
    for card in rest:  # no two of one space before one player: that would be a claim
        free = [who for who in out if card[:2] not in {other[:2] for other in out[who]}]
        if free:
            out[rng.choice(free)].add(card)
    return hand, out


@pytest.mark.parametrize("share", range(SHARES))
def test_steps_reach_every_meld_and_nothing_else(share):
    rng = random.Random(share)
    met = Counter()
    settings = GAME.settings()[share::SHARES]
    for number in range(POSITIONS // SHARES):
        seats, options = settings[number % len(settings)]
        hand, out = thrown_together(rng, seats)
        own = rng.sample([card for card in EVERY_CARD if card not in hand.union(*out.values())], 1)
        parts = [f"{who} before {' '.join(sorted(cards))}" for who, cards in out.items() if cards]
        parts += [f"green hand {' '.join(sorted(hand))}"] if hand else []
        s = at(" | ".join([*parts, f"green before {own[0]}"]), seats=seats, **options)
        due = all_melds(hand, set().union(*out.values()), options["sets"] == "hard")
        assert melds(s) == due, GAME.rules.position(s)
        if number % 4 == 0:
            check_every_step(s, due, rng)
        met["none" if not due else "some"] += 1
        met["scavenged"] += any(meld - hand for meld in due)
        met["long"] += any(len(meld) >= 5 for meld in due)
        met["hard"] += options["sets"] == "hard" and bool(due)
    assert min(met.values()) >= 50, met


def check_every_step(s, due, rng):
    """While a meld is picked, exactly those cards can be taken that keep the picked cards part of some meld."""
    picked = set()
    while True:
        fits = {f"take {card}" for meld in due if picked <= meld for card in meld - picked}
        moves = names(s)
        assert {text for text in moves if text.startswith("take")} == fits
        assert ("lay" in moves) == (frozenset(picked) in due)
        if not fits:
            return
        text = rng.choice(sorted(fits))
        picked.add(text.removeprefix("take "))
        s = GAME.after(s, 0, GAME.rules.parse(s, text))


# §4 and §5, over whole games


class Board:
    """What a position says, as plain sets."""

    def __init__(self, s, seats):
        parts = said(s)
        self.seats = SEATS[:seats]
        self.before = {who: set(parts.get(f"{who} before", "").split()) for who in self.seats}
        self.claims = {who: set(parts.get(f"{who} claims", "").split()) for who in self.seats}
        self.tiles = {who: set(parts.get(f"{who} tiles", "").split()) for who in self.seats}
        self.locked, self.dead = (set(parts.get(key, "").split()) for key in ("locked", "dead"))
        self.lies = {}
        for word in parts.get("land", "").split():
            space, tile = word.split(":")
            self.lies[ord(space[0]) - ord("a"), int(space[1:]) - 1] = tile

    def claimed(self):
        return set().union(*self.claims.values())


HEX = [(1, 0), (0, 1), (1, -1)]
SQUARE = [(1, 0), (0, 1)]
CORNER = [(1, 1), (1, -1)]


def meld(board, who, laid, disputes):
    """§3.3, §4.1, §4.2, §6."""
    for cards in board.before.values():
        cards.difference_update(laid)
    board.before[who] |= laid
    for tile in {card[:2] for card in board.before[who]}:
        colours = {card[2] for card in board.before[who] if card[:2] == tile}
        if len(colours) < 2:
            continue
        if disputes:
            if tile not in board.locked:
                for others in board.claims.values():
                    others.discard(tile)
                board.claims[who].add(tile)
                if len(colours) == 3:
                    board.locked.add(tile)
        elif tile not in board.claimed():
            board.claims[who].add(tile)
    for suit in "smac":
        spaces = {f"{suit}{number}" for number in range(1, 6)}
        if f"{suit}0" in board.claimed() | board.dead:
            continue
        if len(board.claims[who] & spaces) >= 3:
            board.claims[who].add(f"{suit}0")
        elif spaces <= board.claimed():
            board.dead.add(f"{suit}0")


def largest_group(board, who, ways):
    mine = {space for space, tile in board.lies.items() if tile in board.claims[who]}
    most = 0
    while mine:
        group, todo = set(), {next(iter(mine))}
        while todo:
            x, y = todo.pop()
            group.add((x, y))
            todo |= {(x + k * dx, y + k * dy) for dx, dy in ways for k in (1, -1)} & mine - group
        mine -= group
        most = max(most, len(group))
    return most


def has_line(board, who, ways):
    mine = {space for space, tile in board.lies.items() if tile in board.claims[who]}
    return any({(x, y), (x + dx, y + dy), (x + 2 * dx, y + 2 * dy)} <= mine for x, y in mine for dx, dy in ways)


def result(board, ways):
    """§5.3"""
    marks = [(len(board.claims[who]), largest_group(board, who, ways)) for who in board.seats]
    best = [mark == max(marks) for mark in marks]
    return tuple(is_best / sum(best) for is_best in best)


def placings(board, who, hexes):
    """§6: where a tile may be placed."""
    ways = HEX if hexes else SQUARE + CORNER
    frame = set(itertools.product(range(25), repeat=2) if hexes else itertools.product(range(6), range(4)))
    if not board.lies:
        spaces = {(12, 12)} if hexes else frame
    else:
        beside = Counter((x + k * dx, y + k * dy) for x, y in board.lies for dx, dy in ways for k in (1, -1))
        needed = min(len(board.lies), 2)
        spaces = {space for space, count in beside.items() if count >= needed and space not in board.lies} & frame
    return {f"place {tile} {chr(ord('a') + x)}{y + 1}" for tile in board.tiles[who] for x, y in spaces}


@pytest.mark.parametrize("share", range(SHARES))
def test_whole_games_agree_with_the_plain_reading_of_the_rules(share, games):
    met = Counter()
    settings = GAME.settings()[share::SHARES]
    for number in range(-(-games(GAMES) // SHARES)):
        seats, options = settings[number % len(settings)]
        follow(seats, options, number * SHARES + share, met)
    kinds = ("melds", "claims", "nulls", "dead", "locks", "stolen", "lines", "fours", "placings")
    assert min(met[kind] for kind in kinds) >= 5, met


def follow(seats, options, seed, met):
    """Play a random game, and check the outcome of each meld and each placing."""
    hexes = options["land"] == "hexpack"
    together, lines = (HEX, HEX) if hexes else (SQUARE, SQUARE + CORNER)
    disputes = options["disputes"] == "yes"
    s = GAME.start(*GAME.settle(seats, options))
    before, last = None, (False, False)
    for seat, move in GAME.stroll(s, seats, dice_from(seed)):
        if before is not None:
            compare(Board(s, seats), *before, met)
            assert not any(last)  # or it would be over
            before = None
        text = GAME.rules.name(s, move)
        if text.startswith("place"):
            assert set(names(s)) == placings(Board(s, seats), SEATS[seat], hexes)
            met["placings"] += 1
        if text == "lay":
            board, who = Board(s, seats), SEATS[seat]
            was = Board(s, seats)
            meld(board, who, set(said(s)["picked"].split()), disputes)
            won = has_line(board, who, lines), largest_group(board, who, together) >= 4
            before = board, was, who
            last = won
    if before is not None:
        compare(Board(s, seats), *before, met)
        assert any(last)
        assert GAME.score(s, seats) == tuple(float(SEATS[n] == before[2]) for n in range(seats))
        met["lines"] += last == (True, False)
        met["fours"] += last == (False, True)
    else:
        assert GAME.score(s, seats) == pytest.approx(result(Board(s, seats), together))
        met["deck"] += 1


def compare(after, due, was, who, met):
    for kept in ("before", "claims", "locked", "dead"):
        assert getattr(after, kept) == getattr(due, kept)
    gained = due.claims[who] - was.claims[who]
    met["melds"] += 1
    met["claims"] += len(gained)
    met["nulls"] += any(tile.endswith("0") for tile in gained)
    met["dead"] += due.dead != was.dead
    met["locks"] += due.locked != was.locked
    met["stolen"] += any(was.claims[other] - due.claims[other] for other in due.seats)
