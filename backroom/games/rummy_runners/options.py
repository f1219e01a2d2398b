"""The options of Rummy Runners."""

from backroom.engine.options import Option

MINUTES = (20, 40)

OPTIONS = (
    Option(
        "zoning",
        ("shuffled", "controlled"),
        "Whether the land is shuffled, or the players place it (§6).",
        title="The land is",
        titles=("Shuffled", "Placed by the players: Controlled Zoning"),
    ),
    Option(
        "disputes",
        ("no", "yes"),
        "Border Disputes: a claim is final only when locked (§6).",
        title="Claims",
        titles=("Are final at once", "Can be disputed until they are locked: Border Disputes"),
    ),
    Option(
        "sets",
        ("easy", "hard"),
        "The Hard Way: sequences, suites and swatches (§6).",
        title="Sets",
        titles=("Of one number, suit or colour", "Sequences, suites and swatches: The Hard Way"),
    ),
    Option(
        "land",
        ("hexpack", "piecepack"),
        "Hexes, or the squares of a piecepack (§6).",
        title="Tiles",
        titles=("Hexes of a hexpack", "Squares of a piecepack"),
    ),
)
