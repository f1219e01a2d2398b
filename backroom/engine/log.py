"""The text of a game: a header, then one line a move. Readable, diffable, and strict to parse.

    backroom log 1
    game run 2
    seats 2
    seat 1 greedy
    option match 3
    seed-hash 7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451

    * open 6 4
    0 1/7
    resign 1
    seed 7

`seat` lines, if any, name the players. A `from` line gives the position that a game began with, if not the usual one.
`*` is nature. `resign 1` or `time 1` among the moves says that a seat lost there before the rules ended the game, and
`end` that the game ends as it stands. The last line has the seed, once it may be known; `seed-hash none` says that
chance was told instead of drawn from a seed.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from backroom.engine.ending import END, RESIGN, TIME, Ending
from backroom.engine.kernel import NATURE, WATCHER
from backroom.engine.protocol import Seat

FORMAT = "backroom log 1"
NO_SEED = "none"
UNSEEN = "?"
"""Stands in a seat's log for a move that the seat did not see."""

_NUMBER = "[1-9][0-9]{0,5}"
_HEADER = {
    "game": (re.compile(rf"game ([a-z][a-z0-9-]*) ({_NUMBER})"), "game NAME VERSION"),
    "seats": (re.compile(rf"seats ({_NUMBER})"), "seats NUMBER"),
    "seat": (re.compile(r"seat (0|[1-9][0-9]?) (\S.*)"), "seat NUMBER WHO"),
    "option": (re.compile(r"option (\w+) (\S.*)"), "option NAME VALUE"),
    "from": (re.compile(r"from (\S.*)"), "from POSITION"),
    "seed-hash": (re.compile(r"seed-hash ([0-9a-f]{64}|none)"), "seed-hash and 64 hexadecimal digits, or none"),
}
_OFTEN = ("seat", "option")
MOST_HEADER_LINES = 200
"""More options than any game has; a longer header is refused unread."""
_MOVE = re.compile(r"(\*|0|[1-9][0-9]?) (\S.*)")
_SEED = re.compile(r"seed (\S+)")
_ENDING = re.compile(rf"({RESIGN}|{TIME}) (0|[1-9][0-9]?)|({END})")


class BadLog(ValueError):
    """A text that is not a log of a game; the message names the line and what was expected there."""


class Unfair(BadLog):
    """A log whose chance does not come from the seed that it committed to."""


