"""Why a move of Rum Run is refused. What is legal is decided in `moves`; this only finds the § to name."""

from backroom.engine.kernel import NATURE
from backroom.engine.protocol import Move, Seat, State

from .pieces import ANY, FACE_OF, FACE_TOKEN, FAR, IS_DOUBLE, LEAST, NEAR, STRENGTH, VARIANTS
from .rules import asked
from .rules.caravans import PLACES, can_start, is_obliged, place_in
from .rules.links import (
    is_mine,
)
from .rules.roads import (
    is_loose,
    remaining,
    site,
    wants,
)
from .rules.state import (
    ASK_ACT,
    ASK_OFF,
    ASK_PICK,
    ASK_SECOND,
    BOLDLY,
    BUILDING,
    CARAVAN,
    CLAIM,
    DRAW_FOG,
    FREELY,
    MOVING,
    MUD,
    NODE,
    OUTSIDE,
    PASS,
    PICK,
    PLACE,
    RETURN,
    SKIP,
    STEP_BACK,
    STILL,
    TO,
    TOKEN,
    VIA,
    next_node,
    place_of,
)
from .rules.taps import BOLD
from .rules.turn import hand_to_play
from .words import question, token_in_words, whereabouts, whose


def why(v: State, seat: Seat, move: Move) -> str:
    """Why a move is not among `moves`: half a sentence, with the §."""
    if seat == NATURE or DRAW_FOG <= move < SKIP:
        return "cards, fog and lots are nature's, as the rules say (§10)"
    if CLAIM <= move < DRAW_FOG:
        return _why_no_claim(v, seat, move - CLAIM)
    ask = int(v.ask[v.depth - 1])
    if ask == ASK_PICK:
        return _why_no_pick(v, seat, move)
    if int(asked(v)) >> seat & 1 == 0:
        return "it is not your turn to answer (§3)"
    if ask not in (ASK_ACT, ASK_SECOND, ASK_OFF):
        return f"that is no answer now: {_lower(question(v, seat))}"
    colour, arg = int(v.turn), int(v.arg[v.depth - 1])
    if ask == ASK_ACT and v.node < 0 and v.token < 0:
        return _why_no_action(v, colour, arg, move)
    if PLACE <= move < STEP_BACK:
        boldly = arg & BOLDLY != 0 if ask == ASK_ACT else arg >= BOLD
        return _why_no_placing(v, colour, ask, boldly, move)
    return f"that is no answer now: {_lower(question(v, seat))}"


def _lower(text: str) -> str:
    return text[0].lower() + text[1:].rstrip(".")


def _why_no_claim(v: State, seat: Seat, objective: int) -> str:
    if not v.noticed:
        return "objectives are given automatically in this game (§11.1)"
    if not int(v.goals) >> objective & 1:
        return "that objective is not in this game (§2.1)"
    if LEAST[objective]:
        return "it goes only to who has strictly more than its holder, and the minimum (§11)"
    return "it goes to the one who achieved it last, and stays with who has it (§11.1)"


def _why_no_pick(v: State, seat: Seat, move: Move) -> str:
    if move >= NODE:
        return "everyone picks a token first, to see who begins (§2.4)"
    if not int(v.picking) >> seat & 1:
        return "only those who tied for the lowest pick again (§2.4)"
    if int(v.shown[seat]) >> (move - TOKEN) & 1:
        return "that token has been shown already (§2.4)"
    if not int(v.tokens) >> (move - TOKEN) & 1:
        return "the Forest Folk are not in this game (§2.1)"
    return "that is what you have picked (§2.4)"


def _why_no_action(v: State, colour: int, mode: int, move: Move) -> str:
    if move == PASS:
        return "only who can neither build nor move barrels passes (§3)"
    if move == STEP_BACK:
        return "there is no step to take back (§3)"
    if CARAVAN <= move < VIA:
        if not mode & MOVING:
            return "this event is for building (§10)"
        return _why_no_caravan(v, colour, mode, move - CARAVAN)
    if (move >= TO and move < PLACE) or VIA <= move < TO:
        return "an action begins with a node, a token, pick, return or caravan (§3)"
    if not mode & BUILDING:
        return "this event is for a caravan (§10)"
    if mode == BUILDING | MOVING and is_obliged(v, colour):
        return "a token holds more barrels than it has steps, so it must be moved (§6.8)"
    if move >= PLACE:
        return "choose the node or the token first, then the other (§4.1)"
    hand = int(v.hand[colour])
    first = int(v.first[colour]) - 1
    if first >= 0 and int(hand_to_play(v, colour, False)) != hand:
        return f"your first turn is for the token you picked, {token_in_words(first)} (§2.4)"
    if move >= PICK:
        node = move - (PICK if move < RETURN else RETURN)
        return _why_not_loose(v, colour, node, move < RETURN)
    if move >= NODE:
        return _why_no_node(v, colour, mode, move - NODE)
    if not hand >> (move - TOKEN) & 1:
        return "that token is not in your inventory (§4.1)"
    return "that token fits nowhere; a double needs a second after it (§4.1, §4.3)"


