"""What a first game of RunAway Train explains, each once, when it first arises."""

from backroom.engine.protocol import Seat, Situation, State

from .rules.game import asked
from .rules.state import CHOOSING, FIRST_LEAVE, JUMPING, SWITCHING, is_aboard

NEAR = 2
"""The end is near from this number of moves of the train, at its speed."""


def is_asked(v: State, seat: Seat) -> bool:
    return bool(int(asked(v)) >> seat & 1)


def chooses(v: State, seat: Seat) -> bool:
    return v.ask == CHOOSING and is_asked(v, seat)


def was_cancelled(v: State, seat: Seat) -> bool:
    """Whether the seat's last cards were somebody else's too."""
    shown = int(v.shown[seat])
    return shown >= FIRST_LEAVE and any(int(v.shown[other]) == shown for other in range(int(v.seats)) if other != seat)


def is_near_the_end(v: State, seat: Seat) -> bool:
    return chooses(v, seat) and v.track != 0 and int(v.end[int(v.track)]) - int(v.at) <= NEAR * int(v.speed)


SITUATIONS = (
    Situation(
        "passenger or conductor",
        "Suitcases that go off are points, and most points win (§5.4). Of all that are shown, the lowest with a "
        "passenger goes off, and the highest with a conductor (§3.7). He wants a tip: one less than its number (§4.2).",
        chooses,
    ),
    Situation(
        "sealed",
        "All choose in secret and show their cards together; until then you can change your mind (§3.5). Two who show "
        "the very same cards take them back (§3.6).",
        chooses,
    ),
    Situation(
        "alike",
        "Somebody showed the very same two cards: you both take them back (§3.6). The obvious is everybody’s choice.",
        was_cancelled,
    ),
    Situation(
        "multiplier",
        "The train has passed a multiplier: suitcases that go off now count that many times (§4.1).",
        lambda v, seat: is_aboard(v, seat) and int(v.multiplier) > 1,
    ),
    Situation(
        "jump",
        "You may jump after your suitcase, now or never this round (§4.3). Who is off is safe, plays no more, and "
        "loses what is still aboard (§4.4).",
        lambda v, seat: v.ask == JUMPING and is_asked(v, seat),
    ),
    Situation(
        "switch",
        "You are the engineer at the switch. The short track ends sooner; on the long one a fast train can still stop "
        "(§2.2, §3.3).",
        lambda v, seat: v.ask == SWITCHING and is_asked(v, seat),
    ),
    Situation(
        "cliff",
        "The end of the track is near. Whoever goes over the cliff with the train cannot win (§5.4); passenger and "
        "conductor together get you off, unless somebody plays the same two (§3.7).",
        is_near_the_end,
    ),
)
