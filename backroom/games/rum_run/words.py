"""The words of Rum Run: names of moves that round-trip, sentences for the log, and why a move is refused.

g6            build on a node                 3|5           place this token
g6 3|5        both: the end that links first. Where several sides could link, an arrow says which way it faces:
g6 3|5^       north; > east, v south, < west.  *3|5 is *|5 made 3|5; *4|*4 is *|* with fours
pick g6       take up a loose token            return g6     take one back into the inventory
caravan k4    move the barrels there; a still goes by its upper left node
via g6        where the way forks              to red        onto whose road past the Town Center
claim longest road                             back          a step back in choosing
"""

import re
from collections.abc import Sequence
from functools import cache

from backroom.engine.kernel import NATURE, UNKNOWN
from backroom.engine.phrases import did_you_mean, listing
from backroom.engine.protocol import Move, Seat, State

from .pieces import (
    ARROWS,
    COLOURS,
    DIRECTIONS,
    EVENT_SAYS,
    EVENTS,
    FACE_DIRECTION,
    FACE_VARIANT,
    FAR,
    FOG,
    NEAR,
    OBJECTIVE_SHORT,
    PAIRS,
    STAR_STAR,
    STILLS,
    VARIANT_TOKEN,
    VARIANTS,
)
from .rules import SEAT_NAMES, asked
from .rules.objectives import total
from .rules.state import (
    ASK_AIM,
    ASK_DOWN,
    ASK_END,
    ASK_EVENT,
    ASK_FOG,
    ASK_GIFT,
    ASK_HOME,
    ASK_LOT,
    ASK_OFF,
    ASK_ONTO,
    ASK_OPEN,
    ASK_PICK,
    ASK_RECRUIT,
    ASK_ROB,
    ASK_SECOND,
    ASK_STILL,
    ASK_TO,
    ASK_TURN_UP,
    ASK_VIA,
    CARAVAN,
    CHOOSE,
    CLAIM,
    DO_CARAVAN,
    DO_EVENT,
    DOWN,
    DRAW_EVENT,
    DRAW_FOG,
    END,
    GIFT,
    HOME,
    LOT,
    NODE,
    ONTO,
    OPEN,
    PASS,
    PICK,
    PLACE,
    RECRUIT,
    RETURN,
    ROB,
    SKIP,
    STEP_BACK,
    TO,
    TOKEN,
    TOWARD,
    TURN_UP,
    VIA,
    seat_of,
    still_of,
)
from .rules.taps import linking_sides
from .setup_file import node_called, node_name

VERBS = {
    PICK: "pick",
    RETURN: "return",
    CARAVAN: "caravan",
    VIA: "via",
    TOWARD: "toward",
    CHOOSE: "still",
    ROB: "rob",
    ONTO: "onto",
    HOME: "send home",
    GIFT: "gift",
    OPEN: "open",
    DOWN: "downhill",
    RECRUIT: "recruit",
}
"""The moves that name a node, by the first number of each run."""
WORDS: tuple[tuple[int, str, Sequence[str]], ...] = (
    (TO, "to", COLOURS),
    (END, "end", DIRECTIONS),
    (CLAIM, "claim", OBJECTIVE_SHORT),
    (DRAW_FOG, "fog", FOG),
    (TURN_UP, "turn up", STILLS),
    (DRAW_EVENT, "event", EVENTS),
    (LOT, "lot", tuple(name.lower() for name in SEAT_NAMES)),
)
"""The moves that name something of a list."""
ALONE = {SKIP: "skip", PASS: "pass", STEP_BACK: "back"}

_PLACING = re.compile(r"([a-p][0-9]{1,2}) (\*?[1-6])\|(\*?[1-6])([\^>v<]?)")
_TOKEN = re.compile(r"([*1-6])\|([*1-6])")


# names


@cache
def token_name(token: int) -> str:
    """3|5, *|5, *|*: as printed, the lower end first."""
    return "|".join("*" if end == 0 else str(end) for end in PAIRS[token])


@cache
def variant_name(variant: int) -> str:
    """The near end first, and the number that a star was given after it."""
    token, near, far = int(VARIANT_TOKEN[variant]), int(NEAR[variant]), int(FAR[variant])
    if token == STAR_STAR:
        return f"*{near}|*{far}"
    if PAIRS[token][0] == 0:
        return f"*{near}|{far}" if near != PAIRS[token][1] else f"{near}|*{far}"
    return f"{near}|{far}"


