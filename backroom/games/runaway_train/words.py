"""The words of RunAway Train: `roll 4`, `short`, `passenger+3`, `bluff`, `jump`; sentences; reasons why not."""

import re

import numpy as np

from backroom.engine.kernel import UNKNOWN
from backroom.engine.phrases import listing
from backroom.engine.protocol import Move, Seat, State

from .pieces import BEFORE, CANNOT, HALF_BRAKE, SUITCASES
from .rules.cards import effective, suitcase_of
from .rules.game import asked, score
from .rules.state import (
    BRAKE,
    BRAKED,
    BRAKING,
    CHOOSING,
    EMPTY,
    FIRST_LEAVE,
    JUMP,
    JUMPING,
    LEAVE,
    LOTS,
    OVER,
    PASS,
    PLUNGED,
    ROLL,
    ROLLING,
    SEAT_NAMES,
    STOP,
    STOPPING,
    SWITCHING,
    TAKE_SHORT,
    is_aboard,
)
from .rules.train import is_at_the_end, least_roll, next_in_lots, plain_value

DICE = ("lot", "roll", "brake", "stop")
TRACKS = ("", "short", "long")
MOVES = (
    *(f"{verb} {die}" for verb in DICE for die in range(1, 7)),
    *("short", "long"),
    *("pass", "bluff", "passenger+conductor"),
    *(f"passenger+{suitcase}" for suitcase in range(1, SUITCASES + 1)),
    *(f"conductor+{suitcase}" for suitcase in range(1, SUITCASES + 1)),
    *("jump", "stay"),
)
"""What each move is called, in the order of their numbers."""

_DIE = re.compile(rf"({'|'.join(DICE)}) ?([1-6])")
_WITH_SUITCASE = re.compile(r"(p|c|passenger|conductor) ?\+? ?([1-7])")
_BOTH = re.compile(r"(pc|cp|p ?\+ ?c|passenger ?\+? ?conductor|conductor ?\+? ?passenger)")

# moves


def name(v: State, move: Move) -> str:
    """The same in every view."""
    return MOVES[move]


def parse(v: State, text: str) -> Move:
    """The move of that name; capitals do not matter, and `p3`, `c7` and `pc` will do for cards."""
    words = text.lower()
    if words in MOVES:
        return MOVES.index(words)
    if found := _DIE.fullmatch(words):
        return MOVES.index(f"{found[1]} {found[2]}")
    if found := _WITH_SUITCASE.fullmatch(words):
        return MOVES.index(f"{'passenger' if found[1][0] == 'p' else 'conductor'}+{found[2]}")
    if _BOTH.fullmatch(words):
        return LEAVE
    raise ValueError(
        "a move is passenger+3 (p3 for short), conductor+7 (c7), passenger+conductor (pc), bluff or pass; "
        "at the switch short or long; after the reveal jump or stay"
    )


def choice_name(choice: int) -> str:
    """What two cards, or none, are called."""
    return MOVES[choice + PASS - 1]


# sentences


def say(v: State, seat: Seat, move: Move, then: State) -> str:
    """What happened, for the log."""
    if move == UNKNOWN:
        return f"{SEAT_NAMES[seat]} is ready."
    if move < TAKE_SHORT:
        done = _say_die(v, move, then)
    elif move < PASS:
        done = f"{SEAT_NAMES[seat]} takes the {TRACKS[int(then.track)]} track{_progress(v, then)}"
    elif move < JUMP:
        if then.ask == CHOOSING and int(asked(v)) & ~(1 << seat):
            return f"{SEAT_NAMES[seat]} seals {MOVES[move]}{' instead' if v.choice[seat] else ''}."
        done = reveal_in_words(then)
    elif move == JUMP:
        done = f"{SEAT_NAMES[seat]} jumps off after the suitcase{_with_points(then, seat)}"
    else:
        done = f"{SEAT_NAMES[seat]} stays aboard"
    return f"{done}.{_end(v, then)}"


