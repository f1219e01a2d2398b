"""Compiling ahead, with progress to look at: each game in a process of its own, as Numba compiles one at a time."""

import os
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from rich.progress import Progress

from backroom.arena import warm
from backroom.engine.game import Game
from backroom.engine.kernel import cache_folder
from backroom.engine.options import BadOption
from backroom.gym import warm as gym_warm
from backroom.terminal.doubts import note_that_it_is_compiled
from backroom.terminal.show import console

Step = tuple[str, Callable[[], object]]


def steps(game: Game, with_gym: bool) -> list[Step]:
    """What there is to compile for a game."""
    return [*warm.steps(game), *(gym_warm.steps(game) if with_gym else ())]


def warm_plainly(games: list[Game], with_gym: bool) -> None:
    """One after the other, with a line for each step, for programs to read."""
    every = [(game, *step) for game in games for step in steps(game, with_gym)]
    for number, (game, what, compile_) in enumerate(every, 1):
        print(number, len(every), game.name, what, flush=True)
        compile_()
        if what == "judge":
            note_that_it_is_compiled(game)


def warm_side_by_side(games: list[Game], with_gym: bool) -> None:
    """As many games at once as there are cores; the largest first, since it takes about as long as all the others."""
    largest_first = sorted(games, key=lambda game: game.rules.STATE.itemsize, reverse=True)
    with Progress(console=console) as progress, ThreadPoolExecutor(os.cpu_count()) as pool:
        bar = progress.add_task("compiling", total=sum(len(steps(game, with_gym)) for game in games))

        def compile_game(name: str) -> None:
            words = [sys.executable, "-m", "backroom", "warm", "--plain", name, *(["--gym"] if with_gym else [])]
            with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as child:
                assert child.stdout is not None
                for line in child.stdout:
                    progress.update(bar, description=" ".join(line.split()[2:]))
                    progress.advance(bar)
            if child.returncode:
                raise BadOption(f"the rules of {name} could not be compiled; see above")

        list(pool.map(compile_game, [game.name for game in largest_first]))
        progress.update(bar, description="all rules are compiled")
    console.print(f"They are kept in {cache_folder()}", soft_wrap=True)
