"""Whether a level overlooks what ends the game at once: a turn that wins, or a move that loses, in its own sight.

    python train/at_once.py GAME LEVEL … [--seats N] [--seconds 30] [--seed 1] [--option NAME=VALUE …] [--show]

The level plays with itself. Where a seat begins its turn, all its turns are enumerated by brute force, up to LINES
positions: one that ends the game, and wins it in every one of WORLDS worlds that the seat can imagine, is a win at
once. It is overlooked if the seat does not win with that turn. A move loses at once if in every such world the game
ends before another seat is asked, and without a win of this one, whatever it does next; it is a blunder if another move
does not: if all others are lost too, whatever the next seat that is asked alone answers, there is nothing to choose.
What nature draws after a line is drawn anew in every world, so what is nearly certain may count.

`--show` prints each win overlooked and each blunder: the log up to there, the position as the seat sees it, what the
level played, and what it should have played.
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


def wins_at_once(game: Game, v: Any, seat: int, seats: int) -> tuple[int, ...]:
    """The first line of the seat that certainly wins at once; empty if there is none."""
    dice = dice_from(0)
    for line in lines_that_end(game, next(worlds_of(game, v, seat)), seat, dice):
        if all(ends_with(game, world, seat, line, seats, dice) for world in worlds_of(game, v, seat)):
            return line
    return ()


def is_lost(game: Game, s: Any, seat: int, seats: int, dice: Any, answers: int = 0) -> bool:
    """Whether the game ends now, or with what nature draws, without a win of the seat, whatever it does before that.

    `answers` of other seats that are asked alone may come before the end; the seat is lost if it is with each of them.
    """
    asked = game.asked(s)
    if asked == (seat,) or (answers and len(asked) == 1 and asked != (NATURE,)):
        left = answers - (asked != (seat,))
        return all(
            is_lost(game, game.after(s, asked[0], move), seat, seats, dice, left)
            for move in game.moves(s, asked[0])
            if move != game.rules.BACK
        )
    s = settled(game, s, dice)
    return not game.asked(s) and seat not in game.winners(s, seats)


def loses_at_once(game: Game, v: Any, seat: int, move: int, seats: int, answers: int = 0) -> bool:
    """Whether a move certainly loses before another seat is asked, or after these answers of others."""
    dice = dice_from(0)
    return all(
        is_lost(game, game.after(world, seat, move), seat, seats, dice, answers) for world in worlds_of(game, v, seat)
    )


class Count:
    """What was found for a level."""

    def __init__(self) -> None:
        self.turns = self.wins = self.overlooked = self.losing = self.blunders = 0

    def __str__(self) -> str:
        return (
            f"{self.turns} turns; a win at once in {self.wins}, overlooked {self.overlooked}; "
            f"a move that loses at once in {self.losing}, played {self.blunders}"
        )


def names_of(game: Game, s: Any, seat: int, line: tuple[int, ...]) -> str:
    """The moves of a line in the notation."""
    names = []
    for move in line:
        names.append(game.rules.name(s, move))
        s = game.after(s, seat, move)
    return ", ".join(names)


def show(what: str, log: str, v: Any, game: Game, seat: int, played: str, should: str) -> None:
    """Print what was found, with all that is needed to look at it."""
    print(f"--- {what}\n{log}{game.rules.position(v)}\nseat {seat} played {played}; it should have played {should}\n")


def play(bot: Bot, table: Table, seats: int, count: Count, is_shown: bool = False) -> None:
    """One game of a bot with itself."""
    game, players = table.game, [seated(bot, seat, table) for seat in range(seats)]
    turn_of, winning, before, log, played = -1, "", None, "", []
    while not table.is_over:
        asked = table.asked
        seat = asked[0]
        v = table.view(seat)
        moves = [move for move in game.moves(v, seat) if move != game.rules.BACK]
        if asked == (seat,) and turn_of != seat:
            line = wins_at_once(game, v, seat, seats)
            winning = names_of(game, next(worlds_of(game, v, seat)), seat, line)
            turn_of, before, log, played = seat, v, str(table.save), []
            count.turns += 1
            count.wins += bool(winning)
        name = players[seat].move(table)
        if asked == (seat,) and 1 < len(moves) <= LINES:
            losing = {each for each in moves if loses_at_once(game, v, seat, each, seats)}
            others = [each for each in moves if each not in losing] if losing else []
            safe = [each for each in others if not loses_at_once(game, v, seat, each, seats, answers=1)]
            if safe:
                count.losing += 1
                if game.rules.parse(v, name) in losing:
                    count.blunders += 1
                    if is_shown:
                        better = " or ".join(game.rules.name(v, move) for move in safe)
                        show("a move that loses at once", str(table.save), v, game, seat, name, better)
        table.play(seat, name)
        played.append(name)
        if asked != (seat,) or table.asked != (seat,):
            if turn_of == seat and winning and not (table.is_over and seat in game.winners(table.state, seats)):
                count.overlooked += 1
                if is_shown:
                    show("a win overlooked", log, before, game, seat, ", ".join(played), winning)
            turn_of, winning = -1, ""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("game")
    parser.add_argument("levels", nargs="+")
    parser.add_argument("--seats", type=int)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--option", action="append", default=[], metavar="NAME=VALUE")
    parser.add_argument("--show", action="store_true")
    said = parser.parse_args()
    game = backroom.game(said.game)
    options = dict(option.partition("=")[::2] for option in said.option)
    seats, _ = game.settle(said.seats, options)
    for level in said.levels:
        count, until = Count(), time.monotonic() + said.seconds
        for seed in itertools.count(said.seed):
            if time.monotonic() > until:
                break
            play(player(level, game), game.table(seats, seed=seed, **options), seats, count, said.show)
        print(f"{game.name} --seats={seats} {level}: {seed - said.seed} games, {count}", flush=True)


if __name__ == "__main__":
    main()
