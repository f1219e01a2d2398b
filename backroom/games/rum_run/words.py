"""The words of Rum Run: names of moves that round-trip, labels and sentences for people, and questions.

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
from backroom.engine.marks import glyph, who
from backroom.engine.phrases import did_you_mean, listing
from backroom.engine.protocol import Move, Result, Seat, State

from .pieces import (
    ARROWS,
    COLOURS,
    DIRECTIONS,
    EVENT_SAYS,
    EVENTS,
    FACE_DIRECTION,
    FACE_TOKEN,
    FACE_VARIANT,
    FAR,
    FOG,
    GOAL,
    NEAR,
    OBJECTIVE_SHORT,
    OBJECTIVES,
    PAIRS,
    SIDE,
    STAR_STAR,
    STILLS,
    VARIANT_TOKEN,
    VARIANTS,
)
from .rules import SEAT_NAMES, asked
from .rules.objectives import total
from .rules.state import (
    ASK_ACT,
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
    ASK_STILLS,
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
    DRAW_STILL,
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
"""The moves that name a node, by the first number of each range."""
WORDS: tuple[tuple[int, str, Sequence[str]], ...] = (
    (TO, "to", COLOURS),
    (END, "end", DIRECTIONS),
    (CLAIM, "claim", OBJECTIVE_SHORT),
    (DRAW_FOG, "fog", FOG),
    (TURN_UP, "turn up", STILLS),
    (DRAW_STILL, "draw", STILLS),
    (DRAW_EVENT, "event", EVENTS),
    (LOT, "lot", tuple(name.lower() for name in SEAT_NAMES)),
)
"""The moves that name an item of a list."""
ALONE = {SKIP: "skip", PASS: "pass", STEP_BACK: "back"}

NOTATION = re.compile(r"[*1-6]\|\*?[*1-6]|\b[a-p][1-9][0-9]?\b")
_PLACING = re.compile(r"([a-p][0-9]{1,2}) (\*?[1-6])\|(\*?[1-6])([\^>v<]?)")
_TOKEN = re.compile(r"([*1-6])\|([*1-6])")


# names


@cache
def token_name(token: int) -> str:
    """3|5, *|5, *|*: as printed, the lower end first."""
    return "|".join("*" if end == 0 else str(end) for end in PAIRS[token])


@cache
def variant_name(variant: int) -> str:
    """The near end first, and after a star the number that it was given."""
    token, near, far = int(VARIANT_TOKEN[variant]), int(NEAR[variant]), int(FAR[variant])
    if token == STAR_STAR:
        return f"*{near}|*{far}"
    if PAIRS[token][0] == 0:
        return f"*{near}|{far}" if near != PAIRS[token][1] else f"{near}|*{far}"
    return f"{near}|{far}"


VARIANT_CALLED = {variant_name(variant): variant for variant in range(VARIANTS)}


@cache
def face_name(face: int) -> str:
    """A token on the board, with an arrow for the direction of its first end; a double has none."""
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
    """The token with this name, either end first; ValueError if there is none."""
    match = _TOKEN.fullmatch(text.strip())
    ends = sorted(0 if end == "*" else int(end) for end in match.groups()) if match else []
    if not match or tuple(ends) not in PAIRS:
        raise ValueError(f"{text!r} is no token; they are called 1|1 to 6|6, *|1 to *|6 and *|* (§1.2)")
    return PAIRS.index((ends[0], ends[1]))


def parse(v: State, text: str) -> Move:
    """The move with this name, in capitals or not."""
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


# labels and sentences


def token_sign(token: int) -> str:
    """The glyph of a token: token-3-5, token-s-5 with a star."""
    return "token-" + "-".join("s" if end == 0 else str(end) for end in PAIRS[token])


@cache
def token_in_words(token: int) -> str:
    """A token in a text: the 3-5, the star-5."""
    ends = "-".join("star" if end == 0 else str(end) for end in PAIRS[token])
    return glyph(token_sign(token), f"the {ends}")


_COUNTS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight"),
    *("nine", "ten", "eleven", "twelve", "thirteen", "fourteen", "fifteen"),
)


def whereabouts(v: State, node: int) -> str:
    """A node in words: its distance from the Town Center."""
    rows, columns = int(node) // SIDE - int(v.town) // SIDE, int(node) % SIDE - int(v.town) % SIDE
    steps = [
        f"{_COUNTS[abs(count) - 1]} {word}"
        for count, word in ((rows, "north" if rows < 0 else "south"), (columns, "west" if columns < 0 else "east"))
        if count
    ]
    return f"{listing(steps, 'and')} of the Town Center" if steps else "at the Town Center"


def _place(v: State, node: int) -> str:
    """What lies on a node: a still by its name, or a token by where it is."""
    still = int(still_of(v, node))
    if still >= 0 and int(v.kind[still]) >= 0:
        return str(STILLS[int(v.kind[still])])
    return f"the {'still' if still >= 0 else 'token'} {whereabouts(v, node)}"


def whose(v: State, colour: int) -> str:
    """A colour by its player's name, and by its own name too if the player has two."""
    return who(colour % int(v.seats)) + (f" ({COLOURS[colour]})" if v.colours > v.seats else "")