VARIANT_CALLED = {variant_name(variant): variant for variant in range(VARIANTS)}


@cache
def face_name(face: int) -> str:
    """A token as it lies, with an arrow where its first end faces; a double has none."""
    variant = int(FACE_VARIANT[face])
    return variant_name(variant) + ("" if NEAR[variant] == FAR[variant] else ARROWS[int(FACE_DIRECTION[face])])


def name(v: State, move: Move) -> str:
    """The move in the notation."""
    if move in ALONE:
        return ALONE[move]
    if move >= PLACE:
        node, rest = divmod(move - PLACE, VARIANTS * 4)
        variant, side = divmod(rest, 4)
        is_double = NEAR[variant] == FAR[variant]
        arrow = "" if is_double or len(_sides(v, node)) == 1 else ARROWS[side]
        return f"{node_name(node)} {variant_name(variant)}{arrow}"
    for first, verb, words in WORDS:
        if first <= move < first + len(words):
            return f"{verb} {words[move - first]}"
    if move >= PICK:
        first = max(first for first in VERBS if first <= move)
        return f"{VERBS[first]} {node_name(move - first)}"
    return node_name(move - NODE) if move >= NODE else token_name(move - TOKEN)


def _sides(v: State, node: int) -> list[int]:
    """The sides on which a token placed on a node could link."""
    return _SIDES[int(linking_sides(v, node))]


_SIDES = [[side for side in range(4) if mask >> side & 1] for mask in range(16)]


def _ask(v: State) -> int:
    return int(v.ask[v.depth - 1]) if v.depth else 0


def _arg(v: State) -> int:
    return int(v.arg[v.depth - 1])


def token_called(text: str) -> int:
    """The token of that name, either end first; ValueError if there is none."""
    match = _TOKEN.fullmatch(text.strip())
    ends = sorted(0 if end == "*" else int(end) for end in match.groups()) if match else []
    if not match or tuple(ends) not in PAIRS:
        raise ValueError(f"{text!r} is no token; they are called 1|1 to 6|6, *|1 to *|6 and *|* (§1.2)")
    return PAIRS.index((ends[0], ends[1]))


def parse(v: State, text: str) -> Move:
    """The move of that name; capitals do not matter."""
    words = text.lower()
    for move, word in ALONE.items():
        if words == word:
            return move
    if placing := _PLACING.fullmatch(words):
        return _parse_placing(v, *placing.groups())
    for first, verb, names in WORDS:
        if words.startswith(f"{verb} "):
            known = [known.lower() for known in names]
            rest = words.removeprefix(f"{verb} ")
            if rest in known:
                return first + known.index(rest)
            if verb != "to" or rest not in known:
                raise ValueError(f"there is no {rest!r} to {verb}{did_you_mean(rest, known)}")
    for first, verb in VERBS.items():
        if words.startswith(f"{verb} "):
            return first + node_called(words.removeprefix(f"{verb} "))
    if "|" in words:
        return TOKEN + token_called(words)
    try:
        return NODE + node_called(words)
    except ValueError:
        raise ValueError(
            "a move is written like g6 (a node), 3|5 (a token), g6 3|5 (both, the end that links first), pick g6, "
            "return g6, caravan g6, pass or back"
        ) from None


def _parse_placing(v: State, where: str, near: str, far: str, arrow: str) -> Move:
    node = node_called(where)
    called = f"{near}|{far}"
    if called not in VARIANT_CALLED:
        raise ValueError(f"{called!r} is no token; a star is given a number, like *3|5, and not the other end's (§4.4)")
    variant = VARIANT_CALLED[called]
    sides = _sides(v, node)
    if NEAR[variant] == FAR[variant]:
        side = 0
    elif arrow:
        side = ARROWS.index(arrow)
    elif len(sides) > 1:
        raise ValueError(f"several sides of {where} could link: say where the first end faces, like {where} {called}^")
    else:
        side = sides[0] if sides else 0
    return PLACE + (node * VARIANTS + variant) * 4 + side


# sentences


def say(v: State, seat: Seat, move: Move, then: State) -> str:
    """What happened, for the log, with what came of it."""
    return f"{_deed(v, seat, move, then)}{_outcome(v, then)}."


