"""The kernels against the plain model of `plain.py`, move by move over random games with every extra."""

from collections import Counter

import pytest

from backroom.bots import bot, seated
from backroom.engine.kernel import below
from backroom.engine.kernel import dice_from as throw
from backroom.engine.table import Table
from backroom.games.rum_run.pieces import ARMS, FACE_OF, OBJECTIVE_SHORT, PAIRS, VARIANT_TOKEN, VARIANTS
from backroom.games.rum_run.rules.state import (
    ASK_ACT,
    ASK_AIM,
    ASK_FOG,
    ASK_SECOND,
    ASK_TO,
    ASK_VIA,
    BOLDLY,
    BUILDING,
    CARAVAN,
    CLAIM,
    DRAW_FOG,
    FREELY,
    MOVING,
    NODE,
    PICK,
    PLACE,
    RETURN,
    STEP_BACK,
    VIA,
)
from backroom.games.rum_run.setup_file import called

from . import plain
from .boards import GAME
from .plain_events import METHODS, Asks, Drawn, lying
from .plain_objectives import Objectives, held, numbers, parts

GAMES = 2000
SHARES = 8
WAYS = "^>v<"


def read(s, options):
    has_folk = bool(int(s.tokens) >> 21)
    return plain.read(GAME.rules.position(s), called(options["setup"]), int(s.seats), int(s.colours), has_folk)


def xy(node):
    return node % 16, node // 16


def printed(token):
    return tuple("*" if end == 0 else end for end in PAIRS[token])