def label(v: State, move: Move) -> str:
    """The label of a move."""
    if move >= PLACE and move != STEP_BACK:
        return _label_of_placing(v, move)
    if PICK <= move < TO:
        first = max(first for first in VERBS if first <= move)
        return _label_at(v, first, move - first)
    if TO <= move < END:
        return f"Go on to {whose(v, move - TO)}’s road"
    if END <= move < CLAIM:
        return f"Let the paved road turn {DIRECTIONS[move - END]}"
    if CLAIM <= move < DRAW_FOG:
        return f"Claim {OBJECTIVES[move - CLAIM]}"
    if move in ALONE:
        return {SKIP: "Move nothing", PASS: "Pass: nothing can be done", STEP_BACK: "Choose again"}[move]
    if move >= NODE:
        return f"Build {whereabouts(v, move - NODE)}"
    return f"{'Begin with' if _ask(v) == ASK_PICK else 'Place'} {token_in_words(move - TOKEN)}"


def _label_of_placing(v: State, move: Move) -> str:
    """The token, its place if that is still open, and its orientation."""
    node, rest = divmod(move - PLACE, VARIANTS * 4)
    variant, side = divmod(rest, 4)
    place = "" if _ask(v) == ASK_ACT and v.node >= 0 else f" {whereabouts(v, node)}"
    return f"Place {token_in_words(int(VARIANT_TOKEN[variant]))}{place}{_facing(variant, side)}"


def _facing(variant: int, side: int) -> str:
    """The direction of a token's near end, and the value of its star."""
    token, near, far = int(VARIANT_TOKEN[variant]), int(NEAR[variant]), int(FAR[variant])
    if near == far:
        return f", as a double {near}" if token == STAR_STAR else ""
    star = {0: near, 1: far}[int(near == PAIRS[token][1])] if PAIRS[token][0] == 0 else 0
    if star == near:
        return f", the star as a {near} to the {DIRECTIONS[side]}"
    return f", the {near} to the {DIRECTIONS[side]}" + (f" and the star as a {far}" if star else "")


def _label_at(v: State, first: int, node: int) -> str:
    place = _place(v, node)
    return {
        PICK: f"Take up {place}",
        RETURN: f"Take {place} back",
        CARAVAN: f"Move the barrels of {place}",
        VIA: f"Go on by {place}",
        TOWARD: f"Go toward {place}",
        CHOOSE: f"Choose {place}",
        ROB: f"Rob {place}",
        ONTO: f"Put the loot on {place}",
        HOME: f"Send {place} home",
        GIFT: f"Put the gift on {place}",
        OPEN: f"Turn up {place}" if int(still_of(v, node)) >= 0 else f"Take away the fog {whereabouts(v, node)}",
        DOWN: f"Move a barrel of {place}",
        RECRUIT: f"Take back {place}",
    }[first]


def say(v: State, seat: Seat, move: Move, then: State) -> str:
    """What happened, for the story, with its outcome; empty for a choice that is not complete."""
    outcome = _outcome(v, then)
    if seat != NATURE and not outcome and _is_in_progress(v, seat, move, then):
        return ""
    return f"{_action(v, seat, move, then)}{outcome}."


def _is_in_progress(v: State, seat: Seat, move: Move, then: State) -> bool:
    """Whether a move only chooses (a token, a node, or a loose token to move) or goes back."""
    if move == UNKNOWN or _ask(v) == ASK_PICK:
        return bool(then.sealed[seat])
    return move < RETURN or move == STEP_BACK


