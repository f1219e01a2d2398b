"""The patch renderer: the changes from one scene to the next, as markup for a page that shows the first."""

from bisect import bisect_left
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from backroom.scene.lines import shared
from backroom.scene.scene import Piece, Scene
from backroom.scene.svg import place_of


class Picture:
    """The scene that a group of readers sees now, to send them only the changes."""

    __slots__ = ("board", "pieces")

    def __init__(self, scene: Scene) -> None:
        self.board = scene.board
        self.pieces = {piece.id: piece for piece in scene.board.in_order(scene.pieces)}

    def change(self, scene: Scene) -> dict[str, Any]:
        """Replace the scene, and return the patch: pieces to draw (`up`), and the ids of pieces to remove (`gone`).

        Pieces of which only the kind changes are in `kinds`: their ids by kind (`lines.py`). The others come in drawing
        order. `put` says where those go that do not simply replace the one with their id: the id, the number of the
        region, and the id of the piece directly above, which is left out for the topmost. In the order of `put`, each
        finds the piece above it in its place.
        """
        if scene.board is not self.board and scene.board != self.board:
            self.__init__(scene)  # type: ignore[misc]
            return {"picture": scene.html()}
        before, drawn = self.pieces, self.board.in_order(scene.pieces)
        self.pieces = {piece.id: piece for piece in drawn}
        changed = [piece for piece in drawn if before.get(piece.id) != piece]
        rows: list[list[Any]] = []
        kinds: dict[str, list[str]] = {}
        for piece in changed:
            if is_another_kind(piece, before.get(piece.id)):
                kinds.setdefault(piece.kind, []).append(piece.id)
            else:
                rows.append(row(piece))
        patch: dict[str, Any] = {"up": rows, "gone": [name for name in before if name not in self.pieces]}
        if kinds:
            patch["kinds"] = {kind: shared(names) for kind, names in kinds.items()}
        if moved := self._moved(before, changed):
            patch["put"] = list(self._places(drawn, moved))
        return patch

    def _moved(self, before: dict[str, Piece], changed: Sequence[Piece]) -> set[str]:
        """The ids of pieces that do not simply replace an old one: new ones, and those with another drawing order."""
        height = self.board.height_of
        moved = {piece.id for piece in changed if (old := before.get(piece.id)) is None or height(old) != height(piece)}
        have = [name for name in before if name in self.pieces and name not in moved]
        want = [name for name in self.pieces if name not in moved]
        return moved if have == want else moved | out_of_order(have, want)

    def _places(
        self, drawn: Sequence[Piece], moved: Collection[str]
    ) -> Iterator[tuple[str, int] | tuple[str, int, str]]:
        """Where pieces go, from the topmost down."""
        above, region_above = None, -1
        for piece in reversed(drawn):
            region = self.board.region_at(piece.x, piece.y)
            if piece.id in moved:
                yield (piece.id, region, above) if above is not None and region == region_above else (piece.id, region)
            above, region_above = piece.id, region


def row(piece: Piece) -> list[Any]:
    """A piece as sent to browsers: id, kind, place, height, label, text, without trailing empty values."""
    found = [piece.id, piece.kind, place_of(piece), piece.z, piece.label, piece.face]
    while not found[-1]:
        found.pop()
    return found


def is_another_kind(piece: Piece, old: Piece | None) -> bool:
    """Whether a piece differs from the old one with its id in nothing but the kind."""
    return old is not None and old.kind != piece.kind and look_of(old) == look_of(piece)


def look_of(piece: Piece) -> tuple[Any, ...]:
    """What a browser shows of a piece besides its kind."""
    return piece.x, piece.y, piece.turn, piece.z, piece.label, piece.face


def out_of_order(have: Sequence[str], want: Sequence[str]) -> set[str]:
    """The fewest elements to move from one order to another: all but the longest increasing subsequence."""
    place = {name: at for at, name in enumerate(have)}
    ends: list[int] = []
    last: list[str] = []
    came: dict[str, str | None] = {}
    for name in want:
        at = bisect_left(ends, place[name])
        came[name] = last[at - 1] if at else None
        ends[at : at + 1], last[at : at + 1] = [place[name]], [name]
    moved, link = set(want), last[-1] if last else None
    while link is not None:
        moved.discard(link)
        link = came[link]
    return moved
