"""Bots: the `Bot` class, the bots that exist, and their names.

A name is `hard`, or `hard:width=32,noise=0.1` to change fields of its plan. A number alone sets the first field:
`net:1` looks one ply ahead, `search:300` runs 300 iterations.
"""

import itertools
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import fields
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from backroom.bots import greedy, policy, uniform
from backroom.bots.deadlines import DEADLINES
from backroom.bots.levels import NAMES, STRATEGIES, levels_of, plan_of
from backroom.bots.memory import ends_of_turns, learn_again, memories, note
from backroom.bots.plans import Plan
from backroom.bots.reflexes import reflex_of, seat_with_reflex
from backroom.bots.seeds import bots_seed_of, dice_of
from backroom.bots.sight import sighted
from backroom.engine.game import Game
from backroom.engine.kernel import dice_from
from backroom.engine.options import BadOption
from backroom.engine.phrases import did_you_mean, listing
from backroom.engine.protocol import Move, Seat, State
from backroom.engine.table import Table, new_seed

PLAIN: dict[str, Any] = {"random": uniform, "greedy": greedy}
"""Bots without a plan."""
BY_STRATEGY = {"search": "search", "net": "plies", "expert": "truncated"}
"""Bots that are a strategy with its default plan: the name of each, and its strategy."""
BOTS = (*PLAIN, *BY_STRATEGY, *NAMES)
"""The names of all bots; the names of strategies are accepted too."""
OFFERED = ("random", *NAMES, "expert")
"""The bots that people are offered if a game has them, from weak to strong; the others are for the arena."""
DEFAULT = "medium"
"""The bot that plays if none is named."""
MOST_BOTS = 256
"""The size of this process's cache of bots."""
LONGEST_NAME = 100
SUFFIX = ".npz"
"""The suffix of files that hold a policy."""

_of_thread = threading.local()


class Bot:
    """A bot for one game. It holds no state of any table, and any number of threads may use it at once: the memory of a
    seat is passed in, and each thread has a workspace of its own.
    """

    def __init__(self, name: str, game: Game, choose: Any, workspace: Callable[[], Any], patience: float = 1.0) -> None:
        self.name = name
        self.game = game
        self.patience = patience
        """Factor by which its time limit is longer than that of other bots, if there is a deadline."""
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
        """An empty memory, for a seat that the bot begins to play."""
        return memories(1)[0]

    def answer(self, v: State, seat: Seat, seed: int, memory: Any = None, until: float | None = None) -> Move:
        """The bot's move, for a view of a seat that has one.

        `memory` is the seat's memory; without it the bot answers as if it had decided nothing yet. `until` is a time of
        `time.monotonic` after which it plays the best move found so far; the time to compile its kernel does not count.
        """
        work, memory = self.work, self.memory() if memory is None else memory
        if until is not None and not getattr(self.choose, "signatures", True):
            until += self._compile(v, seat)
        with DEADLINES.keep(until, work.stop):
            return int(self.choose(v, seat, dice_from(seed), work, memory))

    def _compile(self, v: State, seat: Seat) -> float:
        """Compile the kernel by an answer whose time is over before it begins; returns the seconds this took."""
        begin = time.monotonic()
        with DEADLINES.keep(begin, self.work.stop):
            self.choose(v, seat, dice_from(0), self.work, self.memory())
        return time.monotonic() - begin


class SeatedBot:
    """A bot in a seat of a table, with its memory and with dice derived from the table's seed."""

    def __init__(self, bot: Bot, seat: Seat, seed: int) -> None:
        self.bot, self.seat, self.seed = bot, seat, np.uint64(seed)
        self.memory = bot.memory()

    @property
    def name(self) -> str:
        return self.bot.name

    def answer(self, v: State, made: int, until: float | None = None) -> Move:
        """Its move, after its seat has made `made` moves; its reflex if the seat is not asked."""
        reflex = reflex_of(self.name, self.bot.game)
        if reflex is not None and self.seat not in self.bot.game.asked(v):
            return int(reflex(v, self.seat))
        return self.bot.answer(v, self.seat, int(dice_of(self.seed, self.seat, made)), self.memory, until)

    def move(self, table: Table) -> str:
        """The name of its move at the table."""
        v = table.view(self.seat)
        return table.game.rules.name(v, self.answer(v, sum(line.seat == self.seat for line in table.lines)))

    def recall(self, table: Table, since: int = 0, until: float | None = None) -> None:
        """Make its memory again from the table's lines, after a restart, a take-back, or when a saved game goes on: how
        its turns ended, what it learned, and its latest steps, which it decides again if it has to go on now. Lines up
        to `since` were played by somebody else. `until` is a deadline as in `answer`.
        """
        self.memory = self.bot.memory()
        lines = list(table.lines)
        first = len(lines)
        while first > since and lines[first - 1].seat == self.seat and self.seat in table.asked:
            first -= 1
        made = sum(line.seat == self.seat for line in lines[:first])
        for key in ends_of_turns(table, self.seat, since, first):
            note(self.memory, np.uint64(key))
        learn_again(table, self.seat, self.memory, since, first)
        for steps, s in enumerate(itertools.islice(table.states(), first, len(lines))):
            self.answer(table.game.view(s, self.seat), made + steps, until)


