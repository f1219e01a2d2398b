"""Judges: who says afterwards, or as a hint, what a move was worth."""

from collections.abc import Iterable
from typing import Protocol

from backroom.bots.search import Plan, consider
from backroom.engine.game import Game, Move, Seat, State


class Judge(Protocol):
    """Whoever can say what moves and states are worth to a seat: 0 to 1, the win."""

    def moves(self, v: State, seat: Seat, seed: int) -> Iterable[tuple[Move, float]]:
        """What each move open to the seat is worth, by its view."""

    def state(self, s: State, seat: Seat) -> float:
        """What a whole state is worth, such as one that was imagined."""


class SearchJudge:
    """Judges by searching; states at rest by the game's own value."""

    def __init__(self, game: Game, plan: Plan) -> None:
        self.game = game
        self.plan = plan

    def moves(self, v: State, seat: Seat, seed: int) -> Iterable[tuple[Move, float]]:
        return ((found.move, found.worth) for found in consider(self.game, v, seat, seed, self.plan))

    def state(self, s: State, seat: Seat) -> float:
        return float(self.game.rules.value(s, seat))


def judge_of(game: Game, iterations: int = 2000) -> Judge:
    """The best judge that there is of a game."""
    return SearchJudge(game, Plan(iterations=iterations))
