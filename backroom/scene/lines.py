"""Texts of similar lines in a compact form: each line without what it repeats of the line before.

A line begins with two characters, which say how many letters of the line before it repeats at its beginning and at its
end. Lines end with a character that no text has and that JSON does not escape. `whole` in `web/words.js` reads such a
text.
"""

from collections.abc import Iterable

END = "\x7f"
ZERO, MOST = 48, 74
"""The character for no repeated letters is "0" (48), and that for the largest number is "z"."""


def shared(lines: Iterable[str]) -> str:
    """A text of these lines, without what each repeats."""
    found, last = [], ""
    for line in lines:
        first = alike(last, line)
        end = alike(last[first:][::-1], line[first:][::-1])
        found.append(f"{chr(ZERO + first)}{chr(ZERO + end)}{line[first : len(line) - end]}")
        last = line
    return END.join(found)


def alike(one: str, other: str) -> int:
    """The number of letters, up to MOST, that two texts share at their beginning.

    Zero if a letter needs two code units in JavaScript: there the counts would differ.
    """
    if not (one.isascii() and other.isascii()) and max(one + other) > "\uffff":
        return 0
    least, most = 0, min(len(one), len(other), MOST)
    while least < most:
        middle = (least + most + 1) // 2
        if one.startswith(other[:middle]):
            least = middle
        else:
            most = middle - 1
    return least


def whole(text: str) -> list[str]:
    """The lines of a text, with what each repeats."""
    found, last = [], ""
    for line in text.split(END):
        first, end = ord(line[0]) - ZERO, ord(line[1]) - ZERO
        last = last[:first] + line[2:] + last[len(last) - end :]
        found.append(last)
    return found
