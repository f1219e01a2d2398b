"""Helpers for strategies: errors of weaker levels, shares of the win, the value after a move, chance, time limits."""

from functools import cache
from typing import Any

import numpy as np

from backroom.engine.chance import chance_of
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, kernel

NOBODY = -1e300
"""The score of a seat that is not at the table."""


def lost_by_all(game: Game) -> float:
    """The score with which a game is lost even by the best seat; below all scores if the game has none."""
    return float(getattr(game.rules, "ALL_LOSE", NOBODY))


def never() -> Any:
    """The stop cell of a workspace: 0 until somebody else sets it to 1, because time is over."""
    return np.zeros(1, np.int64)


@kernel
def is_late(work):  # type: ignore[no-untyped-def]
    """Whether the time for this decision is over: then the best move found so far is played."""
    return work.stop[0] != 0


@kernel
def slips(dice, noise):  # type: ignore[no-untyped-def]
    """Whether a weaker level plays a random move this time, with probability `noise`."""
    return noise > 0.0 and below(dice, 1 << 20) < noise * (1 << 20)


@kernel
def misjudged(mark, off):  # type: ignore[no-untyped-def]
    """A mark between 0 and 1 with its log-odds shifted by `off`. Certain wins and losses stay as they are, and nothing
    else becomes one.
    """
    if off == 0.0 or mark <= 0.0 or mark >= 1.0:
        return mark
    return 1.0 / (1.0 + (1.0 - mark) / mark * np.exp(-off))


@kernel
def blurred(dice, mark, blur):  # type: ignore[no-untyped-def]
    """A mark with a random error for weaker levels: its log-odds are off by up to half of `blur` either way."""
    return misjudged(mark, blur * (below(dice, 1 << 20) / (1 << 20) - 0.5)) if blur > 0.0 else mark


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


@cache
def value_after_of(game: Game) -> Any:
    """The kernel `value_after(s, seat, move, spare)`."""
    play, value = game.rules.play, game.rules.value

    @kernel
    def value_after(s, seat, move, spare):  # type: ignore[no-untyped-def]
        """The game's own value after a move, which is played in `spare[0]`: the static evaluation of the move."""
        spare[0] = s
        play(spare[0], seat, move)
        return value(spare[0], seat)

    return value_after


@cache
def let_nature_of(game: Game) -> Any:
    """The kernel `let_nature(s, dice, out, weights)`."""
    play, natures_move = game.rules.play, chance_of(game)

    @kernel
    def let_nature(s, dice, out, weights):  # type: ignore[no-untyped-def]
        """Play a random move of nature's, by its odds; `out` and `weights` have room for all of her moves."""
        play(s, NATURE, natures_move(s, dice, out, weights))

    return let_nature
