"""Why a move of Run is refused. What is legal is decided in the rules; this only finds the § to name."""

from backroom.engine.kernel import NATURE, lowest
from backroom.engine.marks import who
from backroom.engine.protocol import Move, Seat, State

from .pieces import OFF, PAST
from .rules import (
    STEP,
    bearable,
    distance_of,
    is_completable,
    is_home,
    is_open,
    is_running,
    lay_out,
    movers,
    point_of,
    rest_of,
    runner,
    shift,
)


def why(v: State, seat: Seat, move: Move) -> str:
    """Why a move is not among `moves`: half a sentence, with the §."""
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
        return f"point {to} is closed: {who(1 - seat)} has a man there (§3.1)"
    if is_running(v, seat) and not runner(v, seat) >> point & 1:
        return f"only the runner may move until it has reached point {PAST} (§3.5)"
    which = 0 if int(v.dice[0]) == distance else 1
    if not v.left[which]:
        return _why_not_left(v, seat, point, which)
    return _why_not_completable(v, seat, point, to, which)


def _why_not_left(v: State, seat: Seat, point: int, which: int) -> str:
    """The die is not part of this turn any more: it was played, or the roll had to do without it."""
    if not is_untouched(v):
        return f"the {v.dice[which]} has been played (§3.2)"
    alone = v.copy()
    alone.left[which], alone.left[1 - which] = 1, 0
    if not is_completable(alone, seat, which, point):
        return "the turn would end with all six points of your mother board held (§3.7)"
    return "either die can be played but not both, so it must be the larger (§3.4)"


def is_untouched(v: State) -> bool:
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
        if is_untouched(v):
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
    """The step itself is possible, so the problem is how the turn would end."""
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
