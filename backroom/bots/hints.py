"""Hints: the move that a judge thinks best and the reasons in words, which are facts of the seat's own view."""

from collections.abc import Sequence
from dataclasses import dataclass

from backroom.bots.judge import Judge, ranked
from backroom.engine.game import Game
from backroom.engine.protocol import Move, Seat, State

MOST_REASONS = 3
ALIKE, SLIGHT, CLEAR = 0.005, 0.02, 0.08
"""Upper bounds, in shares of the win, of differences called "as good", "a little better" and "better"."""


@dataclass(frozen=True, slots=True)
class Hint:
    """The moves as a judge ranks them, and what to say about the best one."""

    considered: list[tuple[Move, float]]
    """All legal moves, the best first, and the share of the win that each is worth."""
    says: str
    """What to do and why, as sentences with markup."""

    @property
    def move(self) -> Move:
        return self.considered[0][0]


def hint(game: Game, judge: Judge, v: State, seat: Seat, seed: int = 0, been: Sequence[int] = ()) -> Hint:
    """A hint for a view in which the seat has a move; `been` lists how its turns have ended (`ends_of_turns`)."""
    found = ranked(game, judge, v, seat, seed, been)
    label = game.rules.label(v, found[0][0])
    if len(found) == 1:
        can_go_back = game.rules.BACK in game.moves(v, seat) and found[0][0] != game.rules.BACK
        return Hint(found, f"Only this is open{', but for going back' if can_go_back else ''}: {label}.")
    reasons = why(game, v, seat, found)
    told = f" {_capital('; '.join(reasons))}." if reasons else ""
    return Hint(found, f"{label}.{told} {_beside(game, v, found)}")


def why(game: Game, v: State, seat: Seat, found: Sequence[tuple[Move, float]], place: int = 0) -> list[str]:
    """The reasons for the move at a place of the ranking, the best by default: facts that tell it from the next move
    that is clearly worse, or from its neighbour in the ranking if there is none.
    """
    move, worth = found[place]
    others = [other for other, less in found[place + 1 :] if worth - less > ALIKE]
    others += [other for other, _ in (*found[place + 1 :], *found[:place][::-1])]
    return game.reasons_for(v, seat, move, others[0])[:MOST_REASONS] if others else ["nothing else is open"]


def _beside(game: Game, v: State, found: list[tuple[Move, float]]) -> str:
    """A sentence that compares the best move with the next one that is clearly worse."""
    best = found[0][1]
    alike = sum(best - worth <= ALIKE for _, worth in found) - 1
    if alike == len(found) - 1:
        return "Everything else is as good."
    other, worth = next((move, worth) for move, worth in found if best - worth > ALIKE)
    label, gap = game.rules.label(v, other), best - worth
    if alike:
        return f"{'Another is' if alike == 1 else f'{alike} others are'} as good; not so “{label}”."
    how = "a little better" if gap <= SLIGHT else "better" if gap <= CLEAR else "much better"
    return f"It is {how} than “{label}”."


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