def _action(v: State, seat: Seat, move: Move, then: State) -> str:
    if seat == NATURE:
        return _chance(v, move, then)
    actor = who(seat)
    if move == UNKNOWN or _ask(v) == ASK_PICK:
        return _pick(v, then)
    if CLAIM <= move < DRAW_FOG:
        return f"{actor} claims {OBJECTIVE_SHORT[move - CLAIM].title()} (§11.1)"
    if move >= PLACE and move != STEP_BACK:
        return _placing(v, actor, move)
    if move >= PICK and move < TO:
        first = max(first for first in VERBS if first <= move)
        return _at_node(v, actor, first, move - first)
    if move == PASS:
        return f"{actor} can do nothing and passes"
    if move == SKIP:
        return f"{actor} moves nothing"
    if TO <= move < END:
        return f"{actor} goes on to {whose(v, move - TO)}’s road"
    if END <= move < CLAIM:
        return f"{actor} lets the paved road turn {DIRECTIONS[move - END]}"
    return f"{actor} chooses"


def _pick(v: State, then: State) -> str:
    """All first tokens are shown (§2.4)."""
    picking = [other for other in range(int(v.seats)) if int(v.picking) >> other & 1]
    shown = ", ".join(f"{who(other)} {token_in_words(int(then.first[other]) - 1)}" for other in picking)
    if then.picking:
        tied = listing([who(other) for other in picking if int(then.picking) >> other & 1], "and")
        return f"All show the token to begin with: {shown}; {tied} tie (§2.4)"
    return f"All show the token to begin with: {shown}; {who(then.turn % then.seats)} begins (§2.4)"


def _placing(v: State, actor: str, move: Move) -> str:
    node, rest = divmod(move - PLACE, VARIANTS * 4)
    variant, side = divmod(rest, 4)
    moved = v.lifted >= 0 and _ask(v) == ASK_ACT
    text = f"{actor} {'moves' if moved else 'places'} {token_in_words(int(VARIANT_TOKEN[variant]))}"
    text += f" from {whereabouts(v, int(v.lifted))} to" if moved else ""
    text += f" {whereabouts(v, node)}{_facing(variant, side)}"
    owner = int(v.owner[node]) - 1
    if owner >= 0:
        text += f", over {whose(v, owner)}’s {plain_token(int(FACE_TOKEN[int(v.face[node])]))} (§4.5)"
        if v.barrels[node]:
            text += f", and takes over its {barrels(int(v.barrels[node]))}"
    return text


def plain_token(token: int) -> str:
    """A token without its article."""
    return token_in_words(token).replace("|the ", "|")


def _at_node(v: State, actor: str, first: int, node: int) -> str:
    place = _place(v, node)
    here = int(v.barrels[node])
    return {
        PICK: f"{actor} takes up {place}",
        RETURN: f"{actor} takes {place} back (§4.6)",
        CARAVAN: f"{actor} moves the {barrels(here) if int(still_of(v, node)) < 0 else 'barrels'} of {place}",
        VIA: f"{actor} goes on by {place}",
        TOWARD: f"{actor} goes toward {place}",
        CHOOSE: f"{actor} chooses {place}",
        ROB: f"{actor} robs {place}",
        ONTO: f"{actor} puts the loot on {place}",
        HOME: f"{actor} sends {place} home",
        GIFT: f"{actor} puts a gift on {place}",
        OPEN: f"{actor} looks at {place if int(still_of(v, node)) >= 0 else f'the fog {whereabouts(v, node)}'}",
        DOWN: f"{actor} moves a barrel down from {place}",
        RECRUIT: f"{actor} takes {place} back",
    }[first]


def _chance(v: State, move: Move, then: State) -> str:
    actor = who(v.turn % v.seats)
    if move >= LOT:
        return f"The lot says that {who(move - LOT)} begins (§2.4)"
    if move >= DRAW_EVENT:
        event = move - DRAW_EVENT
        is_done = any(then.ask[at] == DO_EVENT and then.arg[at] == event for at in range(then.depth))
        did = is_done or not int(then.tried) >> event & 1
        return f"{actor} draws {EVENTS[event]}: {EVENT_SAYS[event][:-1] if did else 'it can do nothing'} (§10)"
    if move >= DRAW_STILL:
        return f"{STILLS[move - DRAW_STILL]} is drawn, and will lie face down somewhere (§2.1)"
    if move >= TURN_UP:
        return f"{STILLS[move - TURN_UP]} is turned up (§5.3)"
    return f"In the fog lies {('', '', 'a ', '', 'a ')[move - DRAW_FOG]}{FOG[move - DRAW_FOG]} (§9)"


