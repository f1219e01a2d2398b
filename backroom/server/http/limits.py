"""Rate limits for each person or address."""

import ipaddress
import time

from backroom.server.errors import Refused

RATES: dict[str, tuple[float, float]] = {
    "move": (50, 100),
    "act": (10, 40),
    "say": (1, 6),
    "think": (2, 10),
    "analyse": (0.2, 6),
    "look": (40, 120),
    "stream": (5, 40),
    "make": (0.5, 20),
    "enter": (0.5, 30),
    "password": (0.1, 8),
}
"""For each kind of request: the rate per second, and the largest burst."""
MOST_BUCKETS = 50_000
MAPPED = "::ffff:"
"""The beginning of an IPv4 address at a socket that serves IPv6 too."""


def unmapped(address: str) -> str:
    """An address in its own version: IPv4, if it is an IPv4 address mapped into IPv6."""
    return address.removeprefix(MAPPED) if "." in address else address


def network(address: str) -> str:
    """The part of an address that counts as one client: with IPv6 every client has a whole network."""
    try:
        found = ipaddress.ip_address(unmapped(address))
    except ValueError:
        return address
    return str(ipaddress.ip_network((found, 64), strict=False)) if found.version == 6 else str(found)


class Limits:
    """Token buckets by kind of request and by person or address."""

    def __init__(self, factor: float = 1) -> None:
        self.factor = factor
        self.buckets: dict[tuple[str, str], tuple[float, float]] = {}

    def take(self, what: str, who: str) -> None:
        """Take a token; Refused if the bucket is empty."""
        rate, most = RATES[what]
        rate, most = rate * self.factor, most * self.factor
        now = time.monotonic()
        left, since = self.buckets.pop((what, who), (most, now))
        left = min(most, left + (now - since) * rate)
        self.buckets[what, who] = (left - 1 if left >= 1 else left, now)
        if len(self.buckets) > MOST_BUCKETS:
            del self.buckets[next(iter(self.buckets))]  # the one that was used least recently
        if left < 1:
            raise Refused("that was too often; wait a moment", 429, "too-often")
