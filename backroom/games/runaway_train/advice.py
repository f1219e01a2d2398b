"""Reasons why a choice in RunAway Train is better than another: its points, who can cross it, how near the end is."""

from backroom.engine.marks import who
from backroom.engine.phrases import listing
from backroom.engine.protocol import Move, Seat, State

from .pieces import CANNOT, SUITCASES
from .rules.state import BLUFF, CONDUCTOR, JUMP, LEAVE, PASS, PASSENGER, STAY, TAKE_SHORT, is_aboard
from .rules.train import least_roll


def reasons_for(v: State, seat: Seat, move: Move, other: Move) -> list[str]:
    """The reasons for the first of two answers over the second."""
    if move < PASS:
        return _for_a_track(v, seat, move)
    if move in (JUMP, LEAVE):
        return [*_dangers(v), *_left_behind(v, seat)]
    if move == STAY:
        return [f"suitcases worth {_plain(v, seat)} are still in your hand", *_time_left(v)]
    if move in (PASS, BLUFF):
        return ["it keeps your cards for a round in which fewer can cross them", *_time_left(v)]
    return [*_gain(v, move, other), *_rivals(v, seat, move, other), *_time_left(v)]


def _suitcase(move: Move) -> int:
    return int(move - (CONDUCTOR if move >= CONDUCTOR else PASSENGER)) + 1


def _worth(v: State, move: Move) -> int:
    """§4.1, §4.2: the points of a choice if it goes off; 0 if no suitcase is shown."""
    if not PASSENGER <= move < JUMP:
        return 0
    tip = _suitcase(move) - 1 if move >= CONDUCTOR else 0
    return _suitcase(move) * int(v.multiplier) - tip


def _points(number: int) -> str:
    return f"{number} point{'' if number == 1 else 's'}"


def _gain(v: State, move: Move, other: Move) -> list[str]:
    worth, instead = _worth(v, move), _worth(v, other)
    beside = f", not {instead}" if PASSENGER <= other < JUMP and instead < worth else ""
    return [f"it brings {_points(worth)}{beside}, if it goes off"]


def _rivals(v: State, seat: Seat, move: Move, other: Move) -> list[str]:
    """The rivals with a suitcase that would go off instead, or the same suitcase (§3.6, §3.7)."""
    able = _able(v, seat, move)
    if not able:
        return [f"nobody else aboard has a suitcase {'as high' if move >= CONDUCTOR else 'as low'} (§3.7)"]
    others = sum(is_aboard(v, rival) for rival in range(int(v.seats)) if rival != seat)
    if PASSENGER <= other < JUMP and len(able) < len(_able(v, seat, other)):
        return [f"only {listing(able, 'and')} can cross it, and more could cross the other (§3.7)"]
    return [f"of the others only {listing(able, 'and')} can cross it (§3.7)"] if len(able) < others else []


def _able(v: State, seat: Seat, move: Move) -> list[str]:
    """The rivals aboard who have a suitcase that crosses a choice."""
    mine, highest = _suitcase(move), move >= CONDUCTOR
    beats = [n for n in range(1, SUITCASES + 1) if (n >= mine if highest else n <= mine)]
    return [
        who(rival)
        for rival in range(int(v.seats))
        if rival != seat and is_aboard(v, rival) and any(int(v.suitcases[rival]) >> n & 1 for n in beats)
    ]


def _spaces(v: State) -> int:
    return int(v.end[int(v.track)]) - int(v.at)


def _time_left(v: State) -> list[str]:
    what = "switch" if v.track == 0 else "end"
    spaces = _spaces(v)
    away = "one space" if spaces == 1 else f"{spaces} spaces"
    return [f"the train is {away} from the {what}, at speed {int(v.speed)}"]


def _dangers(v: State) -> list[str]:
    found = _time_left(v)
    if v.track:
        least = int(least_roll(v, int(v.track), int(v.speed)))
        chart = "at that speed nothing stops it" if least == CANNOT else f"a {least} or more would have to stop it"
        found.append(f"{chart} (§5.1)")
    return found


def _plain(v: State, seat: Seat) -> int:
    return sum(n for n in range(1, SUITCASES + 1) if int(v.suitcases[seat]) >> n & 1)


def _left_behind(v: State, seat: Seat) -> list[str]:
    left = _plain(v, seat)
    return [f"what you leave aboard has a plain value of {left}"] if left else ["you have nothing left aboard"]


def _for_a_track(v: State, seat: Seat, move: Move) -> list[str]:
    aboard = sum(is_aboard(v, rival) for rival in range(int(v.seats)))
    said = "fewer rounds are left on it" if move == TAKE_SHORT else "there are more rounds left on it"
    return [said, f"{aboard} are still aboard, and you have suitcases worth {_plain(v, seat)} to get off"]
