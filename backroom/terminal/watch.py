"""Watching: bots against each other, and games that were played before."""

import secrets
import sys
import time
from pathlib import Path

from rich.text import Text

from backroom.bots import Bot
from backroom.engine.game import BadOption, Seat
from backroom.engine.kernel import SPECTATOR
from backroom.engine.table import Table
from backroom.terminal.play import write
from backroom.terminal.show import console, show_result, show_scene


def watch(table: Table, bots: list[Bot], delay: float, path: Path | None) -> int:
    """Let bots play to the end; says the exit code."""
    told = 0

    def tell() -> int:
        for sentence in table.story(since=told):
            console.print(sentence)
        return len(table.lines)

    try:
        while not table.is_over:
            told = tell()
            console.print()
            show_scene(table.game, table.view(SPECTATOR), SPECTATOR)
            time.sleep(delay)
            for seat in table.asked:
                move = bots[seat % len(bots)].answer(table.view(seat), seat, secrets.randbits(63))
                table.play(seat, table.game.rules.name(table.view(seat), move))
    except KeyboardInterrupt:
        return 130
    finally:
        if path is not None:
            write(path, str(table.save))
            console.print(f"The log is in {path}")
    tell()
    console.print()
    show_scene(table.game, table.view(SPECTATOR), SPECTATOR)
    assert table.score is not None
    show_result(table.game, table.score)
    return 0


def replay(table: Table, at: int | None, seat: Seat, svg: Path | None) -> None:
    """Show a game that was played: all of it, or the board after `at` moves; or write that board as a picture."""
    last = len(table.lines)
    if at is not None and not 0 <= at <= last:
        raise BadOption(f"this game has {last} moves; --at wants a number from 0 to {last}")
    if seat != SPECTATOR and seat not in range(table.seats):
        raise BadOption(f"there is no seat {seat}; this table has seats 0 to {table.seats - 1}")
    if svg is not None:
        v = table.game.view(table.state_at(last if at is None else at), seat)
        write(svg, table.game.rules.draw(v, seat).svg())
        console.print(f"The picture is in {svg}")
    elif at is not None:
        _show(table, at, seat)
    elif sys.stdin.isatty() and sys.stdout.isatty():
        _step_through(table, seat)
    else:
        for number, sentence in enumerate(table.story(seat), 1):
            console.print(Text.assemble((f"{number:>4}  ", "dim"), sentence))
        _show(table, last, seat)


def _show(table: Table, at: int, seat: Seat) -> None:
    v = table.game.view(table.state_at(at), seat)
    console.print()
    show_scene(table.game, v, seat)
    if at:
        console.print(Text.assemble((f"{at} of {len(table.lines)}  ", "dim"), list(table.story(seat))[at - 1]))
    console.print(Text(table.game.rules.question(v, seat), "bold"))
    if at == len(table.lines) and table.score is not None:
        show_result(table.game, table.score)


def _step_through(table: Table, seat: Seat) -> None:
    at, last = 0, len(table.lines)
    while True:
        _show(table, at, seat)
        try:
            line = console.input(Text("Enter: on, b: back, a number: go there, q: stop > ", "dim")).strip().lower()
        except (EOFError, KeyboardInterrupt):
            console.print()
            return
        if line == "q" or (not line and at == last):
            return
        if line == "b":
            at = max(at - 1, 0)
        elif line.isdecimal():
            at = min(int(line), last)
        elif not line:
            at += 1
        else:
            console.print(f"{line!r} is not one of these.")
