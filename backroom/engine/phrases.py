"""Phrases that several modules use: a list in words, and the nearest known name."""

from collections.abc import Iterable
from difflib import get_close_matches


def listing(words: Iterable[str], joint: str = "or") -> str:
    """a, b or c; `none` of none."""
    words = list(words)
    return "".join(words) or "none" if len(words) < 2 else f"{', '.join(words[:-1])} {joint} {words[-1]}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """The end of a refusal: the nearest known word, or all known words."""
    known = sorted(known)
    near = get_close_matches(word, known, n=1)
    if near:
        return f"; did you mean {near[0]}?"
    return f"; there is {listing(known, 'and')}" if known else "; there are none"
