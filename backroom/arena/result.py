"""How two bots did against each other, and how sure that is."""

import math
from collections.abc import Sequence
from dataclasses import astuple, dataclass

SURE = 0.05
"""How often an interval may be wrong."""
REACH = 1.96
"""The standard deviations on both sides of a 95 % interval."""


@dataclass(frozen=True, slots=True)
class Result:
    """How the first of two bots did. Results add up."""

    games: int = 0
    wins: float = 0.0
    """Games won: of the seats that won, the share that was its own. Equals would win half of those that are won,
    however many seats there are, since each has every seat once.
    """
    nobodys: int = 0
    """Games that nobody won: lost by both."""
    points: float = 0.0
    """By how much its seats scored more than the other's on average, all games added up."""
    seeds: int = 0
    """Games with the same chance are one sample: what is lucky for one seat is so for whoever sits there."""
    wins_squared: float = 0.0
    """Of each seed, the games won, squared; added up."""
    wins_by_won: float = 0.0
    """And those times the games that somebody won."""
    won_squared: float = 0.0
    """And the games that somebody won, squared."""
    points_squared: float = 0.0
    """And the points a game, squared."""

    @classmethod
    def of_seed(cls, games: Sequence[tuple[float | None, float]]) -> "Result":
        """From what was won in each game that was played with one seed, None if nobody won it, and the points."""
        wins, points = sum(won or 0.0 for won, _ in games), sum(ahead for _, ahead in games)
        nobodys = sum(won is None for won, _ in games)
        won = len(games) - nobodys
        return cls(
            *(len(games), wins, nobodys, points, 1),
            *(wins * wins, wins * won, float(won * won), (points / len(games)) ** 2),
        )

    def __add__(self, other: "Result") -> "Result":
        return Result(*(mine + theirs for mine, theirs in zip(astuple(self), astuple(other), strict=True)))

    @property
    def won(self) -> int:
        """Games that somebody won."""
        return self.games - self.nobodys

    @property
    def share(self) -> float:
        """Of the games that somebody won; half of none."""
        return self.wins / self.won if self.won else 0.5

    @property
    def interval(self) -> tuple[float, float]:
        """Where the true share lies, 95 times in 100: Wilson's interval for as many tosses of a coin as tell as much.

        Wins that are shared, and seeds that treat both alike, vary less than tosses; a seed that decides both of its
        games varies more. One more seed of tosses is counted in, so that a few equal results prove nothing.
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
        """On average, and how far the truth may be from it, 95 times in 100."""
        mean = self.points / self.games
        varies = max(self.points_squared / self.seeds - mean * mean, 0.0)
        return mean, REACH * math.sqrt(varies / self.seeds)

    @property
    def is_settled(self) -> bool:
        """Whether one is better, said so that looking after every seed misleads once in twenty matches at most.

        The bound is Robbins' mixture for sums of results between 0 and 1, whose spread is at most a quarter.
        """
        spread, rho = self.seeds / 4, 25.0
        bound = math.sqrt((spread + rho) * math.log((spread + rho) / (rho * SURE * SURE)))
        ahead = abs(2 * self.wins - self.won) / (2 * self.games) if self.games else 0.0
        return self.seeds * ahead > bound
