"""Contests between bots and analyses of games: progress bars, then tables."""

import json
import math
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rich.progress import Progress
from rich.table import Column, Table

from backroom.arena.analysis import analyse
from backroom.arena.ladder import Meeting, Rung, ladder, round_robin
from backroom.arena.result import MatchResult
from backroom.bots import bot_or_file, judge_of
from backroom.engine.game import Game
from backroom.engine.marks import plain
from backroom.engine.options import BadOption
from backroom.engine.table import Table as GameTable
from backroom.terminal.files import command, write
from backroom.terminal.show import console


def report(table: GameTable, effort: float, name: str, file: Path | None) -> None:
    """Print the analysis of a game, seat by seat; optionally write it as JSON."""
    check_folder(file)
    game = table.game
    judge = judge_of(game, effort, name)
    with Progress(console=console, transient=True) as progress:
        bar = progress.add_task("looking at every decision", total=len(table.lines))
        found = analyse(table, judge, lambda number: progress.update(bar, completed=number))
    for seat in range(table.seats):
        mine = [decision for decision in found.decisions if decision.seat == seat]
        who = f" ({table.who[seat]})" if seat in table.who else ""
        mean = found.error(seat) / max(len(mine), 1)
        console.print(f"{game.seat_name(seat)}{who}", style="bold")
        console.print(f"  skill: {len(mine)} decisions cost {found.error(seat):.3f} of a win in all, {mean:.4f} each")
        if found.chances:
            console.print(f"  luck: {found.luck(seat):+.3f} of a win")
        for decision in found.worst(seat):

            def called(name: str, labels: dict[str, str] = decision.labels) -> str:
                return f"{plain(labels[name], table.names)} [{name}]"

            console.print(
                f"  move {decision.number:>4}: {called(decision.played)} ({decision.worth:.1%}), "
                f"better: {called(decision.best)} ({decision.best_worth:.1%})"
            )
    if file is not None:
        write(file, json.dumps(found.as_json(), indent=1) + "\n")


def check_folder(file: Path | None) -> None:
    if file is not None and not file.absolute().parent.is_dir():
        raise BadOption(f"cannot write to {file}: there is no folder {file.absolute().parent}")


def contests(game: Game, options: dict[str, Any], names: list[str], file: Path | None, games: int, **how: Any) -> None:
    """Play a round-robin with a progress bar for each pair; print the results, and optionally write them as JSON."""
    if len(set(names)) < 2 or len(set(names)) < len(names):
        raise BadOption(f"expected two different bots or more, not {' '.join(names)}")
    check_folder(file)
    game.settle(how.get("seats"), options)
    bots = [bot_or_file(name, game) for name in names]
    games += games % 2
    with Progress(console=console, transient=True) as progress:
        bars: dict[tuple[str, str], Any] = {}

        def show_progress(first: str, second: str, so_far: MatchResult) -> None:
            if (first, second) not in bars:
                bars[first, second] = progress.add_task(f"{first} against {second}", total=games)
            progress.update(bars[first, second], completed=so_far.games)

        meetings = round_robin(bots, games, show_progress, **how, **options)
    console.print(results_of(meetings))
    rungs = ladder(meetings) if len(bots) > 2 else []
    if rungs:
        console.print(standings_of(rungs))
    flags = [f"--{name}={how[name]}" for name in ("seats", "opening") if how.get(name)]
    flags += ["--until-sure"] if how.get("until_sure") else []
    flags += [f"--option={key}={value}" for key, value in options.items()]
    again = command("arena", game.name, *names, f"--games={games}", f"--seed={how.get('seed', 0)}", *flags)
    console.print(f"Again with: {again}", soft_wrap=True)
    if file is not None:
        found: dict[str, Any] = {"game": game.name, "version": game.rules.VERSION, "again": again}
        found |= {"results": [meeting.as_json() for meeting in meetings], "ladder": [asdict(rung) for rung in rungs]}
        write(file, json.dumps(found, indent=1) + "\n")


def results_of(meetings: list[Meeting]) -> Table:
    """Two lines for each match, with the result of the first bot, in 80 columns."""
    table = Table(Column("match", overflow="fold"), "games")
    for title, width in (("share of wins", 8), ("95 %", 9), ("points a game", 10), ("odds", 9)):
        table.add_column(title, max_width=width)
    for meeting in meetings:
        low, high = meeting.result.interval
        points, reach = meeting.result.points_a_game
        share = meeting.result.share
        elo = f"{400 * math.log10(share / (1 - share)):+.0f} Elo" if 0 < share < 1 else ""
        spread = f" ± {reach:.3f}" if meeting.result.seeds > 1 else ""  # nothing can be said of one seed
        table.add_row(
            *(f"{meeting.first}\nagainst {meeting.second}", str(meeting.result.games)),
            *(f"{share:.1%}", f"{low:.1%} to {high:.1%}", f"{points:+.3f}{spread}", elo),
        )
    return table


def standings_of(rungs: list[Rung]) -> Table:
    """A line for each bot, the best first."""
    table = Table(Column("ladder", overflow="fold"), "share of wins", "95 %", "OpenSkill rating")
    for rung in rungs:
        low, high = rung.interval
        table.add_row(
            *(rung.name, f"{rung.share:.1%}", f"{low:.1%} to {high:.1%}", f"{rung.rating:.1f} ± {rung.doubt:.1f}")
        )
    return table
