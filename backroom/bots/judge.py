"""Judges: who says afterwards, or as a hint, what a move was worth."""

from collections.abc import Iterable
from typing import Any, Protocol

from backroom.bots import plies
from backroom.bots.search import Plan, consider
from backroom.engine.game import Game, Move, Seat, State
from backroom.engine.kernel import NATURE


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


class NetJudge:
    """Judges by a game's net: a state in which nobody is asked as `expect` says, one in which somebody is by the best
    end of his turn; moves by the other's best answers to what they can lead to.
    """

    ENDINGS = 3
    """How many ends of the turn get a second look, for each move."""
    MARGIN = 0.1
    """What costs so much of a win more than the best, at first sight, gets none."""

    def __init__(self, game: Game) -> None:
        rules: Any = game.rules
        self.game = game
        self.expect = rules.expect
        self.scan, self.outlook, _ = plies.kernels_of(game)
        self.room = plies.room_for(game, plies.Plan(), rules.mind())

    def moves(self, v: State, seat: Seat, seed: int) -> Iterable[tuple[Move, float]]:
        found = {
            move: self.endings(self.game.after(v, seat, move), seat)
            for move in self.game.moves(v, seat)
            if move != self.game.rules.BACK
        }
        least = max(ends[0][0] for ends in found.values()) - 2 * self.MARGIN
        known: dict[bytes, float] = {}
        looked = {
            move: max(self.second_look(end, seat, known) for mark, end in ends if mark >= least)
            for move, ends in found.items()
            if ends[0][0] >= least
        }
        floor = min(looked.values())
        return [(move, share(looked.get(move, min(ends[0][0], floor)))) for move, ends in found.items()]

    def endings(self, s: State, seat: Seat) -> list[tuple[float, State]]:
        """The best ends of the seat's turn from here on and what they are worth at first sight, the best first."""
        if self.game.asked(s) != (seat,):
            return [(float(self.expect(s, seat, self.room.mind)), s)]
        self.room.worlds[0] = s
        n = int(self.scan(self.room, 0, seat, self.ENDINGS))
        return [(float(self.room.marks[i]), self.game.copy(self.room.kept[i])) for i in range(n)]

    def second_look(self, end: State, seat: Seat, known: dict[bytes, float]) -> float:
        key = self.game.key(end)
        if key not in known:
            self.room.starts[1] = end
            known[key] = float(self.outlook(self.room, seat, 1))
        return known[key]

    def state(self, s: State, seat: Seat) -> float:
        asked = self.game.asked(s)
        if asked in ((), (NATURE,)):
            return share(float(self.expect(s, seat, self.room.mind)))
        mark = self.endings(s, asked[0])[0][0]
        return share(mark if asked[0] == seat else -mark)


def share(mark: float) -> float:
    """From what may be expected, -1 to 1, to the share of the win."""
    return (1.0 + mark) / 2.0


def judge_of(game: Game, iterations: int = 2000) -> Judge:
    """The best judge that there is of a game: its net, or else a search of so many iterations."""
    if plies.suits(game):
        return NetJudge(game)
    return SearchJudge(game, Plan(iterations=iterations))
