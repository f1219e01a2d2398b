"""The result of a match between two bots, with its statistical uncertainty."""

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass

SURE = 0.05
"""The error rate of an interval."""
REACH = 1.96
"""The half-width of a 95 % interval, in standard deviations."""


@dataclass(frozen=True, slots=True)
class MatchResult:
    """The result of the first of two bots. Results can be added."""

    games: int = 0
    wins: float = 0.0
    """Games won; a shared win counts as the share of the winning seats that were its own.

    Equal bots win half of the games that are won, with any number of seats, since each bot has every seat once.
    """
    nobodys: int = 0
    """Games without a winner: both lose."""
    points: float = 0.0
    """The sum over all games of the average score of its seats minus that of the other's."""
    seeds: int = 0
    """The number of seeds. The games of one seed are one sample, since they share the same luck."""
    wins_squared: float = 0.0
    """The sum over seeds of the squared number of games won."""
    wins_by_won: float = 0.0
    """The sum over seeds of games won times games that had a winner."""
    won_squared: float = 0.0
    """The sum over seeds of the squared number of games that had a winner."""
    points_squared: float = 0.0
    """The sum over seeds of the squared average points."""

    @classmethod
    def of_seed(cls, games: Sequence[tuple[float | None, float]]) -> "MatchResult":
        """The result of one seed, from the share won of each of its games (None if nobody won it) and the points."""
        wins, points = sum(won or 0.0 for won, _ in games), sum(ahead for _, ahead in games)
        nobodys = sum(won is None for won, _ in games)
        won = len(games) - nobodys
        return cls(
            *(len(games), wins, nobodys, points, 1),
            *(wins * wins, wins * won, float(won * won), (points / len(games)) ** 2),
        )

    def __add__(self, other: "MatchResult") -> "MatchResult":
        return MatchResult(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))

    @property
    def won(self) -> int:
        """The number of games that had a winner."""
        return self.games - self.nobodys

    @property
    def share(self) -> float:
        """The share of wins among the games that had a winner; one half if there were none."""
        return self.wins / self.won if self.won else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the true share: Wilson's interval for the equivalent number of coin tosses.

        Shared wins, and seeds that treat both bots alike, vary less than coin tosses; a seed that decides both of its
        games varies more. One additional seed of coin tosses is counted in, so that a few equal results prove nothing.
        """
        if not self.won:
            return 0.0, 1.0
        p, z = self.share, REACH
        toss = p * (1 - p) * self.won / self.seeds
        off = self.wins_squared - 2 * p * self.wins_by_won + p * p * self.won_squared
        varies = (off + toss) / self.seeds
        n = self.won * toss / varies if toss > 0 else self.won
        middle = (p + z * z / (2 * n)) / (1 + z * z / n)
        reach = z * math.sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / (1 + z * z / n)
        return max(0.0, middle - reach), min(1.0, middle + reach)

    @property
    def points_a_game(self) -> tuple[float, float]:
        """The average points a game, and half the width of its 95 % interval."""
        mean = self.points / self.games
        varies = max(self.points_squared / self.seeds - mean * mean, 0.0)
        return mean, REACH * math.sqrt(varies / self.seeds)

    @property
    def is_settled(self) -> bool:
        """Whether one bot is certainly better, even if this is tested after every seed: the error rate stays below 5 %.

        The bound is Robbins' mixture for sums of results between 0 and 1, whose variance is at most a quarter.
        """
        spread, rho = self.seeds / 4, 25.0
        bound = math.sqrt((spread + rho) * math.log((spread + rho) / (rho * SURE * SURE)))
        ahead = abs(2 * self.wins - self.won) / (2 * self.games) if self.games else 0.0
        return self.seeds * ahead > bound
