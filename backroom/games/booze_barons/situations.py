"""What a first game of Booze Barons explains, each once, when it first arises."""

from backroom.engine.protocol import Seat, Situation, State

from .rules.course import asked
from .rules.state import ACT, LOOK, MOVE, NOWHERE, is_exposed

FEW = 3
"""A booze is soon guessed if the seat can have only this many."""


def is_asked(v: State, seat: Seat) -> bool:
    return bool(int(asked(v)) >> seat & 1)


def others(v: State, seat: Seat) -> list[Seat]:
    return [other for other in range(int(v.seats)) if other != seat]


def moves(v: State, seat: Seat) -> bool:
    return v.ask == MOVE and is_asked(v, seat)


def acts(v: State, seat: Seat) -> bool:
    return v.ask == ACT and is_asked(v, seat)


def has_company(v: State, seat: Seat) -> bool:
    return acts(v, seat) and any(v.pawn[other] == v.pawn[seat] for other in others(v, seat))


def is_nearly_known(v: State, seat: Seat) -> bool:
    return not is_exposed(v, seat) and int(v.could[seat]).bit_count() <= FEW


def knows_somebody(v: State, seat: Seat) -> bool:
    return any(not is_exposed(v, other) and int(v.could[other]).bit_count() <= FEW for other in others(v, seat))


SITUATIONS = (
    Situation(
        "sealed",
        "The richest mob wins: beer, liquor or wine, as you carry one (§8.3). Everybody chooses in secret where to go, "
        "and all pawns move together (§3.1). Nobody may stay where he is.",
        moves,
    ),
    Situation(
        "delivery",
        "You take one action. A delivery here that shows your booze is worth a coin (§4.1), and tells the others that "
        "you carry one of its six boozes (§1.3).",
        acts,
    ),
    Situation(
        "tail",
        "Somebody is at your location: you may tail him, look at all his deliveries, and then steal one that shows "
        "your booze or name what he carries (§4.3).",
        has_company,
    ),
    Situation(
        "look",
        "His booze stands on every one of his deliveries. Name it rightly and you capture his movement card, two coins "
        "(§4.3); a wrong name costs you only this turn.",
        lambda v, seat: v.ask == LOOK and is_asked(v, seat),
    ),
    Situation(
        "nearly known",
        f"By your deliveries the others can tell that you carry one of {FEW} boozes at most. Each that you take "
        "narrows it further (§4.3).",
        is_nearly_known,
    ),
    Situation(
        "knows somebody",
        f"Of one of the others no more than {FEW} boozes are possible: tail him when you meet him (§4.3).",
        knows_somebody,
    ),
    Situation(
        "exposed",
        "You are exposed: you play on, move and score, and cannot be exposed again; the captured location is closed to "
        "you (§3.2, §4.7).",
        lambda v, seat: bool(is_exposed(v, seat)),
    ),
    Situation(
        "closed place",
        "Somebody has lost a movement card: that location is closed to him for good (§3.2).",
        lambda v, seat: any(int(v.lost[other]) != NOWHERE for other in others(v, seat)),
    ),
    Situation(
        "partners",
        "Somebody else may carry a booze of your mob: beer, liquor or wine. The coins of its members count together "
        "(§8.2), so find out whom to help.",
        lambda v, seat: moves(v, seat) and int(v.rounds) > 1,
    ),
)
