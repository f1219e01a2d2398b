"""The words of the puzzles. Moves have their names from Rum Run; `give up` is all that is left when nothing fits."""

import numpy as np

from backroom.engine.marks import who
from backroom.engine.protocol import Move, Result, Seat, State
from backroom.games.rum_run import words as rum_run
from backroom.games.rum_run.pieces import COLOURS
from backroom.games.rum_run.rules.state import ASK_SECOND
from backroom.games.rum_run.words import NOTATION, token_in_words, whereabouts

from .pieces import PLACINGS
from .rules import GIVE_UP, MOST_MOVES, RED, made, moves

__all__ = ["NOTATION", "is_stuck", "label", "name", "parse", "placings", "question", "say", "with_red"]

_GIVE_UP = "give up"


def name(v: State, move: Move) -> str:
    """The move in the notation."""
    return _GIVE_UP if move == GIVE_UP else rum_run.name(v, move)


def parse(v: State, text: str) -> Move:
    """The move with this name, in capitals or not."""
    if text.lower() == _GIVE_UP:
        return GIVE_UP
    try:
        move = rum_run.parse(v, text)
    except ValueError as error:
        if str(error).startswith("a move is written"):
            raise ValueError(
                "a move is written like c4 (a node), 3|5 (a token), c4 3|5 (both, the end that links first) or back"
            ) from None
        raise
    if move == GIVE_UP:
        raise ValueError("nobody passes here; when nothing fits any more, one can give up (§3.2)")
    return move


def label(v: State, move: Move) -> str:
    """The label of a move."""
    return "Give up" if move == GIVE_UP else rum_run.label(v, move)


def with_red(text: str) -> str:
    """Rum Run's text, for a board on which nobody plays red."""
    return text.replace(who(RED), COLOURS[RED])


def placings(number: int) -> str:
    return "1 placing" if number == 1 else f"{number} placings"


def say(v: State, seat: Seat, move: Move, then: State) -> str:
    """What happened, for the log."""
    if move == GIVE_UP:
        return f"{who(0)} gives up (§3.2)."
    text = with_red(rum_run.say(v, seat, move, v))  # the outcome of a move in Rum Run is not its outcome here
    if then.winners:
        text = f"{text[:-1]}, where the barrel is: solved in {placings(int(made(then)))} (§5.3)."
    return text


def result(v: State) -> Result | None:
    """Whether it was solved, and in how many placings; None until it is solved or given up."""
    if not v.over:
        return None
    text = _ending(v)
    has = placings(int(made(v))) if v.winners else "not solved"
    return Result(f"{text[0].upper()}{text[1:]}.", (has,), (0,) if v.winners else ())


def _ending(v: State) -> str:
    if not v.winners:
        return f"not solved, and it takes {placings(int(v.step))} (§5.2)"
    best = f"but it takes only {v.step}" if made(v) > v.step else "as few as can be"
    return f"solved in {placings(int(made(v)))}, {best} (§5.3)"


def question(v: State, seat: Seat) -> str:
    """What is asked now."""
    if v.over:
        return f"The game is over: {_ending(v)}."
    goal = f"Reach the barrel {whereabouts(v, int(v.aim))}; it takes {placings(int(v.step))}"
    left = f"{v.reserve} of {PLACINGS} left"
    if v.ask[v.depth - 1] == ASK_SECOND:
        return f"{goal}. The double wants a second token (§4.3); {left}."
    if v.token >= 0:
        return f"{goal}. Where does {token_in_words(int(v.token))} go? {left.capitalize()}."
    if v.node >= 0:
        return f"{goal}. Which token goes {whereabouts(v, int(v.node))}? {left.capitalize()}."
    if is_stuck(v):
        return f"{goal}. Nothing can be placed any more (§3.2): take back, or give up."
    return f"{goal}, {left}."


def is_stuck(v: State) -> bool:
    """Whether nothing is left but to give up."""
    out = np.empty(MOST_MOVES, np.int32)
    return int(moves(v, 0, out)) == 1 and int(out[0]) == GIVE_UP
