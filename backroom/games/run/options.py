"""The options of Run."""

from backroom.engine.options import Option

MINUTES = (10, 20)

OPTIONS = (
    Option(
        "match",
        ("single", "3", "5", "7"),
        "One game for one or two points, or the points to win a match (§5.2).",
        title="Length",
        titles=("Single game, for one or two points", "Match to 3 points", "Match to 5 points", "Match to 7 points"),
    ),
    Option(
        "must_open",
        ("no", "yes"),
        "Greek custom: a wall with all of the opponent behind it must be opened (§6).",
        title="Walls",
        titles=("May stand", "Must be opened when all of the opponent is behind them"),
    ),
    Option(
        "winner_starts",
        ("no", "yes"),
        "The winner of a game begins the next with two fresh dice (§6).",
        title="The next game of a match",
        titles=("Each rolls a die to begin", "The winner begins"),
    ),
)