def _why_no_caravan(v: State, colour: int, mode: int, node: int) -> str:
    place = int(place_of(v, node))
    mine = [place_in(v, colour, which) for which in range(PLACES)]
    if place not in mine:
        return f"the node {whereabouts(v, node)} is no place of your road (§6.1)"
    if not can_start(v, colour, place):
        held = int(v.stored[colour, int(v.ground[node]) - STILL]) if place != node else int(v.barrels[node])
        if not held:
            return "there are no barrels of yours (§6.1)"
        return "it is cut off and leads no nearer to the Town Center (§6.3)"
    if not mode & FREELY and is_obliged(v, colour):
        return "another token holds more barrels than it has steps, and goes first (§6.8)"
    return "the barrels there cannot be moved (§6.1)"


def _why_not_loose(v: State, colour: int, node: int, is_to_place: bool) -> str:
    if not is_mine(v, colour, node):
        return f"you have no token {whereabouts(v, node)} (§4.6)"
    if v.ground[node] == MUD:
        return "that token is stuck in the mud (§9.3)"
    if v.barrels[node]:
        return "it holds barrels, so it is not loose (§4.6)"
    if not is_loose(v, node):
        return "it is linked to more than one thing, so it is not loose (§4.6)"
    return "it could not be placed anywhere but as it lies (§4.6)" if is_to_place else "it can only be returned (§4.6)"


def _why_no_node(v: State, colour: int, mode: int, node: int) -> str:
    if reason := _why_no_site(v, colour, node, mode & BOLDLY != 0, None):
        return reason
    if not wants(v, colour, node):
        return "nothing of yours that is joined to the Town Center could link there (§4.1)"
    return "none of your tokens fits there; a double needs a second after it (§4.1, §4.3)"


def _why_no_site(v: State, colour: int, node: int, boldly: bool, token: int | None) -> str:
    ground, owner = int(v.ground[node]), int(v.owner[node]) - 1
    if ground > MUD:
        return (
            "off the board no road is built (§1.1)"
            if ground == OUTSIDE
            else "no road is built there: it is not free (§4.1)"
        )
    if owner < 0:
        return ""
    seat = owner % int(v.seats)
    if seat == colour % int(v.seats):
        return "your own token is stuck in the mud there (§9.3)" if ground == MUD else ""
    if v.safe[seat]:
        return f"{whose(v, owner)}’s tokens have Safe Passage (§10)"
    if token is None or site(v, colour, node, boldly) >> token & 1:
        return ""
    there = int(STRENGTH[FACE_TOKEN[int(v.face[node])]])
    return f"{token_in_words(token)} is not stronger than what lies there, {there} dots (§4.5)"


def _why_no_second(v: State, node: int) -> str:
    """§4.3: a remaining arm of the double, which stays joined; a double needs a third."""
    double, hung = int(v.arg[v.depth - 1]) % BOLD, int(v.who[v.depth - 1])
    sides = [side for side in range(4) if next_node(double, side) == node]
    if sides and not int(remaining(hung)) >> sides[0] & 1:
        return "that is what the double hangs on: its second lies on one of the three remaining arms (§4.3)"
    return "the second links to an arm of the double, and keeps it joined; a double needs a third (§4.3)"


def _why_no_placing(v: State, colour: int, ask: int, boldly: bool, move: Move) -> str:
    node, rest = divmod(move - PLACE, VARIANTS * 4)
    variant, side = divmod(rest, 4)
    token = int(FACE_TOKEN[FACE_OF[variant, side]])
    if not int(v.hand[colour]) >> token & 1:
        return f"{token_in_words(token)} is not in your inventory (§4.1)"
    if ask == ASK_ACT and v.node >= 0 and node != v.node:
        return f"you have chosen to build {whereabouts(v, int(v.node))}; go back to choose another node (§4.1)"
    if v.token >= 0 and token != v.token:
        return f"you have chosen {token_in_words(int(v.token))}; go back to choose another token (§4.1)"
    if reason := _why_no_site(v, colour, node, boldly, token):
        return reason
    if node == v.lifted and FACE_OF[variant, side] == v.lifted_face:
        return "a loose token is not put back exactly as it lay (§4.6)"
    if ask == ASK_SECOND:
        return _why_no_second(v, node)
    if ask == ASK_OFF:
        return "the token goes off the paved road's other end (§9.2)"
    wanted = int(wants(v, colour, node))
    sides = range(4) if IS_DOUBLE[token] else (side,)
    if not any(wanted >> 3 * at & 7 in (int(NEAR[variant]), ANY) for at in sides):
        return f"nothing shows {NEAR[variant]} there to link with (§4.1)"
    if IS_DOUBLE[token]:
        return "no second token could follow the double (§4.3)"
    if wanted >> 3 * (side ^ 2) & 7 in (int(FAR[variant]), ANY):
        return "it links at its other end too: name that end first, north before east, south and west (§4.1)"
    return "it cannot be placed so (§4.1)"
