"""Round-robins: every bot against every other, and the resulting ladder."""

import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from openskill.models import PlackettLuce

from backroom.arena.match import match
from backroom.arena.result import REACH, MatchResult
from backroom.bots.bot import Bot


@dataclass(frozen=True, slots=True)
class Meeting:
    """A match between two bots, with its result for the first."""

    first: str
    second: str
    result: MatchResult

    def as_json(self) -> dict[str, Any]:
        points, reach = self.result.points_a_game
        return {
            "first": self.first,
            "second": self.second,
            "games": self.result.games,
            "share": self.result.share,
            "interval": self.result.interval,
            "points_a_game": points,
            "points_reach": reach,
        }


def round_robin(
    bots: list[Bot],
    games: int,
    on_result: Callable[[str, str, MatchResult], object] = lambda first, second, so_far: None,
    **how: Any,
) -> list[Meeting]:
    """Play this number of games between every pair of bots; `how` goes to `match`. `on_result` is called with the names
    of two bots and the result of their match so far.
    """
    return [
        Meeting(
            first.name,
            second.name,
            match(
                first,
                second,
                games,
                on_result=lambda result, first=first, second=second: on_result(first.name, second.name, result),  # type: ignore[misc]
                **how,
            ),
        )
        for first, second in itertools.combinations(bots, 2)
    ]


@dataclass(frozen=True, slots=True)
class Rung:
    """The standing of one bot."""

    name: str
    rating: float
    """OpenSkill's rating."""
    doubt: float
    """Half the width of the 95 % interval of the rating."""
    share: float
    """Its share of the wins, with each opponent weighted equally."""
    interval: tuple[float, float]


def ladder(meetings: list[Meeting]) -> list[Rung]:
    """All bots, the best first.

    A rating depends on the order of games, so every meeting is entered as its wins and losses, interleaved with the
    other meetings. Bots do not change over time, so the uncertainty only shrinks (`tau`).
    """
    model = PlackettLuce(tau=0.0)
    ratings = {name: model.rating(name=name) for meeting in meetings for name in (meeting.first, meeting.second)}
    for number in range(max(meeting.result.games for meeting in meetings)):
        for meeting in meetings:
            if number >= meeting.result.games:
                continue
            won = int((number + 1) * meeting.result.share) > int(number * meeting.result.share)
            pair = [[ratings[meeting.first]], [ratings[meeting.second]]]
            ((first,), (second,)) = model.rate(pair, ranks=[1, 2] if won else [2, 1])
            ratings[meeting.first], ratings[meeting.second] = first, second
    rungs = [
        Rung(name, rating.mu, REACH * rating.sigma, *against_all(name, meetings)) for name, rating in ratings.items()
    ]
    return sorted(rungs, key=lambda rung: -rung.rating)


def against_all(name: str, meetings: list[Meeting]) -> tuple[float, tuple[float, float]]:
    """A bot's share of wins against all its opponents, with its 95 % interval."""
    shares, below, above = [], 0.0, 0.0
    for meeting in meetings:
        if name in (meeting.first, meeting.second):
            share, (low, high) = meeting.result.share, meeting.result.interval
            if name == meeting.second:
                share, low, high = 1 - share, 1 - high, 1 - low
            shares.append(share)
            below += (share - low) ** 2
            above += (high - share) ** 2
    mean = sum(shares) / len(shares)
    return mean, (mean - math.sqrt(below) / len(shares), mean + math.sqrt(above) / len(shares))
