"""Measure what the first to meld gains where everybody waits: Rummy Runners with `sets=hard`.

    python train/rummy_runners_waiting.py [--deck 30 12 3 0] [--seats 4] [--games 40] [--seed 2026] [--bot hard]

All play as the bot does, but in each game one seat melds as soon as the deck has no more than `--deck` cards, if nobody
has melded yet: the candidate turn of the best value over eight imagined worlds. Prints its share of the wins and in how
many games nobody melded, for each of these numbers, and first without such a seat.
"""

import argparse
import math

import numpy as np

import backroom
from backroom.bots import bot, seated
from backroom.engine.kernel import dice_from
from backroom.engine.table import Table

GAME = backroom.game("rummy-runners")
WORLDS = 8


def best_meld(table: Table, seat: int) -> list[str]:
    """The steps of the meld after which the seat's value is best; none if it has no set."""
    v, out = table.view(seat), np.zeros((200, 80), np.int32)
    rows = out[: GAME.rules.candidate_turns(v, seat, out)]  # type: ignore[attr-defined]
    worlds = [GAME.imagined(v, seat, dice_from(number)) for number in range(WORLDS)]
    best, best_worth = list[int](), -1.0
    for steps in (row[1 : 1 + row[0]].tolist() for row in rows if row[0] > 1):
        worth = 0.0
        for s in map(GAME.copy, worlds):
            for move in steps:
                GAME.rules.play(s, seat, move)
            worth += GAME.rules.value(s, seat)
        if worth > best_worth:
            best, best_worth = steps, worth
    return [GAME.rules.name(v, move) for move in best]


def game(name: str, seats: int, seed: int, first: int, deck: int) -> tuple[float, bool]:
    """The share of the win of a seat that melds with `deck` cards left in the deck, and whether anybody melded."""
    table = GAME.table(seats, seed=seed, sets="hard")
    player, steps = bot(name, GAME), list[str]()
    players = [seated(player, seat, table) for seat in range(seats)]
    while not table.is_over:
        seat, s = table.asked[0], table.state
        if seat == first and not steps and not s.picked and s.deck <= deck and not any(s.before[:seats]):
            steps = best_meld(table, seat)
            players[seat] = seated(player, seat, table)  # which has decided nothing yet
        table.play(seat, steps.pop(0) if seat == first and steps else players[seat].move(table))
    winners = GAME.winners(table.state, seats)
    return (first in winners) / len(winners), any(table.state.before[:seats])


def tell(label: str, games: list[tuple[float, bool]]) -> None:
    """Print the share of the win with its 95 % interval."""
    shares = [share for share, _ in games]
    off = 1.96 * np.std(shares) / math.sqrt(len(shares))
    waited = sum(not melded for _, melded in games)
    print(f"{label}: {np.mean(shares):.3f} ± {off:.3f} of {len(games)}, no meld in {waited}", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deck", type=int, nargs="+", default=[30, 12, 3, 0])
    parser.add_argument("--seats", type=int, default=4)
    parser.add_argument("--games", type=int, default=40)
    parser.add_argument("--seed", type=int, default=2026)
    parser.add_argument("--bot", default="hard")
    said = parser.parse_args()
    every = []
    for deck in (-1, *said.deck):
        found = [
            game(said.bot, said.seats, said.seed + number, number % said.seats, deck) for number in range(said.games)
        ]
        every += found if deck >= 0 else []
        tell(f"{deck} cards" if deck >= 0 else "nobody", found)
    tell("all", every)


if __name__ == "__main__":
    main()
