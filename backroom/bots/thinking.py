"""What several strategies share: what weaker levels see, shares of a win, the value after a move, and the time that is
over.
"""

from functools import cache
from typing import Any

import numpy as np

from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, kernel, pick

NOBODY = -1e300
"""The score of a seat that is not at the table."""


def lost_by_all(game: Game) -> float:
    """The score with which nobody has won, though nobody did better; below all scores where there is none."""
    return float(getattr(game.rules, "ALL_LOSE", NOBODY))


def never() -> Any:
    """A cell of a workspace that says whether time is over: not before somebody else sets it to 1."""
    return np.zeros(1, np.int64)


@kernel
def is_late(work):  # type: ignore[no-untyped-def]
    """Whether the time for this decision is over: then the best that was found so far is played."""
    return work.stop[0] != 0


@kernel
def slips(dice, noise):  # type: ignore[no-untyped-def]
    """Whether a weaker level plays any move this time, which it does as often as `noise` says."""
    return noise > 0.0 and below(dice, 1 << 20) < noise * (1 << 20)


@kernel
def misjudged(mark, off):  # type: ignore[no-untyped-def]
    """What a mark between 0 and 1 is taken for by somebody whose log-odds are off by so much. What is won or lost for
    certain everybody sees, and nothing else is taken for it.
    """
    if off == 0.0 or mark <= 0.0 or mark >= 1.0:
        return mark
    return 1.0 / (1.0 + (1.0 - mark) / mark * np.exp(-off))


@kernel
def blurred(dice, mark, blur):  # type: ignore[no-untyped-def]
    """What somebody who sees less takes a mark for: off by up to half of `blur` either way."""
    return misjudged(mark, blur * (below(dice, 1 << 20) / (1 << 20) - 0.5)) if blur > 0.0 else mark


@kernel
def share_out(results, lost):  # type: ignore[no-untyped-def]
    """From scores to what each seat has of the win: 1 alone, a half if all are equal, 0 if not the best, or if the best
    is no more than `lost`. A seat with nobody to beat has its score.
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
        """The game's own value after a move, which is made in `spare[0]`: what a move is worth at first sight."""
        spare[0] = s
        play(spare[0], seat, move)
        return value(spare[0], seat)

    return value_after


@cache
def let_nature_of(game: Game) -> Any:
    """The kernel `let_nature(s, dice, out, weights)`."""
    moves, odds, play = game.rules.moves, game.rules.odds, game.rules.play

    @kernel
    def let_nature(s, dice, out, weights):  # type: ignore[no-untyped-def]
        """Play one of nature's moves, each as often as its odds say; `out` and `weights` have room for all of them."""
        place = pick(dice, weights, odds(s, weights))
        moves(s, NATURE, out)
        play(s, NATURE, out[place])

    return let_nature
