"""The words of RunAway Train: `roll 4`, `short`, `passenger+3`, `bluff`, `jump`; labels, questions and sentences."""

import re

import numpy as np

from backroom.engine.kernel import UNKNOWN
from backroom.engine.marks import glyph, who
from backroom.engine.phrases import listing
from backroom.engine.protocol import Move, Result, Seat, State

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
    MOST_SEATS,
    OVER,
    PASS,
    PLUNGED,
    ROLL,
    ROLLING,
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
"""The name of each move, in the order of their numbers."""

NOTATION = re.compile(rf"\b(passenger|conductor)\+|\b[pc][1-{SUITCASES}]\b")
_DIE = re.compile(rf"({'|'.join(DICE)}) ?([1-6])")
_WITH_SUITCASE = re.compile(r"(p|c|passenger|conductor) ?\+? ?([1-7])")
_BOTH = re.compile(r"(pc|cp|p ?\+ ?c|passenger ?\+? ?conductor|conductor ?\+? ?passenger)")

# moves


def name(v: State, move: Move) -> str:
    """The name of a move, the same in every view."""
    return MOVES[move]


def parse(v: State, text: str) -> Move:
    """The move with this name, in capitals or not, and `p3`, `c7` and `pc` will do for cards."""
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
    """The name of two cards, or of none."""
    return MOVES[choice + PASS - 1]


# labels and sentences

PASSENGER, CONDUCTOR = glyph("passenger", "the passenger"), glyph("conductor", "the conductor")


def suitcase(number: int) -> str:
    """A suitcase in a text."""
    return glyph(f"suitcase-{number}", f"suitcase {number}")


def choice_in_words(choice: int) -> str:
    """Two cards, or none in a text."""
    if choice < FIRST_LEAVE:
        return "no cards" if choice + PASS - 1 == PASS else "two suitcases"
    if choice == FIRST_LEAVE:
        return f"{PASSENGER} and {CONDUCTOR}"
    with_whom = PASSENGER if MOVES[choice + PASS - 1].startswith("passenger") else CONDUCTOR
    return f"{with_whom} and {suitcase(int(suitcase_of(choice)))}"


def label(v: State, move: Move) -> str:
    """The label of a move."""
    if move < PASS:
        return f"Take the {MOVES[move]} track"
    if move < LEAVE:
        return "Pass: show no cards" if move == PASS else "Bluff: show two suitcases"
    if move == LEAVE:
        return f"Get off: show {choice_in_words(FIRST_LEAVE)}"
    if move < JUMP:
        return f"Show {choice_in_words(move - PASS + 1)}"
    return "Jump off after the suitcase" if move == JUMP else "Stay aboard"


def say(v: State, seat: Seat, move: Move, then: State) -> str:
    """What happened, for the story: cards when they are shown, not when they are sealed."""
    if move == UNKNOWN:
        return ""
    if move < TAKE_SHORT:
        done = _say_die(v, move, then)
    elif move < PASS:
        done = f"{who(seat)} takes the {TRACKS[int(then.track)]} track{_progress(v, then)}"
    elif move < JUMP:
        if then.ask == CHOOSING and int(asked(v)) & ~(1 << seat):
            return ""
        done = reveal_in_words(then)
    elif move == JUMP:
        done = f"{who(seat)} jumps off after the suitcase{_with_points(then, seat)}"
    else:
        done = f"{who(seat)} stays aboard"
    return f"{done}.{_end(v, then)}"


def _with_points(v: State, seat: Seat) -> str:
    return f", with {_points(int(v.points[seat]))}"


def _points(points: int) -> str:
    return f"{points} point{'' if points == 1 else 's'}"


def _say_die(v: State, move: Move, then: State) -> str:
    face = move % 6 + 1
    die = glyph(f"die-{face}", str(face))
    engineer = who(v.engineer)
    if move < ROLL:
        rolled = f"{who(next_in_lots(v))} rolls {die} for the first turn as engineer"
        if then.ask == ROLLING:
            return f"{rolled}: all aboard, {who(then.engineer)} begins (§1.2)"
        if then.contenders != v.contenders or not then.lot.any():
            return f"{rolled}: {_seats(int(then.contenders))} are equal and roll again"
        return rolled
    if move < BRAKE:
        return f"{engineer} rolls {die}: speed {then.speed}{_progress(v, then)}"
    if move < STOP:
        fall = int(v.speed - then.speed)
        at = v.yellow_at[v.track, v.due]
        slowed = f"speed {then.speed}, {fall} less" if fall else f"speed {then.speed} as before"
        return f"{engineer} rolls {die} at the brake {brake_sign(v)} ({at}): {slowed}{_progress(v, then)}"
    least = int(least_roll(v, int(v.track), int(v.speed)))
    needed = "nothing stops it" if least == CANNOT else f"a {least} is needed"
    return f"{engineer} rolls {die} at the end of the {TRACKS[int(v.track)]} track; at speed {v.speed} {needed}"


def brake_sign(v: State) -> str:
    """A brake as written on the board: ½ or 1×."""
    return "½" if v.yellow_is[v.track, v.due] == HALF_BRAKE else "1×"


