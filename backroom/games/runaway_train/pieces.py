"""The components of RunAway Train: cards, and the track, which is read from a file that a table may replace."""

import re
import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

CHIPS = (10, 5, 1)
"""What points are paid in (§1.2)."""
SUITCASES = 7
ALL_SUITCASES = sum(1 << suitcase for suitcase in range(1, SUITCASES + 1))
"""A set of suitcases is an integer: bit 3 is suitcase 3 (§1.1)."""
SQUARES = 10
"""Squares of the speed tracker (§2.4)."""

# What a track can have (§2.3)
BEFORE, SHORT, LONG = range(3)
"""The parts of a track: up to the switch, and the two after it."""
PARTS = ("before", "short", "long")
MOST_YELLOW = 8
"""The most yellow spaces in one part."""
FARTHEST = 99
MOST_SPEEDS = 10
"""The most speeds in a stop chart."""
FASTEST = 40
"""The highest speed that a chart may name."""
HALF_BRAKE, FULL_BRAKE = -2, -1
"""Yellow spaces as kernels know them: a multiplier is its number; a brake subtracts the roll divided by minus this."""
BRAKES = {"brake 1/2": HALF_BRAKE, "brake 1": FULL_BRAKE}
CANNOT = 7
"""The roll required where the train cannot stop (§2.2)."""
TRACK_NUMBERS = len(PARTS) * MOST_YELLOW * 2 + 1 + 2 * (3 + MOST_SPEEDS)
"""The length of the array that describes a track to kernels."""

STANDARD = "standard"


@dataclass(frozen=True, slots=True)
class Part:
    """A stretch of track: up to the switch, or one of the two after it."""

    spaces: tuple[tuple[int, int], ...]
    """The yellow spaces, and their kinds."""
    end: int
    """The switch, or the end of the track."""
    stops: tuple[int, ...] = ()
    """The lowest roll that stops the train there, for each speed of the chart (§2.2)."""
    slowest: int = 0
    """The chart's first speed."""


@dataclass(frozen=True, slots=True)
class Track:
    """A whole track: before the switch, short and long (§2)."""

    parts: tuple[Part, Part, Part]

    @property
    def switch(self) -> int:
        return self.parts[BEFORE].end

    def line(self) -> str:
        """The track as one line in the same language, for logs."""
        parts = []
        for name, part in zip(PARTS, self.parts, strict=True):
            said = [f'{at} = "{called(what)}"' for at, what in part.spaces]
            if part.stops:
                stops = ", ".join(f"{speed} = {roll}" for speed, roll in enumerate(part.stops, part.slowest))
                said += [f"end = {part.end}", f"stop = {{ {stops} }}"]
            parts.append(f"{name} = {{ {', '.join(said)} }}" if said else f"{name} = {{}}")
        parts.insert(1, f"switch = {self.switch}")
        return f"{{ {', '.join(parts)} }}"

    def numbers(self) -> list[int]:
        """The track as the numbers that `setup` gets."""
        found = []
        for part in self.parts:
            for at, what in [*part.spaces, *[(0, 0)] * (MOST_YELLOW - len(part.spaces))]:
                found += [at, what]
        found.append(self.switch)
        for part in self.parts[SHORT:]:
            found += [part.end, part.slowest, part.slowest + len(part.stops) - 1]
            found += [*part.stops, *[0] * (MOST_SPEEDS - len(part.stops))]
        return found


def called(what: int) -> str:
    """A yellow space as a track file has it."""
    return next((name for name, brake in BRAKES.items() if brake == what), f"x{what}")


def refuse(where: str, what: str, expected: str) -> NoReturn:
    raise ValueError(f"{where}: {what}; expected {expected}")


def number(where: str, value: object, least: int, most: int, expected: str) -> int:
    """An integer within bounds, or ValueError."""
    if type(value) is not int or not least <= value <= most:
        refuse(where, _shown(value), f"{expected}, {least} to {most}")
    return value


def read_track(text: str) -> str:
    """The one-line form of a track given as a file or as that line; ValueError says where it is wrong."""
    track = track_of(text)
    return STANDARD if track == track_of(STANDARD) else track.line()


def track_numbers(text: str) -> list[int]:
    return track_of(text).numbers()


