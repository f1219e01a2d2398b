"""The clocks of a table: the time each seat has left, computed from the times in the journal."""

from collections.abc import Collection
from dataclasses import dataclass, field

from backroom.engine.protocol import Seat
from backroom.server.tables.config import BANK, DAYS, NO_CLOCK, Terms

SECOND = 1000


@dataclass(slots=True)
class Clocks:
    """All times are milliseconds. A seat's clock runs while the seat is asked."""

    terms: Terms
    seats: int
    left: list[int] = field(default_factory=list)
    """Each seat's time when its clock last started or stopped."""
    since: list[int | None] = field(default_factory=list)
    """When each clock was started; None if it is not running."""
    flagged: set[Seat] = field(default_factory=set)
    """Seats whose time is over according to the journal."""

    def __post_init__(self) -> None:
        self.left = [self.terms.bank * SECOND] * self.seats
        self.since = [None] * self.seats

    def go(self, asked: Collection[Seat], at: int, mover: Seat | None = None) -> None:
        """Stop and start the clocks: from `at` on, these seats are asked."""
        if self.terms.clock == NO_CLOCK:
            return
        for seat in range(self.seats):
            since = self.since[seat]
            if since is not None and (seat not in asked or (seat == mover and self.terms.clock == DAYS)):
                self.left[seat] = max(0, self.left[seat] - (at - since))
                self.since[seat] = None
                self.flagged.discard(seat)
                if self.terms.clock == BANK:
                    self.left[seat] += self.terms.step * SECOND
            if seat in asked and self.since[seat] is None:
                self.since[seat] = at
                if self.terms.clock == DAYS:
                    self.left[seat] = self.terms.bank * SECOND

    def stop(self, at: int) -> None:
        """Stop all clocks at the end of the game."""
        self.go((), at)

    def remaining(self, seat: Seat, now: int) -> int:
        """The time that the seat has left."""
        since = self.since[seat]
        return self.left[seat] if since is None else max(0, self.left[seat] - (now - since))

    def next_end(self) -> tuple[int, Seat] | None:
        """When the next running clock runs out, and for which seat."""
        ends = [
            (since + self.left[seat], seat)
            for seat, since in enumerate(self.since)
            if since is not None and seat not in self.flagged
        ]
        return min(ends, default=None)

    def is_out(self, seat: Seat, now: int) -> bool:
        """Whether the seat's time is over. A move in the last millisecond is in time."""
        since = self.since[seat]
        return since is not None and now > since + self.left[seat]