def _progress(v: State, then: State) -> str:
    """How far the train has got, and what it met there."""
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
    """The cards last shown, and their outcome."""
    showed = [f"{who(seat)} {choice_in_words(int(v.shown[seat]))}" for seat in showers(v)]
    said = [f"{'All show' if len(showed) > 1 else 'Shown'}: {', '.join(showed)}"]
    for choice in sorted({int(v.shown[seat]) for seat in showers(v)}):
        alike = [who(seat) for seat in showers(v) if v.shown[seat] == choice]
        if choice >= FIRST_LEAVE and len(alike) > 1:
            said.append(f"{listing(alike, 'and')} are alike and take their cards back (§3.6)")
    found = int(effective(v))
    for seat in showers(v):
        choice = int(v.shown[seat])
        if found >> choice & 1:
            if choice == FIRST_LEAVE:
                said.append(f"{who(seat)} gets off{_with_points(v, seat)}")
            else:
                gained = _points(int(v.gained[seat]))
                said.append(f"{who(seat)}’s {suitcase(int(suitcase_of(choice)))} goes off for {gained}")
    if not found:
        said.append("nothing goes off")
    return "; ".join(said)


def showers(v: State) -> list[Seat]:
    """Who showed a choice at the last reveal."""
    return [seat for seat in range(int(v.seats)) if v.shown[seat]]


def _end(v: State, then: State) -> str:
    """How the game ended, if this move ended it."""
    return f" {how_it_ended(then)} {_headline(then)}" if then.ask == OVER and v.ask != OVER else ""


def how_it_ended(v: State) -> str:
    """§5, in a sentence."""
    if v.fate == EMPTY:
        return "The last passenger is off (§5.2)."
    if v.fate == PLUNGED:
        return f"The train goes over the cliff with {_seats(int(v.aboard))}."
    where = "The brakes have stopped the train (§3.4)" if v.fate == BRAKED else "The train stops"
    saved = [f"{who(seat)} {plain_value(v, seat)}" for seat in range(int(v.seats)) if is_aboard(v, seat)]
    return f"{where}; for suitcases left aboard: {', '.join(saved)} (§5.3)."


def winners(v: State) -> list[Seat]:
    """§5.4: the winners of a finished game; nobody if all lose alike."""
    if v.fate == PLUNGED and int(v.aboard) == (1 << int(v.seats)) - 1:
        return []
    results = np.zeros(int(v.seats))
    score(v, results)
    return [seat for seat, found in enumerate(results) if found == results.max()]


def result(v: State) -> Result | None:
    """Who has won, and each passenger's fate; None until the train has stopped, plunged or is empty."""
    if v.ask != OVER:
        return None
    return Result(_headline(v), tuple(_fate(v, seat) for seat in range(int(v.seats))), tuple(winners(v)))


def _headline(v: State) -> str:
    """§5.4: who has won a game that is over."""
    won = winners(v)
    if not won:
        return "Nobody got off, and nobody wins: all lose alike (§5.4)."
    points = _points(int(v.points[won[0]]))
    if len(won) == 1:
        return f"{who(won[0])} wins with {points} (§5.4)."
    return f"{listing((who(seat) for seat in won), 'and')} share the win with {points} each (§5.4)."


def _fate(v: State, seat: Seat) -> str:
    """A seat's score, and how its passenger left the train, or did not."""
    points, left = _points(int(v.points[seat])), int(v.suitcases[seat]).bit_count()
    if is_aboard(v, seat):
        return f"{points}, over the cliff" if v.fate == PLUNGED else f"{points}, safe aboard"
    if left == 0:
        return f"{points}, off with every suitcase"
    return f"{points}, off the train and {left} suitcase{'' if left == 1 else 's'} left behind"


def _seats(mask: int) -> str:
    return listing((who(seat) for seat in range(MOST_SEATS) if mask >> seat & 1), "and")


# questions


def question(v: State, seat: Seat) -> str:
    """What is asked now."""
    if v.ask == OVER:
        return f"The game is over. {how_it_ended(v)} {_headline(v)}"
    engineer = who(v.engineer)
    if v.ask == LOTS:
        return f"{who(next_in_lots(v))} rolls for the first turn as engineer."
    if v.ask == ROLLING:
        return f"{engineer}, the engineer, rolls for the speed."
    if v.ask == BRAKING:
        return f"{engineer}, the engineer, rolls for the brake {brake_sign(v)}."
    if v.ask == STOPPING:
        return f"{engineer} rolls to stop the train."
    if v.ask == SWITCHING:
        if seat == v.engineer:
            advised = "short" if v.seats < 5 else "long"
            return (
                f"You are the engineer: short or long? Spaces left of this move: {v.left}. "
                f"Advice for {v.seats} players: {advised} (§3.3)."
            )
        return f"{engineer}, the engineer, chooses short or long."
    if v.ask == JUMPING:
        return _question_of_jumping(v, seat)
    return _question_of_cards(v, seat)


def _question_of_jumping(v: State, seat: Seat) -> str:
    thrown = suitcase(int(suitcase_of(int(v.shown[v.jumper]))))
    if seat != v.jumper:
        return f"{who(v.jumper)} has thrown off {thrown}, and may jump after it."
    return f"Your {thrown} went off for {_points(int(v.gained[seat]))}. Jump after it, or stay aboard?"


def _question_of_cards(v: State, seat: Seat) -> str:
    waiting = _seats(int(asked(v)))
    lead = "The last gasp: " if is_at_the_end(v) else ""
    here = f"Speed {v.speed}, ×{v.multiplier}, {way_ahead(v)}."
    if seat >= 0 and is_aboard(v, seat):
        if v.choice[seat]:
            return f"You have sealed {choice_in_words(int(v.choice[seat]))}, and may change it. Waiting for {waiting}."
        return f"{lead}{'C' if not lead else 'c'}hoose two cards, or pass. {here}"
    return f"{lead}{waiting} must choose. {here}"


def way_ahead(v: State) -> str:
    """The distance to what comes next."""
    if is_at_the_end(v):
        return "at the end of the track"
    spaces = int(v.end[v.track] - v.at)
    return f"{spaces} space{'' if spaces == 1 else 's'} to the {'switch' if v.track == BEFORE else 'end'}"
