"""Positions for tests: `at` sets one up, `after` plays on, `names` lists the open moves."""

import backroom
from backroom.engine.kernel import NATURE
from backroom.engine.protocol import State

GAME = backroom.game("booze-barons")
NAMES = GAME.rules.SEAT_NAMES
BOOZES = ("porter", "tequila", "merlot", "blonde", "rye", "brandy", "lager", "bourbon", "champagne")
"""What the seats carry unless a test says otherwise: mobs of fair sizes at every number of seats."""
PLACES = ("caves", "club", "casino", "petes", "dock", "barber")


def at(course: str = "ask act", seats: int = 3, sides: str = "AAAAAA", options: dict | None = None, **players) -> State:
    """A state in the position notation. `ada="porter at club"` is the part of a player.

    Players without a part stand at the location of their number and have the booze of BOOZES.
    """
    parts = [course]
    for seat in range(seats):
        who = NAMES[seat].lower()
        parts.append(f"{who} " + players.pop(who, f"{BOOZES[seat]} at {PLACES[seat % 6]}"))
    assert not players
    s = GAME.start(*GAME.settle(seats, {"sides": sides, **(options or {})}))
    GAME.rules.place(s, " | ".join(parts))
    return s


def names(s: State, seat: int | None = None) -> list[str]:
    """The moves of a seat, or of the seat that is asked."""
    seat = GAME.asked(s)[0] if seat is None else seat
    return [GAME.rules.name(s, move) for move in GAME.moves(s, seat)]


def after(s: State, *moves: str) -> State:
    """The state after these moves of the seat that is asked, the lowest seat of several; each is legal."""
    for text in moves:
        seat = GAME.asked(s)[0]
        move = GAME.rules.parse(s, text)
        assert move in GAME.moves(s, seat), f"{text} is not among {names(s)}"
        s = GAME.after(s, seat, move)
    return s


def verbs(s: State) -> set[str]:
    """The first words of the moves that are open."""
    return {name.split()[0] for name in names(s)}


def why(s: State, text: str, seat: int | None = None) -> str:
    """Why a move may not be made."""
    seat = GAME.asked(s)[0] if seat is None else seat
    move = GAME.rules.parse(s, text)
    assert move not in GAME.moves(s, seat)
    return GAME.plain(GAME.rules.why(GAME.view(s, seat), seat, move))


def cards(mask: int) -> list[str]:
    """The deliveries of a set."""
    from backroom.games.booze_barons.pieces import CARD_WORDS

    return [word for card, word in enumerate(CARD_WORDS) if int(mask) >> card & 1]


def nature(s: State) -> bool:
    return GAME.asked(s) == (NATURE,)


def results(s: State) -> list[float]:
    """The score of every seat, as if the game were over."""
    return list(GAME.score(s, int(s.seats)))
