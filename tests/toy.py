"""Pennies: a toy game with one of everything, to prove that laws catch faults. Its rules are plain Python.

Nature deals two of six cards to each of two or three seats, unseen by others. Twice all bid a card, sealed, and may
change it until the last has bid; the highest wins a penny. Nature rolls a die: a six lays out a prize, which anyone may
claim at any time. The winner then has a free extra move: keep, or double for a second penny from the bank's twelve.
"""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np

from backroom.engine.kernel import EVERYONE, NATURE, UNKNOWN, record, shuffle
from backroom.engine.marks import glyph, plain, who
from backroom.engine.options import Option
from backroom.engine.phrases import listing
from backroom.engine.protocol import Result
from backroom.scene import Board, Glyph, Piece, Scene, Shape


def bank(text):
    if not text.isdecimal() or not 12 <= int(text) <= 40:
        raise ValueError(f"{text!r} is no number of pennies")
    return str(int(text))


NAME, TITLE, VERSION = "pennies", "Pennies", 1
SEATS = (2, 3)
SEAT_NAMES = ("Ann", "Ben", "Cid")
OPTIONS = (
    Option(
        "bank",
        ("12", "20"),
        "How many pennies there are.",
        other="12 to 40",
        read=bank,
        numbers=lambda text: [int(text)],
        title="Bank",
        titles=("Twelve pennies", "Twenty pennies"),
    ),
    Option(
        "pace",
        ("slow", "fast"),
        "How fast it should go.",
        is_rule=False,
        title="Pace",
        titles=("Take your time", "Hurry up"),
    ),
)
SECRETS, BACK = True, UNKNOWN
CARDS, DECK, PLAYED = 6, 3, 4
DEAL, BID, ROLL, EXTRA, OVER = range(5)
STATE = record(
    [
        ("where", "i2", CARDS),  # for each card: a seat, DECK, PLAYED, or UNKNOWN
        ("held", "i2", 3),  # the number of cards of each seat
        ("bid", "i2", 3),  # 0: none; a card's number; UNKNOWN
        ("pennies", "i2", 3),
        ("bank", "i2"),
        ("total", "i2"),
        ("prize", "i2"),
        ("phase", "i2"),
        ("winner", "i2"),
        ("seats", "i2"),
        ("work", "i2", 4),
    ]
)
DEAL_CARD, BID_CARD, FACE, CLAIM, KEEP, DOUBLE = 0, 6, 12, 18, 19, 20
WORDS = (*(f"{verb} {n}" for verb in ("deal", "bid", "roll") for n in range(1, 7)), "claim", "keep", "double")
MOST_MOVES, LONGEST, FEATURES = 8, 400, 1


def setup(s, seats, options):
    s.where[:] = DECK
    s.held[:], s.bid[:], s.pennies[:] = 0, 0, 0
    s.bank = s.total = options[0]
    s.prize, s.phase, s.winner, s.seats = 0, DEAL, 0, seats


def next_to_get(s):
    return min(range(int(s.seats)), key=lambda seat: int(s.held[seat]))


def asked(s):
    if s.phase in (DEAL, ROLL):
        return 1 << NATURE
    if s.phase == BID:
        return sum(1 << seat for seat in range(int(s.seats)) if s.bid[seat] == 0)
    return 1 << int(s.winner) if s.phase == EXTRA else 0


def moves(s, seat, out):
    found = []
    if seat == NATURE:
        if s.phase == DEAL:
            found = [DEAL_CARD + card for card in range(CARDS) if s.where[card] == DECK]
        elif s.phase == ROLL:
            found = [FACE + face for face in range(6)]
    elif s.phase != OVER and seat < s.seats:
        if s.phase == BID:
            found = [BID_CARD + c for c in range(CARDS) if s.where[c] == seat and s.bid[seat] != c + 1]
        if s.phase == EXTRA and s.winner == seat:
            found = [KEEP, DOUBLE]
        if s.prize:
            found.append(CLAIM)
    out[: len(found)] = found
    return len(found)


def odds(s, out):
    n = moves(s, NATURE, out)
    out[:n] = 1
    return n


def pay(s, seat, pennies):
    s.pennies[seat] += pennies
    s.bank -= pennies


def play(s, seat, move):
    if move < BID_CARD:
        to = next_to_get(s)
        s.where[move - DEAL_CARD] = to
        s.held[to] += 1
        if s.held[: s.seats].sum() == 2 * s.seats:
            s.phase = BID
    elif move < FACE:
        s.bid[seat] = move - BID_CARD + 1
        if all(s.bid[other] for other in range(int(s.seats))):
            reveal(s)
    elif move < CLAIM:
        s.prize = int(move == FACE + 5)
        s.phase = EXTRA
    elif move == CLAIM:
        s.prize = 0
        pay(s, seat, 1)
    else:
        if move == DOUBLE:
            pay(s, seat, 1)
        s.phase = BID if s.held[0] else OVER


