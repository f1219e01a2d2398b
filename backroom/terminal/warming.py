"""Compiling ahead with a progress display, each game in its own process: Numba compiles one thing at a time."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from rich.progress import Progress

from backroom.arena import warm
from backroom.engine.game import Game
from backroom.engine.kernel import cache_folder, kernel_sources
from backroom.engine.options import BadOption
from backroom.gym import warm as gym_warm
from backroom.terminal.doubts import note_that_it_is_compiled
from backroom.terminal.show import console

Step = tuple[str, Callable[[], object]]


def steps(game: Game, with_gym: bool) -> list[Step]:
    """What there is to compile for a game."""
    return [*warm.steps(game), *(gym_warm.steps(game) if with_gym else ())]


def warm_plainly(games: list[Game], with_gym: bool) -> None:
    """Compile one game after the other and print a line for each step, for programs to read."""
    every = [(game, *step) for game in games for step in steps(game, with_gym)]
    for number, (game, what, compile_) in enumerate(every, 1):
        print(number, len(every), game.name, what, flush=True)
        compile_()
        if what == "judge":
            note_that_it_is_compiled(game)


def largest_first(games: Iterable[Game]) -> list[Game]:
    """The games with the most kernel code first, so that no core is left with a large one at the end.

    A game inside another's folder comes after it and finds the kernels that they share.
    """

    def size(game: Game) -> int:
        sources = (path for path in kernel_sources() if path.suffix == ".py" and path.is_relative_to(game.folder))
        return sum(path.stat().st_size for path in sources)

    return sorted(games, key=size, reverse=True)


def warm_side_by_side(games: list[Game], with_gym: bool) -> None:
    """Compile as many games at once as there are cores."""
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

        list(pool.map(compile_game, [game.name for game in largest_first(games)]))
        progress.update(bar, description="all rules are compiled")
    console.print(f"They are kept in {cache_folder()}", soft_wrap=True)
