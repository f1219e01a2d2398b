"""Fit the evaluation of `backroom/games/rummy_runners` to games: the log-odds of who wins, by what each seat has.

    python train/rummy_runners_value.py --seats 3 --games 800 [--seed 500000] [--player turns:worlds=8,turns=1,width=4]

Plays games of a bot with itself, and takes the whole position at the beginning of each turn. The evaluation is linear:
what each space of a seat adds (`WORTHS` in `brain.py`), each card in its hand, and being the next to move. It is fitted
to the winners: the log-odds are those of a softmax over the seats, found by Newton's method with a weak pull towards
the present numbers. Prints the log-loss of the present numbers, of the new ones and of no knowledge, in the last part
of the games, which is held out; and then new numbers from all games.
"""

import argparse
import math
from typing import Any

import numpy as np

import backroom
from backroom.bots import bot
from backroom.bots.seeds import bots_seed_of, dice_of
from backroom.engine.kernel import bit_count, kernel, lowest
from backroom.games.rummy_runners.brain import (
    FAR,
    FAR_IN_HAND,
    HELD,
    NEAR,
    NEAR_IN_HAND,
    ONE_OF_SUIT,
    OWNED,
    TO_MOVE,
    TWO_OF_SUIT,
    WORTHS,
    count_beside,
    outlook_of,
    spaces_of,
)
from backroom.games.rummy_runners.pieces import NULL, OF_SUIT, ONES
from backroom.games.rummy_runners.rules.melds import claimed, in_two_colours

GAME = backroom.game("rummy-runners")
COLUMNS = WORTHS.shape[2]
SPACES = WORTHS.shape[1] * COLUMNS
TERMS = SPACES + 2
PULL = 30.0
"""The weight of the numbers that the game has now, as if they had been seen in this number of positions."""
HELD_BACK = 0.3
"""The part of the positions by which the fit is checked."""


@kernel
def add(s, owned, tile, kind, out):
    """Count a space of a kind."""
    beside = count_beside(s, owned, tile)
    if beside < 0:
        out[kind * COLUMNS + 2] += 1.0
    else:
        out[kind * COLUMNS] += 1.0
        out[kind * COLUMNS + 1] += beside


@kernel
def terms(s, seat, out):
    """Write what the evaluation of a seat is composed of, in a game without disputes."""
    out[:] = 0.0
    owned, cards, hand = np.int64(s.owned[seat]), np.int64(s.before[seat]), np.int64(s.hand[seat])
    closed = np.int64(s.dead) | claimed(s)
    rest = owned
    while rest:
        tile = lowest(rest)
        rest &= rest - 1
        add(s, owned & ~(np.int64(1) << tile), tile, OWNED, out)
    before, held, pairs = spaces_of(cards), spaces_of(hand), in_two_colours(hand)
    rest = (before | held) & ~closed
    while rest:
        tile = lowest(rest)
        rest &= rest - 1
        bit = np.int64(1) << tile
        if before & bit:
            add(s, owned, tile, NEAR if held & bit else FAR, out)
        else:
            add(s, owned, tile, NEAR_IN_HAND if pairs & bit else FAR_IN_HAND, out)
    for suit in range(4):
        mine = ONES[(owned & OF_SUIT[suit]) >> 5 * suit]
        if mine and not closed >> (NULL + suit) & 1:
            add(s, owned, NULL + suit, TWO_OF_SUIT if mine == 2 else ONE_OF_SUIT, out)
    out[SPACES] = bit_count(hand)
    out[SPACES + 1] = 1.0 if s.turn == seat else 0.0


def numbers_now(seats: int) -> Any:
    return np.array([*WORTHS[seats - 2].flatten(), HELD[seats - 2], TO_MOVE[seats - 2]])


def positions(player: str, seats: int, games: int, seed: int) -> tuple[Any, Any]:
    """The terms of all seats at the beginning of each turn, and each seat's share of the win."""
    one, seen, came, now = bot(player, GAME), [], [], numbers_now(seats)
    for number in range(seed, seed + games):
        table, memories = GAME.table(seats=seats, seed=number), [one.memory() for _ in range(seats)]
        bots_seed, made, begun = np.uint64(bots_seed_of(str(number))), [0] * seats, 0
        while not table.is_over:
            seat = table.asked[0]
            v, s = table.view(seat), table.state
            if v.picked == 0:
                found = np.zeros((seats, TERMS))
                for each in range(seats):
                    terms(s, each, found[each])
                    told = outlook_of(s, each, np.int64(s.owned[each]), s.before[each], s.hand[each])
                    if abs(found[each, :-1] @ now[:-1] - told) > 1e-6:
                        raise AssertionError("the terms are not those of the game's evaluation")
                seen.append(found)
                begun += 1
            move = one.answer(v, seat, int(dice_of(bots_seed, seat, made[seat])), memories[seat])
            made[seat] += 1
            table.play(seat, GAME.rules.name(v, move))
        score = np.zeros(seats)
        GAME.rules.score(table.state, score)
        came += [score] * begun
    return np.array(seen), np.array(came)


def chances(weights: Any, seen: Any) -> Any:
    """Each seat's chance to win."""
    log = seen @ weights
    found = np.exp(log - log.max(1, keepdims=True))
    return found / found.sum(1, keepdims=True)


def loss(weights: Any, seen: Any, came: Any) -> float:
    return float(-(came * np.log(chances(weights, seen) + 1e-12)).sum(1).mean())


def fitted(seen: Any, came: Any, start: Any) -> Any:
    """The weights of the least loss."""
    weights = start.copy()
    for _ in range(60):
        found = chances(weights, seen)
        slope = np.einsum("ns,nsk->k", came - found, seen) - PULL * (weights - start)
        mean = np.einsum("ns,nsk->nk", found, seen)
        curve = np.einsum("ns,nsk,nsl->kl", found, seen, seen) - mean.T @ mean + PULL * np.eye(TERMS)
        weights += np.clip(np.linalg.solve(curve, slope), -1, 1)
    return weights


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--games", type=int, default=800)
    parser.add_argument("--seed", type=int, default=500_000)
    parser.add_argument("--player", default="turns:worlds=8,turns=1,width=4")
    said = parser.parse_args()
    seen, came = positions(said.player, said.seats, said.games, said.seed)
    now, few = numbers_now(said.seats), int(len(seen) * (1 - HELD_BACK))
    checked = fitted(seen[:few], came[:few], now)
    print(f"{said.games} games, {len(seen)} positions; log-loss in {len(seen) - few} that were not fitted:")
    for word, weights in (("now", now), ("fitted", checked)):
        print(f"  {word} {loss(weights, seen[few:], came[few:]):.3f}")
    print(f"  no knowledge {math.log(said.seats):.3f}")
    weights = fitted(seen, came, now)
    print(np.array2string(weights[:SPACES].reshape(-1, COLUMNS), precision=2, suppress_small=True))
    print(f"a card in the hand {weights[SPACES]:.2f}, the next to move {weights[SPACES + 1]:.2f}")


if __name__ == "__main__":
    main()