@dataclass(frozen=True, slots=True)
class Log:
    """A game as text: enough to replay it."""

    game: str
    version: int
    seats: int
    options: dict[str, str]
    seed_hash: str | None
    """SHA-256 of the seed; None if chance was told instead of drawn."""
    start: str | None = None
    """The position it began with, if not the usual one."""
    moves: tuple[tuple[Seat, str], ...] = ()
    seed: str | None = None
    who: dict[Seat, str] = field(default_factory=dict)
    """The players' names by seat, as far as they are known."""
    endings: tuple[Ending, ...] = ()
    """Losses and stops before the rules ended the game, in the order of the text."""
    line_of: tuple[int, ...] = field(default=(), compare=False)
    """The line number of each move in the text, if there was a text."""

    def __str__(self) -> str:
        return "\n".join(self._lines()) + "\n"

    def _lines(self) -> Iterator[str]:
        yield FORMAT
        yield f"game {self.game} {self.version}"
        yield f"seats {self.seats}"
        for seat, who in sorted(self.who.items()):
            yield f"seat {seat} {who}"
        for name, value in self.options.items():
            yield f"option {name} {value}"
        if self.start is not None:
            yield f"from {self.start}"
        yield f"seed-hash {self.seed_hash or NO_SEED}"
        yield ""
        endings = list(self.endings)
        for number, (seat, name) in enumerate(self.moves):
            while endings and endings[0].lines <= number:
                yield str(endings.pop(0))
            yield f"{'*' if seat == NATURE else seat} {name}"
        yield from map(str, endings)
        if self.seed is not None:
            yield f"seed {self.seed}"

    @classmethod
    def parse(cls, text: str) -> "Log":
        """Parse a log; BadLog names the line and what was expected."""
        lines = text.split("\n")
        if lines[-1] == "":
            lines.pop()
        while "" in lines[:-1] and lines[-1] == "":  # the first empty line ends the header
            lines.pop()
        if not lines or lines[0] != FORMAT:
            raise BadLog(f"line 1: expected {FORMAT!r}: this is not a log of a game")
        if "" not in lines:
            raise BadLog(f"line {len(lines) + 1}: expected an empty line between the header and the moves")
        gap = lines.index("")
        header = _parse_header(lines[1:gap])
        seed = None
        if len(lines) > gap + 1 and (last := _SEED.fullmatch(lines[-1])):
            seed = last[1]
            lines.pop()
        moves: list[tuple[Seat, str]] = []
        line_of: list[int] = []
        endings: list[Ending] = []
        for number, line in enumerate(lines[gap + 1 :], gap + 2):
            if ending := _ENDING.fullmatch(line):
                seat = None if ending[2] is None else int(ending[2])
                endings.append(Ending(len(moves), ending[1] or ending[3], seat))
                continue
            moves.append(_parse_move(number, line))
            line_of.append(number)
        name, version = header["game"][0]
        seed_hash = header["seed-hash"][0][0]
        return cls(
            game=name,
            version=int(version),
            seats=int(header["seats"][0][0]),
            options={match[0]: match[1] for match in header["option"]},
            seed_hash=None if seed_hash == NO_SEED else seed_hash,
            start=header["from"][0][0] if header["from"] else None,
            moves=tuple(moves),
            seed=seed,
            who={int(match[0]): match[1] for match in header["seat"]},
            endings=tuple(endings),
            line_of=tuple(line_of),
        )


def _parse_header(lines: list[str]) -> dict[str, list[tuple[str, ...]]]:
    found: dict[str, list[tuple[str, ...]]] = {word: [] for word in _HEADER}
    order = list(_HEADER)
    if len(lines) > MOST_HEADER_LINES:
        raise BadLog(f"line {MOST_HEADER_LINES + 2}: expected the end of the header, an empty line, long before")
    for number, line in enumerate(lines, 2):
        word = line.split(" ", 1)[0]
        if word not in _HEADER:
            raise BadLog(f"line {number}: {line!r} does not belong in a header; expected one of {', '.join(order)}")
        pattern, shape = _HEADER[word]
        match = pattern.fullmatch(line)
        if match is None:
            raise BadLog(f"line {number}: {line!r}; expected {shape}")
        if found[word] and (word not in _OFTEN or match[1] in (name for name, _ in found[word])):
            raise BadLog(f"line {number}: {line!r} says again what an earlier line said")
        if any(found[later] for later in order[order.index(word) + 1 :]):
            raise BadLog(f"line {number}: {word!r} comes too late; expected the order {', '.join(order)}")
        found[word].append(match.groups())
    for word in ("game", "seats", "seed-hash"):
        if not found[word]:
            raise BadLog(f"line {len(lines) + 2}: the header ends without {word!r}; expected {_HEADER[word][1]}")
    return found


def _parse_move(number: int, line: str) -> tuple[Seat, str]:
    if _SEED.fullmatch(line):
        raise BadLog(f"line {number}: {line!r}; the seed is the last line, and nothing may follow it")
    try:
        return read_line(line)
    except BadLog as error:
        raise BadLog(f"line {number}: {error}") from None


def read_line(line: str) -> tuple[Seat, str]:
    """The seat and the move of one line, such as `0 1/7` or `* roll 6 4`; BadLog says what was expected."""
    match = _MOVE.fullmatch(line)
    if match is None:
        raise BadLog(f"{line!r}; expected a seat (0, 1, … or * for nature), a space and a move")
    seat = NATURE if match[1] == "*" else int(match[1])
    if match[1] != "*" and seat >= WATCHER:
        raise BadLog(f"there is no seat {seat}")
    return seat, match[2]
