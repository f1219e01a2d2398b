"""Compiling ahead: uses every kernel of a game once, so that nobody waits for it later."""

import functools
import math
from collections.abc import Callable, Iterable, Iterator

import numpy as np

from backroom import bots
from backroom.arena.playouts import playouts
from backroom.bots import Bot, bots_of
from backroom.engine.count import perft
from backroom.engine.game import Game
from backroom.engine.kernel import dice_from
from backroom.engine.open_moves import open_moves
from backroom.engine.table import Table


def in_order(games: Iterable[Game]) -> list[Game]:
    """The games in the order of the lobby, quickest to learn first: newcomers begin with one of those."""
    return sorted(games, key=lambda game: getattr(game.rules, "MINUTES", (0, math.inf))[1])


def steps(game: Game) -> Iterator[tuple[str, Callable[[], object]]]:
    """What there is to compile, each as a description and a function that does it."""
    yield "rules", lambda: touch_all(game)
    yield "playouts", lambda: playouts(game, 1)
    yield "perft", lambda: perft(game, game.start(*game.settle(None, {})), 1)
    yield from getattr(game.rules, "TABLES", ())
    for name in bots_of(game):
        yield f"bot {name}", functools.partial(_let_play, game, name)
    yield "judge", lambda: _let_judge(game)


def _let_play(game: Game, name: str) -> None:
    """Let a bot play as it does at a table."""
    bot: Bot = bots.bot(name, game)
    table = Table(game, seed=0)
    bot.answer(table.view(table.asked[0]), table.asked[0], 0, bot.memory())


def _let_judge(game: Game) -> None:
    """Let a judge do what hints and analyses need."""
    table, judge = Table(game, seed=0), bots.judge_of(game, 0.01)
    seat = table.asked[0]
    judge.moves(table.view(seat), seat, 0)
    judge.view(table.view(seat), seat, 0)


def touch_all(game: Game) -> None:
    """A short random walk that calls each kernel of the protocol with the types that tables use."""
    rules = game.rules
    seats, options = game.settle(None, {})
    s = game.start(seats, options)
    for played, (seat, move) in enumerate(game.stroll(s, seats, dice_from(0))):
        rules.seen(s, seat, move)
        rules.is_whole(s)
        open_moves(game)(s, seats)
        for reader in range(seats):
            v = game.view(s, reader)
            game.imagined(v, reader, dice_from(0))
            rules.value(v, reader)
            rules.features(v, reader, np.zeros(rules.FEATURES, np.float32))
            rules.draw(v, reader)
            if hasattr(rules, "reflex"):
                rules.reflex(v, reader)
        if played == 60:
            break
    game.score(s, seats)