@cache
def track_of(text: str) -> Track:
    """The track with this name, line or file."""
    if text == STANDARD:
        text = Path(__file__).with_name("pieces.toml").read_text("utf-8")
    is_line = text.lstrip().startswith("{")
    try:
        said = tomllib.loads(f"track = {text.strip()}" if is_line else text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ValueError(f"this is no TOML, the language of track files: {error}") from None
    if is_line:
        said = said["track"] if list(said) == ["track"] else refuse("track", "something follows it", "one line in {}")
    return _track(said)


def _track(said: dict[str, Any]) -> Track:
    known = ("switch", *PARTS)
    for key in said:
        if key not in known:
            refuse(key, "a track has no such part", ", ".join(known))
    switch = number("switch", said.get("switch"), 1, FARTHEST - 1, "the number of its space")
    tables = [_table(name, said.get(name, {} if name == "before" else None)) for name in PARTS]
    before = Part(_spaces("before", tables[BEFORE], 0, switch), switch)
    return Track((before, _branch("short", tables[SHORT], switch), _branch("long", tables[LONG], switch)))


def _table(name: str, table: object) -> dict[str, Any]:
    if not isinstance(table, dict):
        refuse(name, _shown(table), f"a table [{name}] of its spaces")
    return table


def _branch(name: str, table: dict[str, Any], switch: int) -> Part:
    end = number(f"{name}.end", table.get("end"), switch + 1, FARTHEST, "the number of its last space")
    spaces = {key: what for key, what in table.items() if key not in ("end", "stop")}
    slowest, stops = _chart(f"{name}.stop", table.get("stop"))
    return Part(_spaces(name, spaces, switch, end), end, stops, slowest)


def _spaces(name: str, table: dict[str, Any], start: int, end: int) -> tuple[tuple[int, int], ...]:
    """§2.3: the yellow spaces of a part, within its bounds."""
    found: list[tuple[int, int]] = []
    for key, what in table.items():
        where = f"{name}.{key}"
        if not re.fullmatch("[1-9][0-9]?", key):
            refuse(where, "no number of a space", 'spaces like 44 = "x4"' + ("" if name == "before" else ", end, stop"))
        if not start < int(key) < end:
            refuse(where, f"the {name} part lies between {start} and {end}", f"a number from {start + 1} to {end - 1}")
        if found and int(key) <= found[-1][0]:
            refuse(where, f"it stands after {found[-1][0]}", "numbers that rise along the track")
        if isinstance(what, str) and re.fullmatch("[x×][1-9]", what):
            found.append((int(key), int(what[1])))
        elif isinstance(what, str) and what in BRAKES:
            found.append((int(key), BRAKES[what]))
        else:
            refuse(where, _shown(what), '"x1" to "x9", "brake 1/2" or "brake 1"')
    if len(found) > MOST_YELLOW:
        refuse(name, f"{len(found)} yellow spaces", f"at most {MOST_YELLOW}")
    return tuple(found)


def _chart(where: str, table: Any) -> tuple[int, tuple[int, ...]]:
    """§2.2, §2.3: the first speed of a stop chart, and the roll for each from there on."""
    if not isinstance(table, dict) or not table:
        refuse(where, _shown(table), "a table of speeds and the least rolls that stop the train, like { 2 = 1, 3 = 2 }")
    for speed, roll in table.items():
        if not re.fullmatch("[1-9][0-9]?", speed) or int(speed) > FASTEST:
            refuse(f"{where}.{speed}", "no speed", f"a number from 1 to {FASTEST}")
        number(f"{where}.{speed}", roll, 1, 6, "the least roll that stops the train")
    speeds = [int(speed) for speed in table]
    for due, speed in enumerate(speeds, speeds[0]):
        if speed != due:
            refuse(f"{where}.{speed}", f"speed {due} is due here", "every speed from the first to the last, in order")
    if len(speeds) > MOST_SPEEDS:
        refuse(where, f"{len(speeds)} speeds", f"at most {MOST_SPEEDS}")
    return speeds[0], tuple(table.values())


def _shown(value: object) -> str:
    return "it is not there" if value is None else f"{str(value)[:30]!r} stands there"
