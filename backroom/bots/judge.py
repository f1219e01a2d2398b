"""Judges evaluate moves, for hints and for the analysis of finished games. Each strategy has its own judge."""

from collections.abc import Sequence
from typing import Protocol, cast, runtime_checkable

from backroom.bots.bot import PLAIN, bot, strategy_of
from backroom.bots.memory import AGAIN
from backroom.engine.game import Game
from backroom.engine.kernel import dice_from
from backroom.engine.options import BadOption
from backroom.engine.protocol import Move, Seat, State


class Judge(Protocol):
    """Evaluates moves and views for a seat, as its share of the win from 0 to 1, by no more than the seat knows."""

    def moves(self, v: State, seat: Seat, seed: int) -> dict[Move, float]:
        """The value of each legal move of the seat, except a step back."""

    def view(self, v: State, seat: Seat, seed: int) -> float:
        """The value of the view for the seat, whoever has to move."""


@runtime_checkable
class JudgesTurns(Judge, Protocol):
    """A judge of whole turns, which knows how each would end."""

    def moves_after(self, v: State, seat: Seat, seed: int, been: Sequence[int]) -> dict[Move, float]:
        """As `moves`. `been` lists how turns of the seat have ended: ending one so again is worth less each time."""


def judge_of(game: Game, effort: float = 1.0, name: str = "hard") -> Judge:
    """A judge with the strategy and plan of the bot of that name. It thinks longer than the bot, by a factor that its
    strategy defines, times the effort. BadOption says why there is none.
    """
    word, *_ = name.partition(":")
    if word in PLAIN:
        raise BadOption(f"{word} cannot judge moves: it does not look ahead; hard does")
    bot(name, game)  # raises BadOption for a bad name
    module, plan = strategy_of(name, game)
    return cast(Judge, module.Judge(game, plan.longer(module.Judge.LONGER * effort)))


def ranked(
    game: Game, judge: Judge, v: State, seat: Seat, seed: int = 0, been: Sequence[int] = ()
) -> list[tuple[Move, float]]:
    """The legal moves and their values, the best first; ties go to a move that ends the game, then by the game's value.

    `been` lists how turns of the seat have ended (`ends_of_turns`): each repetition makes a move worth less.
    """
    found = game.moves(v, seat)
    world = game.imagined(v, seat, dice_from(seed))
    if len(found) == 1:
        worths = {found[0]: judge.view(v, seat, seed)}
    elif isinstance(judge, JudgesTurns):
        worths = judge.moves_after(v, seat, seed, been)
    else:
        worths = judge.moves(v, seat, seed)
        for move in worths if been else ():
            then = game.after(world, seat, move)
            if game.asked(then) != (seat,):
                worths[move] -= AGAIN * been.count(int(game.rules.repetition_key(then, seat)))  # type: ignore[attr-defined]

    def order(one: tuple[Move, float]) -> tuple[float, bool, float]:
        then = game.after(world, seat, one[0])
        return one[1], not game.asked(then), game.rules.value(then, seat)

    return sorted(((move, round(worth, 6)) for move, worth in worths.items()), key=order, reverse=True)
