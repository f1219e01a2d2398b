"""The options of Run."""

from backroom.engine.options import Option

OPTIONS = (
    Option("match", ("1", "3", "5", "7"), "Points to win the match (§5.2)."),
    Option("must_open", ("no", "yes"), "Greek custom: a wall with all of the opponent behind it must be opened (§6)."),
    Option("winner_starts", ("no", "yes"), "The winner of a game begins the next with two fresh dice (§6)."),
)
