"""Positions of RunAway Train on one line: parts between bars, in any order.

    red 124567 points 9 showed passenger+3 gained 9 | blue none points 40 off | train 14 | speed 3 | engineer red | roll

A player's part has the suitcases he has left, or `none`; then, if they apply, `points` and a number, `off`, what he
`chose` in secret, what he `showed` last, how much he `gained` by it, and his `lot`. A player without a part has all
suitcases and has done nothing. `train` gives the space, and after the switch the track: `train 40 short`. `left` is the
number of spaces of a move that remain after the switch, `die` the last die rolled. One more part says what is asked:
`lot` and those who take part, `roll`, `brake` and its space, `switch`, `choose`, `jump` and who may, `stop`.
"""

import re

from backroom.engine.kernel import UNKNOWN, lowest
from backroom.engine.protocol import Seat, State

from .pieces import ALL_SUITCASES, BEFORE, MOST_YELLOW, SUITCASES
from .rules.cards import can_choose, effective, suitcase_of, worth
from .rules.game import asked, is_whole, reached_multiplier
from .rules.state import (
    BRAKING,
    CHOOSING,
    FIRST_CONDUCTOR,
    FIRST_LEAVE,
    FIRST_PASSENGER,
    JUMP,
    JUMPING,
    LOTS,
    OVER,
    PASS,
    ROLLING,
    SEAT_NAMES,
    STOPPING,
    SWITCHING,
    is_aboard,
)
from .rules.train import has_reached_yellow, is_at_the_end
from .words import MOVES, TRACKS, choice_name

NAMES = tuple(name.lower() for name in SEAT_NAMES)
ASKS = {
    "lot": LOTS,
    "roll": ROLLING,
    "brake": BRAKING,
    "switch": SWITCHING,
    "choose": CHOOSING,
    "jump": JUMPING,
    "stop": STOPPING,
}
FATES = ("running", "braked", "stopped", "plunged", "empty")
TRAIN = ("train", "speed", "engineer", "left", "die")
MOST_SPEED = 99
MOST_POINTS = 999


def position(v: State) -> str:
    """The state on one line, as `place` reads it."""
    parts = [_seat_part(v, seat) for seat in range(int(v.seats))]
    parts.append(f"train {v.at} {TRACKS[int(v.track)]}".rstrip())
    parts.append(f"speed {v.speed}")
    parts.append(f"engineer {NAMES[int(v.engineer)]}")
    if v.left:
        parts.append(f"left {v.left}")
    if v.die:
        parts.append(f"die {v.die}")
    parts.append(_ask_part(v))
    return " | ".join(parts)


def _seat_part(v: State, seat: Seat) -> str:
    hand = "".join(str(suitcase) for suitcase in range(1, SUITCASES + 1) if v.suitcases[seat] >> suitcase & 1)
    words = [NAMES[seat], hand or "none"]
    if v.points[seat]:
        words.append(f"points {v.points[seat]}")
    if not is_aboard(v, seat):
        words.append("off")
    if v.choice[seat]:
        words.append(f"chose {'?' if v.choice[seat] == UNKNOWN else choice_name(int(v.choice[seat]))}")
    if v.shown[seat]:
        words.append(f"showed {choice_name(int(v.shown[seat]))}")
    if v.gained[seat]:
        words.append(f"gained {v.gained[seat]}")
    if v.lot[seat]:
        words.append(f"lot {v.lot[seat]}")
    return " ".join(words)


def _ask_part(v: State) -> str:
    if v.ask == OVER:
        return f"over {FATES[int(v.fate)]}"
    word = next(word for word, ask in ASKS.items() if ask == v.ask)
    if v.ask == LOTS:
        return " ".join([word, *(NAMES[seat] for seat in range(int(v.seats)) if v.contenders >> seat & 1)])
    if v.ask == BRAKING:
        return f"{word} {v.yellow_at[v.track, v.due]}"
    return f"{word} {NAMES[int(v.jumper)]}" if v.ask == JUMPING else word


# reading


def place(s: State, text: str) -> None:
    """Put a state after `setup` into this position; ValueError says what is wrong with it."""
    said = _parts(text, int(s.seats))
    for seat in range(int(s.seats)):
        _place_seat(s, seat, said.get(NAMES[seat], ""))
    _place_train(s, said)
    s.engineer = _seat(s, said.get("engineer", NAMES[int(lowest(int(s.aboard)))]), "engineer")
    _place_ask(s, *next(((word, said[word]) for word in ASKS if word in said), ("roll", "")))
    s.multiplier = reached_multiplier(s)
    _refuse_impossible(s)


