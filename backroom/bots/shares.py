"""Shares of the win: a game's scores as numbers from 0 to 1 that mean the same in every game."""

from backroom.engine.game import Game
from backroom.engine.kernel import kernel

NOBODY = -1e300
"""The score of a seat that is not at the table."""


def lost_by_all(game: Game) -> float:
    """The score with which a game is lost even by the best seat; below all scores if the game has none."""
    return float(getattr(game.rules, "ALL_LOSE", NOBODY))


@kernel
def share_out(results, lost):  # type: ignore[no-untyped-def]
    """Turn scores into shares of the win: 1 for the only winner, a half if all seats are equal, 0 for seats that are
    not the best, or if the best score is no more than `lost`. A seat without opponents keeps its score.
    """
    best, seats, winners = NOBODY, 0, 0
    for score in results:
        if score > NOBODY:
            seats += 1
            if score > best:
                best, winners = score, 0
            if score == best:
                winners += 1
    for seat in range(len(results)):
        if results[seat] > NOBODY and seats > 1:
            has_won = results[seat] == best and best > lost
            results[seat] = 1.0 - 0.5 * (winners - 1) / (seats - 1) if has_won else 0.0
