"""The options of Rummy Runners."""

from backroom.engine.options import Option

OPTIONS = (
    Option("zoning", ("shuffled", "controlled"), "Whether the land is shuffled, or the players place it (§6)."),
    Option("disputes", ("no", "yes"), "Border Disputes: a claim is final only when locked (§6)."),
    Option("sets", ("easy", "hard"), "The Hard Way: sequences, suites and swatches (§6)."),
    Option("land", ("hexpack", "piecepack"), "Hexes, or the squares of a piecepack (§6)."),
)
