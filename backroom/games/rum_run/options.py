"""The options of Rum Run (§13), and which of them go together."""

import itertools
from collections.abc import Mapping
from functools import cache

from backroom.engine.options import Option

from .pieces import BARRELS, ENOUGH, HOLDS, KINDS
from .setup_file import NAMED, TITLES, called, covered_nodes, findings, line, misfit, numbers, playable


def _extra(name: str, says: str, title: str, titles: tuple[str, ...], *more: str) -> Option:
    """An option for something that a setup may have: as the setup says, yes, no, or another value."""
    return Option(name, ("setup", "yes", "no", *more), says, title=title, titles=("As the setup says", *titles))


MINUTES = (45, 90)

OPTIONS = (
    Option(
        "setup",
        NAMED,
        "Where the stills and all else lie (§2.2).",
        other="the name of a setup file",
        read=lambda text: line(playable(text)),
        numbers=numbers,
        is_file=True,
        title="Setup",
        titles=TITLES,
        other_title="One of your own",
    ),
    Option(
        "colours",
        ("1", "2"),
        "How many colours each player has; two only in a game of two (§2.5).",
        title="Each player has",
        titles=("One colour", "Two colours"),
    ),
    _extra("folk", "Whether the Forest Folk come along (§1.2).", "Forest Folk", ("Come along", "Stay at home")),
    _extra("fog", "Whether fog lies in the places that the setup has for it (§9).", "Fog", ("Lies", "Is left out")),
    _extra(
        "events",
        "Whether events happen: those that the setup names, or all if it names none (§10).",
        "Events",
        ("Happen", "Are left out"),
    ),
    _extra(
        "objectives",
        "Whether there are objectives: those that the setup names, or all if it names none (§11).",
        "Objectives",
        ("Are there to be won", "Are left out"),
    ),
    _extra(
        "hidden",
        "Whether the stills lie open or face down, shuffled over their places or drawn from all twelve (§2.1).",
        "Stills",
        ("Shuffled, face down", "Lie open", "Drawn from all twelve, face down"),
        "random",
    ),
    Option(
        "claims",
        ("automatic", "noticed"),
        "Whether objectives are given by themselves, or to whoever notices and claims them (§11.1).",
        title="Objectives are claimed",
        titles=("By themselves", "By those who notice"),
    ),
)


def check(seats: int, options: Mapping[str, str]) -> None:
    """ValueError if these seats and options do not go together, with the reason."""
    setup = called(options["setup"])
    is_two = options["colours"] == "2"
    if is_two and seats != 2:
        raise ValueError(f"two colours a player are for a game of two, not of {seats} (§2.5)")
    if options["fog"] == "yes" and not setup.fog:
        raise ValueError("the setup has no places for fog (§2.1)")
    if options["fog"] == "no":
        setup = setup.without_fog()
    enough = int(ENOUGH[5 if is_two else seats])
    who = "two with four colours" if is_two else f"{seats} players"
    is_random = options["hidden"] == "random"
    if is_random and not _can_draw(len(setup.stills), enough):
        raise ValueError(f"no {len(setup.stills)} stills hold the {enough} to {BARRELS} barrels for {who} (§2.3)")
    if not is_random and setup.barrels < enough:
        raise ValueError(f"the stills hold {setup.barrels} barrels; {who} need {enough} for a certain winner (§2.3)")
    for finding in findings(setup):
        if not (is_random and finding.is_of_barrels):
            raise ValueError(finding.what)
    if options["hidden"] in ("yes", "random"):
        covered = covered_nodes(setup)
        kinds = range(KINDS) if is_random else [still.kind for still in setup.stills]
        for place, kind in itertools.product(setup.stills, kinds):
            if wrong := misfit(setup, covered, kind, place):
                raise ValueError(f"hidden stills must fit everywhere: {wrong} (§2.1)")


@cache
def _can_draw(number: int, enough: int) -> bool:
    """§2.1, §2.3: whether some selection of the twelve stills, one for each place, guarantees a winner."""
    return any(
        enough <= sum(int(HOLDS[kind]) for kind in some) <= BARRELS
        for some in itertools.combinations(range(KINDS), number)
    )