def _deed(v: State, seat: Seat, move: Move, then: State) -> str:
    if seat == NATURE:
        return _chance(v, move, then)
    who = SEAT_NAMES[seat]
    if move == UNKNOWN or _ask(v) == ASK_PICK:
        return _pick(v, seat, then)
    if CLAIM <= move < DRAW_FOG:
        return f"{who} claims {OBJECTIVE_SHORT[move - CLAIM].title()}"
    if move >= PLACE and move != STEP_BACK:
        return _placing(v, who, move)
    if move >= PICK and move < TO:
        first = max(first for first in VERBS if first <= move)
        return _at_node(v, who, first, move - first)
    if move == PASS:
        return f"{who} can do nothing and passes"
    if move == SKIP:
        return f"{who} moves nothing"
    if move == STEP_BACK:
        return f"{who} thinks again"
    if TO <= move < END:
        return f"{who} goes on to {COLOURS[move - TO]}'s road"
    if END <= move < CLAIM:
        return f"{who} lets the paved road turn {DIRECTIONS[move - END]}"
    if move >= NODE:
        return f"{who} will build on {node_name(move - NODE)}"
    return f"{who} will place {token_name(move - TOKEN)}"


def _pick(v: State, seat: Seat, then: State) -> str:
    """A secret pick (§2.4); the last one shows them all."""
    text = f"{SEAT_NAMES[seat]} picks a token to begin with"
    if then.sealed[seat]:
        return text
    picking = [other for other in range(int(v.seats)) if int(v.picking) >> other & 1]
    shown = ", ".join(f"{SEAT_NAMES[other]} {token_name(int(then.first[other]) - 1)}" for other in picking)
    if then.picking:
        tied = listing([SEAT_NAMES[other] for other in picking if int(then.picking) >> other & 1], "and")
        return f"{text}; they are {shown}, and {tied} tie"
    return f"{text}; they are {shown}, and {SEAT_NAMES[int(then.turn) % int(then.seats)]} begins"


def _placing(v: State, who: str, move: Move) -> str:
    node, rest = divmod(move - PLACE, VARIANTS * 4)
    text = f"{who} places {variant_name(rest // 4)} on {node_name(node)}"
    owner = int(v.owner[node]) - 1
    if owner >= 0:
        held = face_name(int(v.face[node])).rstrip(ARROWS)
        text += f" over {COLOURS[owner]}'s {held}"
        if v.barrels[node]:
            text += f", and takes over its {barrels(int(v.barrels[node]))}"
    return text


def _at_node(v: State, who: str, first: int, node: int) -> str:
    where = node_name(node)
    still = int(still_of(v, node))
    if still >= 0 and int(v.kind[still]) >= 0:
        where = STILLS[int(v.kind[still])]
    here = int(v.barrels[node])
    return {
        PICK: f"{who} takes up the loose token on {where}",
        RETURN: f"{who} takes the loose token on {where} back",
        CARAVAN: f"{who} moves the {barrels(here) if still < 0 else 'barrels'} of {where}",
        VIA: f"{who} goes on by {where}",
        TOWARD: f"{who} goes toward {where}",
        CHOOSE: f"{who} chooses {where}",
        ROB: f"{who} robs {where}",
        ONTO: f"{who} puts the loot on {where}",
        HOME: f"{who} sends the token on {where} home",
        GIFT: f"{who} puts a gift on {where}",
        OPEN: f"{who} looks at {where}",
        DOWN: f"{who} moves a barrel down from {where}",
        RECRUIT: f"{who} takes the token on {where} back",
    }[first]


def _chance(v: State, move: Move, then: State) -> str:
    who = SEAT_NAMES[int(v.turn) % int(v.seats)]
    if move >= LOT:
        return f"The lot says that {SEAT_NAMES[move - LOT]} begins"
    if move >= DRAW_EVENT:
        event = move - DRAW_EVENT
        is_done = any(then.ask[at] == DO_EVENT and then.arg[at] == event for at in range(then.depth))
        did = is_done or not int(then.tried) >> event & 1
        return f"{who} draws {EVENTS[event]}: {EVENT_SAYS[event][:-1] if did else 'it can do nothing'}"
    if move >= TURN_UP:
        return f"{STILLS[move - TURN_UP]} is turned up"
    return f"In the fog lies {('', '', 'a ', '', 'a ')[move - DRAW_FOG]}{FOG[move - DRAW_FOG]}"