def _with_points(v: State, seat: Seat) -> str:
    return f", with {_points(int(v.points[seat]))}"


def _points(points: int) -> str:
    return f"{points} point{'' if points == 1 else 's'}"


def _say_die(v: State, move: Move, then: State) -> str:
    die = move % 6 + 1
    who = SEAT_NAMES[int(v.engineer)]
    if move < ROLL:
        rolled = f"{SEAT_NAMES[int(next_in_lots(v))]} rolls {die} for the first turn as engineer"
        if then.ask == ROLLING:
            return f"{rolled}: {SEAT_NAMES[int(then.engineer)]} begins"
        if then.contenders != v.contenders or not then.lot.any():
            return f"{rolled}: {_seats(int(then.contenders))} are equal and roll again"
        return rolled
    if move < BRAKE:
        return f"{who} rolls {die}: speed {then.speed}{_progress(v, then)}"
    if move < STOP:
        fall = int(v.speed - then.speed)
        at = v.yellow_at[v.track, v.due]
        slowed = f"speed {then.speed}, {fall} less" if fall else f"speed {then.speed} as before"
        return f"{who} rolls {die} at the brake {brake_sign(v)} ({at}): {slowed}{_progress(v, then)}"
    least = int(least_roll(v, int(v.track), int(v.speed)))
    needed = "nothing stops it" if least == CANNOT else f"{least} is needed"
    return f"{who} rolls {die} at the end of the {TRACKS[int(v.track)]} track; at speed {v.speed} {needed}"


def brake_sign(v: State) -> str:
    """As it stands on the board: ½ or 1×."""
    return "½" if v.yellow_is[v.track, v.due] == HALF_BRAKE else "1×"


def _progress(v: State, then: State) -> str:
    """Where the train has got to, and what it met there."""
    said = []
    if then.at != v.at:
        said.append(f"the train goes to {then.at}")
    if then.multiplier != v.multiplier:
        said.append(f"suitcases now count ×{then.multiplier}")
    if then.ask == BRAKING:
        said.append(f"the brake {brake_sign(then)} is reached")
    elif then.ask == SWITCHING:
        said.append("the switch is reached")
    elif is_at_the_end(then) and then.ask != OVER:
        said.append(f"this is the end of the {TRACKS[int(then.track)]} track")
    return "".join(f", {part}" for part in said)


def reveal_in_words(v: State) -> str:
    """The cards last shown, and what came of them."""
    showed = [f"{SEAT_NAMES[seat]} {choice_name(int(v.shown[seat]))}" for seat in showers(v)]
    said = [f"{'All show' if len(showed) > 1 else 'Shown'}: {', '.join(showed)}"]
    for choice in sorted({int(v.shown[seat]) for seat in showers(v)}):
        who = [SEAT_NAMES[seat] for seat in showers(v) if v.shown[seat] == choice]
        if choice >= FIRST_LEAVE and len(who) > 1:
            said.append(f"{listing(who, 'and')} are alike and take their cards back")
    found = int(effective(v))
    for seat in showers(v):
        choice = int(v.shown[seat])
        if found >> choice & 1:
            if choice == FIRST_LEAVE:
                said.append(f"{SEAT_NAMES[seat]} gets off{_with_points(v, seat)}")
            else:
                gained = _points(int(v.gained[seat]))
                said.append(f"{SEAT_NAMES[seat]}'s {suitcase_of(choice)} goes off for {gained}")
    if not found:
        said.append("nothing goes off")
    return "; ".join(said)


def showers(v: State) -> list[Seat]:
    """Who showed a choice at the last reveal."""
    return [seat for seat in range(int(v.seats)) if v.shown[seat]]


def _end(v: State, then: State) -> str:
    """How the game ended, if it did by this move."""
    return f" {how_it_ended(then)} {result(then)}" if then.ask == OVER and v.ask != OVER else ""


