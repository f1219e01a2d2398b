"""The components of Booze Barons, read from `pieces.toml`, and the tables that follow from them."""

import itertools
import math
import tomllib
from pathlib import Path

import numpy as np

BOX = tomllib.loads(Path(__file__).with_name("pieces.toml").read_text("utf-8"))

MOBS, IN_MOB = 3, 4
BOOZES = MOBS * IN_MOB
LOCATIONS, AT_LOCATION = 6, 6
CARDS = LOCATIONS * AT_LOCATION
MOST_SEATS = 9
FIRST_CARDS = 9
"""The number of deliveries turned up before the first round (§2.3)."""
CAVES, CLUB, CASINO, PETES, DOCK, BARBER = range(LOCATIONS)

MOB_NAMES = tuple(mob["name"] for mob in BOX["mobs"])
_BOOZE_LIST = [booze for mob in BOX["mobs"] for booze in mob["boozes"]]
BOOZE_WORDS = tuple(booze["word"] for booze in _BOOZE_LIST)
BOOZE_NAMES = tuple(booze["name"] for booze in _BOOZE_LIST)
BOOZE_CODES = tuple(booze["code"] for booze in _BOOZE_LIST)
BOOZE_SIGNS = tuple(f"{mob['letter']}{place}" for mob in BOX["mobs"] for place in range(1, IN_MOB + 1))
"""The boozes as §7 writes them: B1, L4."""
PLACE_WORDS = tuple(place["word"] for place in BOX["locations"])
PLACE_NAMES = tuple(place["name"] for place in BOX["locations"])
EVENT_WORDS = tuple((place["a"], place["b"]) for place in BOX["locations"])
CARD_WORDS = tuple(f"{word}{number}" for word in PLACE_WORDS for number in range(1, AT_LOCATION + 1))
SEAT_TITLES = tuple(who["is"] for who in BOX["bootleggers"])
SEAT_COLOURS = tuple(who["colour"] for who in BOX["bootleggers"])


def boozes_of(text: str) -> int:
    """The set of boozes in the letters of §7, as bits."""
    return sum(1 << BOOZE_SIGNS.index(text[at : at + 2]) for at in range(0, len(text), 2))


SHOWS = np.array([boozes_of(text) for place in BOX["locations"] for text in place["deliveries"]], np.int64)
"""The boozes that each delivery shows, as bits. A delivery's number is its location times six, plus its place there."""
BIT = np.array([1 << card for card in range(CARDS)], np.int64)
"""Sets of deliveries are integers: this is the set of one."""
CARRIES = np.array([sum(1 << c for c in range(CARDS) if SHOWS[c] >> b & 1) for b in range(BOOZES)], np.int64)
"""The deliveries that show each booze, as a set."""
ANY_BOOZE = (1 << BOOZES) - 1
ALL_CARDS = (1 << CARDS) - 1


def _ways() -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The number of ways to deal the rest (§2.1, §2.2), by the number of players and the numbers dealt of either mob.

    The sizes of mobs differ by at most one, and dealing by these odds makes all such deals equally likely.
    """
    found = np.zeros((MOST_SEATS + 1, IN_MOB, IN_MOB, IN_MOB), np.int64)
    for seats in range(MOBS, MOST_SEATS + 1):
        for dealt in itertools.product(range(IN_MOB), repeat=MOBS):
            for sizes in itertools.product((seats // MOBS, seats // MOBS + 1), repeat=MOBS):
                left = [size - had for size, had in zip(sizes, dealt, strict=True)]
                if sum(sizes) == seats and min(left) >= 0:
                    seated = math.factorial(sum(left)) // math.prod(map(math.factorial, left))
                    chosen = (math.perm(IN_MOB - had, more) for had, more in zip(dealt, left, strict=True))
                    found[(seats, *dealt)] += seated * math.prod(chosen)
    return found


WAYS = _ways()