def _parts(text: str, seats: int) -> dict[str, str]:
    """The parts of a position by their first words."""
    known = (*NAMES[:seats], *TRAIN, *ASKS)
    said: dict[str, str] = {}
    for part in (part.split() for part in text.lower().split("|")):
        if part and part[0] == "over":
            raise ValueError("that game is over (§5)")
        if not part or part[0] not in known:
            raise ValueError(f"{' '.join(part)!r} is no part of a position; expected {', '.join(known)}")
        if part[0] in said:
            raise ValueError(f"the position says {part[0]!r} twice")
        said[part[0]] = " ".join(part[1:])
    if len(asks := [word for word in ASKS if word in said]) > 1:
        raise ValueError(f"the position asks two things, {asks[0]!r} and {asks[1]!r}; expected one")
    return said


def _number(text: str, least: int, most: int, what: str) -> int:
    if not re.fullmatch("[0-9]{1,3}", text) or not least <= int(text) <= most:
        raise ValueError(f"{what} {text!r}; expected a number from {least} to {most}")
    return int(text)


def _seat(s: State, text: str, what: str) -> Seat:
    names = NAMES[: int(s.seats)]
    if text not in names:
        raise ValueError(f"{what} {text!r}; expected one of {', '.join(names)}")
    return names.index(text)


def _choice(text: str, what: str) -> int:
    names = MOVES[PASS:JUMP]
    if text == "?":
        raise ValueError(f"{what} is hidden; expected the cards: nobody can begin from what one seat sees (§3.5)")
    if text not in names:
        raise ValueError(f"{what} {text!r}; expected one of {', '.join(names[:4])}, … {names[-1]}")
    return names.index(text) + 1


def _place_seat(s: State, seat: Seat, text: str) -> None:
    words = text.split()
    who = NAMES[seat]
    if words and re.fullmatch("[1-7]{1,7}|none", words[0]):
        hand = "" if words[0] == "none" else words[0]
        if list(hand) != sorted(set(hand)):
            raise ValueError(f"{who} {hand}; expected different suitcases in rising order, like 1357")
        s.suitcases[seat] = sum(1 << int(suitcase) for suitcase in hand)
        words = words[1:]
    told = {"points": 0, "chose": 0, "showed": 0, "gained": 0, "lot": 0}
    is_off = False
    while words:
        word = words.pop(0)
        if word == "off":
            is_off = True
        elif word in told and words:
            value = words.pop(0)
            if word in ("chose", "showed"):
                told[word] = _choice(value, f"{who} {word}")
            else:
                most = 6 if word == "lot" else MOST_POINTS
                told[word] = _number(value, 1 if word == "lot" else 0, most, f"{who} {word}")
        else:
            raise ValueError(
                f"{who}: {word!r}; expected suitcases like 1357 or none, then points N, off, chose CARDS, "
                "showed CARDS, gained N or lot N"
            )
    s.points[seat], s.choice[seat], s.shown[seat], s.gained[seat], s.lot[seat] = told.values()
    s.aboard = int(s.aboard) & ~(1 << seat) | (0 if is_off else 1 << seat)
    if not s.aboard:
        raise ValueError("nobody is aboard: that game is over (§5.2)")


def _place_train(s: State, said: dict[str, str]) -> None:
    at, _, track = said.get("train", "0").partition(" ")
    if track not in TRACKS:
        raise ValueError(f"train on {track!r}; expected short or long, or nothing before the switch")
    s.track = TRACKS.index(track)
    first = 0 if s.track == BEFORE else int(s.switch)
    s.at = _number(at, first, int(s.end[s.track]), "train")
    s.speed = _number(said.get("speed", "1"), 1, MOST_SPEED, "speed")
    s.left = _number(said["left"], 1, MOST_SPEED, "left") if "left" in said else 0
    s.die = _number(said["die"], 1, 6, "die") if "die" in said else 0
    s.due = 0
    while has_reached_yellow(s):
        s.due += 1


def _place_ask(s: State, word: str, rest: str) -> None:
    s.ask, s.jumper, s.contenders = ASKS[word], 0, 0
    if s.ask == LOTS:
        for name in rest.split():
            s.contenders = int(s.contenders) | 1 << _seat(s, name, word)
    elif s.ask == BRAKING:
        brakes = {int(s.yellow_at[s.track, i]): i for i in range(MOST_YELLOW) if s.yellow_is[s.track, i] < 0}
        at = _number(rest, 1, int(s.at), word)
        if at not in brakes:
            raise ValueError(f"there is no brake at {at} (§2.1)")
        s.due = brakes[at]
    elif s.ask == JUMPING:
        s.jumper = _seat(s, rest, word)
    elif rest:
        raise ValueError(f"{rest!r} after {word!r}; expected nothing")


# Impossible positions


