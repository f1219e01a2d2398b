"""How much there is to win in Booze Barons.

    python train/booze_barons_measure.py [OPPONENT] [--seats 3 4 …] [--games 200] [--seed 7000] [--seconds S]

As in the arena, the first bot has every other seat, and then the rest, and a win is shared among the seats of the mob
that wins. For each number of seats this prints how much the first bot can have: its share if the mob that has most of
its seats always won, which is an exact bound; and the share of a bot that sees what everybody carries, and plays the
move of the best rating, against OPPONENT, a player of `train/players.py` (`frozen:hard` if none is given).
"""

import argparse
import itertools
import math
import time
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
from players import player

import backroom
from backroom.arena.match import buffers_for, play_game
from backroom.arena.result import MatchResult
from backroom.bots import Bot
from backroom.bots.seeds import bots_seed_of
from backroom.engine.kernel import dice_from, kernel
from backroom.games.booze_barons.brain.ratings import TERMS, whim, worth_of_a_move
from backroom.games.booze_barons.pieces import BOOZES, MOBS, MOST_SEATS
from backroom.games.booze_barons.rules.course import moves
from backroom.games.booze_barons.rules.state import is_exposed

GAME = backroom.game("booze-barons")


class Sight(NamedTuple):
    """The workspace of the bot that sees everything."""

    s: Any
    """The state, which no other bot ever gets."""
    out: Any
    odds: Any


@kernel
def choose(v, seat, dice, work, memory):  # type: ignore[no-untyped-def]
    """The move of the best rating by what everybody really carries."""
    work.odds[:] = 0.0
    for other in range(v.seats):
        if other != seat and not is_exposed(v, other):
            work.odds[other * BOOZES + int(work.s[0].booze[other])] = 1.0
    best, most_worth = 0, -np.inf
    for i in range(moves(v, seat, work.out)):
        worth = worth_of_a_move(v, seat, work.out[i], work.odds, TERMS[v.seats]) + whim(dice)
        if worth > most_worth:
            best, most_worth = i, worth
    return work.out[best]


def most(seats: int) -> Fraction:
    """The share of a bot if the mob with the largest share of its seats always won (§2.2)."""
    sizes = [seats // MOBS + (mob < seats % MOBS) for mob in range(MOBS)]
    total = Fraction(0)
    for own in ((seats + 1) // 2, seats // 2):
        for members in itertools.product(*(range(size + 1) for size in sizes)):
            if sum(members) == own:
                ways = math.prod(map(math.comb, sizes, members))
                total += Fraction(ways, 2 * math.comb(seats, own)) * max(map(Fraction, members, sizes))
    return total


def seen_through(opponent: str, seats: int, games: int, seed: int, seconds: float) -> MatchResult:
    """The result of the bot that sees everything."""
    other, buffers, total, begin = player(opponent, GAME), buffers_for(GAME), MatchResult(), time.monotonic()
    work = Sight(buffers.s, np.zeros(GAME.rules.MOST_MOVES, np.int32), np.zeros(MOST_SEATS * BOOZES))
    bot = Bot("all-seeing", GAME, choose, lambda: work)
    options = GAME.encoded(GAME.settle(seats, {})[1])
    for number in range(seed, seed + games // 2):
        found: list[tuple[float | None, float]] = []
        for parity in range(2):
            firsts = sum(1 << seat for seat in range(parity, seats, 2))
            bots_seed = np.uint64(bots_seed_of(str(number)))
            play_game(buffers, bot, other, seats, options, firsts, 0, dice_from(number), bots_seed)
            winners = GAME.winners(buffers.s[0], seats)
            found.append((sum(firsts >> seat & 1 for seat in winners) / len(winners), 0.0))
        total += MatchResult.of_seed(found)
        if time.monotonic() - begin > seconds:
            break
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("opponent", nargs="?", default="frozen:hard")
    parser.add_argument("--seats", type=int, nargs="+", default=list(GAME.rules.SEATS))
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seed", type=int, default=7000)
    parser.add_argument("--seconds", type=float, default=math.inf, help="for each number of seats")
    said = parser.parse_args()
    for seats in said.seats:
        result = seen_through(said.opponent, seats, said.games, said.seed, said.seconds)
        low, high = result.interval
        print(
            f"{seats} seats: at most {float(most(seats)):.1%}; who sees everything has {result.share:.1%} of"
            f" {result.games} games against {said.opponent} ({low:.1%} to {high:.1%})",
            flush=True,
        )


if __name__ == "__main__":
    main()
