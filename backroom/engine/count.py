"""Counting: perft, the number of move sequences; and the signature, one line that fingerprints a game's behaviour."""

import hashlib
import itertools
from functools import cache
from typing import Any

import numpy as np

from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, dice_from, kernel, lowest, without_back
from backroom.engine.protocol import State

SIGNED_GAMES = 64
"""The number of random games in a signature."""


AT_A_STRETCH = 4
"""The depth that a kernel counts by itself; above that Python does, so that Ctrl-C works."""


@cache
def perft_of(game: Game) -> Any:
    """A kernel that counts the sequences of `depth` more moves, nature's included.

    If several seats are asked the lowest answers, since the order does not matter; claims and steps back do not count.
    """
    asked, moves, play, back = game.rules.asked, game.rules.moves, game.rules.play, game.rules.BACK

    @kernel
    def perft(states, lists, untried, depth):  # type: ignore[no-untyped-def]
        """Count from `states[0]`.

        For each depth, `lists` has the moves, and `untried` the number of them still to be tried, or a negative number
        if they have not been listed yet.
        """
        count = 0
        level = 0
        untried[0] = -1
        while level >= 0:
            if level == depth:
                count += 1
                level -= 1
                continue
            seat = lowest(asked(states[level]))
            if untried[level] < 0:
                n = moves(states[level], seat, lists[level]) if seat >= 0 else 0
                untried[level] = without_back(lists[level], n, back)
            if untried[level] == 0:
                level -= 1
                continue
            untried[level] -= 1
            states[level + 1] = states[level]
            play(states[level + 1], seat, lists[level, untried[level]])
            level += 1
            untried[level] = -1
        return count

    return perft


def perft(game: Game, s: State, depth: int) -> int:
    """The number of sequences of `depth` moves from here; games that end sooner do not count."""
    if depth > AT_A_STRETCH:
        return sum(split(game, s, depth).values())
    states = np.zeros(depth + 1, game.rules.STATE)
    states[0] = s
    lists = np.zeros((depth + 1, game.rules.MOST_MOVES), np.int32)
    return int(perft_of(game)(states, lists, np.zeros(depth + 1, np.int64), depth))


def split(game: Game, s: State, depth: int) -> dict[str, int]:
    """The same count by first move: what to compare when a count is wrong."""
    return {
        f"{'*' if seat == NATURE else seat} {game.rules.name(s, move)}": perft(
            game, game.after(s, seat, move), depth - 1
        )
        for seat in game.asked(s)[:1]
        for move in game.moves(s, seat)
        if move != game.rules.BACK
    }


def signature(game: Game, games: int = SIGNED_GAMES) -> str:
    """One line that changes when play changes: a hash over fixed random games, with all seats and options in turn."""
    digest = hashlib.sha256()
    played = 0
    for seed, (seats, options) in zip(range(games), itertools.cycle(game.settings()), strict=False):
        s = game.start(seats, options)
        for seat, move in game.stroll(s, seats, dice_from(seed)):
            names = [game.rules.name(s, one) for one in game.moves(s, seat)]
            odds = game.odds(s) if seat == NATURE else []
            digest.update(repr((seat, names, odds, game.rules.name(s, move), game.asked(s))).encode())
            played += 1
        digest.update(repr(game.score(s, seats)).encode())
    return f"{game.name} {game.rules.VERSION} games {games} moves {played} {digest.hexdigest()[:16]}"
