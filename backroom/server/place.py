"""The place of a server process among several that listen on one socket and share one database."""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

PLACE = "BACKROOM_PLACE"
"""The environment variable with a process's place, such as `0 4 /tmp/x`: the first of four, and their folder."""


@dataclass(frozen=True)
class Place:
    """Which of how many processes this one is, and the folder in which each has its sockets."""

    number: int
    count: int
    folder: Path

    def path(self, what: str, number: int | None = None) -> Path:
        """Where the process with that number has its socket for `what`; without a number, this one."""
        return self.folder / f"{what}-{self.number if number is None else number}"

    def others(self) -> list[int]:
        """The numbers of the other processes."""
        return [number for number in range(self.count) if number != self.number]

    def __str__(self) -> str:
        return f"{self.number} {self.count} {self.folder}"


def place_of(environment: Mapping[str, str] = os.environ) -> Place | None:
    """The place that the process which started this one has given to it; None if this one is alone."""
    if PLACE not in environment:
        return None
    number, count, folder = environment[PLACE].split(" ", 2)
    return Place(int(number), int(count), Path(folder))
