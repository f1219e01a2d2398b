"""The words of Run: `1/7`, `22/off`, `roll 6 4`, `open 6 4`; sentences for the log."""

import re

from backroom.engine.kernel import NATURE
from backroom.engine.marks import by_reader, glyph, who
from backroom.engine.protocol import Move, Result, Seat, State

from .pieces import OFF, OPENINGS, PAST, POINTS, ROLLS
from .rules import (
    OPEN,
    ROLL,
    STEP,
    asked,
    distance_of,
    is_over,
    is_running,
    is_single,
    opposite,
    point_of,
)

NOTATION = re.compile(r"\b[0-9]{1,2}/([0-9]|off)|\b(roll|open) [1-6]")
_STEP = re.compile(r"([0-9]{1,2})/([0-9]{1,2}|off)")
_DICE = re.compile(r"(roll|open) ([1-6])[ -]?([1-6])")

# moves


def name(v: State, move: Move) -> str:
    """`roll 6 4`: the larger die first. `open 6 4`: White's die, Black's die. `1/7`: in the mover's own numbering."""
    if move < OPEN:
        return "roll {} {}".format(*ROLLS[move - ROLL])
    if move < STEP:
        return "open {} {}".format(*OPENINGS[move - OPEN])
    point, to = int(point_of(move)), int(point_of(move) + distance_of(move))
    return f"{point}/{'off' if to == OFF else to}"


def parse(v: State, text: str) -> Move:
    """The move with this name, in capitals or not."""
    words = text.lower()
    if dice := _DICE.fullmatch(words):
        pair = (int(dice[2]), int(dice[3]))
        if dice[1] == "roll":
            return ROLL + [tuple(roll) for roll in ROLLS].index((max(pair), min(pair)))
        if pair[0] == pair[1]:
            raise ValueError("equal dice do not open a game, they are rolled again (§2.1)")
        return OPEN + [tuple(opening) for opening in OPENINGS].index(pair)
    if step := _STEP.fullmatch(words):
        point, to = int(step[1]), OFF if step[2] == "off" else int(step[2])
        if to > POINTS and step[2] != "off":
            raise ValueError("no man goes past point 24 but by bearing off, written like 22/off (§3.8)")
        if not 1 <= point <= POINTS or to < 1:
            raise ValueError("points are numbered 1 to 24 (§1.2)")
        if to <= point:
            raise ValueError("men move forward only, to higher numbers (§3.1)")
        if to - point > 6:
            raise ValueError("one move is one man by one die: at most six points (§3.2)")
        return int(STEP + (point - 1) * 6 + to - point - 1)
    raise ValueError("a move is written FROM/TO in your own numbers, like 1/7 or 22/off")


# labels and sentences


def die(face: int) -> str:
    """A die in a text."""
    return glyph(f"die-{face}", str(face))


def label(v: State, move: Move) -> str:
    """The label of a step."""
    point, to = int(point_of(move)), int(point_of(move) + distance_of(move))
    return f"Bear off from {point}" if to == OFF else f"Move from {point} to {to}"


def say(v: State, seat: Seat, move: Move, then: State) -> str:
    """What happened, for the story."""
    if seat == NATURE:
        if move >= OPEN:
            one, other = (int(face) for face in OPENINGS[move - OPEN])
            roller = 0 if one > other else 1
            rolled = f"To begin, {who(0)} rolls {die(one)} and {who(1)} {die(other)}: {who(roller)} is first"
        else:
            roller = int(v.turn)
            rolled = f"{who(roller)} rolls {'-'.join(die(int(face)) for face in ROLLS[move - ROLL])}"
        if int(then.turn) != roller:
            blocked = "the runner is blocked (§3.6)" if is_running(then, roller) else "the turn is lost (§3.4)"
            return f"{rolled}, and cannot move: {blocked}."
        return f"{rolled}{_shortfall(then)}."
    point, to = int(point_of(move)), int(point_of(move) + distance_of(move))
    start = _numbered(seat, point)
    way = f"bears off from {start}" if to == OFF else f"moves from {start} to {_numbered(seat, to)}"
    done = f"{who(seat)} {way}"
    if is_over(then):
        return f"{done}. {_headline(then)}"
    if then.fresh:
        won = "double, two points" if then.men[1 - seat, OFF] == 0 else "the game, one point"
        standing = ", ".join(f"{who(other)} {then.points[other]}" for other in range(2))
        return f"{done} and wins {won} (§5.1); the match stands {standing}."
    return f"{done}."


def _numbered(seat: Seat, point: int) -> str:
    """A seat's point, by the number that stands at it on the reader's own board (§1.2)."""
    return by_reader([str(point if reader == seat else int(opposite(point))) for reader in (0, 1)])


def _shortfall(then: State) -> str:
    """A remark that not all of a roll can be played, if so."""
    high, low = (int(die) for die in then.dice)
    if high == low:
        times = int(then.left[0])
        return "" if times == 4 else f", and can play it only {('once', 'twice', 'three times')[times - 1]} (§3.4)"
    if int(then.left[0]) + int(then.left[1]) == 1:
        return f", and can play only the {high if then.left[0] else low} (§3.4)"
    return ""


def question(v: State, seat: Seat) -> str:
    """What is asked now."""
    if is_over(v):
        return f"The game is over. {_headline(v)}"
    if int(asked(v)) == 1 << NATURE:
        if v.opening:
            return "Each rolls one die to begin."
        return f"{who(v.turn)} rolls."
    dice = [die(int(v.dice[which])) for which in (0, 1) for _ in range(int(v.left[which]))]
    has = "You have" if seat == int(v.turn) else f"{who(v.turn)} has"
    is_held = seat == int(v.turn) and is_running(v, seat)
    hint = f" Only the runner may move until it has reached {PAST} (§3.5)." if is_held else ""
    return f"{has} {' and '.join(dice) if len(dice) < 3 else ', '.join(dice)} to play.{hint}"


def result(v: State) -> Result | None:
    """Who has won, and how many points; None until the game or the match is over."""
    if not is_over(v):
        return None
    return Result(_headline(v), (_points(v, 0), _points(v, 1)), (_winner(v),))


def _winner(v: State) -> Seat:
    return 0 if v.points[0] > v.points[1] else 1


def _points(v: State, seat: Seat) -> str:
    return "1 point" if v.points[seat] == 1 else f"{v.points[seat]} points"


def _headline(v: State) -> str:
    """§5: who has won a game or a match that is over."""
    winner = _winner(v)
    if is_single(v):
        if v.points[winner] == 2:
            return f"{who(winner)} wins double: two points, with all men off before {who(1 - winner)} has any (§5.1)."
        return f"{who(winner)} wins one point, with all men off first (§5.1)."
    return f"{who(winner)} wins the match, {v.points[winner]} points to {v.points[1 - winner]} (§5.2)."
