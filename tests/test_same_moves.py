"""The same seeds give the same moves at a server's table, in the terminal and in the arena, in every game and level."""

import time
from types import MappingProxyType, SimpleNamespace

import numpy as np
import pytest
from serving import served

import backroom
from backroom.arena.match import buffers_for, play_game
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
CLAIMS = {"setup": "small", "objectives": "yes", "claims": "noticed"}
"""Options of Rum Run with which bots move out of turn, too."""
MANY = 60
"""Enough moves for claims out of turn."""


def begun(lines, n):
    """The beginning of a log as seats and moves, if it is long enough to be compared; otherwise None."""
    mine = [number for number, line in enumerate(lines, 1) if line.seat != NATURE]
    return [(line.seat, line.move) for line in lines[: mine[n - 1]]] if len(mine) >= n else []


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server whose bots have no deadline, which would change their moves on a busy machine."""
    with served(tmp_path_factory.mktemp("same") / "t.db", bot_seconds=None) as found:
        yield found


def at_a_server(server, name, level, n, seats, options):
    """A table that only bots play, and its seed. Kernels are loaded first, so that no answer times out."""
    game = backroom.game(name)
    touch_all(game)
    first = game.table(seed=0)
    bot(level, game).answer(first.view(first.asked[0]), first.asked[0], 0)
    form = {f"option-{option}": value for option, value in options.items()}
    form |= {f"seat-{seat}": level for seat in range(max(game.rules.SEATS))}
    table = server.guest().make(name, seats=seats, **form)
    live = server.live(table)
    for _ in range(24_000):
        if live.state.stage == "over" or begun(live.state.table.lines, n):
            break
        time.sleep(0.01)
    server.do(live.write(lambda state: [] if state.stage == "over" else [Entry(END, 0, "Enough.")]))
    return live.state.table, live.config.seed


def in_the_terminal(played, seed, level, n, monkeypatch):
    """The lines of the same table, watched until there are enough."""
    table = played.game.table(played.seats, seed=seed, **played.options)

    def sleep(_):
        if begun(table.lines, n):
            raise KeyboardInterrupt

    monkeypatch.setattr(watch, "time", SimpleNamespace(sleep=sleep))
    monkeypatch.setattr(watch, "show_scene", lambda *_: None)
    watch.watch(table, [bot(level, table.game)], 0, None)
    return table.lines


def in_the_arena(played, seed, level):
    """The seats and moves of the same game, with nature's moves given."""
    game, player = played.game, bot(level, played.game)
    buffers = buffers_for(game, [line.move for line in played.lines if line.seat == NATURE], longest=len(played.lines))
    options = game.encoded(played.options)
    bots_seed = np.uint64(bots_seed_of(seed))
    n = play_game(buffers, player, player, played.seats, options, 1, 0, dice_from(0), bots_seed)
    return [tuple(line) for line in buffers.log[:n].tolist()]


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
    played, n = compare(server, name, level, monkeypatch)
    assert {line.seat for line in played.lines[:n]} - {NATURE} == set(range(played.seats))


@pytest.mark.parametrize("level", ["random", "beginner", "medium"])
@pytest.mark.parametrize("seats", [2, 4])
def test_bots_claim_out_of_turn_everywhere_alike(server, seats, level, monkeypatch):
    """All bots claim but `random`."""
    played, n = compare(server, "rum-run", level, monkeypatch, MANY, seats, CLAIMS)
    lines = list(zip(played.lines[:n], played.states(), strict=False))
    out_of_turn = [line.name for line, s in lines if line.seat != NATURE and line.seat not in played.game.asked(s)]
    assert all(name.startswith("claim") for name in out_of_turn)
    assert bool(out_of_turn) == (level != "random")


def compare(server, name, level, monkeypatch, moves=MOVES, seats="", options=MappingProxyType({})):
    """Play a game everywhere; returns the table at the server, and the number of lines that are the same."""
    played, seed = at_a_server(server, name, level, moves, seats, options)
    served_lines = begun(played.lines, moves) or [(line.seat, line.move) for line in played.lines]
    n = len(served_lines)
    watched = in_the_terminal(played, seed, level, moves, monkeypatch)
    assert [(line.seat, line.move) for line in watched][:n] == served_lines
    assert in_the_arena(played, seed, level)[:n] == served_lines
    return played, n


def test_the_dice_of_bots_are_another_draw_from_the_seed():
    """The dice of bots are pinned, so that games can be repeated; and no two decisions have the same dice."""
    assert bots_seed_of("7") == 17405798132884557781
    bots_seeds = [np.uint64(bots_seed_of(str(seed))) for seed in range(4)]
    found = {int(dice_of(bots_seed, seat, made)) for bots_seed in bots_seeds for seat in range(4) for made in range(50)}
    assert len(found) == 4 * 4 * 50
