"""The words of Run: `1/7`, `22/off`, `roll 6 4`, `open 6 4`; sentences for the log; positions on one line.

A position is parts between bars, in any order:

    white 1:2 5:3 19:10 | black 1:15 | turn white | roll 6 4 | points 2 0

Men stand on points of their own player's numbers, or are `off`. A seat without a part has its men on point 1. `roll`
is still to be played; in the middle of a turn `left` says which dice are. Without `roll` nature rolls next, and
`rolled` is the roll before. `opening` or `new game`: the next roll begins a game.
"""

import re

from backroom.engine.game import Move, Seat, State
from backroom.engine.kernel import NATURE

from .pieces import MEN, MOTHER, OFF, OPENINGS, PAST, POINTS, ROLLS
from .rules import (
    OPEN,
    ROLL,
    SEAT_NAMES,
    STEP,
    asked,
    bearable,
    distance_of,
    has_turn,
    is_blocking_the_mother,
    is_completable,
    is_home,
    is_open,
    is_over,
    is_running,
    lay_out,
    movers,
    opposite,
    point_of,
    runner,
)

_STEP = re.compile(r"(\d{1,2})/(\d{1,2}|off)")
_DICE = re.compile(r"(roll|open) ([1-6])[ -]?([1-6])")

# moves


def name(v: State, move: Move) -> str:
    """`roll 6 4`: the larger first. `open 6 4`: White's die, Black's die. `1/7`: in the mover's own numbers."""
    if move < OPEN:
        return "roll {} {}".format(*ROLLS[move - ROLL])
    if move < STEP:
        return "open {} {}".format(*OPENINGS[move - OPEN])
    point, to = int(point_of(move)), int(point_of(move) + distance_of(move))
    return f"{point}/{'off' if to == OFF else to}"


def parse(v: State, text: str) -> Move:
    """The move of that name; white space and capitals do not matter."""
    words = text.strip().lower()
    if dice := _DICE.fullmatch(words):
        pair = (int(dice[2]), int(dice[3]))
        if dice[1] == "roll":
            return ROLL + [tuple(roll) for roll in ROLLS].index((max(pair), min(pair)))
        if pair[0] == pair[1]:
            raise ValueError("equal dice do not open a game, they are rolled again (§2.1)")
        return OPEN + [tuple(opening) for opening in OPENINGS].index(pair)
    if step := _STEP.fullmatch(words):
        point, to = int(step[1]), OFF if step[2] == "off" else int(step[2])
        if not 1 <= point <= POINTS or not 1 <= to <= OFF or (to == OFF and step[2] != "off"):
            raise ValueError("points are numbered 1 to 24, and 'off' comes after 24 (§1.2)")
        if to <= point:
            raise ValueError("men move forward only, to higher numbers (§3.1)")
        if to - point > 6:
            raise ValueError("one move is one man by one die: at most six points (§3.2)")
        return int(STEP + (point - 1) * 6 + to - point - 1)
    raise ValueError("a move is written FROM/TO in your own numbers, like 1/7 or 22/off")


# sentences


def say(v: State, seat: Seat, move: Move, then: State) -> str:
    """What happened, for the log."""
    if seat == NATURE:
        if move >= OPEN:
            white, black = OPENINGS[move - OPEN]
            rolled = f"White rolls {white}, Black rolls {black}: {SEAT_NAMES[0 if white > black else 1]} begins"
            roller = 0 if white > black else 1
        else:
            roller = int(v.turn)
            rolled = "{} rolls {}-{}".format(SEAT_NAMES[roller], *ROLLS[move - ROLL])
        if int(then.turn) != roller:
            return f"{rolled}, and cannot move: the turn is lost."
        return f"{rolled}{_shortfall(then)}."
    point, to = int(point_of(move)), int(point_of(move) + distance_of(move))
    done = f"{SEAT_NAMES[seat]} bears off from {point}" if to == OFF else f"{SEAT_NAMES[seat]} moves {point}/{to}"
    if then.fresh or is_over(then):
        worth = "two points" if then.men[1 - seat, OFF] == 0 else "one point"
        standing = f"{then.points[0]}–{then.points[1]}"
        if is_over(then):
            return f"{done} and wins{f' the match {standing}' if then.match > 1 else ''}."
        return f"{done} and wins the game, {worth}; the match stands {standing}."
    return f"{done}."


