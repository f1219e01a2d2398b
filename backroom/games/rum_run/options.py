"""The options of Rum Run (§13), and which of them go together."""

from collections.abc import Mapping

from backroom.engine.options import Option

from .pieces import ENOUGH
from .setup_file import NAMED, TITLES, called, covered_nodes, line, misfit, numbers, read


def _extra(name: str, says: str, title: str, titles: tuple[str, str]) -> Option:
    """An option for what a setup may have besides: as it says, yes or no."""
    return Option(name, ("setup", "yes", "no"), says, title=title, titles=("As the setup says", *titles))


OPTIONS = (
    Option(
        "setup",
        NAMED,
        "Where everything lies (§2.2).",
        other="the name of a setup file",
        read=lambda text: line(read(text)),
        numbers=numbers,
        is_file=True,
        title="Setup",
        titles=TITLES,
        other_title="One of your own",
    ),
    Option(
        "colours",
        ("1", "2"),
        "Colours a player; two in a game of two (§2.5).",
        title="Each player has",
        titles=("One colour", "Two colours"),
    ),
    _extra("folk", "Forest Folk: as the setup says, yes or no (§1.2).", "Forest Folk", ("Come along", "Stay at home")),
    _extra("fog", "Fog, where the setup has places for it (§9).", "Fog", ("Lies", "Is left out")),
    _extra("events", "Events; yes, where the setup names none: all (§10).", "Events", ("Happen", "Are left out")),
    _extra(
        "objectives",
        "Objectives; yes, where the setup names none: all (§11).",
        "Objectives",
        ("Are there to be won", "Are left out"),
    ),
    _extra(
        "hidden",
        "Stills shuffled over their places, face down (§2.1).",
        "Stills",
        ("Shuffled, face down", "Lie open"),
    ),
    Option(
        "claims",
        ("automatic", "noticed"),
        "Whether objectives must be claimed (§11.1).",
        title="Objectives are claimed",
        titles=("By themselves", "By those who notice"),
    ),
)


def check(seats: int, options: Mapping[str, str]) -> None:
    """Whether seats and options go together; ValueError says why not."""
    setup = called(options["setup"])
    is_two = options["colours"] == "2"
    if is_two and seats != 2:
        raise ValueError(f"two colours a player are for a game of two, not of {seats} (§2.5)")
    if setup.barrels < (enough := ENOUGH[5 if is_two else seats]):
        who = "two with four colours" if is_two else f"{seats} players"
        raise ValueError(f"the stills hold {setup.barrels} barrels; {who} need {enough} for a certain winner (§2.3)")
    if options["fog"] == "yes" and not setup.fog:
        raise ValueError("the setup has no places for fog (§2.1)")
    if options["hidden"] == "yes":
        covered = covered_nodes(setup)
        for place in setup.stills:
            for still in setup.stills:
                if wrong := misfit(setup, covered, still.kind, place):
                    raise ValueError(f"hidden stills must fit everywhere: {wrong} (§2.1)")
