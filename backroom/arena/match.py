"""Matches between two bots: the same dice again with the seats changed, and how sure the result is."""

import math
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from backroom.bots.bot import Bot
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, dice_from, kernel, lowest, pick


@dataclass(frozen=True, slots=True)
class Result:
    """How the first of two bots did."""

    games: int
    wins: float
    """Games won; of more than two seats, the share of the other's seats that its own did better than, equal a half."""

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
    def contest(s, v, seats, options, firsts, chance, luck, out, room, other_room):  # type: ignore[no-untyped-def]
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
                    play(s[0], seat, first(v[0], seat, luck, room))
                else:
                    play(s[0], seat, second(v[0], seat, luck, other_room))
            played += 1
            mask = asked(s[0])

    return contest


def match(first: Bot, second: Bot, games: int, seats: int | None = None, seed: int = 0, **options: object) -> Result:
    """Play so many games, each seed once with every other seat the first bot's, and once with the others.

    A game's result is how often a seat of the first did better than one of the second, equal counting half.
    """
    game = first.game
    seats, chosen = game.settle(seats, options)
    contest = contest_of(game, first.choose, second.choose)
    s, v = np.zeros((2, 1), game.rules.STATE)
    out = np.empty(game.rules.MOST_MOVES, np.int32)
    wins = 0.0
    for number in range(games):
        firsts = sum(1 << seat for seat in range(seats) if seat % 2 == number % 2)
        throw = seed + number // 2
        luck = dice_from(throw), dice_from(~throw)
        contest(s, v, seats, game.encoded(chosen), firsts, *luck, out, first.room, second.room)
        if game.asked(s[0]):
            raise RuntimeError(f"a game of {game.name} between {first.name} and {second.name} does not end")
        score = game.score(s[0], seats)
        mine = [score[seat] for seat in range(seats) if firsts >> seat & 1]
        theirs = [score[seat] for seat in range(seats) if not firsts >> seat & 1]
        beaten = sum((one > other) + (one == other) / 2 for one in mine for other in theirs)
        wins += beaten / (len(mine) * len(theirs))
    return Result(games, wins)