def _refuse_impossible(s: State) -> None:
    _refuse_where(s)
    if s.at == 0:
        _refuse_beginning(s)
    if (s.ask == LOTS and s.at) or (s.ask == LOTS) != bool(s.contenders) or (s.lot.any() and s.ask != LOTS):
        raise ValueError("a lot is drawn before the train moves, with 'lot' and those who are in it (§3)")
    has_just_left = s.ask == JUMPING and s.shown[s.engineer] == FIRST_LEAVE
    if not is_aboard(s, int(s.engineer)) and not has_just_left:
        raise ValueError("the engineer's passenger must be aboard (§3.9)")
    for seat in range(int(s.seats)):
        choice = int(s.choice[seat])
        if choice and not (s.ask == CHOOSING and is_aboard(s, seat) and can_choose(s, seat, choice)):
            raise ValueError(f"{NAMES[seat]} cannot have chosen {choice_name(choice)} now (§3.5)")
    _refuse_reveal(s)
    if not is_whole(s):
        raise ValueError("the points cannot have come from the suitcases that have gone off (§4)")
    if not asked(s):
        raise ValueError("all aboard have chosen: their cards are shown (§3.5)")


def _refuse_where(s: State) -> None:
    """Refuse a question that cannot arise where the train is."""
    at_switch = s.track == BEFORE and s.at == s.switch
    if s.left and not (at_switch and s.ask in (BRAKING, SWITCHING)):
        raise ValueError("spaces are left of a move only at the switch, before a track is chosen (§3.3)")
    if s.ask == BRAKING:
        return
    if (s.ask == SWITCHING) != at_switch:
        raise ValueError(f"a track is chosen as soon as the train is at the switch, {s.switch}, and not before (§3.3)")
    if s.ask == STOPPING and not is_at_the_end(s):
        raise ValueError("the train is stopped by a roll only at the end of a track (§5.1)")
    if is_at_the_end(s) and s.ask != STOPPING and not (s.last_gasp and s.ask in (CHOOSING, JUMPING)):
        raise ValueError("at the end of a track 'stop' is asked (§5.1), or with last_gasp cards before it (§6)")


def _refuse_beginning(s: State) -> None:
    """Refuse a position before the train's first move in which something has happened already."""
    if s.ask not in (LOTS, ROLLING):
        raise ValueError("the train has moved before anything else is asked (§3.2)")
    everyone = (1 << int(s.seats)) - 1
    hands = s.suitcases[: s.seats]
    if s.speed != 1 or s.aboard != everyone or (hands != ALL_SUITCASES).any() or s.points.any() or s.shown.any():
        raise ValueError("before the train has moved its speed is 1 and everything is aboard (§2.4)")
    if s.ask != LOTS:
        return
    contenders = [seat for seat in range(int(s.seats)) if s.contenders >> seat & 1]
    rolled = [seat for seat in contenders if s.lot[seat]]
    if len(contenders) < 2 or rolled != contenders[: len(rolled)] or len(rolled) == len(contenders):
        raise ValueError("lots are rolled by two or more, in the order of the seats (§3)")
    if any(s.lot[seat] for seat in range(int(s.seats)) if seat not in contenders):
        raise ValueError("who is not in it has no lot (§3)")


def _refuse_reveal(s: State) -> None:
    """Refuse cards last shown that do not fit their outcome."""
    found = int(effective(s)) if s.shown.any() else 0
    for seat in range(int(s.seats)):
        choice, who = int(s.shown[seat]), NAMES[seat]
        works = bool(found >> choice & 1)
        has_suitcase = choice >= FIRST_PASSENGER
        if s.shown.any() and not choice and is_aboard(s, seat):
            raise ValueError(f"{who} is aboard, and has shown something if anybody has (§3.6)")
        if has_suitcase and bool(s.suitcases[seat] >> suitcase_of(choice) & 1) == works:
            raise ValueError(f"{who}'s suitcase {suitcase_of(choice)} is in hand unless it went off (§3.8)")
        if choice and not has_suitcase and not can_choose(s, seat, choice):
            raise ValueError(f"{who} cannot have shown {choice_name(choice)} with these suitcases (§3.5)")
        least, most = (worth(choice, 1), worth(choice, 9)) if has_suitcase and works else (0, 0)
        if has_suitcase and works and s.ask == JUMPING:
            least = most = worth(choice, int(s.multiplier))
        if not least <= s.gained[seat] <= most:
            raise ValueError(f"{who} gained {s.gained[seat]}; expected {least} to {most} (§4.1, §4.2)")
        may_jump = works and FIRST_PASSENGER <= choice < FIRST_CONDUCTOR
        if choice == FIRST_LEAVE and works == is_aboard(s, seat):
            raise ValueError(f"{who} is off if passenger+conductor was shown alone (§3.7)")
        if choice and choice != FIRST_LEAVE and not is_aboard(s, seat) and not may_jump:
            raise ValueError(f"{who} cannot have got off by {choice_name(choice)} (§4.3)")
        if s.ask == JUMPING and seat == s.jumper and not (may_jump and is_aboard(s, seat)):
            raise ValueError(f"{who} has thrown nothing off with his passenger (§4.3)")