def how_it_ended(v: State) -> str:
    """§5, in a sentence."""
    if v.fate == EMPTY:
        return "The last passenger is off (§5.2)."
    if v.fate == PLUNGED:
        return f"The train goes over the cliff with {_seats(int(v.aboard))}."
    where = "The brakes have stopped the train (§3.4)" if v.fate == BRAKED else "The train stops"
    saved = [f"{SEAT_NAMES[seat]} {plain_value(v, seat)}" for seat in range(int(v.seats)) if is_aboard(v, seat)]
    return f"{where}; for suitcases left aboard: {', '.join(saved)} (§5.3)."


def winners(v: State) -> list[Seat]:
    """§5.4: who has won a game that is over; nobody if all lose alike."""
    if v.fate == PLUNGED and int(v.aboard) == (1 << int(v.seats)) - 1:
        return []
    results = np.zeros(int(v.seats))
    score(v, results)
    return [seat for seat, found in enumerate(results) if found == results.max()]


def result(v: State) -> str:
    """The same in a sentence."""
    won = winners(v)
    if not won:
        return "Nobody got off: all lose alike (§5.4)."
    points = _points(int(v.points[won[0]]))
    if len(won) == 1:
        return f"{SEAT_NAMES[won[0]]} wins with {points}."
    return f"{listing((SEAT_NAMES[seat] for seat in won), 'and')} share the win with {points} each."


def _seats(mask: int) -> str:
    return listing((name for seat, name in enumerate(SEAT_NAMES) if mask >> seat & 1), "and")


# questions


def question(v: State, seat: Seat) -> str:
    """What is asked now."""
    if v.ask == OVER:
        return f"The game is over. {how_it_ended(v)} {result(v)}"
    engineer = SEAT_NAMES[int(v.engineer)]
    if v.ask == LOTS:
        return f"{SEAT_NAMES[int(next_in_lots(v))]} rolls for the first turn as engineer."
    if v.ask == ROLLING:
        return f"{engineer}, the engineer, rolls for the speed."
    if v.ask == BRAKING:
        return f"{engineer}, the engineer, rolls for the brake {brake_sign(v)}."
    if v.ask == STOPPING:
        return f"{engineer} rolls to stop the train."
    if v.ask == SWITCHING:
        if seat == v.engineer:
            return f"You are the engineer: short or long? Spaces left of this move: {v.left}."
        return f"{engineer}, the engineer, chooses short or long."
    if v.ask == JUMPING:
        return _question_of_jumping(v, seat)
    return _question_of_cards(v, seat)


def _question_of_jumping(v: State, seat: Seat) -> str:
    suitcase = suitcase_of(int(v.shown[v.jumper]))
    if seat != v.jumper:
        return f"{SEAT_NAMES[int(v.jumper)]} has thrown off the {suitcase}, and may jump after it."
    return f"Your {suitcase} went off for {_points(int(v.gained[seat]))}. Jump after it, or stay aboard?"


def _question_of_cards(v: State, seat: Seat) -> str:
    waiting = _seats(int(asked(v)))
    lead = "The last gasp: " if is_at_the_end(v) else ""
    here = f"Speed {v.speed}, ×{v.multiplier}, {way_ahead(v)}."
    if seat >= 0 and is_aboard(v, seat):
        if v.choice[seat]:
            return f"You have sealed {choice_name(int(v.choice[seat]))}, and may change it. Waiting for {waiting}."
        return f"{lead}{'C' if not lead else 'c'}hoose two cards, or pass. {here}"
    return f"{lead}{waiting} must choose. {here}"


def way_ahead(v: State) -> str:
    """How far it is to what comes next."""
    if is_at_the_end(v):
        return "at the end of the track"
    spaces = int(v.end[v.track] - v.at)
    return f"{spaces} space{'' if spaces == 1 else 's'} to the {'switch' if v.track == BEFORE else 'end'}"
