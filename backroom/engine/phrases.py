"""Phrases that several modules use: a list in words, and the nearest known name."""

from collections.abc import Iterable
from difflib import get_close_matches


def listing(words: Iterable[str], joint: str = "or") -> str:
    """a, b or c."""
    words = list(words)
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} {joint} {words[-1]}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a refusal: the nearest known word, or all known words."""
    known = sorted(known)
    near = get_close_matches(word, known, n=1)
    if near:
        return f"; did you mean {near[0]}?"
    return f"; there is {listing(known, 'and')}" if known else "; there are none"
