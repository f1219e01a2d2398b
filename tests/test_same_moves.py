"""The same seeds give the same moves at a server's table, in the terminal and in the arena, in every game and level."""

import time
from types import SimpleNamespace

import numpy as np
import pytest
from serving import served

import backroom
from backroom.arena.match import contest_of, ring_for
from backroom.arena.warm import touch_all
from backroom.bots import bot, bots_seed_of, is_bot
from backroom.bots.levels import levels_of
from backroom.bots.seeds import dice_of
from backroom.engine.kernel import NATURE, dice_from
from backroom.server.storage.journal import END, Entry
from backroom.terminal import watch

QUICK_EXPERT = "expert:games=12,turns=1,plies=2,width=3"
MOVES = 16
"""The number of moves of seats that are compared, with nature's between."""


def begun(lines):
    """The beginning of a log as seats and moves, if it is long enough to be compared; otherwise None."""
    mine = [number for number, line in enumerate(lines, 1) if line.seat != NATURE]
    return [(line.seat, line.move) for line in lines[: mine[MOVES - 1]]] if len(mine) >= MOVES else []


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server whose bots have no deadline, which would change their moves on a busy machine."""
    with served(tmp_path_factory.mktemp("same") / "t.db", bot_seconds=None) as found:
        yield found


def at_a_server(server, name, level):
    """A table that only bots play, and its seed. Kernels are loaded first, so that no answer times out."""
    game = backroom.game(name)
    touch_all(game)
    first = game.table(seed=0)
    bot(level, game).answer(first.view(first.asked[0]), first.asked[0], 0)
    table = server.guest().make(name, **{f"seat-{seat}": level for seat in range(max(game.rules.SEATS))})
    live = server.live(table)
    for _ in range(24_000):
        if live.state.stage == "over" or begun(live.state.table.lines):
            break
        time.sleep(0.01)
    server.do(live.write(lambda state: [] if state.stage == "over" else [Entry(END, 0, "Enough.")]))
    return live.state.table, live.config.seed


def in_the_terminal(played, seed, level, monkeypatch):
    """The lines of the same table, watched until there are enough."""
    table = played.game.table(played.seats, seed=seed, **played.options)

    def sleep(_):
        if begun(table.lines):
            raise KeyboardInterrupt

    monkeypatch.setattr(watch, "time", SimpleNamespace(sleep=sleep))
    monkeypatch.setattr(watch, "show_scene", lambda *_: None)
    watch.watch(table, [bot(level, table.game)], 0, None)
    return table.lines


def in_the_arena(played, seed, level):
    """The seats and moves of the same game, with nature's moves given."""
    game, player = played.game, bot(level, played.game)
    ring = ring_for(game, [line.move for line in played.lines if line.seat == NATURE], longest=len(played.lines))
    contest, options = contest_of(game, player.choose, player.choose), game.encoded(played.options)
    bots_seed = np.uint64(bots_seed_of(seed))
    n = contest(ring, played.seats, options, 1, 0, dice_from(0), bots_seed, player.work, player.work)
    return [tuple(line) for line in ring.log[:n].tolist()]


@pytest.mark.parametrize(
    ("name", "level"),
    [
        (name, level)
        for name in backroom.names()
        for level in (*levels_of(backroom.game(name)), QUICK_EXPERT)
        if is_bot(level, backroom.game(name))
    ],
)
def test_the_same_seeds_give_the_same_moves_everywhere(server, name, level, monkeypatch):
    played, seed = at_a_server(server, name, level)
    served_lines = begun(played.lines) or [(line.seat, line.move) for line in played.lines]
    n = len(served_lines)
    assert {seat for seat, _ in served_lines} - {NATURE} == set(range(played.seats))
    watched = in_the_terminal(played, seed, level, monkeypatch)
    assert [(line.seat, line.move) for line in watched][:n] == served_lines
    assert in_the_arena(played, seed, level)[:n] == served_lines


def test_the_dice_of_bots_are_another_draw_from_the_seed():
    """The dice of bots are pinned, so that games can be repeated; and no two decisions have the same dice."""
    assert bots_seed_of("7") == 17405798132884557781
    bots_seeds = [np.uint64(bots_seed_of(str(seed))) for seed in range(4)]
    found = {int(dice_of(bots_seed, seat, made)) for bots_seed in bots_seeds for seat in range(4) for made in range(50)}
    assert len(found) == 4 * 4 * 50
