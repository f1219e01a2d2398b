"""Matches between bots: the same chance again with the seats changed."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import count, islice
from typing import Any

import numpy as np

from backroom.arena.result import Result
from backroom.bots.bot import Bot
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, dice_from, kernel, lowest, pick, without_back
from backroom.engine.options import BadOption


@cache
def contest_of(game: Game, first: Any, second: Any) -> Any:
    """A kernel that plays one game between two bots' kernels."""
    setup, asked, moves, odds, play, hide = (
        getattr(game.rules, k) for k in ("setup", "asked", "moves", "odds", "play", "hide")
    )
    longest, back = game.rules.LONGEST, game.rules.BACK

    @kernel
    def contest(s, v, seats, options, firsts, opening, chance, luck, out, work, other_work):  # type: ignore[no-untyped-def]
        """`firsts` are the seats of the first bot, as bits; nature throws `chance`, the bots throw `luck`. The first
        `opening` answers are nature's too: any move.
        """
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
                if opening > 0:
                    n = without_back(out, moves(v[0], seat, out), back)
                    play(s[0], seat, out[below(chance, n)])
                    opening -= 1
                elif firsts >> seat & 1:
                    play(s[0], seat, first(v[0], seat, luck, work))
                else:
                    play(s[0], seat, second(v[0], seat, luck, other_work))
            played += 1
            mask = asked(s[0])

    return contest


def pairs(first: Bot, second: Bot, seats: int, options: Any, opening: int, seeds: Iterable[int]) -> Iterator[Result]:
    """For each seed two games: every other seat the first bot's, and then the others."""
    game = first.game
    contest = contest_of(game, first.choose, second.choose)
    s, v = np.zeros((2, 1), game.rules.STATE)
    out = np.empty(game.rules.MOST_MOVES, np.int32)
    for seed in seeds:
        games = []
        for parity in range(2):
            first.forget()
            second.forget()
            firsts = sum(1 << seat for seat in range(seats) if seat % 2 == parity)
            chance, luck = dice_from(seed), dice_from(~seed)
            contest(s, v, seats, options, firsts, opening, chance, luck, out, first.work, second.work)
            if game.asked(s[0]):
                raise RuntimeError(f"a game of {game.name} between {first.name} and {second.name} does not end")
            score = game.score(s[0], seats)
            mine = [score[seat] for seat in range(seats) if firsts >> seat & 1]
            theirs = [score[seat] for seat in range(seats) if not firsts >> seat & 1]
            best = max(score)
            won = mine.count(best) / score.count(best)
            ahead = sum(mine) / len(mine) - sum(theirs) / len(theirs)
            games.append((won, ahead))
        yield Result.of_seed(games)


def match(
    first: Bot,
    second: Bot,
    games: int,
    seats: int | None = None,
    seed: int = 0,
    threads: int = 1,
    until_sure: bool = False,
    opening: int = 0,
    told: Callable[[Result], object] = lambda so_far: None,
    **options: object,
) -> Result:
    """Play so many games, an even number, or until it is sure who is better; `told` hears how it stands.

    The first `opening` moves of a game are any moves, the same with the seats changed: without chance and noise two
    bots would play one game again and again.
    Bots forget one game before the next, so the number of threads does not matter.
    """
    game = first.game
    seats, chosen = game.settle(seats, options)
    if seats == 1:
        raise BadOption(f"{game.name} with one seat has nobody to play against")
    numbers = game.encoded(chosen)
    seeds = count(seed)
    total = Result()

    def work(mine: tuple[Bot, Bot], share: list[int]) -> Result:
        return sum(pairs(*mine, seats, numbers, opening, share), Result())

    companies = [(first, second), *((first.twin(), second.twin()) for _ in range(threads - 1))]
    with ThreadPoolExecutor(threads) as pool:
        while total.games < games and not (until_sure and total.is_settled):
            left = (games - total.games + 1) // 2
            batch = max(1, min(left // threads, 1 if until_sure else 8))
            shares = [list(islice(seeds, batch)) for _ in range(min(threads, left))]
            for part in pool.map(work, companies, shares):
                if not (until_sure and total.is_settled):  # what was played beyond that does not count
                    total += part
            told(total)
    return total
