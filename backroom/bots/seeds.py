"""The dice of bots: one rule for the server, the terminal and the arena, so that the same seeds give the same moves.

All bots of a table share one number, derived from its secret seed under a label of its own: it cannot be inferred from
nature's moves, and it becomes known with the seed when the game is over. The dice of a decision are derived from that
number, the seat, and the number of moves that the seat has made. So they are the same after a restart and after moves
are taken back, as nature's are.
"""

import hmac

from backroom.bots.hashing import mixed
from backroom.engine.kernel import kernel


def bots_seed_of(seed: str) -> int:
    """The number that a table's bots share: the first 64 bits of HMAC-SHA256(seed, "bots")."""
    return int.from_bytes(hmac.digest(seed.encode(), b"bots", "sha256")[:8])


@kernel
def dice_of(seed, seat, made):  # type: ignore[no-untyped-def]
    """The seed of the dice of a decision, from the table's number (uint64), the seat, and the moves it has made."""
    return mixed(mixed(seed, seat), made)
