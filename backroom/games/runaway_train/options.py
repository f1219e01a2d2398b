"""The options of RunAway Train."""

from backroom.engine.options import Option

from .pieces import STANDARD, read_track, track_numbers


def countdown(text: str) -> str:
    """§6: seconds to choose."""
    if not (text.isascii() and text.isdecimal() and len(text) <= 3 and 5 <= int(text) <= 120):
        raise ValueError(f"{text[:20]!r} is no number of seconds from 5 to 120")
    return str(int(text))


MINUTES = (15, 30)

OPTIONS = (
    Option(
        "track",
        (STANDARD,),
        "The track and its stop chart, or a file with another (§2.3).",
        other="a track file",
        read=read_track,
        numbers=track_numbers,
        is_file=True,
        title="Track",
        titles=("Standard",),
        other_title="One of your own",
    ),
    Option(
        "countdown",
        ("20", "off"),
        "Seconds to choose, at a live table (§3.5).",
        other="5 to 120",
        read=countdown,
        is_rule=False,
        title="Time to choose",
        titles=("20 seconds", "As long as you like"),
        other_title="{} seconds",
    ),
    Option(
        "last_gasp",
        ("no", "yes"),
        "At the end of the track cards are played once more before the roll (§6).",
        title="At the end of the track",
        titles=("The roll comes at once", "One last choice of cards: the Last Gasp"),
    ),
)
