"""Positions of Run on one line: parts between bars, in any order.

    white 1:2 5:3 19:10 | black 1:15 | turn white | roll 6 4 | points 2 0

Men are on points in their own player's numbering, or `off`. A seat without a part has its men on point 1. `roll` is
still to be played; in the middle of a turn `left` says which of its dice are. Without `roll` nature rolls next, and
`rolled` is the roll before. `opening` or `new game`: the next roll begins a game. `must open`: see §6.
"""

import re

from backroom.engine.protocol import Seat, State

from .pieces import MEN, OFF, PAST
from .reasons import is_untouched
from .rules import (
    has_turn,
    is_blocking_the_mother,
    is_home,
    is_open,
    is_running,
    lay_out,
    opposite,
)


def position(v: State) -> str:
    """The state on one line, as `place` reads it."""
    parts = []
    for seat, colour in enumerate(_COLOURS):
        men = [f"{point}:{v.men[seat, point]}" for point in range(1, OFF) if v.men[seat, point]]
        off = [f"off:{v.men[seat, OFF]}"] if v.men[seat, OFF] else []
        parts.append(" ".join([colour, *men, *off]))
    parts.append(f"turn {_COLOURS[int(v.turn)]}")
    left = [int(v.dice[which]) for which in (0, 1) for _ in range(int(v.left[which]))]
    if left:
        parts += [f"roll {v.dice[0]} {v.dice[1]}", "left " + " ".join(map(str, left))]
    elif v.dice[0]:
        parts.append(f"rolled {v.dice[0]} {v.dice[1]}")
    if v.fresh:
        parts.append("opening" if v.opening else "new game")
    if v.unwalled:
        parts.append("must open")
    if v.points[0] or v.points[1]:
        parts.append(f"points {v.points[0]} {v.points[1]}")
    return " | ".join(parts)


def place(s: State, text: str) -> None:
    """Put a state after `setup` into this position; ValueError says what is wrong with it."""
    said = _parts(text)
    for seat, colour in enumerate(_COLOURS):
        if colour in said:
            _place_men(s, seat, said[colour])
    s.fresh, s.opening = int("opening" in said or "new game" in said), int("opening" in said)
    s.turn = _COLOURS.index(_one_of(said.get("turn", _COLOURS[0]), _COLOURS, "turn"))
    s.points[0], s.points[1] = _numbers(said.get("points", "0 0"), 2, 0, int(s.match) - 1, "points")
    s.dice[0], s.dice[1] = _dice(said)
    s.left[:] = 0
    s.unwalled = 0
    _refuse_impossible(s, in_a_turn="left" in said)
    if "left" in said:
        _leave(s, said["left"], "must open" in said)
    elif "roll" in said:
        lay_out(s)


def _parts(text: str) -> dict[str, str]:
    """The parts of a position by their first words."""
    said: dict[str, str] = {}
    for part in (part.strip().lower() for part in text.split("|")):
        key = next((key for key in _PARTS if part == key or part.startswith(f"{key} ")), None)
        if key is None or (part != key and key in _FLAGS):
            raise ValueError(f"{part!r} is no part of a position; expected {', '.join(_PARTS)}")
        if key in said:
            raise ValueError(f"the position says {key!r} twice")
        said[key] = part.removeprefix(key).strip()
    for key, needed in (("left", "roll"), ("must open", "left")):
        if key in said and needed not in said:
            raise ValueError(f"{key!r} belongs to a roll that is being played; expected {needed!r} too")
    return said


_COLOURS = ("white", "black")
_FLAGS = ("opening", "new game", "must open")
_PARTS = (*_COLOURS, "turn", "rolled", "roll", "left", "points", *_FLAGS)


def _place_men(s: State, seat: Seat, text: str) -> None:
    men: dict[int, int] = {}
    for word in text.split():
        match = re.fullmatch(r"([0-9]{1,2}|off):([0-9]{1,2})", word)
        point = 0 if match is None else OFF if match[1] == "off" else int(match[1])
        if match is None or not 1 <= point <= OFF or (point == OFF) != (match[1] == "off"):
            raise ValueError(
                f"{word!r} in the position of {_COLOURS[seat]}; expected POINT:MEN or off:MEN, points 1 to 24"
            )
        if point in men:
            raise ValueError(f"the position of {_COLOURS[seat]} says point {match[1]} twice")
        men[point] = int(match[2])
    if sum(men.values()) != MEN:
        raise ValueError(
            f"{_COLOURS[seat]} has {sum(men.values())} men; expected {MEN}, those borne off as off:MEN (§1.3)"
        )
    s.men[seat] = [men.get(point, 0) for point in range(OFF + 1)]
    s.held[seat] = sum(1 << point for point in range(1, OFF) if men.get(point))


