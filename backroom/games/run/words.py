"""The words of Run: `1/7`, `22/off`, `roll 6 4`, `open 6 4`; sentences for the log; positions on one line.

A position is parts between bars, in any order:

    white 1:2 5:3 19:10 | black 1:15 | turn white | roll 6 4 | points 2 0

Men stand on points of their own player's numbers, or are `off`. A seat without a part has its men on point 1. `roll`
is still to be played; in the middle of a turn `left` says which dice are. Without `roll` nature rolls next, and
`rolled` is the roll before. `opening` or `new game`: the next roll begins a game. `must open`: see §6.
"""

import re

from backroom.engine.kernel import NATURE, lowest
from backroom.engine.protocol import Move, Seat, State

from .pieces import MEN, OFF, OPENINGS, PAST, POINTS, ROLLS
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
    rest_of,
    runner,
    shift,
)

_STEP = re.compile(r"([0-9]{1,2})/([0-9]{1,2}|off)")
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
    """The move of that name; capitals do not matter."""
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
            blocked = "the runner is blocked (§3.6)" if is_running(then, roller) else "the turn is lost (§3.4)"
            return f"{rolled}, and cannot move: {blocked}."
        return f"{rolled}{_shortfall(then)}."
    point, to = int(point_of(move)), int(point_of(move) + distance_of(move))
    done = f"{SEAT_NAMES[seat]} bears off from {point}" if to == OFF else f"{SEAT_NAMES[seat]} moves {point}/{to}"
    if then.fresh or is_over(then):
        worth = "two points" if then.men[1 - seat, OFF] == 0 else "one point"
        if is_over(then):
            return f"{done} and wins{_standing(then, ' the match: ')}."
        return f"{done} and wins the game, {worth};{_standing(then, ' the match stands ')}."
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
        return f"The game is over: {SEAT_NAMES[winner]} has won{_standing(v, ' the match: ')}."
    if int(asked(v)) == 1 << NATURE:
        if v.opening:
            return "Each rolls one die to begin."
        return f"{SEAT_NAMES[int(v.turn)]} rolls."
    dice = [str(v.dice[which]) for which in (0, 1) for _ in range(int(v.left[which]))]
    who = "You have" if seat == int(v.turn) else f"{SEAT_NAMES[int(v.turn)]} has"
    hint = f" Only the runner may move until it has reached {PAST} (§3.5)." if is_running(v, int(v.turn)) else ""
    return f"{who} {' and '.join(dice) if len(dice) < 3 else ', '.join(dice)} to play.{hint}"


def _standing(v: State, lead: str) -> str:
    """The points of a match, if it is one."""
    return f"{lead}{SEAT_NAMES[0]} {v.points[0]}, {SEAT_NAMES[1]} {v.points[1]}" if v.match > 1 else ""


def why(v: State, seat: Seat, move: Move) -> str:
    """Why a move is not among `moves`. What is legal is decided there; this only finds the § to name."""
    if (seat == NATURE) != (move < STEP):
        return "dice are nature's to roll, men the players' to move (§2.2)"
    if seat == NATURE:
        return (
            "each player rolls one die to open a game (§2.1)" if v.opening else "it is a plain roll of two dice (§2.2)"
        )
    point, distance = int(point_of(move)), int(distance_of(move))
    to = point + distance
    if not v.men[seat, point]:
        return f"you have no man on your point {point} (§3.1)"
    if to == OFF:
        return _why_not_off(v, seat, point, distance)
    if distance not in (int(v.dice[0]), int(v.dice[1])):
        return f"you have no {distance} to play (§3.2)"
    if not is_open(v, seat, to):
        return f"point {to} is closed: {SEAT_NAMES[1 - seat]} has a man there (§3.1)"
    if is_running(v, seat) and not runner(v, seat) >> point & 1:
        return f"only the runner may move until it has reached point {PAST} (§3.5)"
    which = 0 if int(v.dice[0]) == distance else 1
    if not v.left[which]:
        return _why_not_left(v, seat, point, which)
    return _why_not_completable(v, seat, point, to, which)


def _why_not_left(v: State, seat: Seat, point: int, which: int) -> str:
    """The die has no more part in this turn: because it was played, or because the roll had to do without it."""
    if not _is_untouched(v):
        return f"the {v.dice[which]} has been played (§3.2)"
    alone = v.copy()
    alone.left[which], alone.left[1 - which] = 1, 0
    if not is_completable(alone, seat, which, point):
        return "the turn would end with all six points of your mother board held (§3.7)"
    return "either die can be played but not both, so it must be the larger (§3.4)"


def _is_untouched(v: State) -> bool:
    """Whether no die of the roll has been played yet, as far as the board can tell."""
    begun = v.copy()
    lay_out(begun)
    return (begun.turn, begun.left.tolist(), begun.unwalled) == (v.turn, v.left.tolist(), v.unwalled)


def _why_not_off(v: State, seat: Seat, point: int, worth: int) -> str:
    if not is_home(v, seat):
        return "nobody is borne off before all fifteen men are home (§4.1)"
    if int(v.dice[0]) < worth:
        return f"point {point} is worth {worth}, more than your dice (§4.2)"
    fitting = [which for which in (1, 0) if v.left[which] and int(v.dice[which]) >= worth]
    if not fitting:
        if _is_untouched(v):
            return f"the {v.dice[0]} is lost: a man farther off must be moved by it and is blocked (§4.3)"
        return f"the {v.dice[0]} has been played (§3.2)"
    which = fitting[0]
    die = int(v.dice[which])
    if bearable(v, seat, die) >> point & 1:
        return _why_not_completable(v, seat, point, OFF, which)
    if v.men[seat, OFF - die]:
        return f"the {die} takes a man off point {OFF - die} (§4.2)"
    farthest = int(lowest(v.held[seat]))
    if farthest > OFF - die:
        return f"with no man farther, the {die} takes a man off the farthest point, {farthest} (§4.3)"
    return f"a man farther off must be moved by the {die} (§4.3)"


def _why_not_completable(v: State, seat: Seat, point: int, to: int, which: int) -> str:
    """The step itself is possible, so what is wrong is how the turn would end."""
    after = v.copy()
    after.unwalled = 0
    if v.unwalled and is_completable(after, seat, which, point):
        return "your wall must be opened, and this turn would keep it (must_open, §6)"
    if int(v.left[0]) + int(v.left[1]) > 1:
        shift(after, seat, point, to)
        die, _ = rest_of(v, which)
        if not movers(after, seat, int(die)):
            return f"then the {die} could not be played, and as many dice as possible must be (§3.4)"
    return "the turn would end with all six points of your mother board held (§3.7)"


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
    """Before the first game of a match, or between two of them."""
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
    """Give the dice of a position that are still to be played to whose turn it is."""
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
    if _is_untouched(s) and not is_blocking_the_mother(s, seat):
        return
    if not dice or not has_turn(s, seat):
        raise ValueError(f"left {left!r}: the turn cannot be played out so (§3.4, §3.7)")
    if not any(s.men[seat, 1 + die :].any() for die in played):
        raise ValueError(f"left {left!r}: no man can have played the rest of the roll {high} {low}")
