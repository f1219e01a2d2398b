"""What the screen shows of a table at one time."""

from dataclasses import dataclass, field

from backroom.scene.scene import Scene
from backroom.terminal.menu import Menu


@dataclass(frozen=True)
class Frame:
    """A board, a question, and the moves that answer it."""

    scene: Scene
    question: str
    menu: Menu = field(default_factory=lambda: Menu([], []))
    ways: list[list[str]] = field(default_factory=list)
    """For each move, the ids to touch, in order."""
    may_wait: bool = False
    """Whether the person may decline to answer."""
    marked: list[str] = field(default_factory=list)
    """The pieces that a lesson points at."""

    def fitting(self, touched: list[str]) -> list[int]:
        """The indices of the moves that begin with what was touched."""
        return [place for place, way in enumerate(self.ways) if way[: len(touched)] == touched]

    def next_ids(self, touched: list[str]) -> set[str]:
        """What may be touched next."""
        return {
            self.ways[place][len(touched)] for place in self.fitting(touched) if len(self.ways[place]) > len(touched)
        }
