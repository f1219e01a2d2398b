"""The dice that bots throw: one rule for the server, the terminal and the arena, so that the same seeds give the same
moves.

A table has one number for all its bots, drawn from its secret seed under a label of its own: nobody can tell it from
nature's moves, and with the seed it becomes known when the game is over. The dice of a decision come from that number,
the seat, and how many moves the seat has made; so they are the same after a restart, and fall the same way again when
moves are taken back, as nature's do.
"""

import hmac

from backroom.bots.hashing import mixed
from backroom.engine.kernel import kernel


def luck_of(seed: str) -> int:
    """The number of a table's bots: HMAC-SHA256(seed, "bots"), its first 64 bits."""
    return int.from_bytes(hmac.digest(seed.encode(), b"bots", "sha256")[:8])


@kernel
def dice_of(luck, seat, made):  # type: ignore[no-untyped-def]
    """What the dice of a decision begin with: by the table's number (uint64), the seat, and the moves it has made."""
    return mixed(mixed(luck, seat), made)
