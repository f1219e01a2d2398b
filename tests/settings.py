"""Which seats and options the tests of libraries are run with."""

import backroom


def places(name: str) -> list[int]:
    """Of all settings of a game one for each number of seats, with ever other options: the first and the last among
    them.
    """
    every = backroom.game(name).settings()
    counts = sorted({seats for seats, _ in every})
    found = {0, len(every) - 1}
    for k, count in enumerate(counts):
        those = [i for i, (seats, _) in enumerate(every) if seats == count]
        found.add(those[k * (len(those) - 1) // max(len(counts) - 1, 1)])
    return sorted(found)