def _numbers(text: str, count: int, least: int, most: int, what: str) -> list[int]:
    words = text.split()
    if len(words) != count or not all(re.fullmatch("[0-9]", word) and least <= int(word) <= most for word in words):
        raise ValueError(f"{what} {text!r}; expected {count} numbers from {least} to {most}")
    return [int(word) for word in words]


def _one_of(word: str, words: tuple[str, ...], what: str) -> str:
    if word not in words:
        raise ValueError(f"{what} {word!r}; expected {' or '.join(words)}")
    return word


def _dice(said: dict[str, str]) -> list[int]:
    if "roll" in said and ("rolled" in said or "opening" in said or "new game" in said):
        raise ValueError(
            "a roll is to be played, or the next one begins a game, or it has been played; not two of these"
        )
    for key in ("roll", "rolled"):
        if key in said:
            return sorted(_numbers(said[key], 2, 1, 6, key), reverse=True)
    return [0, 0]


def _refuse_impossible(s: State, in_a_turn: bool) -> None:
    for seat, colour in enumerate(_COLOURS):
        for point in range(1, OFF):
            if s.men[seat, point] and not is_open(s, seat, point):
                raise ValueError(
                    f"{colour}'s point {point} is the other's {opposite(point)}: both have men there (§3.1)"
                )
        if is_running(s, seat) and int(s.men[seat, 1]) < MEN - 1:
            raise ValueError(f"only {colour}'s runner can have left point 1 before a man has reached {PAST} (§3.5)")
        if s.men[seat, OFF] and not is_home(s, seat):
            raise ValueError(f"{colour} has men off and men outside the home board (§4.1)")
        if is_blocking_the_mother(s, seat) and not (in_a_turn and seat == int(s.turn)):
            raise ValueError(f"{colour} holds all six points of the mother board; no turn ends so (§3.7)")
    if s.fresh:
        _refuse_impossible_beginning(s)
    elif (s.men[:, OFF] == MEN).any():
        raise ValueError("all men of a player are off: that game is over (§5.1)")


def _refuse_impossible_beginning(s: State) -> None:
    """Check a position before the first game of a match, or between two games."""
    if (s.men[:, 1] == MEN).all():
        if s.dice[0] or s.points.any() or s.turn or not s.opening:
            raise ValueError(
                "before the first game nothing has been rolled or won, and it begins with 'opening' (§2.1)"
            )
        return
    winner = int(s.turn)
    is_won = (s.men[:, OFF] == MEN).tolist() == [winner == 0, winner == 1] and s.points[winner] and s.dice[0]
    if not is_won or s.opening == s.winner_starts:
        raise ValueError(
            "between two games the winner's men are all off, it is his turn, he has points, his dice are 'rolled', "
            "and the next game begins with 'opening', or with 'new game' if the winner starts (§5.2, §6)"
        )


def _leave(s: State, left: str, must_open: bool) -> None:
    """Set the dice that are still to be played."""
    high, low, seat = int(s.dice[0]), int(s.dice[1]), int(s.turn)
    dice = [int(word) if re.fullmatch("[1-6]", word) else 0 for word in left.split()]
    played = [high] * 4 if high == low else [high, low]
    for die in dice:
        if die not in played:
            raise ValueError(f"left {left!r}; expected dice of the roll {high} {low}")
        played.remove(die)
    if must_open and not s.must_open:
        raise ValueError("'must open' needs the option must_open (§6)")
    s.left[0], s.left[1] = (len(dice), 0) if high == low else (dice.count(high), dice.count(low))
    s.unwalled = int(must_open)
    if is_untouched(s) and not is_blocking_the_mother(s, seat):
        return
    if not dice or not has_turn(s, seat):
        raise ValueError(f"left {left!r}: the turn cannot be played out so (§3.4, §3.7)")
    if not any(s.men[seat, 1 + die :].any() for die in played):
        raise ValueError(f"left {left!r}: no man can have played the rest of the roll {high} {low}")
