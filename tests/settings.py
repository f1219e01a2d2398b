"""Which seats and options the tests of libraries are run with."""

import backroom


def places(name: str) -> list[int]:
    """Indices into a game's settings that have every number of seats and every value of every option between them."""
    every = backroom.game(name).settings()
    has = [{("seats", seats), *options.items()} for seats, options in every]
    found = {0, len(every) - 1}
    while missing := set.union(*has) - set.union(*(has[i] for i in found)):
        found.add(max(range(len(every)), key=lambda i: len(has[i] & missing)))
    return sorted(found)
