"""Players for measurements: current bots by name, and levels of earlier versions as `frozen:LEVEL`.

`FROZEN` has their plans. If a game's evaluation has changed since, `train/frozen` has the earlier one.
"""

import copy
import importlib
from functools import cache
from pathlib import Path
from typing import Any

from backroom.bots import Bot, bot_or_file, plies
from backroom.bots.bot import pooled
from backroom.bots.levels import STRATEGIES
from backroom.engine.game import Game
from backroom.engine.kernel import add_package
from backroom.games.run import net

add_package(Path(__file__).parent / "frozen")  # before its kernels are defined, so that they are cached
booze_barons_2026_11: Any = importlib.import_module("frozen.booze_barons_2026_11")
rum_run_2026_11: Any = importlib.import_module("frozen.rum_run_2026_11")
rummy_runners_2026_11: Any = importlib.import_module("frozen.rummy_runners_2026_11")

FROZEN: dict[str, dict[str, tuple[str, dict[str, Any]]]] = {
    "run": {
        "easy": ("search", {"iterations": 16, "noise": 0.25}),
        "medium": ("plies", {"plies": 1, "noise": 0.2}),
        "hard": ("plies", {"plies": 3, "margin": 0.1, "close": 0.005}),
    },
    "runaway-train": {
        "easy": ("rounds", {"iterations": 10, "noise": 0.4}),
        "medium": ("rounds", {"iterations": 30, "noise": 0.15}),
        "hard": ("rounds", {"iterations": 150}),
    },
    "rummy-runners": {
        "easy": ("turns", {"worlds": 0, "noise": 0.55}),
        "medium": ("turns", {"worlds": 0, "blur": 0.1}),
        "hard": ("turns", {"worlds": 24, "turns": 2, "width": 10}),
    },
    "booze-barons": {
        "easy": ("rollouts", {"worlds": 0, "noise": 0.35}),
        "medium": ("rollouts", {"worlds": 0}),
        "hard": ("rollouts", {"worlds": 96, "turns": 5, "trust": 100}),
    },
    "rum-run": rum_run_2026_11.LEVELS,
}
"""The levels of November 2026."""
RUN_NET = Path(__file__).parent / "frozen" / "run-2026-11.npz"
"""The net of Run's levels of that time."""


@cache
def frozen_game(game: Game) -> Game:
    """The game for the frozen bots: the same rules with the evaluation of that time."""
    rules: Any = copy.copy(game.rules)
    if game.name == "rum-run":
        rules.value = rum_run_2026_11.value
        del rules.repetition_key  # they did not detect cycles
    elif game.name == "rummy-runners":
        rules.value = rummy_runners_2026_11.value
    elif game.name == "booze-barons":
        for name in ("value", "rollout_policy", "rate_moves"):
            setattr(rules, name, getattr(booze_barons_2026_11, name))
        del rules.observe, rules.presume, rules.may_end
    else:
        return game
    return Game(rules)


@cache
def run_net() -> Any:
    return net.weights(net.read_weights(RUN_NET))


def player(name: str, game: Game) -> Bot:
    """A bot by name, current or frozen, or the policy in a file."""
    if not name.startswith("frozen:"):
        return bot_or_file(name, game)
    strategy, fields = FROZEN[game.name][name.removeprefix("frozen:")]
    seen, module = frozen_game(game), STRATEGIES[strategy]
    plan = module.Plan(**fields)
    if module is plies:
        return Bot(name, game, plies.choose_of(game), lambda: plies.workspace_for(game, plan, run_net()))
    return Bot(name, game, module.choose_of(seen), lambda: pooled(module, seen, plan))
