"""The options of New Game."""

from backroom.engine.options import Option

from .pieces import HANDS

OPTIONS = (
    Option(
        "hand",
        tuple(map(str, HANDS)),
        "How many cards are dealt to each (§2.1).",
        numbers=lambda text: [int(text)],
        title="Hand",
        titles=tuple(f"{number} cards" for number in HANDS),
    ),
)
