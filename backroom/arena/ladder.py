"""Round-robins: every bot against every other, and the ladder that comes of it."""

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from openskill.models import PlackettLuce

from backroom.arena.match import Result, match
from backroom.bots.bot import Bot


@dataclass(frozen=True, slots=True)
class Meeting:
    """Two bots, and how the first of them did."""

    first: str
    second: str
    result: Result

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
    told: Callable[[str, str, Result], object] = lambda first, second, so_far: None,
    **how: Any,
) -> list[Meeting]:
    """Let all pairs play so many games; `how` goes to `match`."""
    return [
        Meeting(
            first.name,
            second.name,
            match(
                first,
                second,
                games,
                told=lambda result, first=first, second=second: told(first.name, second.name, result),  # type: ignore[misc]
                **how,
            ),
        )
        for first, second in itertools.combinations(bots, 2)
    ]


def ladder(meetings: list[Meeting], rounds: int = 100) -> list[tuple[str, float, float]]:
    """Each bot's OpenSkill rating and how unsure it is, the best first.

    A rating counts how often who won, so each meeting is told in `rounds` games that are split as it was, in turn with
    the others: the order of play would otherwise decide.
    """
    model = PlackettLuce()
    ratings = {name: model.rating(name=name) for meeting in meetings for name in (meeting.first, meeting.second)}
    for number in range(rounds):
        for meeting in meetings:
            won = int((number + 1) * meeting.result.share) > int(number * meeting.result.share)
            pair = [[ratings[meeting.first]], [ratings[meeting.second]]]
            ((first,), (second,)) = model.rate(pair, ranks=[1, 2] if won else [2, 1])
            ratings[meeting.first], ratings[meeting.second] = first, second
    return sorted(((name, r.mu, r.sigma) for name, r in ratings.items()), key=lambda row: -row[1])
