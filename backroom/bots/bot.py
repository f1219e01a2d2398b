"""What a bot is, which there are, and how they are named.

A name is `hard`, or with other numbers in its plan `hard:width=32,noise=0.1`; a number alone is the first field:
`net:1` looks one ply ahead, `search:300` has 300 iterations.
"""

import itertools
import threading
from collections.abc import Callable
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from backroom.bots import greedy, policy, uniform
from backroom.bots.deadlines import DEADLINES
from backroom.bots.levels import LEVELS, STRATEGIES, plan_of
from backroom.bots.luck import dice_of, luck_of
from backroom.bots.memory import ends_of_turns, memories, note
from backroom.bots.plans import Plan
from backroom.engine.game import Game
from backroom.engine.kernel import dice_from
from backroom.engine.options import BadOption
from backroom.engine.phrases import did_you_mean, listing
from backroom.engine.protocol import Move, Seat, State
from backroom.engine.table import Table, new_seed

PLAIN: dict[str, Any] = {"random": uniform, "greedy": greedy}
"""Bots without a plan."""
BY_STRATEGY = {"search": "search", "net": "plies", "expert": "truncated"}
"""Bots that are a strategy with its own plan, under names of their own."""
BOTS = (*PLAIN, *BY_STRATEGY, *LEVELS)
"""The names of all bots; strategies are known by their own names too."""
OFFERED = ("random", *LEVELS, "expert")
"""What people are offered, from weak to strong, as far as a game has it; the rest is for the arena."""
DEFAULT = "medium"
"""Who plays where nobody was named."""
GENTLE = next(iter(LEVELS))
"""Who plays with newcomers."""
MOST_BOTS = 256
"""How many bots of this process are kept to be asked again."""
LONGEST_NAME = 100
SUFFIX = ".npz"
"""How the name of a file ends that holds a policy."""

_of_thread = threading.local()


class Bot:
    """A bot for one game. It holds nothing of any table, and any number of threads may ask it at once: what it
    remembers of a game is handed in, and what it thinks with belongs to the thread.
    """

    def __init__(self, name: str, game: Game, choose: Any, workspace: Callable[[], Any], patience: float = 1.0) -> None:
        self.name = name
        self.game = game
        self.patience = patience
        """How many times as long as others it may think, where there is a deadline."""
        self.choose = choose
        """Its kernel `choose(v, seat, dice, work, memory) -> move`."""
        self._workspace = workspace
        self._works = threading.local()

    def __repr__(self) -> str:
        return f"<bot {self.name} for {self.game.name}>"

    @property
    def work(self) -> Any:
        """The workspace of this thread: a tuple of arrays, so that the kernel allocates nothing."""
        if not hasattr(self._works, "work"):
            self._works.work = self._workspace()
        return self._works.work

    def memory(self) -> Any:
        """A memory of nothing, for a seat that the bot begins to play."""
        return memories(1)[0]

    def answer(self, v: State, seat: Seat, seed: int, memory: Any = None, until: float | None = None) -> Move:
        """The bot's move, for a view of its seat in which it has one.

        `memory` is that of the seat; without one it answers as if it had decided nothing yet. `until` is a time of
        `time.monotonic` after which it plays the best that it has found.
        """
        work, memory = self.work, self.memory() if memory is None else memory
        if not getattr(self.choose, "signatures", True):  # it is compiled now, which takes no time from thinking
            until = None
        with DEADLINES.keep(until, work.stop):
            return int(self.choose(v, seat, dice_from(seed), work, memory))


class SeatedBot:
    """A bot in a seat of a table: it remembers what it has decided there, and throws the dice of that table's bots."""

    def __init__(self, bot: Bot, seat: Seat, luck: int) -> None:
        self.bot, self.seat, self.luck = bot, seat, np.uint64(luck)
        self.memory = bot.memory()

    @property
    def name(self) -> str:
        return self.bot.name

    def answer(self, v: State, made: int, until: float | None = None) -> Move:
        """Its move, when its seat has made that many."""
        return self.bot.answer(v, self.seat, int(dice_of(self.luck, self.seat, made)), self.memory, until)

    def move(self, table: Table) -> str:
        """The name of its move at a table that it sits at."""
        v = table.view(self.seat)
        return table.game.rules.name(v, self.answer(v, sum(line.seat == self.seat for line in table.lines)))

    def forget(self) -> None:
        """Moves were taken back: what was decided is decided anew."""
        self.memory = self.bot.memory()

    def recall(self, table: Table, since: int = 0) -> None:
        """Think again through the steps that it has just made, so that it remembers what it had decided and how its
        turns ended: after a restart, or when a saved game goes on. Lines up to `since` were played by somebody else.
        """
        lines = list(table.lines)
        first = len(lines)
        while first > since and lines[first - 1].seat == self.seat:
            first -= 1
        made = sum(line.seat == self.seat for line in lines[:first])
        for layout in ends_of_turns(table, self.seat, since, first):
            note(self.memory, np.uint64(layout))
        for steps, s in enumerate(itertools.islice(table.states(), first, len(lines))):
            self.answer(table.game.view(s, self.seat), made + steps)