def _outcome(v: State, then: State) -> str:
    """What else came of a move: taps, scores, objectives, the end."""
    text = ""
    for still in range(len(v.kind)):
        gone = int(v.supply[still].sum()) - int(then.supply[still].sum())
        if gone > 0 and v.supplies[still] > then.supplies[still]:
            text += f", and taps {STILLS[int(then.kind[still])]}: {barrels(gone)}"
    for seat in range(int(v.seats)):
        won = int(then.scored[seat]) - int(v.scored[seat])
        if won > 0:
            text += f", and {SEAT_NAMES[seat]} scores {won}"
    for objective, holder in enumerate(then.holder):
        if holder >= 0 and holder != v.holder[objective]:
            text += f"; {SEAT_NAMES[holder]} has {OBJECTIVE_SHORT[objective].title()}"
    if then.over and not v.over:
        text += f"; {_winners(then)}"
    return text


def barrels(number: int) -> str:
    return "1 barrel" if number == 1 else f"{number} barrels"


def _winners(v: State) -> str:
    winners = [SEAT_NAMES[seat] for seat in range(int(v.seats)) if int(v.winners) >> seat & 1]
    standing = ", ".join(f"{SEAT_NAMES[seat]} {total(v, seat)}" for seat in range(int(v.seats)))
    return f"{listing(winners, 'and')} {'wins' if len(winners) == 1 else 'share the win'}: {standing}"


# questions

_QUESTIONS = {
    ASK_SECOND: "a second token for the double (§4.3)",
    ASK_END: "which side the paved road's other end faces (§9.2)",
    ASK_OFF: "how the token goes on off the paved road (§9.2)",
    ASK_AIM: "which token of the piece to go toward (§6.3)",
    ASK_VIA: "which way the barrels go (§6.2)",
    ASK_TO: "whose road the barrels go on to (§6.6)",
    ASK_STILL: "a still",
    ASK_ROB: "whom to rob",
    ASK_ONTO: "which token gets the barrels",
    ASK_HOME: "which token goes home",
    ASK_GIFT: "which token gets barrels from the reserve",
    ASK_OPEN: "a still to turn up, or fog to take away",
    ASK_DOWN: "a barrel to move one step, or skip",
    ASK_RECRUIT: "which token to take back",
}
_OF_NATURE = {
    ASK_LOT: "The lot decides who begins (§2.4).",
    ASK_FOG: "What lies in the fog? (§9)",
    ASK_TURN_UP: "A still is turned up (§5.3).",
    ASK_EVENT: "An event is drawn (§10).",
}


def question(v: State, seat: Seat) -> str:
    """What is asked now."""
    if v.over:
        return f"The game is over: {_winners(v)}."
    ask = _ask(v)
    if ask in _OF_NATURE:
        return _OF_NATURE[ask]
    if ask == DO_CARAVAN:  # in a picture on the way
        return f"{SEAT_NAMES[int(seat_of(v, v.walker))]} moves barrels."
    waiting = [other for other in range(int(v.seats)) if int(asked(v)) >> other & 1]
    if ask == ASK_PICK:
        if seat in waiting:
            return "Pick in secret the token you will place first; the weakest begins (§2.4)."
        return f"{listing([SEAT_NAMES[other] for other in waiting], 'and')} still to pick the first token (§2.4)."
    (who,) = waiting
    subject = "You choose" if who == seat else f"{SEAT_NAMES[who]} chooses"
    colour = f" ({COLOURS[int(v.turn)]})" if v.colours > v.seats else ""
    event = _event(v)
    if ask in _QUESTIONS:
        return f"{event}{subject}{colour} {_QUESTIONS[ask]}."
    if v.token >= 0:
        return f"{event}{subject}{colour} where {token_name(int(v.token))} goes."
    if v.node >= 0:
        return f"{event}{subject}{colour} a token for {node_name(int(v.node))}."
    return f"{event}{subject}{colour} {_ACTIONS[_arg(v) & 7]}."


_ACTIONS = {
    1: "what to build",
    2: "a caravan",
    3: "to build roads or to move barrels (§3)",
    7: "a free action, to build or to move barrels (§6.5)",
}


def _event(v: State) -> str:
    """The event that is being done, as the beginning of a question."""
    doing = [int(v.arg[at]) for at in range(int(v.depth)) if v.ask[at] == DO_EVENT]
    return f"{EVENTS[doing[-1]]}: " if doing else ""
