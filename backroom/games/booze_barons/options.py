"""The options of Booze Barons, and the time limit that one of them sets."""

from backroom.engine.options import Option
from backroom.engine.phrases import did_you_mean
from backroom.engine.protocol import Seat, State

from .pieces import LOCATIONS, MOST_SEATS
from .rules.state import LOOK, MIXED, NOTHING, SEAT_NAMES
from .words import name


def read_sides(text: str) -> str:
    """The sides of the locations as six letters, in the order of the ring."""
    letters = text.upper()
    if len(letters) != LOCATIONS or set(letters) - {"A", "B"}:
        raise ValueError(f"{text!r} does not give each of the six locations a side")
    return letters


def number_of_sides(text: str) -> list[int]:
    """The sides as bits, with River Caves as bit 0; 1 is side B."""
    return [MIXED if text == "mixed" else sum((letter == "B") << place for place, letter in enumerate(text))]


def read_peek(text: str) -> str:
    if not (text.isascii() and text.isdecimal() and 5 <= int(text) <= 60):
        raise ValueError(f"{text!r} is no number of seconds from 5 to 60")
    return str(int(text))


AS_SEATED = "seated"
"""The default of the option `bootleggers`: each seat has its own."""


def read_bootleggers(text: str) -> str:
    """§1.4: the bootlegger that each player chose, by name, from the first seat on."""
    folded = [name.lower() for name in SEAT_NAMES]
    said = text.replace(",", " ").split()
    if unknown := [word for word in said if word.lower() not in folded]:
        raise ValueError(f"there is no bootlegger called {unknown[0]!r}{did_you_mean(unknown[0], SEAT_NAMES)}")
    chosen = [folded.index(word.lower()) for word in said]
    if len(set(chosen)) != len(chosen) or not chosen:
        raise ValueError(f"{text!r}: each chooses another bootlegger (§1.4)")
    return " ".join(SEAT_NAMES[one] for one in chosen)


def numbers_of_bootleggers(text: str) -> list[int]:
    """The bootlegger of each seat; players who have not chosen get the remaining ones, in order."""
    chosen = [] if text == AS_SEATED else [SEAT_NAMES.index(name) for name in text.split()]
    return [*chosen, *(one for one in range(MOST_SEATS) if one not in chosen)]


MINUTES = (20, 40)

OPTIONS = (
    Option(
        "sides",
        ("AAAAAA", "mixed", "BBBBBB"),
        "The side of each location, in the order of the ring; mixed draws them (§6).",
        other="six letters A or B",
        read=read_sides,
        numbers=number_of_sides,
        title="Locations",
        titles=("All with side A up", "A side drawn for each", "All with side B up"),
        other_title="Sides {}",
    ),
    Option(
        "refill",
        ("up", "down"),
        "How half the number of players is rounded for new deliveries (§5.2).",
        title="New deliveries",
        titles=("For half the players, rounded up", "For half the players, rounded down"),
    ),
    Option(
        "memory",
        ("hidden", "open"),
        "Whether deliveries that lie face down are shown to all, who saw them (§9).",
        title="Deliveries seen before",
        titles=("To be remembered", "Shown again to all who saw them"),
    ),
    Option(
        "peek",
        ("20", "off"),
        "Seconds to look at somebody's deliveries at a live table (§4.3).",
        other="5 to 60",
        read=read_peek,
        is_rule=False,
        title="Time to look",
        titles=("20 seconds", "As long as you like"),
        other_title="{} seconds",
    ),
    Option(
        "nerve",
        ("0", "2", "3"),
        "How many deliveries somebody must have to be exposed by a guess (§9).",
        title="A guess can expose",
        titles=("Anybody", "Those with two deliveries or more", "Those with three deliveries or more"),
    ),
    Option(
        "bootleggers",
        (AS_SEATED,),
        "The bootlegger of each player, for looks only (§1.4).",
        other="names from the first seat on, like Greta Ada Iris",
        read=read_bootleggers,
        numbers=numbers_of_bootleggers,
        may_be_unsaid=True,
        title="Bootleggers",
        titles=("As the players sit",),
        other_title="{}",
    ),
)


def timer(v: State, seat: Seat) -> tuple[str, str] | None:
    """§4.3: at a live table a look is limited in time; a player who does nothing by then declines."""
    return ("peek", name(v, NOTHING)) if v.ask == LOOK and v.turn == seat else None
