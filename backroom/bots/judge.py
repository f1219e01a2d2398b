"""Judges: who says afterwards, or as a hint, what a move was worth. Each strategy has its own."""

from collections.abc import Sequence
from typing import Protocol, cast

from backroom.bots.bot import PLAIN, bot, strategy_of
from backroom.bots.memory import AGAIN
from backroom.engine.game import Game
from backroom.engine.kernel import dice_from
from backroom.engine.options import BadOption
from backroom.engine.protocol import Move, Seat, State


class Judge(Protocol):
    """Whoever can say what moves and views are worth to a seat, by no more than it knows: 0 to 1, the win."""

    def moves(self, v: State, seat: Seat, seed: int) -> dict[Move, float]:
        """What each move that is open to the seat is worth, a step back left out."""

    def view(self, v: State, seat: Seat, seed: int) -> float:
        """What the seat may expect, whoever has to move."""


def judge_of(game: Game, effort: float = 1.0, name: str = "hard") -> Judge:
    """A judge who thinks like the bot of that name: as long as its strategy asks for, times the effort. BadOption says
    why there is none.
    """
    word, *_ = name.partition(":")
    if word in PLAIN:
        raise BadOption(f"{word} looks at nothing, so it cannot judge; hard can")
    bot(name, game)  # says what is wrong with the name
    module, plan = strategy_of(name, game)
    return cast(Judge, module.Judge(game, plan.longer(module.Judge.LONGER * effort)))


def ranked(
    game: Game, judge: Judge, v: State, seat: Seat, seed: int = 0, been: Sequence[int] = ()
) -> list[tuple[Move, float]]:
    """The moves that are open and what they are worth, the best first; of equals what ends the game, or looks best.

    `been` says how turns of the seat have ended (`ends_of_turns`): what leads there again is worth less each time.
    """
    found = game.moves(v, seat)
    worths = judge.moves(v, seat, seed) if len(found) > 1 else {found[0]: judge.view(v, seat, seed)}
    world = game.imagined(v, seat, dice_from(seed))
    for move in worths if been else ():
        then = game.after(world, seat, move)
        if game.asked(then) != (seat,):
            worths[move] -= AGAIN * been.count(int(game.rules.layout(then)))  # type: ignore[attr-defined]

    def order(one: tuple[Move, float]) -> tuple[float, bool, float]:
        then = game.after(world, seat, one[0])
        return one[1], not game.asked(then), game.rules.value(then, seat)

    return sorted(((move, round(worth, 6)) for move, worth in worths.items()), key=order, reverse=True)
