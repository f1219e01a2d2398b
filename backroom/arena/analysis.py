"""Analysis of a finished game: what each decision cost and who was lucky, given what each seat knew at the time."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from backroom.bots import Judge, judge_of, ranked
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE
from backroom.engine.marks import plain
from backroom.engine.protocol import Move, Seat, State
from backroom.engine.table import Table

LEAST = 0.002
"""The smallest error worth mentioning, as a share of the win."""


@dataclass(frozen=True, slots=True)
class Decision:
    """A choice that a seat made."""

    number: int
    """The number of the line in the log."""
    seat: Seat
    played: str
    worth: float
    """The expected share of the win after the move that was played, 0 to 1."""
    best: str
    best_worth: float
    considered: list[tuple[str, float]]
    """All moves that were judged with their worth, the best first."""
    labels: dict[str, str]
    """The labels of these moves, with marks."""
    touches: dict[str, list[str]]
    """The ids to touch for the move that was played, and for the best one."""

    @property
    def error(self) -> float:
        """The worth of the best move minus that of the move played."""
        return max(self.best_worth - self.worth, 0.0)

    def as_json(self, names: Sequence[str]) -> dict[str, Any]:
        return {
            "line": self.number,
            "seat": self.seat,
            "played": self.played,
            "label": plain(self.labels[self.played], names),
            "worth": self.worth,
            "error": self.error,
            "considered": [
                {"move": move, "label": plain(self.labels[move], names), "worth": worth}
                for move, worth in self.considered
            ],
            "touches": self.touches,
        }


@dataclass(frozen=True, slots=True)
class Chance:
    """A roll or a card, and what it meant for each seat that saw it."""

    number: int
    name: str
    luck: dict[Seat, float]
    """For each seat, its expectation after this line minus the one before."""

    def as_json(self) -> dict[str, Any]:
        return {"line": self.number, "move": self.name, "luck": {str(k): v for k, v in self.luck.items()}}


@dataclass(frozen=True, slots=True)
class Analysis:
    """The decisions and the luck of a game."""

    table: Table
    decisions: list[Decision]
    chances: list[Chance]

    def error(self, seat: Seat) -> float:
        """The total error of a seat's decisions."""
        return sum(decision.error for decision in self.decisions if decision.seat == seat)

    def luck(self, seat: Seat) -> float:
        return sum(chance.luck.get(seat, 0.0) for chance in self.chances)

    def worst(self, seat: Seat, most: int = 5) -> list[Decision]:
        """The costliest decisions of a seat, without negligible ones."""
        mine = [decision for decision in self.decisions if decision.seat == seat and decision.error >= LEAST]
        return sorted(mine, key=lambda decision: -decision.error)[:most]

    def as_json(self, names: Sequence[str] = ()) -> dict[str, Any]:
        """With the players' names in texts; if none are given, those of the log, where a bot has that of its level."""
        game = self.table.game
        return {
            "game": game.name,
            "version": game.rules.VERSION,
            "seats": [
                {
                    "seat": seat,
                    "name": self.table.who.get(seat, game.seat_name(seat)),
                    "decisions": sum(decision.seat == seat for decision in self.decisions),
                    "error": self.error(seat),
                    "luck": self.luck(seat),
                }
                for seat in range(self.table.seats)
            ],
            "decisions": [decision.as_json(names or self.table.names) for decision in self.decisions],
            "chances": [chance.as_json() for chance in self.chances],
        }


def analyse(
    table: Table,
    judge: Judge | None = None,
    on_line: Callable[[int], object] = lambda number: None,
) -> Analysis:
    """Judge all decisions and chances of a game; `on_line` is called with the number of lines that are done."""
    decisions, chances = list[Decision](), list[Chance]()
    for number, found in judged(table, judge or judge_of(table.game)):
        if isinstance(found, Decision):
            decisions.append(found)
        elif found is not None:
            chances.append(found)
        on_line(number)
    return Analysis(table, decisions, chances)


def judged(table: Table, judge: Judge) -> Iterator[tuple[int, Decision | Chance | None]]:
    """Yields the number of each line, and its Decision or Chance if it is one."""
    game = table.game
    for number, (before, after) in enumerate(itertools.pairwise(table.states()), 1):
        at = table.lines[number - 1]
        if at.seat == NATURE:
            yield number, Chance(number, at.name, dict(lucks(table, judge, before, at.move, after)))
        elif len(game.moves(before, at.seat)) > 1 and at.move != game.rules.BACK:
            yield number, decision(game, judge, before, number, at.seat, at.move)
        else:
            yield number, None


def decision(game: Game, judge: Judge, before: State, number: int, seat: Seat, move: Move) -> Decision:
    v = game.view(before, seat)
    found = ranked(game, judge, v, seat, seat)
    names = [(game.rules.name(v, one), worth) for one, worth in found]
    labels = {game.rules.name(v, one): game.rules.label(v, one) for one, _ in found}
    touches = {game.rules.name(v, one): game.rules.touch(v, seat, one) for one in (move, found[0][0])}
    return Decision(number, seat, game.rules.name(v, move), dict(found)[move], *names[0], names, labels, touches)


def lucks(table: Table, judge: Judge, before: State, move: Move, after: State) -> Iterator[tuple[Seat, float]]:
    """The luck of nature's move, for each seat that saw it: its expectation after the move minus the one before."""
    game = table.game
    for seat in range(table.seats):
        if game.sees(before, seat, NATURE, move):
            was, came = (judge.view(game.view(s, seat), seat, seat) for s in (before, after))
            yield seat, came - was
