"""Whether a level overlooks what ends the game at once: a turn that wins, or a move that loses, in its own sight.

    python train/at_once.py GAME LEVEL … [--seats N] [--seconds 30] [--seed 1] [--option NAME=VALUE …]

The level plays with itself. Where a seat begins its turn, all its turns are enumerated by brute force, up to LINES
positions: one that ends the game, and wins it in every one of WORLDS worlds that the seat can imagine, is a win at
once. It is overlooked if the seat does not win with that turn. A move loses at once if in every such world the game
ends before another seat is asked, and without a win of this one, whatever it does next; it is a blunder if another move
does not lose so. What nature draws after a line is drawn anew in every world, so what is nearly certain may count.
"""

import argparse
import itertools
import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from matches import player

import backroom
from backroom.bots import Bot, seated
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, dice_from, pick
from backroom.engine.table import Table

LINES = 400
"""The most positions that are visited in one turn."""
WORLDS = 128
"""Imagined worlds in which a line has to end the game."""


def worlds_of(game: Game, v: Any, seat: int) -> Iterator[Any]:
    return (game.imagined(v, seat, dice_from(k)) for k in range(WORLDS))


def settled(game: Game, s: Any, dice: Any) -> Any:
    """The state after what nature draws until a seat is asked or the game is over."""
    while game.asked(s) == (NATURE,):
        odds = np.array(game.odds(s))
        s = game.after(s, NATURE, game.moves(s, NATURE)[int(pick(dice, odds, len(odds)))])
    return s


def ends_with(game: Game, world: Any, seat: int, line: tuple[int, ...], seats: int, dice: Any) -> bool | None:
    """Whether the seat wins with a line; None if the line does not end the game, or is not legal in this world."""
    s = world
    for move in line:
        if game.asked(s) != (seat,) or move not in game.moves(s, seat):
            return None
        s = game.after(s, seat, move)
    s = settled(game, s, dice)
    return seat in game.winners(s, seats) if not game.asked(s) else None


def lines_that_end(game: Game, world: Any, seat: int, dice: Any) -> list[tuple[int, ...]]:
    """The lines of a seat's steps that end the game in this world, breadth first."""
    found, waiting, visited = [], [((), world)], 0
    while waiting and visited < LINES:
        line, s = waiting.pop(0)
        for move in game.moves(s, seat):
            if move == game.rules.BACK:
                continue
            visited += 1
            then = game.after(s, seat, move)
            asked = game.asked(then)
            if not asked or not game.asked(settled(game, then, dice)):
                found.append((*line, move))
            elif asked == (seat,):
                waiting.append(((*line, move), then))
    return found


def wins_at_once(game: Game, v: Any, seat: int, seats: int) -> bool:
    """Whether some line of the seat certainly wins at once."""
    dice = dice_from(0)
    lines = lines_that_end(game, next(worlds_of(game, v, seat)), seat, dice)
    return any(
        all(ends_with(game, world, seat, line, seats, dice) for world in worlds_of(game, v, seat)) for line in lines
    )


def is_lost(game: Game, s: Any, seat: int, seats: int, dice: Any) -> bool:
    """Whether the game ends now, or with what nature draws, without a win of the seat, whatever it does before that."""
    if game.asked(s) == (seat,):
        return all(
            is_lost(game, game.after(s, seat, move), seat, seats, dice)
            for move in game.moves(s, seat)
            if move != game.rules.BACK
        )
    s = settled(game, s, dice)
    return not game.asked(s) and seat not in game.winners(s, seats)


def loses_at_once(game: Game, v: Any, seat: int, move: int, seats: int) -> bool:
    """Whether a move certainly loses before another seat is asked."""
    dice = dice_from(0)
    return all(is_lost(game, game.after(world, seat, move), seat, seats, dice) for world in worlds_of(game, v, seat))


class Count:
    """What was found for a level."""

    def __init__(self) -> None:
        self.turns = self.wins = self.overlooked = self.losing = self.blunders = 0

    def __str__(self) -> str:
        return (
            f"{self.turns} turns; a win at once in {self.wins}, overlooked {self.overlooked}; "
            f"a move that loses at once in {self.losing}, played {self.blunders}"
        )


def play(bot: Bot, table: Table, seats: int, count: Count) -> None:
    """One game of a bot with itself."""
    game, players = table.game, [seated(bot, seat, table) for seat in range(seats)]
    turn_of, can_win = -1, False
    while not table.is_over:
        asked = table.asked
        seat = asked[0]
        v = table.view(seat)
        moves = [move for move in game.moves(v, seat) if move != game.rules.BACK]
        if asked == (seat,) and turn_of != seat:
            turn_of, can_win = seat, wins_at_once(game, v, seat, seats)
            count.turns += 1
            count.wins += can_win
        name = players[seat].move(table)
        if asked == (seat,) and 1 < len(moves) <= LINES:
            losing = {each for each in moves if loses_at_once(game, v, seat, each, seats)}
            if losing and len(losing) < len(moves):
                count.losing += 1
                count.blunders += game.rules.parse(v, name) in losing
        table.play(seat, name)
        if asked != (seat,) or table.asked != (seat,):
            if turn_of == seat and can_win:
                count.overlooked += not (table.is_over and seat in game.winners(table.state, seats))
            turn_of, can_win = -1, False


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("levels", nargs="+")
    parser.add_argument("--seats", type=int)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    said = parser.parse_args()
    game = backroom.game(said.game)
    options = dict(option.partition("=")[::2] for option in said.option)
    seats, _ = game.settle(said.seats, options)
    for level in said.levels:
        count, until = Count(), time.monotonic() + said.seconds
        for seed in itertools.count(said.seed):
            if time.monotonic() > until:
                break
            play(player(level, game), game.table(seats, seed=seed, **options), seats, count)
        print(f"{game.name} --seats={seats} {level}: {seed - said.seed} games, {count}", flush=True)


if __name__ == "__main__":
    main()