def seated(bot: Bot, seat: Seat, table: Table) -> SeatedBot:
    """Seat a bot at a table of its game. If the table's seed is unknown, its dice come from a new random seed."""
    if not isinstance(bot, Bot):
        raise TypeError(f"expected a Bot, as bot(NAME, game) returns it, not {bot!r}")
    if bot.game.rules is not table.game.rules:
        raise BadOption(f"{bot!r} cannot play {table.game.name}; expected a bot of that game")
    if seat not in range(table.seats):
        raise BadOption(f"there is no seat {seat!r} at this table; it has seats 0 to {table.seats - 1}")
    return SeatedBot(bot, seat, bots_seed_of(table.seed or new_seed()))


def next_seat(table: Table, bots: Mapping[Seat, SeatedBot]) -> Seat | None:
    """The seat of the bot that moves next: one that moves at once although it is not asked, or else the first that is
    asked; None if no bot has to move.
    """
    asked = table.asked
    idle = {seat: bot.name for seat, bot in bots.items() if seat not in asked}
    quick = seat_with_reflex(table.game, idle, table.view) if asked else None
    return quick if quick is not None else next((seat for seat in asked if seat in bots), None)


def bots_of(game: Game) -> list[str]:
    """The names of the bots that can play a game."""
    levels = levels_of(game)
    return [
        name
        for name in BOTS
        if name in PLAIN or name in levels or (name in BY_STRATEGY and STRATEGIES[BY_STRATEGY[name]].suits(game))
    ]


def offered(game: Game) -> list[str]:
    """The names of the bots of a game that people are offered, from weak to strong."""
    known = bots_of(game)
    return [name for name in OFFERED if name in known]


def gentle(game: Game) -> str:
    """The name of the bot that plays with newcomers: the game's weakest level."""
    return levels_of(game)[0]


@lru_cache(MOST_BOTS)
def bot(name: str, game: Game) -> Bot:
    """The bot of that name for a game; BadOption lists the known names, or says what is wrong with its plan."""
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
    seen = sighted(game)
    net = policy.read(path, seen)
    return Bot(str(path), game, policy.choose_of(seen), lambda: policy.workspace_for(seen, net))


def bot_or_file(name: str, game: Game) -> Bot:
    """A bot by its name, or from a policy file: only for callers who may read the files of this machine."""
    return bot_of_file(Path(name), game) if name.endswith(SUFFIX) else bot(name, game)


def strategy_of(name: str, game: Game) -> tuple[Any, Plan]:
    """The module of a bot's strategy, and its plan with the changes from its name."""
    word, _, changes = name.partition(":")
    strategy, plan = plan_of(game, word) if word in NAMES else (BY_STRATEGY.get(word, word), None)
    module = STRATEGIES[strategy]
    return module, (plan or module.Plan()).changed(settings_of(module.Plan, changes))


def pooled(strategy: Any, game: Game, plan: Plan) -> Any:
    """This thread's workspace for a strategy and a game, with the given plan. Bots that differ only in their plan share
    the large arrays, for nothing is kept in them from one decision to the next.
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
    """The fields of a plan that a bot's name changes, as text."""
    if not text:
        return {}
    if "=" not in text:
        return {fields(plan)[0].name: text}
    parts = [part.partition("=") for part in text.split(",")]
    if wrong := [name for name, equals, _ in parts if not equals]:
        raise BadOption(f"expected NAME=NUMBER,…, not {wrong[0]!r} in {text!r}")
    return {name.strip(): value.strip() for name, _, value in parts}