def _shortfall(then: State) -> str:
    """That not all of a roll can be played, if so."""
    high, low = (int(die) for die in then.dice)
    if high == low:
        times = int(then.left[0])
        return "" if times == 4 else f", and can play it only {('once', 'twice', 'three times')[times - 1]}"
    if int(then.left[0]) + int(then.left[1]) == 1:
        return f", and can play only the {high if then.left[0] else low}"
    return ""


def question(v: State, seat: Seat) -> str:
    """What is asked now."""
    if is_over(v):
        winner = 0 if v.points[0] >= v.match else 1
        return f"The game is over: {SEAT_NAMES[winner]} has won{_standing(v)}."
    if int(asked(v)) == 1 << NATURE:
        if v.opening:
            return "Each rolls one die to begin."
        return f"{SEAT_NAMES[int(v.turn)]} rolls."
    dice = [str(v.dice[which]) for which in (0, 1) for _ in range(int(v.left[which]))]
    who = "You have" if seat == int(v.turn) else f"{SEAT_NAMES[int(v.turn)]} has"
    return f"{who} {' and '.join(dice) if len(dice) < 3 else ', '.join(dice)} to play."


def _standing(v: State) -> str:
    return f" the match {v.points[0]}–{v.points[1]}" if v.match > 1 else ""


def why(v: State, seat: Seat, move: Move) -> str:
    """Why a move is not among `moves`. What is legal is decided there; this only finds the § to name."""
    if (seat == NATURE) != (move < STEP):
        return "dice are nature's to roll, men the players' to move"
    if seat == NATURE:
        return (
            "each player rolls one die to open a game (§2.1)" if v.opening else "it is a plain roll of two dice (§2.2)"
        )
    point, distance = int(point_of(move)), int(distance_of(move))
    to = point + distance
    if not v.men[seat, point]:
        return f"you have no man on your point {point}"
    if to == OFF:
        return _why_not_off(v, seat, point, distance)
    which = [i for i in (0, 1) if int(v.dice[i]) == distance and v.left[i]]
    if not which:
        if distance in (int(v.dice[0]), int(v.dice[1])):
            return f"the {distance} is played, or cannot be part of a legal turn (§3.4)"
        return f"you have no {distance} to play (§3.2)"
    if not is_open(v, seat, to):
        return f"point {to} is closed: {SEAT_NAMES[1 - seat]} has a man there (§3.1)"
    if is_running(v, seat) and not runner(v, seat) >> point & 1:
        return f"only the runner may move until it has reached point {PAST} (§3.5)"
    return _why_not_completable(v, seat, point, to, which[0])


def _why_not_off(v: State, seat: Seat, point: int, distance: int) -> str:
    if not is_home(v, seat):
        return "nobody is borne off before all fifteen men are home (§4.1)"
    dice = [int(v.dice[which]) for which in (0, 1) if v.left[which]]
    if max(dice) < distance:
        return f"point {point} is worth {distance}, more than your dice (§4.2)"
    fitting = [die for die in dice if bearable(v, seat, die) >> point & 1]
    if not fitting:
        return "a man on a farther point must be moved by that die instead (§4.3)"
    which = 0 if int(v.dice[0]) == fitting[0] else 1
    return _why_not_completable(v, seat, point, OFF, which)


def _why_not_completable(v: State, seat: Seat, point: int, to: int, which: int) -> str:
    """The step itself is possible, so what is wrong is how the turn would end."""
    after = v.copy()
    after.unwalled = 0
    if v.unwalled and is_completable(after, seat, which, point):
        return "your wall must be opened, and this turn would keep it (must_open, §6)"
    if int(v.left[0]) + int(v.left[1]) > 1:
        after.men[seat, point] -= 1
        after.men[seat, to] += 1
        _hold(after)
        after.left[which] -= 1
        rest = [int(after.dice[i]) for i in (0, 1) if after.left[i]]
        if not any(movers(after, seat, die) for die in rest):
            return f"then the {rest[0]} could not be played, and as many dice as possible must be (§3.4)"
    if int(v.held[seat]) & MOTHER:
        return "the turn would end with all six points of your mother board held, or with fewer dice played (§3.7)"
    return "fewer dice would be played than can be (§3.4)"