def seated(bot: Bot, seat: Seat, table: Table) -> SeatedBot:
    """A bot that sits down at a table. Where no seed is known it throws dice that nobody can foresee."""
    return SeatedBot(bot, seat, luck_of(table.seed or new_seed()))


def bots_of(game: Game) -> list[str]:
    """The names of the bots that can play a game."""
    return [name for name in BOTS if name not in BY_STRATEGY or STRATEGIES[BY_STRATEGY[name]].suits(game)]


def offered(game: Game) -> list[str]:
    """The names of the bots of a game that people are offered, from weak to strong."""
    known = bots_of(game)
    return [name for name in OFFERED if name in known]


@lru_cache(MOST_BOTS)
def bot(name: str, game: Game) -> Bot:
    """The bot of that name for a game; BadOption says which there are, or what is wrong with its plan."""
    word, _, changes = name.partition(":")
    known = bots_of(game)
    if len(name) > LONGEST_NAME:
        raise BadOption(f"the name of a bot has up to {LONGEST_NAME} letters")
    if word not in BOTS and word not in STRATEGIES:
        raise BadOption(f"there is no bot called {word!r}{did_you_mean(word, known)}")
    if word not in known and not (word in STRATEGIES and STRATEGIES[word].suits(game)):
        raise BadOption(f"{game.name} has no bot called {word!r}; there is {listing(sorted(known), 'and')}")
    if word in PLAIN:
        if changes:
            raise BadOption(f"{word} has no plan that could be changed; expected {word}, not {name!r}")
        plain = PLAIN[word]
        return Bot(name, game, plain.choose_of(game), lambda: plain.workspace_for(game))
    module, plan = strategy_of(name, game)
    patience = getattr(module, "PATIENCE", 1.0)
    return Bot(name, game, module.choose_of(game), lambda: pooled(module, game, plan), patience)


def bot_of_file(path: Path, game: Game) -> Bot:
    """The bot that plays by the policy in a file."""
    net = policy.read(path, game)
    return Bot(str(path), game, policy.choose_of(game), lambda: policy.workspace_for(game, net))


def bot_or_file(name: str, game: Game) -> Bot:
    """A bot by its name, or the policy in a file: for those who may read the files of this machine."""
    return bot_of_file(Path(name), game) if name.endswith(SUFFIX) else bot(name, game)


def strategy_of(name: str, game: Game) -> tuple[Any, Plan]:
    """How a bot with a plan thinks: the module of its strategy, and the plan with what the name says about it."""
    word, _, changes = name.partition(":")
    strategy, plan = plan_of(game, word) if word in LEVELS else (BY_STRATEGY.get(word, word), None)
    module = STRATEGIES[strategy]
    return module, (plan or module.Plan()).changed(settings_of(module.Plan, changes))


def pooled(strategy: Any, game: Game, plan: Plan) -> Any:
    """The workspace of this thread for a strategy and a game, with another plan in it: the large arrays are shared by
    all bots that differ only in that, for nothing is left in them from one decision to the next.
    """
    works = _of_thread.__dict__.setdefault("works", {})
    key = strategy.__name__, game
    if key not in works:
        works[key] = strategy.workspace_for(game, plan)
    return works[key]._replace(plan=plan.record)


def is_bot(name: str, game: Game) -> bool:
    """Whether a bot of that name can play a game."""
    try:
        bot(name, game)
    except BadOption:
        return False
    return True


def settings_of(plan: type[Any], text: str) -> dict[str, str]:
    """What a name says about its plan, field by field."""
    if not text:
        return {}
    if "=" not in text:
        return {fields(plan)[0].name: text}
    parts = [part.partition("=") for part in text.split(",")]
    if wrong := [name for name, equals, _ in parts if not equals]:
        raise BadOption(f"expected NAME=NUMBER,…, not {wrong[0]!r} in {text!r}")
    return {name.strip(): value.strip() for name, _, value in parts}