def _outcome(v: State, then: State) -> str:
    """The other outcomes of a move: taps, scores, objectives, the end."""
    text = ""
    for still in range(len(v.kind)):
        gone = int(v.supply[still].sum()) - int(then.supply[still].sum())
        if gone > 0 and v.supplies[still] > then.supplies[still]:
            text += f", and taps {STILLS[int(then.kind[still])]}: {barrels(gone)}"
    for seat in range(int(v.seats)):
        won = int(then.scored[seat]) - int(v.scored[seat])
        if won > 0:
            text += f", and {who(seat)} scores {won}"
    for objective, holder in enumerate(then.holder):
        if holder >= 0 and holder != v.holder[objective]:
            text += f"; {who(holder)} has {OBJECTIVE_SHORT[objective].title()} (§11)"
    if then.over and not v.over:
        text += f"; {_winners(then)}: {_standing(then)}"
    return text


def barrels(number: int) -> str:
    return "1 barrel" if number == 1 else f"{number} barrels"


def result(v: State) -> Result | None:
    """Who has won, and the barrels of each; None until the game is over."""
    if not v.over:
        return None
    winners = tuple(seat for seat in range(int(v.seats)) if int(v.winners) >> seat & 1)
    text = _winners(v)
    seats = tuple(barrels(int(total(v, seat))) for seat in range(int(v.seats)))
    return Result(f"{text[0].upper()}{text[1:]}.", seats, winners)


def _winners(v: State) -> str:
    """§7: who has won a game that is over."""
    winners = [seat for seat in range(int(v.seats)) if int(v.winners) >> seat & 1]
    names = listing([who(seat) for seat in winners], "and")
    has = barrels(int(total(v, winners[0])))
    if total(v, winners[0]) >= GOAL[v.seats if v.colours == v.seats else 5]:
        return f"{names} wins with {has} and is Regent of Rum (§7.1)"
    if len(winners) == 1:
        return f"nothing happens any more, and {names} wins with the most, {has} (§7.2)"
    return f"nothing happens any more, and {names} share the win with {has} each (§7.2)"


def _standing(v: State) -> str:
    return ", ".join(f"{who(seat)} {total(v, seat)}" for seat in range(int(v.seats)))


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
    ASK_STILLS: "The stills of this game are drawn from all twelve (§2.1).",
    ASK_LOT: "The lot decides who begins (§2.4).",
    ASK_FOG: "What lies in the fog? (§9)",
    ASK_TURN_UP: "A still is turned up (§5.3).",
    ASK_EVENT: "An event is drawn (§10).",
}


def question(v: State, seat: Seat) -> str:
    """What is asked now."""
    if v.over:
        return f"The game is over: {_winners(v)}: {_standing(v)}."
    ask = _ask(v)
    if ask in _OF_NATURE:
        return _OF_NATURE[ask]
    if ask == DO_CARAVAN:  # in a picture on the way
        return f"{who(seat_of(v, v.walker))} moves barrels."
    mask = int(asked(v))
    waiting = [other for other in range(int(v.seats)) if mask >> other & 1]
    if ask == ASK_PICK:
        if seat in waiting:
            return "Pick in secret the token you will place first; the weakest begins (§2.4)."
        return f"Waiting for {listing([who(other) for other in waiting], 'and')} to pick the first token (§2.4)."
    (actor,) = waiting
    colour = f" ({COLOURS[int(v.turn)]})" if v.colours > v.seats else ""
    event = _event(v)
    if ask in _QUESTIONS:
        choice = _QUESTIONS[ask]
    elif v.token >= 0:
        choice = f"where {token_in_words(int(v.token))} goes"
    elif v.node >= 0:
        choice = f"a token to place {whereabouts(v, int(v.node))}"
    else:
        ways, choice = _ACTIONS[_arg(v) & 7]
        if actor == seat:
            return f"{event}{ways if event else ways[0].upper() + ways[1:]}{colour}."
    if actor == seat:
        return f"{event}{'choose' if event else 'Choose'}{colour} {choice}."
    return f"{event}{who(actor)} chooses{colour} {choice}."


_ACTIONS = {
    1: ("choose what to build", "what to build"),
    2: ("choose the barrels to move", "which barrels to move"),
    3: (
        "build roads or move barrels (§3): choose a place, a token or barrels",
        "to build roads or to move barrels (§3)",
    ),
    7: (
        "take a free action, build roads or move barrels (§6.5)",
        "a free action, to build or to move barrels (§6.5)",
    ),
}
"""What may be done, by the kinds of action that are open: said to the seat that is asked, and to the others."""


def _event(v: State) -> str:
    """The current event, as the beginning of a question."""
    doing = [int(v.arg[at]) for at in range(int(v.depth)) if v.ask[at] == DO_EVENT]
    return f"{EVENTS[doing[-1]]}: " if doing else ""