# positions


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
    """Put a state that was set up into a position; ValueError says what is wrong with it."""
    said: dict[str, str] = {}
    for part in text.split("|"):
        key = next((key for key in _PARTS if re.match(rf"{key}\b", part.strip().lower())), None)
        if key is None:
            raise ValueError(f"{part.strip()!r} is no part of a position; expected {', '.join(_PARTS)}")
        if key in said:
            raise ValueError(f"the position says {key!r} twice")
        said[key] = part.strip().lower()[len(key) :].strip()
    for seat, colour in enumerate(_COLOURS):
        if colour in said:
            _place_men(s, seat, said[colour])
    _hold(s)
    s.fresh, s.opening = int("opening" in said or "new game" in said), int("opening" in said)
    s.turn = _COLOURS.index(_one_of(said.get("turn", _COLOURS[0]), _COLOURS, "turn"))
    s.points[0], s.points[1] = _numbers(said.get("points", "0 0"), 2, 0, int(s.match) - 1, "points")
    s.dice[0], s.dice[1] = _dice(said)
    s.left[:] = 0
    s.unwalled = int("must open" in said)
    _refuse_impossible(s, "left" in said)
    if "roll" in said:
        _lay(s, said.get("left"))
    elif "left" in said or "must open" in said:
        raise ValueError("'left' and 'must open' belong to a roll that is being played; expected 'roll' too")


_COLOURS = ("white", "black")
_PARTS = (*_COLOURS, "turn", "rolled", "roll", "left", "opening", "new game", "must open", "points")


def _place_men(s: State, seat: Seat, text: str) -> None:
    s.men[seat] = 0
    for word in text.split():
        match = re.fullmatch(r"(\d{1,2}|off):(\d{1,2})", word)
        point = 0 if match is None else OFF if match[1] == "off" else int(match[1])
        if match is None or not 1 <= point <= OFF or (point == OFF) != (match[1] == "off"):
            raise ValueError(
                f"{word!r} in the position of {_COLOURS[seat]}; expected POINT:MEN or off:MEN, points 1 to 24"
            )
        if s.men[seat, point]:
            raise ValueError(f"the position of {_COLOURS[seat]} says point {match[1]} twice")
        s.men[seat, point] = int(match[2])
    if (men := int(s.men[seat].sum())) != MEN:
        raise ValueError(f"{_COLOURS[seat]} has {men} men; expected {MEN}, those borne off as off:MEN (§1.3)")


def _hold(s: State) -> None:
    for seat in (0, 1):
        s.held[seat] = sum(1 << point for point in range(1, OFF) if s.men[seat, point])


def _numbers(text: str, count: int, least: int, most: int, what: str) -> list[int]:
    words = text.split()
    if len(words) != count or not all(word.isdecimal() and least <= int(word) <= most for word in words):
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
    over = [int(s.men[seat, OFF]) == MEN for seat in (0, 1)]
    if any(over) and (not s.fresh or all(over)):
        raise ValueError("all men of a player are off: that game is over (§5.1)")


def _lay(s: State, left: str | None) -> None:
    """Give the dice of a position to whose turn it is."""
    if left is None:
        lay_out(s)
        if not s.left[0] + s.left[1]:
            s.turn = 1 - s.turn
        return
    high, low = int(s.dice[0]), int(s.dice[1])
    dice = [int(word) if word.isdecimal() else 0 for word in left.split()]
    s.left[0] = dice.count(high)
    s.left[1] = 0 if high == low else dice.count(low)
    most = 4 if high == low else 1
    if not dice or int(s.left[0]) + int(s.left[1]) != len(dice) or max(s.left) > most:
        raise ValueError(f"left {left!r}; expected dice of the roll {high} {low}")
    if s.unwalled and not s.must_open:
        raise ValueError("'must open' needs the option must_open (§6)")
    if not has_turn(s, int(s.turn)):
        raise ValueError(f"left {left!r}: the turn cannot be played out so (§3.4, §3.7)")
