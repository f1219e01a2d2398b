"""Random playouts of any game, a whole batch in one kernel."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from backroom.engine.chance import chance_of
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, dice_from, kernel, lowest, scratch, without_back


@dataclass(frozen=True, slots=True)
class Totals:
    """Totals over many playouts."""

    games: int
    moves: int
    """All moves, nature's included."""
    choices: int
    """Moves of seats."""
    unfinished: int
    """Games that were cut off at LONGEST."""
    scores: Any
    """The sum of each seat's results."""


@cache
def random_moves_of(game: Game) -> tuple[Any, Any]:
    """The kernels `of_nature` and `of_seat`, which play one random move. As closures over the game's kernels they
    compile to specialised functions. Only seats that are asked move; claims out of turn and steps back are left out.
    """
    moves, play, back, natures_move = game.rules.moves, game.rules.play, game.rules.BACK, chance_of(game)

    @kernel
    def of_nature(s, dice, out, weights):  # type: ignore[no-untyped-def]
        play(s, NATURE, natures_move(s, dice, out, weights))

    @kernel
    def of_seat(s, mask, dice, out):  # type: ignore[no-untyped-def]
        """A move of the lowest of the seats that are asked."""
        seat = min(lowest(mask), NATURE - 1)  # so that compilers leave out what only nature does
        n = without_back(out, moves(s, seat, out), back)
        play(s, seat, out[below(dice, n)])

    return of_nature, of_seat


@cache
def playout_of(game: Game) -> Any:
    """A kernel that plays one random game to its end."""
    setup, asked, longest = game.rules.setup, game.rules.asked, game.rules.LONGEST
    of_nature, of_seat = random_moves_of(game)

    @kernel
    def playout(s, seats, options, dice, out, weights):  # type: ignore[no-untyped-def]
        """Returns the number of moves, and how many of them were seats'."""
        setup(s, seats, options)
        played = 0
        choices = 0
        while played < longest:
            mask = asked(s)
            if mask == 0:
                break
            if mask == 1 << NATURE:
                of_nature(s, dice, out, weights)
            else:
                of_seat(s, mask, dice, out)
                choices += 1
            played += 1
        return played, choices

    return playout


@cache
def playouts_of(game: Game) -> Any:
    """A kernel that plays many random games."""
    playout, asked, score = playout_of(game), game.rules.asked, game.rules.score

    @kernel
    def playouts(s, seats, options, dice, out, weights, games, totals, scores):  # type: ignore[no-untyped-def]
        """Adds moves, choices and unfinished games to `totals`, and each seat's result to `scores[1]`."""
        for _ in range(games):
            played, choices = playout(s, seats, options, dice, out, weights)
            totals[0] += played
            totals[1] += choices
            if asked(s):
                totals[2] += 1
            else:
                score(s, scores[0])
                for seat in range(seats):
                    scores[1, seat] += scores[0, seat]

    return playouts


def playouts(game: Game, games: int, seats: int | None = None, seed: int = 0, **options: object) -> Totals:
    """Play many random games on this thread; the interpreter's lock is released meanwhile."""
    seats, chosen = game.settle(seats, options)
    return _played(game, games, seats, chosen, seed)


def _played(game: Game, games: int, seats: int, chosen: Mapping[str, str], seed: int) -> Totals:
    s, dice = scratch(1, game.rules.STATE)[0], scratch(1, np.uint64)
    dice[:] = dice_from(seed)
    out, weights = scratch((2, game.rules.MOST_MOVES), np.int32)
    totals, scores = scratch(3, np.int64), scratch((2, seats), np.float64)
    playouts_of(game)(s, seats, game.encoded(chosen), dice, out, weights, games, totals, scores)
    return Totals(games, int(totals[0]), int(totals[1]), int(totals[2]), scores[1])


def playouts_on_threads(
    game: Game, games: int, threads: int, seats: int | None = None, seed: int = 0, **options: object
) -> Totals:
    """Play many random games on several threads: kernels do not hold the interpreter's lock."""
    seats, chosen = game.settle(seats, options)
    with ThreadPoolExecutor(threads) as pool:
        share = [games // threads + (thread < games % threads) for thread in range(threads)]
        jobs = [pool.submit(_played, game, n, seats, chosen, seed + (i << 32)) for i, n in enumerate(share)]
        batches = [job.result() for job in jobs]
    return Totals(
        games,
        sum(batch.moves for batch in batches),
        sum(batch.choices for batch in batches),
        sum(batch.unfinished for batch in batches),
        sum(batch.scores for batch in batches),
    )
