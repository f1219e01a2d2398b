"""Compiling ahead: every kernel of a game, by using it once, so that nobody waits for it later."""

import functools
from collections.abc import Callable, Iterator

import numpy as np

from backroom import bots
from backroom.arena.match import match
from backroom.arena.playouts import playouts
from backroom.bots import BOTS, Bot
from backroom.engine.count import perft
from backroom.engine.game import Game
from backroom.engine.kernel import dice_from
from backroom.engine.table import Table


def steps(game: Game) -> Iterator[tuple[str, Callable[[], object]]]:
    """What there is to compile, in words, and how to do it."""
    yield "rules", lambda: _touch_all(game)
    yield "playouts", lambda: playouts(game, 1)
    yield "perft", lambda: perft(game, game.start(*game.settle(None, {})), 1)
    for name in BOTS:
        yield f"bot {name}", functools.partial(_let_play, bots.bot(name, game))


def _let_play(bot: Bot) -> None:
    """A bot as a table asks it, and as the arena does."""
    table = Table(bot.game, seed=0)
    bot.answer(table.view(table.asked[0]), table.asked[0], 0)
    if table.seats > 1:
        match(bot, bot, 1)


def _touch_all(game: Game) -> None:
    """A short walk that calls each kernel of the protocol as tables call it."""
    rules = game.rules
    seats, options = game.settle(None, {})
    s = game.start(seats, options)
    for played, (seat, move) in enumerate(game.stroll(s, seats, dice_from(0))):
        rules.seen(s, seat, move)
        rules.is_whole(s)
        for reader in range(seats):
            v = game.view(s, reader)
            game.imagined(v, reader, dice_from(0))
            rules.value(v, reader)
            rules.features(v, reader, np.zeros(rules.FEATURES, np.float32))
            rules.draw(v, reader)
        if played == 60:
            break
    game.score(s, seats)
