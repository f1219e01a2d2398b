"""Matches between two bots: the same dice again with the seats changed, and how sure the result is."""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from backroom.bots.bot import Bot, room
from backroom.engine.game import BadOption, Game
from backroom.engine.kernel import NATURE, dice_from, kernel, lowest, pick


@dataclass(frozen=True, slots=True)
class Result:
    """How the first of two bots did."""

    games: int
    wins: float
    """Games in which its best seat did better than the other's; a shared result counts half."""

    @property
    def share(self) -> float:
        return self.wins / self.games

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true share lies, 95 times in 100 (Wilson)."""
        n, p, z = self.games, self.share, 1.96
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        reach = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return max(0.0, middle - reach), min(1.0, middle + reach)


@cache
def contest_of(game: Game, first: Any, second: Any) -> Any:
    """A kernel that plays one game between two bots' kernels."""
    setup, asked, moves, odds, play, hide = (
        getattr(game.rules, k) for k in ("setup", "asked", "moves", "odds", "play", "hide")
    )
    longest = game.rules.LONGEST

    @kernel
    def contest(s, v, seats, options, firsts, chance, luck, worlds, out, marks):  # type: ignore[no-untyped-def]
        """`firsts` are the seats of the first bot, as bits; nature throws `chance`, the bots throw `luck`."""
        setup(s[0], seats, options)
        played = 0
        mask = asked(s[0])
        while mask and played < longest:
            if mask == 1 << NATURE:
                place = pick(chance, out, odds(s[0], out))
                moves(s[0], NATURE, out)
                play(s[0], NATURE, out[place])
            else:
                seat = lowest(mask)
                v[0] = s[0]
                hide(v[0], seat)
                if firsts >> seat & 1:
                    move = first(v[0], seat, luck, worlds, out, marks)
                else:
                    move = second(v[0], seat, luck, worlds, out, marks)
                play(s[0], seat, move)
            played += 1
            mask = asked(s[0])

    return contest


def match(first: Bot, second: Bot, games: int, seats: int | None = None, seed: int = 0, **options: object) -> Result:
    """Play so many games, each seed once with every other seat the first bot's, and once with the others."""
    game = first.game
    seats, chosen = game.settle(seats, options)
    if seats == 1:
        raise BadOption(f"{game.name} is played alone: there is nobody to match there")
    contest = contest_of(game, first.choose, second.choose)
    s, v = np.zeros((2, 1), game.rules.STATE)
    wins = 0.0
    for number in range(games):
        firsts = sum(1 << seat for seat in range(seats) if seat % 2 == number % 2)
        throw = seed + number // 2
        contest(s, v, seats, game.encoded(chosen), firsts, dice_from(throw), dice_from(~throw), *room(game))
        if game.asked(s[0]):
            raise RuntimeError(f"a game of {game.name} between {first.name} and {second.name} does not end")
        score = game.score(s[0], seats)
        mine = max(score[seat] for seat in range(seats) if firsts >> seat & 1)
        theirs = max(score[seat] for seat in range(seats) if not firsts >> seat & 1)
        wins += 1.0 if mine > theirs else 0.5 if mine == theirs else 0.0
    return Result(games, wins)
