"""Watching games between bots, and replaying logs."""

import itertools
import sys
import time
from pathlib import Path

from rich.text import Text

from backroom.bots import BOTS, Bot, next_seat, seated
from backroom.engine.kernel import SPECTATOR
from backroom.engine.marks import plain
from backroom.engine.options import BadOption
from backroom.engine.protocol import Seat
from backroom.engine.table import Table
from backroom.terminal.files import draw_to, write
from backroom.terminal.play import check_company
from backroom.terminal.show import console, show_result, show_scene, show_sentence

WAY_SECONDS = 1.0
"""The longest time for the intermediate pictures of a move, when a game is stepped through."""


def watch(table: Table, bots: list[Bot], delay: float, path: Path | None) -> int:
    """Let bots play to the end, with a board for each turn in which something happened; returns the exit code."""
    told = 0
    check_company(bots, table.seats)
    players = {seat: seated(bots[seat % len(bots)], seat, table) for seat in range(table.seats)}
    table.who = {seat: player.name for seat, player in players.items()}
    table.nameless = frozenset(table.who)
    movers = iter(lambda: next_seat(table, players), None)

    def show() -> int:
        sentences = [sentence for _, sentence in table.turns(since=told)]
        if not sentences and table.lines:
            return told
        for sentence in sentences:
            console.print(sentence)
        for number in range(told + 1, len(table.lines) + 1):
            show_way(table, number, SPECTATOR, delay)
        console.print()
        show_scene(table.game, table.view(SPECTATOR), SPECTATOR)
        console.print()
        time.sleep(delay)
        return len(table.lines)

    code = 0
    try:
        told = show()
        while not table.is_over:
            asked = table.asked
            for seat in itertools.islice(movers, len(asked)):
                table.play(seat, players[seat].move(table))
            if path is not None:
                write(path, str(table.save))
            if table.asked != asked:
                told = show()
        show_result(table)
    except KeyboardInterrupt:
        code = 130
        console.print()
    if path is not None:
        console.print(f"The log is in {path}", soft_wrap=True)
    return code


def show_way(table: Table, number: int, seat: Seat, seconds: float) -> None:
    """Show the intermediate pictures of a line, within this number of seconds."""
    stages = table.way(number, seat)
    for v in stages:
        console.print()
        show_scene(table.game, v, seat)
        time.sleep(seconds / len(stages))


def replay(table: Table, at: int | None, seat: Seat, svg: Path | None) -> int:
    """Show a game that was played: all of it, or the board after `at` moves; or write that board as a picture."""
    last = len(table.lines)
    table.nameless = frozenset(seat for seat, name in table.who.items() if name in BOTS)
    if at is not None and not 0 <= at <= last:
        raise BadOption(f"this game has {last} moves; --at wants a number from 0 to {last}")
    if seat != SPECTATOR and seat not in range(table.seats):
        raise BadOption(f"there is no seat {seat}; this table has seats 0 to {table.seats - 1}, and -1 is a spectator")
    if svg is not None:
        v = table.game.view(table.state_at(last if at is None else at), seat)
        draw_to(svg, table.game.rules.draw(v, seat).svg())
    elif at is not None:
        _show(table, at, seat)
    elif sys.stdin and sys.stdin.isatty() and sys.stdout.isatty():
        return _step_through(table, seat)
    else:
        for number, sentence in table.turns(seat):
            show_sentence(number, sentence)
        _show(table, last, seat)
    return 0


def _show(table: Table, at: int, seat: Seat) -> None:
    v = table.game.view(table.state_at(at), seat)
    console.print()
    show_scene(table.game, v, seat)
    number, sentence = next(table.chronicle(seat, since=at - 1), (at + 1, "")) if at else (1, "")
    said = plain(sentence, table.names) if number == at else ""
    console.print(Text.assemble((f"{at} of {len(table.lines)}  ", "dim"), said))
    console.print(Text(plain(table.game.rules.question(v, seat), table.names), "bold"))


def _step_through(table: Table, seat: Seat) -> int:
    at, last, refusal = 0, len(table.lines), ""
    while True:
        _show(table, at, seat)
        if refusal:
            console.print(refusal, style="red")
        refusal = ""
        try:
            line = input("Enter: on, b: back, a number: go there, q: stop > ").strip().lower()
        except EOFError:
            line = "q"
        except KeyboardInterrupt:
            console.print()
            return 130
        if line == "q" or (not line and at == last):
            return 0
        if line == "b":
            at = max(at - 1, 0)
        elif line.isdecimal() and line.isascii() and len(line) < 7 and int(line) <= last:
            at = int(line)
        elif not line:
            at += 1
            show_way(table, at, seat, WAY_SECONDS)
        else:
            refusal = f"{line[:20]!r} is not one of these; the moves are numbered 1 to {last}."