def placing(move):
    """A placing of the kernels as the plain model knows it."""
    node, rest = divmod(move - PLACE, VARIANTS * 4)
    face = FACE_OF[rest // 4, rest % 4]
    arms = frozenset((WAYS[way], int(ARMS[face, way])) for way in range(4) if ARMS[face, way])
    return xy(node), printed(int(VARIANT_TOKEN[rest // 4])), arms


def compare_distances(s, board):
    for number, colour in enumerate(plain.COLOURS[: int(s.colours)]):
        due = board.distances(colour)
        for node, token in board.tokens.items():
            if token.colour == colour:
                assert int(s.dist[node[1] * 16 + node[0]]) == due.get(node, 0)
        for which in range(5):
            still = ("still", xy(int(s.corner[which])))
            assert int(s.reach[number, which]) == due.get(still, 0)
    if board.paved:
        due = board.distances(board.keeper).get(board.paved, 0) if board.keeper else 0
        assert int(s.dist[board.paved[1] * 16 + board.paved[0]]) == due


def compare_builds(s, board, colour, boldly, met):
    """Every placing: by node first, by token first, and by the plain model."""
    found = GAME.moves(s, int(s.turn) % int(s.seats))
    by_node, by_token = set(), set()
    for move in found:
        if move < PICK:
            then = GAME.after(s, int(s.turn) % int(s.seats), move)
            placings = {placing(m) for m in GAME.moves(then, int(s.turn) % int(s.seats)) if PLACE <= m < STEP_BACK}
            assert placings
            (by_node if move >= NODE else by_token).update(placings)
    due = board.builds(colour, board.hand(colour), boldly)
    assert by_node == by_token == due
    met["builds"] += len(due)
    met["doubles"] += sum(len(arms) == 4 for _, _, arms in due)
    met["breaks"] += sum(node in board.tokens for node, _, _ in due)
    loose = {node for node, token in board.tokens.items() if token.colour == colour and board.is_loose(node)}
    assert {xy(m - RETURN) for m in found if RETURN <= m < CARAVAN} == loose
    picks = set()
    for node in loose:
        token = board.tokens[node]
        bare = board.copy()
        del bare.tokens[node]
        if bare.paved and bare.keeper == colour:
            return  # who holds the paved road then is another question
        same = (node, token.printed, frozenset(token.arms.items()))
        if bare.builds(colour, bare.hand(colour), boldly, only=token.printed) - {same}:
            picks.add(node)
    assert {xy(m - PICK) for m in found if PICK <= m < RETURN} == picks
    met["picks"] += len(picks)


def hung_by(before, was, double, arms, colour):
    """The ways by which a double was placed, from the board as it was: for a second, that of its own double."""
    if before.ask[before.depth - 1] != ASK_ACT:
        base = xy(int(before.arg[before.depth - 1]) % 512)
        return {way for way in WAYS if plain.beside(double, way) == base}
    return was.without(double).links(colour, double, arms)


def compare_seconds(s, board, before, was):
    """§4.3: what may follow a double that has just been placed, on a board that was like that before."""
    arg = int(s.arg[s.depth - 1])
    double, colour = xy(arg % 512), plain.COLOURS[int(s.turn)]
    hung = hung_by(before, was, double, board.tokens[double].arms, colour)
    moves = [move for move in GAME.moves(s, int(s.turn) % int(s.seats)) if PLACE <= move < STEP_BACK]
    assert {placing(move) for move in moves} == board.seconds(colour, double, board.hand(colour), arg >= 512, hung)
    return len(hung) > 1


def place_of(s, node):
    ground = int(s.ground[node])
    return ("still", xy(int(s.corner[ground - 8]))) if 8 <= ground < 16 else xy(node)


def outcomes(s, seat, before):
    """Every way a caravan can end, by the kernels."""
    if s.depth and s.ask[s.depth - 1] in (ASK_AIM, ASK_VIA, ASK_TO):
        ways = [move for move in GAME.moves(s, seat) if not CLAIM <= move < DRAW_FOG]
        return {found for move in ways for found in outcomes(GAME.after(s, seat, move), seat, before)}
    scored = int(s.scored[seat]) - before
    barrels = frozenset((xy(node), int(s.barrels[node])) for node in range(256) if s.barrels[node])
    stored = frozenset(
        ((plain.COLOURS[c], ("still", xy(int(s.corner[i])))), int(s.stored[c, i]))
        for c in range(4)
        for i in range(5)
        if s.stored[c, i]
    )
    return {(scored, barrels, stored)}


def compare_caravans(s, board, colour, mode, met):
    seat = int(s.turn) % int(s.seats)
    moves = [move for move in GAME.moves(s, seat) if CARAVAN <= move < VIA]
    due = board.starts(colour)
    if mode == BUILDING | MOVING and board.bound(colour):
        due = board.bound(colour)
        met["bound"] += 1
    assert {place_of(s, move - CARAVAN) for move in moves} == due
    for move in moves:
        place = place_of(s, move - CARAVAN)
        found = outcomes(GAME.after(s, seat, move), seat, int(s.scored[seat]))
        assert found == board.caravans(colour, place)
        met["caravans"] += 1
        met["forks"] += len(found) > 1
        met["cut off"] += place not in board.distances(colour)
        met["scored"] += any(scored for scored, _, _ in found)
        met["ambushed"] += any(scored > 1 for scored, _, _ in found)


@pytest.mark.parametrize("share", range(SHARES))
def test_roads_and_caravans_agree_with_the_plain_reading_of_the_rules(share, games):
    met = Counter()
    settings = GAME.settings()
    for seed in range(share, games(GAMES), SHARES):
        seats, options = settings[seed % len(settings)]
        s = GAME.start(seats, options)
        dice = throw(seed)
        before = s
        for turn, (_, move) in enumerate(GAME.stroll(s, seats, dice)):
            ask = int(s.ask[s.depth - 1])
            placed_on = before
            if PLACE <= move < STEP_BACK:
                before = GAME.copy(s)
            is_open = ask == ASK_ACT and s.node < 0 and s.token < 0
            if turn % 16 != seed % 16 and not (is_open and s.barrels.any() and below(dice, 4) == 0):
                continue
            board = read(s, options)
            compare_distances(s, board)
            met["states"] += 1
            if ask == ASK_SECOND:
                met["several"] += compare_seconds(s, board, placed_on, read(placed_on, options))
                met["seconds"] += 1
            if not is_open:
                continue
            mode = int(s.arg[s.depth - 1])
            colour = plain.COLOURS[int(s.turn)]
            if mode & MOVING:
                compare_caravans(s, board, colour, mode, met)
            is_bound = mode == BUILDING | MOVING and board.bound(colour)
            if mode & BUILDING and not is_bound and not s.first[s.turn] and below(dice, 40) == 0:
                compare_builds(s, board, colour, bool(mode & BOLDLY), met)
                met["free"] += bool(mode & FREELY)
    kinds = ("builds", "doubles", "seconds", "breaks", "picks", "caravans", "forks", "cut off", "scored", "bound")
    assert min(met[kind] for kind in kinds) >= 3, met


PAVED = """
size = 10
town = "e5"
folk = true
fog = ["d4", "f4", "f6"]
fog_tokens = ["paved road", "mud", "mud"]
[[still]]
name = "Fort Firewater"
at = "b2"
[[still]]
name = "Cooper's Hollow"
at = "h2"
[[still]]
name = "Moonlight Mill"
at = "h7"
[[still]]
name = "Widow's Well"
at = "b7"
"""
"""A paved road is soon found near the Town Center, and by more than one colour."""


@pytest.mark.parametrize("colours", ["1", "2"])
def test_9_2_the_paved_road_is_held_as_the_plain_reading_of_the_rules_says(colours):
    """Looked at between actions: who finds it, who comes to it, who loses it, and that nobody takes it twice."""
    met = Counter()
    for seed in range(150):
        seats = 2 if colours == "2" else 2 + seed % 3
        _, options = GAME.settle(seats, {"setup": PAVED, "events": "yes", "colours": colours})
        s = GAME.start(seats, options)
        holder, linked, finder, relaid = None, set(), None, False
        for _, move in GAME.stroll(s, seats, throw(seed)):
            ask = int(s.ask[s.depth - 1])
            if ask == ASK_FOG and move == DRAW_FOG + 2:
                finder = plain.COLOURS[int(s.turn)]
            relaid |= PLACE <= move < STEP_BACK and s.lifted >= 0
            if s.paved < 0 or ask != ASK_ACT or s.node >= 0 or s.token >= 0:
                continue
            board = read(s, options)
            now = board.touching_paved()
            met["relaid"] += relaid and bool(now & linked - {holder})
            met["shared"] += len(now) > 1
            met["taken"] += bool(linked and now - linked)
            met["lost"] += bool(holder and holder not in now)
            holder = board.next_holder(holder, linked, finder)
            assert board.keeper == holder
            linked, finder, relaid = now, None, False
    assert min(met[kind] for kind in ("relaid", "shared", "taken", "lost")) >= 3, met


# objectives (§11)

FEW = ["scored 1 barrel", "longest road", "broke most", "through the still"]
"""The objectives of the setups standard and duel (§2.2)."""
TABLES = [
    *(("small", {"events": "no", "folk": "yes"}), ("first", {"events": "no"}), ("standard", {})),
    *(("small", {"events": "yes"}), ("duel", {"colours": "2"})),
]


def steps_of(table):
    """Each move of a game, whose it is, and the state before and after it."""
    states = list(table.states())
    for line, before, after in zip(table.lines, states[:-1], states[1:], strict=True):
        yield line.seat, GAME.rules.parse(before, line.name), before, after


def played(seats, seed, level, **chosen):
    """A game of bots."""
    seats, options = GAME.settle(seats, {"objectives": "yes", **chosen})
    table = Table(GAME, seats=seats, seed=str(seed), options=options)
    bots = [seated(bot(level, GAME), seat, table) for seat in range(seats)]
    while not table.is_over:
        seat = table.asked[0]
        table.play(seat, bots[seat].move(table))
    return table, options


def is_walking(s):
    """Whether a caravan has begun and is not done."""
    return s.depth > 0 and s.ask[s.depth - 1] in (ASK_AIM, ASK_VIA, ASK_TO)


def follow_objectives(table, options, names, met):
    """Hold what is given to what is due when a placing, a caravan or an event is done (§7.1)."""
    seats, due, begun = table.seats, Objectives(table.seats, names), None
    for seat, move, before, after in steps_of(table):
        said, was = GAME.rules.position(after), parts(GAME.rules.position(before))
        is_placing, is_caravan = PLACE <= move < STEP_BACK, is_walking(before) or CARAVAN <= move < VIA
        if is_placing:
            board = read(before, options)
            due.note_placing(board, board.turn, placing(move)[0])
        if CARAVAN <= move < VIA:
            begun = before
        if was.get("doing") == "Downhill" and not is_caravan:
            due.note_scored(before.scored, after.scored)
        is_open = is_walking(after) or after.lifted >= 0 or "picking" in parts(said)
        if is_open or ("doing" in parts(said) and not is_placing and not is_caravan):
            continue
        board = read(after, options)
        if is_caravan:
            due.note_caravan(seat, read(begun, options), board, int(after.scored[seat]) - int(begun.scored[seat]))
        due.give(board, said, int(before.turn) % seats)
        assert held(said, names, seats) == due.holders, said
        assert numbers(said, "broken", seats) == due.broken
        met.update(name for name, holder in due.holders.items() if holder is not None)


@pytest.mark.parametrize("share", range(5))
def test_11_objectives_are_given_as_the_plain_reading_of_the_rules_says(share, games):
    met = Counter()
    setup, extras = TABLES[share]
    names = FEW if setup in ("standard", "duel") else OBJECTIVE_SHORT
    for seed in range(share, games(10), 5):
        seats, level = 2 if setup == "duel" else 2 + seed % 3, "random" if seed % 3 == 0 and share == 0 else "easy"
        table, options = played(seats, seed, level, setup=setup, **extras)
        follow_objectives(table, options, names, met)
    expected = ("scored 1 barrel", "broke most", *(() if names is FEW else ("biggest stash",)))
    assert min(met[name] for name in expected) >= 3, met


# events (§10)


@pytest.mark.parametrize("share", range(2))
def test_10_events_ask_and_do_what_the_plain_reading_of_the_rules_says(share, games):
    """Each event as it is drawn: who is asked what, or what it does at once; one that can do nothing is put away."""
    met = Counter()
    for seed in range(share, games(48), 2):
        seats, options = GAME.settle(
            2 + seed % 3, {"setup": "small", "events": "yes", "objectives": "no", "folk": "yes"}
        )
        s, drawn, event = GAME.start(seats, options), None, ""
        for _, move in GAME.stroll(s, seats, throw(seed)):
            said = GAME.rules.position(s)
            if event in METHODS:
                compare_event(s, drawn.answer(event), event, drawn, read(s, options), said, met)
            name = GAME.rules.name(s, move)
            event = name.removeprefix("event ") if name.startswith("event ") else ""
            drawn = Drawn(read(s, options), said) if event in METHODS else None
    assert met["asked"] > 20, met
    assert met["done"] > 3, met
    assert met["put away"] > 3, met


def compare_event(s, due, event, drawn, board, said, met):
    """What has come of an event that was just drawn."""
    doing = parts(said).get("doing", "").split(", ")
    if isinstance(due, Asks):
        assert event in doing, (event, due, said)
        assert GAME.asked(s) == (due.seat,), (event, due, said)
        assert {GAME.rules.name(s, move) for move in GAME.moves(s, due.seat)} == due.answers, (event, due, said)
        met["asked"] += 1
    else:
        assert event not in doing, (event, due, said)
        before = lying(drawn.board, drawn.scored)
        assert lying(board, numbers(said, "scored", drawn.seats)) == (due or before), (event, due, said)
        met["done" if due else "put away"] += 1
    met[event] += 1
