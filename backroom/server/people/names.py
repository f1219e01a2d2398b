"""Names of people: which are valid, and which look alike."""

import secrets
import unicodedata
import zlib
from collections.abc import Collection
from functools import cache

from backroom.bots import BOTS
from backroom.server.errors import BadName

LONGEST_NAME = 24
MOST_MARKS = 3
"""Most accents and other marks on one letter; Hebrew needs three."""


INVISIBLE = frozenset(
    map(chr, (0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x2800, *range(0xFE00, 0xFE10),
              *range(0xE0100, 0xE01F0)))
)  # fmt: skip
"""Signs that show nothing, though Python counts them as printable: fillers, joiners and selectors of variants."""


def clean(name: str) -> str:
    """A name as others will see it; BadName if it cannot be displayed."""
    visible = "".join(c for c in unicodedata.normalize("NFKC", name) if c not in INVISIBLE)
    found = _with_few_marks(" ".join(visible.split()))
    if not found or len(found) > LONGEST_NAME or not found.isprintable():
        raise BadName(f"a name has 1 to {LONGEST_NAME} letters, digits and signs")
    if not any(c.isalnum() for c in found):
        raise BadName("a name has at least one letter or digit")
    if folded(found) in BOTS or skeleton(found) in map(skeleton, BOTS):
        raise BadName(f"{found} is the name of a bot")
    return found


def printable(text: str) -> str:
    """Any text on one line, without signs that show nothing or change how others are shown."""
    return _with_few_marks(" ".join("".join(c if c.isprintable() else " " for c in text).split()))


def _with_few_marks(text: str) -> str:
    """A text without the marks of which a letter has too many, because they would cover other lines."""
    found, marks = [], 0
    for sign in text:
        marks = marks + 1 if unicodedata.combining(sign) else 0
        if marks <= MOST_MARKS:
            found.append(sign)
    return "".join(found)


def folded(name: str) -> str:
    """A key that is the same for names that differ only in case, accents or spaces."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return " ".join(bare.casefold().split())


def skeleton(name: str) -> str:
    """A key that is the same for names that look alike in any alphabet: Cyrillic а and Latin a, 1 and l, rn and m."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return folded("".join(map(_prototype, bare)))


@cache
def _prototype(sign: str) -> str:
    """One character for all that look like it, a Latin letter if possible."""
    from confusable_homoglyphs.confusables import confusables_data  # large, and needed only for new names

    alike: set[str] = {sign, *(each["c"].strip("\u200e") for each in confusables_data.get(sign, ()))}
    latin = [each for each in alike if each.isascii() and each.isalpha()]
    return max(latin, key=lambda each: (len(each), each)) if latin else min(alike)


COLOURS = (
    "Amber",
    "Brass",
    "Copper",
    "Crimson",
    "Golden",
    "Ivory",
    "Jade",
    "Olive",
    "Ruby",
    "Rusty",
    "Silver",
    "Velvet",
)
ANIMALS = ("Badger", "Crow", "Ferret", "Fox", "Hare", "Heron", "Lynx", "Magpie", "Otter", "Owl", "Raven", "Stoat")


BOT_NAMES = (
    "Ada", "Bix", "Cleo", "Dutch", "Etta", "Fritz", "Gus", "Hattie", "Ike", "Josie", "Kit", "Lulu", "Mabel", "Ned",
    "Opal", "Pearl", "Quincy", "Roxie", "Slim", "Trixie", "Ursula", "Vic", "Wanda", "Zelda",
)  # fmt: skip


def bot_name(table: str, seat: int, seat_names: Collection[str]) -> str:
    """A bot's name at a seat: always the same there, unique at its table, and never the name of a seat."""
    names = [name for name in BOT_NAMES if name not in seat_names]
    return names[(zlib.crc32(table.encode()) + seat) % len(names)]


def guest_name() -> str:
    """A name for a guest who has not entered one."""
    return f"{secrets.choice(COLOURS)} {secrets.choice(ANIMALS)} {secrets.randbelow(90) + 10}"