def reveal(s):
    s.winner = int(s.bid[: s.seats].argmax())
    for seat in range(int(s.seats)):
        s.where[s.bid[seat] - 1] = PLAYED
        s.held[seat] -= 1
        s.bid[seat] = 0
    pay(s, int(s.winner), 1)
    s.phase = ROLL


def seen(s, seat, move):
    if move < BID_CARD:
        return 1 << next_to_get(s)
    last = sum(s.bid[other] != 0 for other in range(int(s.seats)) if other != seat) == s.seats - 1
    return 1 << seat if move < FACE and not last else EVERYONE


def hide(s, seat):
    s.work[:] = 0
    for card in range(CARDS):
        if s.where[card] not in (seat, PLAYED):
            s.where[card] = UNKNOWN
    for other in range(int(s.seats)):
        if other != seat and s.bid[other]:
            s.bid[other] = UNKNOWN


def imagine(s, seat, dice):
    unknown = np.array([card for card in range(CARDS) if s.where[card] == UNKNOWN], np.int16)
    shuffle(dice, unknown, len(unknown))
    cards = list(unknown)
    for other in range(int(s.seats)):
        if other != seat:
            for _ in range(int(s.held[other])):
                card = cards.pop()
                s.where[card] = other
                if s.bid[other] == UNKNOWN:
                    s.bid[other] = card + 1
    s.where[cards] = DECK


def score(s, out):
    out[:] = s.pennies[: len(out)]


def is_whole(s):
    held = [int((s.where == seat).sum()) for seat in range(3)]
    bids = all(s.bid[seat] == 0 or s.where[s.bid[seat] - 1] == seat for seat in range(3))
    places = all(0 <= place <= PLAYED for place in s.where)
    return places and held == list(s.held) and bids and s.pennies.sum() + s.bank == s.total


def name(v, move):
    return WORDS[move]


def parse(v, text):
    return WORDS.index(text)


def verbs(options):
    return [(BID_CARD, (CARDS,)), (CLAIM, ()), (KEEP, ()), (DOUBLE, ())]


NOTATION = re.compile("(deal|bid|roll) [1-6]")
NUMBERS = ("one", "two", "three", "four", "five", "six")
GLYPHS = {f"card-{n}": Glyph("<rect width='9' height='9'/>", (0, 0, 9, 9)) for n in range(1, 7)}


def card(n):
    return glyph(f"card-{n + 1}", f"the {NUMBERS[n]}")


def label(v, move):
    if move < FACE:
        return f"Bid {card(move - BID_CARD)}"
    return {CLAIM: "Claim the prize", KEEP: "Keep the penny", DOUBLE: "Take a second penny"}[move]


def say(v, seat, move, then):
    if seat == NATURE:
        if move >= FACE:
            return f"The die falls on {NUMBERS[move - FACE]}."
        got = "a card" if move == UNKNOWN else card(move - DEAL_CARD)
        return f"{who(next_to_get(v))} gets {got}."
    if then.phase == BID and v.phase == BID and move != CLAIM:
        return ""
    if v.phase == BID and move != CLAIM:
        return f"All show their bids: {who(then.winner)} wins a penny."
    return f"{who(seat)} {label(v, move).lower()}s."


def why(v, seat, move):
    return "not now (§1)"


def question(v, seat):
    waiting = [who(other) for other in range(int(v.seats)) if asked(v) >> other & 1]
    return f"Waiting for {listing(waiting, 'and')}." if waiting else "The game is over." if not asked(v) else "Chance."


def result(v):
    if asked(v):
        return None
    pennies = v.pennies[: v.seats].tolist()
    winners = tuple(seat for seat, has in enumerate(pennies) if has == max(pennies))
    return Result(
        f"{' and '.join(who(seat) for seat in winners)} won with {max(pennies)} pennies (§2).",
        tuple(f"{has} pennies" for has in pennies),
        winners,
    )


FIELDS = [field for field in STATE.names if field not in ("work", "total")]


def position(v):
    return " | ".join(f"{field} {' '.join(map(str, np.atleast_1d(v[field])))}" for field in FIELDS)


def place(s, text):
    for part in text.split(" | "):
        field, *numbers = part.split()
        s[field] = [int(n) for n in numbers] if s[field].shape else int(numbers[0])


def draw(v, seat):
    board = Board(NAME, 10, 10, "<rect/>", "pennies", {"word": Shape("<circle r='1'/>")})
    return Scene(board, plain(question(v, seat), SEAT_NAMES), [Piece(word, "word", 0, 0) for word in WORDS])


def between(v, seat, move, then):
    """Before a prize is paid it is shown as taken."""
    if move == CLAIM:
        way = v.copy()
        way.prize = 0
        yield way


def touch(v, seat, move):
    return [WORDS[move]]


def features(s, seat, out):
    out[0] = s.pennies[seat]


def value(s, seat):
    return 0.5


def module(**planted):
    """The toy as a module of its own, with planted faults."""
    found = {key: thing for key, thing in globals().items() if not key.startswith("__")}
    file = str(Path(__file__).parent / "pennies" / "__init__.py")
    return SimpleNamespace(**{**found, "__file__": file, **planted})
