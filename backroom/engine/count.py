"""Counting: perft, the number of ways a game can go on; and the signature, one line that fingerprints its behaviour."""

import hashlib
import itertools
from functools import cache
from typing import Any

import numpy as np

from backroom.engine.game import NATURE, Game, Move, Seat, State
from backroom.engine.kernel import below, dice, kernel, pick

SIGNED_GAMES = 64
"""How many random games go into a signature."""


@cache
def perft_of(game: Game) -> Any:
    """A kernel that counts the ways to play `depth` more moves, nature's included."""
    asked, moves, play = game.rules.asked, game.rules.moves, game.rules.play

    @kernel
    def perft(states, lists, left, depth):  # type: ignore[no-untyped-def]
        """`states[0]` is where to begin; `lists` and `left` have a row, and a pair of counts, for each depth."""
        count = 0
        level = 0
        left[0, 0] = -1
        while level >= 0:
            if level == depth:
                count += 1
                level -= 1
                continue
            if left[level, 0] < 0:  # a new state: every seat with moves, nature last
                left[level, 0] = 0
                left[level, 1] = 0
                for seat in range(16):
                    if seat != 14:
                        n = moves(states[level], seat, lists[level, left[level, 1] :, 0])
                        for i in range(left[level, 1], left[level, 1] + n):
                            lists[level, i, 1] = seat
                        left[level, 1] += n
                if asked(states[level]) == 0:
                    left[level, 1] = 0
            if left[level, 0] == left[level, 1]:
                level -= 1
                continue
            i = left[level, 0]
            left[level, 0] += 1
            states[level + 1] = states[level]
            play(states[level + 1], lists[level, i, 1], lists[level, i, 0])
            level += 1
            if level < depth:
                left[level, 0] = -1
        return count

    return perft


def perft(game: Game, s: State, depth: int) -> int:
    """How many sequences of `depth` moves there are from here; games that end sooner do not count."""
    states = np.zeros(depth + 1, game.rules.STATE)
    states[0] = s
    lists = np.zeros((depth + 1, game.rules.MOST_MOVES * 3, 2), np.int32)
    return int(perft_of(game)(states, lists, np.zeros((depth + 1, 2), np.int64), depth))


def split(game: Game, s: State, depth: int) -> dict[str, int]:
    """The same count by first move: what to compare when a count is wrong."""
    found = {}
    for seat, move in _all_moves(game, s):
        name = f"{'*' if seat == NATURE else seat} {game.rules.name(s, move)}"
        found[name] = perft(game, game.after(s, seat, move), depth - 1)
    return found


def _all_moves(game: Game, s: State) -> list[tuple[Seat, Move]]:
    return [(seat, move) for seat in (*range(max(game.rules.SEATS)), NATURE) for move in game.moves(s, seat)]


def signature(game: Game, games: int = SIGNED_GAMES) -> str:
    """One line that changes when play changes: a hash over fixed random games, with all seats and options in turn."""
    digest = hashlib.sha256()
    played = 0
    settings = itertools.cycle(
        (seats, dict(zip([o.name for o in game.rules.OPTIONS], values, strict=True)))
        for seats in game.rules.SEATS
        for values in itertools.product(*(option.values for option in game.rules.OPTIONS))
    )
    for seed, (seats, options) in zip(range(games), settings, strict=False):
        s, throw = game.start(seats, options), dice(seed)
        while everything := _all_moves(game, s):
            seat, move = everything[int(below(throw, len(everything)))]
            if seat == NATURE:
                weights = game.odds(s)
                digest.update(repr(weights).encode())
                seat, move = everything[int(pick(throw, np.array(weights), len(weights)))]
            digest.update(repr([(at, game.rules.name(s, one)) for at, one in everything]).encode())
            game.rules.play(s, seat, move)
            played += 1
        digest.update(repr(game.score(s, seats)).encode())
    return f"{game.name} {game.rules.VERSION} games {games} moves {played} {digest.hexdigest()[:16]}"
