"""Reasons why a step in Rum Run is better than another: barrels scored, taps in reach, tokens broken."""

from backroom.engine.marks import who
from backroom.engine.protocol import Move, Seat, State

from .brain import goal_of
from .pieces import FACE_TOKEN, IS_DOUBLE, MOST_STILLS, SIDE, STILLS, STRENGTH, VARIANT_TOKEN, VARIANTS
from .rules.objectives import total
from .rules.state import ASK_PICK, CARAVAN, NODE, PICK, PLACE, STEP_BACK, VIA, place_of, seat_of, top
from .words import whose

STRONG = 9
"""Dots from which a token is called strong."""
FAR = 99


def reasons_for(v: State, seat: Seat, move: Move, other: Move) -> list[str]:
    """The reasons for the first of two steps over the second."""
    return [*_for_this(v, seat, move, other), *_barrels_home(v, seat), *_tokens_left(v)]


def _barrels_home(v: State, seat: Seat) -> list[str]:
    """How near the seat and its best rival are to winning."""
    best = max((each for each in range(int(v.seats)) if each != seat), key=lambda each: int(total(v, each)), default=-1)
    other = f" and {who(best)} {int(total(v, best)) or 'none'}" if best >= 0 else ""
    mine = int(total(v, seat))
    return [f"you have {_barrels(mine) if mine else 'no barrels'} home{other}, and {int(goal_of(v))} win (§7.1)"]


def _tokens_left(v: State) -> list[str]:
    """The tokens that the colour in turn has left."""
    left = int(v.hand[int(v.turn)]).bit_count()
    return [f"{left} token{' is' if left == 1 else 's are'} left in your inventory"]


def _for_this(v: State, seat: Seat, move: Move, other: Move) -> list[str]:
    """The reasons for a step by itself."""
    if CARAVAN <= move < VIA:
        return _for_a_caravan(v, int(move - CARAVAN))
    if move < NODE:
        return _for_a_token(v, int(move), int(other)) if other < NODE else _of_a_token(int(move))
    if PICK <= move < CARAVAN:
        return ["a loose token leads nowhere where it lies, and can be used again (§4.6)"]
    node = _node(v, move)
    if node is None:
        return []
    said = [*_breaking(v, seat, node), *_tapping(v, node)]
    instead = _node(v, other)
    if (instead is not None and instead != node) or not said:
        said += _toward_a_tap(v, node, instead)
    token = int(VARIANT_TOKEN[(move - PLACE) // 4 % VARIANTS]) if PLACE <= move < STEP_BACK else -1
    if token >= 0 and STRENGTH[token] >= STRONG:
        said.append(f"its {int(STRENGTH[token])} dots are hard to break (§4.5)")
    return said


def _of_a_token(token: int) -> list[str]:
    """What a token of the inventory is good for."""
    if IS_DOUBLE[token]:
        return ["it turns or branches your road (§1.3)"]
    return [f"it has {int(STRENGTH[token])} dots: only more can break it (§4.5)"]


def _for_a_token(v: State, token: int, other: int) -> list[str]:
    """The reasons for one token of the inventory over another; at the start, the fewest dots begin (§2.4)."""
    dots, others = int(STRENGTH[token]), int(STRENGTH[other])
    said = [f"it has {dots} dots, not {others}"] if dots != others else []
    if int(top(v)) == ASK_PICK and dots > others:
        return [f"your road then begins with a token of {dots} dots, not {others}: it is harder to break (§4.5)"]
    if int(top(v)) == ASK_PICK:
        return [f"{each}, and the fewest begin (§2.4)" for each in said]
    if IS_DOUBLE[token] and not IS_DOUBLE[other]:
        return ["it turns or branches your road (§1.3)"]
    return [f"{each}, so it is harder to break (§4.5)" for each in said if dots > others]


def _node(v: State, move: Move) -> int | None:
    """The node on which a step builds; None for other steps."""
    if NODE <= move < PICK:
        return int(move - NODE)
    if PLACE <= move < STEP_BACK:
        return int((move - PLACE) // (4 * VARIANTS))
    return None


def _barrels(number: int) -> str:
    return "one barrel" if number == 1 else f"{number} barrels"


def _for_a_caravan(v: State, node: int) -> list[str]:
    if int(place_of(v, node)) != node:
        return ["barrels wait on the still, and every step brings them nearer (§6.7)"]
    load, steps = int(v.barrels[node]), int(v.dist[node])
    home = load - steps + 1
    if steps and home > 0:
        return [f"it brings {_barrels(home)} home (§6.4)", "a caravan that scores gives a free action at once (§6.5)"]
    return [f"it moves {_barrels(load)} nearer to the Town Center, {steps} steps away (§6.1)"] if steps else []


def _breaking(v: State, seat: Seat, node: int) -> list[str]:
    owner = int(v.owner[node]) - 1
    if owner < 0 or int(seat_of(v, owner)) == seat:
        return []
    strength, barrels = int(STRENGTH[FACE_TOKEN[int(v.face[node])]]), int(v.barrels[node])
    loot = f", and {_barrels(barrels)} on it would be yours" if barrels else ""
    return [f"it breaks a token of {whose(v, owner)} with {strength} dots{loot} (§4.5)"]


def _taps(v: State) -> list[tuple[int, int]]:
    """The node and still of each tap that the colour in turn has not tapped and that would load something."""
    done = int(v.tapped[int(v.turn)])
    return [
        (int(v.taps[still, tap]), still)
        for still in range(MOST_STILLS)
        for tap in range(int(v.tap_count[still]))
        if v.supplies[still] and not done >> (still * 4 + tap) & 1
    ]


def _called(v: State, still: int) -> str:
    return str(STILLS[int(v.kind[still])]) if int(v.kind[still]) >= 0 else "a still"


def _tapping(v: State, node: int) -> list[str]:
    return [
        f"a tap of {_called(v, still)} is there: {_barrels(int(v.supply[still, 0]))}, if an arm faces it (§5.1)"
        for tap, still in _taps(v)
        if tap == node
    ][:1]


def _nearest(v: State, node: int) -> tuple[int, int]:
    """The Manhattan distance from a node to the nearest tap, and its still."""
    return min(
        ((abs(tap // SIDE - node // SIDE) + abs(tap % SIDE - node % SIDE), still) for tap, still in _taps(v)),
        default=(FAR, -1),
    )


def _toward_a_tap(v: State, node: int, instead: int | None) -> list[str]:
    steps, still = _nearest(v, node)
    if still < 0 or steps == 0:
        return []
    there = FAR if instead is None else _nearest(v, instead)[0]
    beside = f", not {there}" if instead is not None and steps < there < FAR else ""
    away = "one step" if steps == 1 else f"{steps} steps"
    return [f"the nearest tap, of {_called(v, still)}, is {away} from there{beside} (§5.1)"] if steps <= there else []
