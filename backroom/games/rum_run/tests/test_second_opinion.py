"""The kernels agree with the plain model of `plain.py`, move by move, in random games with every extra."""

from collections import Counter
from dataclasses import dataclass, field

import pytest

from backroom.bots import bot, seated
from backroom.engine.kernel import NATURE, below
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
from .plain_events import METHODS, Asks, Builds, Deck, Does, Drawn, Protects, name_of
from .plain_objectives import CIRCULATING, Objectives, held, numbers, parts

GAMES = 320
SHARES = 4
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
def test_9_2_the_paved_road_is_held_as_the_plain_reading_of_the_rules_says(colours, games):
    """Checked between actions: who finds the paved road, who gets it, who loses it, and that nobody gets it twice."""
    met = Counter()
    for seed in range(games(240) // 2):
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
STATIC = "rollouts:worlds=0,blur=0.7"
"""A bot that plays by static evaluation: it meets many objectives, and does not change with the levels."""
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
    """Compare the objectives that were given with those due, after a placing, a caravan or an event (§7.1)."""
    seats, due, begun = table.seats, Objectives(table.seats, names), None
    for seat, move, before, after in steps_of(table):
        said, was = GAME.rules.position(after), parts(GAME.rules.position(before))
        is_placing, is_caravan = PLACE <= move < STEP_BACK, is_walking(before) or CARAVAN <= move < VIA
        if is_placing:
            board = read(before, options)
            due.note_placing(board, board.turn, placing(move)[0])
        if CARAVAN <= move < VIA:
            begun = before
        if was.get("doing", "").endswith("Downhill") and not is_caravan:  # an event may come of another
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
        seats, level = 2 if setup == "duel" else 2 + seed % 3, "random" if seed % 3 == 0 and share == 0 else STATIC
        table, options = played(seats, seed, level, setup=setup, **extras)
        follow_objectives(table, options, names, met)
    expected = ("scored 1 barrel", "broke most", *(() if names is FEW else ("biggest stash",)))
    assert min(met[name] for name in expected) >= 3, met


def test_11_1_of_objectives_that_circulate_those_can_be_claimed_that_would_be_given(games):
    """With `claims=noticed`, checked between actions: an objective can be claimed by those who may, and nobody else."""
    met = Counter()
    for seed in range(games(24)):
        chosen = {"setup": "small", "objectives": "yes", "claims": "noticed", "events": ("no", "yes")[seed % 2]}
        seats, options = GAME.settle(2 + seed % 3, chosen)
        s = GAME.start(seats, options)
        for turn, _ in enumerate(GAME.stroll(s, seats, throw(seed))):
            said = GAME.rules.position(s)
            told = parts(said)
            if turn % 2 or "picking" in told or {"doing", "hand", "walk", "ask"} & told.keys():
                continue
            board = read(s, options)
            due = Objectives(seats, list(CIRCULATING), held(said, CIRCULATING, seats), numbers(said, "broken", seats))
            before = dict(due.holders)
            due.give(board, said, board.seat(board.turn))
            for seat in range(seats):
                names = {GAME.rules.name(s, move) for move in GAME.moves(s, seat)}
                can = {name for name in CIRCULATING if f"claim {name}" in names}
                assert can == {name for name in CIRCULATING if due.holders[name] == seat != before[name]}, said
                met.update(can)
    assert min(met[name] for name in ("broke most", "biggest stash", "landlord")) >= 3, met


# events (§10)

SECRETS = """
size = 10
town = "e5"
folk = true
fog = ["e2", "e8", "b5", "h5", "e9"]
fog_tokens = ["one barrel", "two barrels", "mud", "mud", "bear trap"]
[[still]]
name = "Fort Firewater"
at = "c3"
[[still]]
name = "Cooper's Hollow"
at = "f3"
[[still]]
name = "Moonlight Mill"
at = "f6"
[[still]]
name = "Widow's Well"
at = "c6"
"""
"""The setup small with fog that is no paved road."""
PLAIN_EXTRAS = {"events": "yes", "objectives": "no"}
EVENT_TABLES = [
    {"setup": "small", "folk": "yes", **PLAIN_EXTRAS},
    {"setup": SECRETS, "hidden": "yes", **PLAIN_EXTRAS},
    {"setup": "small", "colours": "2", **PLAIN_EXTRAS},
]


@pytest.mark.parametrize("share", range(len(EVENT_TABLES)))
def test_10_events_ask_and_do_what_the_plain_reading_of_the_rules_says(share, games):
    """Events agree: which can be drawn, who is asked what, what each does, and what each answer leads to.

    So do the number of buildings, and the duration of a safe passage.
    """
    met = Counter()
    for seed in range(share, games(48), len(EVENT_TABLES)):
        chosen = EVENT_TABLES[share]
        seats, options = GAME.settle(2 if "colours" in chosen else 2 + seed % 3, chosen)
        s = GAME.start(seats, options)
        events = Events(s, options, met)
        for seat, move in GAME.stroll(s, seats, throw(seed)):
            events.look(seat, move)
    assert met["asked"] > 20, met
    assert met["answers"] > 20, met
    assert min(met[kind] for kind in ("done", "put away", "built", "safe")) >= 3, met
    assert met["Open Secret"] >= 3 or share != 1, met


@dataclass
class Open:
    """An event that is being done."""

    event: str
    colour: str
    due: object
    """What was due when it was drawn."""
    built: int = 0
    queue: list = field(default_factory=list)
    """The seats that are still to be asked, in order."""


class Events:
    """Compares the events of a game with the plain model, in every state before a move."""

    def __init__(self, s, options, met):
        self.s, self.options, self.met = s, options, met
        self.seats = int(s.seats)
        has_secrets = options["hidden"] == "yes"
        self.deck = Deck(event for event in METHODS if has_secrets or event != "Open Secret")
        stills = called(options["setup"]).stills if has_secrets else ()
        self.places = frozenset(name_of(xy(still.node)) for still in stills)
        self.safe, self.turn, self.last = set(), "", ""
        self.drawn = None
        """The event that has just been drawn, and the position before that."""
        self.given = None
        """What may come of the answer that has just been given to the innermost event."""
        self.open = []
        """The events that are being done, the innermost last."""

    def position(self):
        found = Drawn(read(self.s, self.options), self.said)
        found.places = self.places
        return found

    def names(self, seat):
        return {GAME.rules.name(self.s, move) for move in GAME.moves(self.s, seat)}

    def look(self, seat, move):
        self.said = GAME.rules.position(self.s)
        told = parts(self.said)
        self.doing = set(filter(None, told.get("doing", "").split(", ")))
        if self.drawn:
            self.begin(*self.drawn)
        elif self.given and not is_walking(self.s):
            self.go_on(*self.given)
        self.follow_safety(told["turn"])
        self.close()
        name = GAME.rules.name(self.s, move)
        self.drawn, is_walk = None, is_walking(self.s)
        if name.startswith("event "):
            assert self.names(NATURE) == {f"event {event}" for event in self.deck.open(self.doing)}, self.said
            self.drawn = name.removeprefix("event "), self.position()
        elif self.open and isinstance(self.open[-1].due, Asks) and seat != NATURE and not is_walk:
            self.note_answer(seat, name)
        elif self.open and isinstance(self.open[-1].due, Builds):
            self.note_building(move)
        self.last = name

    def follow_safety(self, turn):
        """Until one's next turn, with either colour."""
        if turn != self.turn:
            self.turn = turn
            self.safe.discard(plain.COLOURS.index(turn) % self.seats)
        assert {seat for seat, n in enumerate(numbers(self.said, "safe", self.seats)) if n} == self.safe, self.said
        self.met["safe"] += bool(self.safe)

    def begin(self, event, before):
        """What has come of an event that was just drawn."""
        due = before.answer(event)
        self.deck.draw(event, due is None, self.doing)
        if isinstance(due, Asks):
            self.compare_asked(event, due)
            queue = before.receivers() if event == "You Let Who Drive the Wagon" else list(before.order)
            self.open.append(Open(event, before.board.turn, due, queue=queue))
        elif isinstance(due, Builds):
            self.compare_building(event, due)
            self.open.append(Open(event, before.board.turn, due))
        else:
            assert event not in self.doing, (event, due, self.said)
            after = due if isinstance(due, Does) else before.lies()
            assert self.position().lies() == after, (event, due, self.said)
            self.safe |= {due.seat} if isinstance(due, Protects) else set()
            self.met["done" if due else "put away"] += 1
        self.met[event] += 1

    def compare_asked(self, event, due):
        assert event in self.doing, (event, due, self.said)
        assert GAME.asked(self.s) == (due.seat,), (event, due, self.said)
        assert self.names(due.seat) == due.answers, (event, due, self.said)
        self.met["asked"] += 1

    def compare_building(self, event, due):
        assert event in self.doing, (event, due, self.said)
        assert GAME.asked(self.s) == (due.seat,), (event, due, self.said)
        assert max(GAME.moves(self.s, due.seat)) < CARAVAN, (event, due, self.said)
        board = read(self.s, self.options)
        compare_builds(self.s, board, board.turn, due.boldly, self.met)
        self.met["building"] += 1

    def note_answer(self, seat, name):
        """Of caravans there is an opinion above; of loot it may be asked where it goes."""
        if not name.startswith("onto") and self.open[-1].event != "Moonlit Mile":
            self.given = seat, name, self.position().answered(self.open[-1].event, seat, name)

    def go_on(self, seat, name, ways):
        """What has come of an answer."""
        event, queue = self.open[-1].event, self.open[-1].queue
        if name.startswith("rob") and self.names(seat) and min(self.names(seat)).startswith("onto "):
            assert len(self.names(seat)) == len(ways), (name, self.said)
            return
        now = self.position()
        assert now.lies() in ways, (event, name, ways, self.said)
        self.given = None
        self.met["answers"] += 1
        if name.startswith("open") and name.split()[1] in self.places:
            assert self.names(NATURE) == {f"turn up {still}" for still in now.down}, self.said
            return
        queue[:] = queue[queue.index(seat) + 1 :] if seat in queue else []
        due = None
        if event == "You Let Who Drive the Wagon" and queue and now.reserve:
            due = now.asks(queue[0], "gift", now.own(queue[0]))
        elif event == "Downhill":
            due = now.downhill_from(queue)
        if due:
            self.compare_asked(event, due)
        else:
            assert event not in self.doing, (event, name, self.said)

    def note_building(self, move):
        """A double with its second is one building."""
        is_placing = PLACE <= move < STEP_BACK and self.s.ask[self.s.depth - 1] != ASK_SECOND
        self.open[-1].built += is_placing or RETURN <= move < CARAVAN

    def close(self):
        """Events that are done; of those that build, whether that was often enough."""
        while self.open and self.open[-1].event not in self.doing:
            done = self.open.pop()
            if not isinstance(done.due, Builds) or self.last == "fog bear trap":
                continue
            self.met["built"] += 1
            if done.built != done.due.times:
                assert done.built < done.due.times, (done, self.said)
                assert not self.position().can_build(done.colour, done.due.boldly), (done, self.said)
