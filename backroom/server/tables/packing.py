"""The compact form of a long list of moves in events for pages: neighbours in the list share most of their text.

It is three texts (`scene/lines.py`): names, labels, and touches. A line of touches has `h` first if the label is HTML
and `b` if the move is a step back, then the ids of the pieces. `unpacked` in `web/words.js` is the inverse.
"""

from collections.abc import Sequence
from typing import Any

from backroom.scene.lines import shared, whole

FEW = 12
"""Shorter lists stay as they are: packing would take longer than it saves."""


def packed(moves: list[dict[str, Any]]) -> list[dict[str, Any]] | list[str]:
    """Moves as `messages.answers` lists them, in their compact form if they are many."""
    if len(moves) < FEW:
        return moves
    labels = [move["html"] if "html" in move else move["label"] for move in moves]
    touches = [" ".join(("h" * ("html" in move) + "b" * ("back" in move), *move["touch"])) for move in moves]
    return [shared(move["name"] for move in moves), shared(labels), shared(touches)]


def unpacked(texts: Sequence[str]) -> list[dict[str, Any]]:
    """The moves again, for tests."""
    names, labels, touches = (whole(text) for text in texts)
    found: list[dict[str, Any]] = []
    for name, label, touch in zip(names, labels, touches, strict=True):
        marks, *ids = touch.split(" ")
        back = {"back": True} if "b" in marks else {}
        found.append({"name": name, "html" if "h" in marks else "label": label, "touch": ids, **back})
    return found
