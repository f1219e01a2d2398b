"""A second opinion on events (§10): whom each asks what, what it does, and which can be drawn.

It is for tables without paved roads, and uses nothing of the rules. The effect of a drawn event is `Asks` (the seat
that is asked, and the names of its answers), `Builds` (who builds, and how often), `Protects` (whose tokens), `Does`
(the board afterwards), or None: the event has no effect, and is put away. `answered` returns the boards that are
possible after a seat's answer.
"""

from dataclasses import dataclass, replace

from . import plain
from .plain_objectives import numbers, parts

BARRELS = 25


@dataclass(frozen=True)
class Asks:
    seat: int
    answers: frozenset


@dataclass(frozen=True)
class Builds:
    seat: int
    times: int
    boldly: bool


@dataclass(frozen=True)
class Does:
    """What lies on the board and was scored."""

    tokens: frozenset
    barrels: frozenset
    stored: frozenset
    scored: tuple
    supply: frozenset
    fog: frozenset


@dataclass(frozen=True)
class Protects:
    """Whose tokens are safe; nothing moves."""

    seat: int


def name_of(node):
    return "abcdefghijklmnop"[node[0]] + str(node[1] + 1)


def named(verb, nodes):
    return frozenset(f"{verb} {name_of(node)}" for node in nodes)


def corner(place):
    """The node by which a place is named: a still's upper left one."""
    return place[1] if isinstance(place[0], str) else place


class Deck:
    """The event deck: used cards return when it is empty, but not an event that is being carried out."""

    def __init__(self, cards):
        self.cards, self.left, self.tried = set(cards), set(cards), set()

    def open(self, doing):
        """What can be drawn now; each once for a tap."""
        self.left = self.left or self.cards - doing
        return self.left - self.tried

    def draw(self, event, is_put_away, doing):
        self.left.discard(event)
        self.tried.add(event)
        if not is_put_away or not self.open(doing):
            self.tried = set()


class Drawn:
    """A position: when an event is drawn, or while it is being done."""

    def __init__(self, board, position):
        said = parts(position)
        self.board, self.seats = board, board.seats
        self.me = board.seat(board.turn)
        self.colours = plain.COLOURS[: board.colours]
        self.scored = numbers(position, "scored", board.seats)
        queues = (each.partition(":") for each in said.get("supply", "").split())
        self.supply = {still: [int(n) for n in queue.split("-") if n != "0"] for still, _, queue in queues}
        self.called = dict(each.split(":") for each in said.get("stills", "").split())
        self.down = [name for name in said.get("bag", "").split(", ") if name]
        fog = said.get("fog", "none").split()
        self.fog = frozenset(map(plain.node_of, fog if fog != ["none"] else []))
        self.order = [(self.me + n) % self.seats for n in range(self.seats)]

    @property
    def reserve(self):
        """§1.4"""
        down = sum(int(n) for name in self.down for n in plain.SUPPLIES[name].split("-"))
        board = sum(self.board.barrels.values()) + sum(self.board.stored.values())
        return BARRELS - board - down - sum(map(sum, self.supply.values())) - sum(self.scored)

    def lies(self):
        """What lies there, as it is compared."""
        return Does(
            frozenset((node, token.colour, token.printed) for node, token in self.board.tokens.items()),
            frozenset((node, n) for node, n in self.board.barrels.items() if n),
            frozenset((place, n) for place, n in self.board.stored.items() if n),
            tuple(self.scored),
            frozenset((still, tuple(queue)) for still, queue in self.supply.items()),
            self.fog,
        )

    def with_barrels(self, *changes):
        """What lies there when barrels come to places, or leave them; the reserve gives what it has."""
        after = self.board.copy()
        for colour, place, number in changes:
            after.put(colour, place, number)
        there = replace(self.lies(), barrels=frozenset((node, n) for node, n in after.barrels.items() if n))
        return replace(there, stored=frozenset((place, n) for place, n in after.stored.items() if n))

    def with_supply(self, still, queue):
        supply = {**self.supply, still: queue}
        return replace(self.lies(), supply=frozenset((name, tuple(left)) for name, left in supply.items()))

    def without(self, nodes):
        """What lies there after tokens have gone home, and their barrels to the reserve."""
        there = self.lies()
        return replace(
            there,
            tokens=frozenset(each for each in there.tokens if each[0] not in nodes),
            barrels=frozenset(each for each in there.barrels if each[0] not in nodes),
        )

    def own(self, seat):
        return [node for node, token in self.board.tokens.items() if self.board.seat(token.colour) == seat]

    def colours_of(self, seat):
        return [colour for colour in self.colours if self.board.seat(colour) == seat]

    def on_roads(self, seat):
        """§11: a still counts only while it is a piece of the road."""
        return sum(
            self.board.held(colour, place) for colour in self.colours_of(seat) for place in self.board.pieces(colour)
        )

    def loaded(self, seats):
        return [node for seat in seats for node in self.own(seat) if self.board.barrels.get(node)]

    def linked(self):
        """The tokens that are linked to the Town Center (§6.6): an arm faces it; not only joined to it by a road."""
        return {node for colour in self.colours for node in self.board.neighbours(colour, "town")}

    def asks(self, seat, verb, nodes, *more):
        answers = named(verb, nodes)
        return Asks(seat, answers | frozenset(more)) if answers else None

    def answer(self, event):
        return getattr(self, METHODS[event])()

    # what is drawn

    def scotch(self):
        return self.asks(
            self.me, "still", [plain.node_of(still) for still, left in self.supply.items() if len(left) > 1]
        )

    def batch(self):
        return self.asks(self.me, "still", map(plain.node_of, self.supply)) if self.reserve else None

    def recruits(self):
        free = [node for node in self.own(self.me) if not self.board.barrels.get(node) and node not in self.board.mud]
        return self.asks(self.me, "recruit", free)

    def eviction(self):
        others = (node for seat in self.order[1:] for node in self.own(seat))
        return self.asks(self.me, "send home", [node for node in others if self.board.is_loose(node)])

    def washout(self):
        loose = [node for node in self.board.tokens if self.board.is_loose(node)]
        return self.without(loose) if loose else None

    def lightening(self):
        loaded = self.loaded(self.order[1:]) or self.loaded([self.me])
        most = max((self.board.barrels[node] for node in loaded), default=0)
        return self.asks(self.me, "send home", [node for node in loaded if self.board.barrels[node] == most])

    def graveyard(self):
        """The seats clockwise from the drawer's left; the drawer is last."""
        order = [*self.order[1:], self.me]
        seat = min(order, key=lambda seat: (self.scored[seat], self.on_roads(seat)))
        return self.asks(seat, "gift", self.own(seat)) if self.reserve else None

    def receivers(self):
        """Seats without a token have no place for a barrel, and are passed over."""
        return [seat for seat in sorted(self.order, key=lambda seat: self.scored[seat]) if self.own(seat)]

    def wagon(self):
        seat = self.receivers()[0]
        return self.asks(seat, "gift", self.own(seat)) if self.reserve else None

    def thieves(self):
        near = {plain.beside(node, way) for node in self.own(self.me) for way in plain.WAYS}
        return self.asks(self.me, "rob", [node for node in self.loaded(self.order) if node in near])

    def fingers(self):
        if not self.linked().intersection(self.own(self.me)):
            return None
        return self.asks(self.me, "rob", [node for node in self.loaded(self.order[1:]) if node in self.linked()])

    def mile(self):
        return self.asks(self.me, "caravan", map(corner, self.board.starts(self.board.turn)))

    def steps_down(self, seat):
        """The places from which a seat can move a barrel toward the Town Center, which a piece cut off has not (†)."""
        return {
            place: colour
            for colour in self.colours_of(seat)
            for place in self.board.starts(colour).intersection(self.board.distances(colour))
        }

    def downhill(self):
        return self.downhill_from(self.order)

    def downhill_from(self, order):
        for seat in order:
            if starts := self.steps_down(seat):
                return self.asks(seat, "downhill", map(corner, starts), "skip")
        return None

    def underdog(self):
        if not self.reserve or any(self.scored[seat] < self.scored[self.me] for seat in self.order):
            return None
        return replace(self.lies(), scored=tuple(n + (seat == self.me) for seat, n in enumerate(self.scored)))

    def ramparts(self):
        """Nobody knows where a still is that lies face down."""
        fort = next((still for still, name in self.called.items() if name == FORT), None)
        if fort is None:
            return None
        x, y = plain.node_of(fort)
        sides = [
            ([(x + a, y - 1 - n) for n in range(y)] for a in (0, 1)),
            ([(x + a, y + 2 + n) for n in range(self.board.size)] for a in (0, 1)),
            ([(x - 1 - n, y + a) for n in range(x)] for a in (0, 1)),
            ([(x + 2 + n, y + a) for n in range(self.board.size)] for a in (0, 1)),
        ]
        gone = []
        for lines in sides:
            found = [(line.index(node), node) for line in lines for node in line if node in self.board.tokens]
            gone += [node for steps, node in found if steps == min(found)[0]]
        return self.without(gone) if gone else None

    def diner(self):
        return Builds(self.me, 2, False) if self.can_build(self.board.turn, False) else None

    def dynamite(self):
        return Builds(self.me, 1, True) if self.can_build(self.board.turn, True) else None

    def can_build(self, colour, boldly):
        """§4: a token is placed, or a loose one taken up."""
        own = [node for node, token in self.board.tokens.items() if token.colour == colour]
        return any(map(self.board.is_loose, own)) or bool(self.board.builds(colour, self.board.hand(colour), boldly))

    def passage(self):
        return Protects(self.me)

    def secret(self):
        down = {plain.node_of(name) for name in self.corners_down()}
        return self.asks(self.me, "open", down | self.fog)

    def corners_down(self):
        return self.places - self.called.keys()

    places: frozenset = frozenset()
    """The upper left nodes of the setup's stills; set by tests with stills face down."""

    # what has been answered

    def answered(self, event, seat, answer):
        """The ways in which things may lie when an answer has been carried out."""
        verb, _, name = answer.rpartition(" ")
        node = plain.node_of(name) if verb else None
        if verb == "still":
            left = self.supply[name]
            queue = [left[0] + left[-1], *left[1:-1]] if event == "Superior Scotch" else [*left, 1]
            return [self.with_supply(name, queue)]
        if verb in ("recruit", "send home"):
            return [self.without([node])]
        if verb == "gift":
            number = min(2 if event == "Graveyard Giveaway" else 1, self.reserve)
            return [self.with_barrels((None, node, number))]
        if verb == "rob":
            return self.robbed(event, node)
        if verb == "open":
            return [replace(self.lies(), fog=self.fog - {node})]
        if verb == "downhill":
            return self.gone_down(seat, node)
        return [self.lies()]

    def robbed(self, event, node):
        """Loot comes onto a token beside it, or (Sticky Fingers) onto one that is linked to the Town Center."""
        near = {plain.beside(node, way) for way in plain.WAYS}
        onto = (near if event == "No Honor Among Thieves" else self.linked()).intersection(self.own(self.me))
        number = self.board.barrels[node] if event == "No Honor Among Thieves" else 1
        return [self.with_barrels((None, node, -number), (None, to, number)) for to in onto]

    def gone_down(self, seat, node):
        starts = self.steps_down(seat)
        place = next(place for place in starts if corner(place) == node)
        colour, found = starts[place], []
        far = self.board.distances(colour)
        for to in self.board.neighbours(colour, place):
            if to == "town" and far[place] == 1:
                there = self.with_barrels((colour, place, -1))
                scored = tuple(n + (other == seat) for other, n in enumerate(self.scored))
                found.append(replace(there, scored=scored))
            elif to != "town" and far[to] == far[place] - 1:
                found.append(self.with_barrels((colour, place, -1), (colour, to, 1)))
        return found


FORT = "Fort_Firewater"
METHODS = {
    "Superior Scotch": "scotch",
    "Rosie's Diner": "diner",
    "No Honor Among Thieves": "thieves",
    "O'er the Ramparts We Scorch'd": "ramparts",
    "Lightening What's Mine": "lightening",
    "You Let Who Drive the Wagon": "wagon",
    "Graveyard Giveaway": "graveyard",
    "Moonlit Mile": "mile",
    "Dynamite": "dynamite",
    "Washout": "washout",
    "Second Batch": "batch",
    "Sticky Fingers": "fingers",
    "Open Secret": "secret",
    "Safe Passage": "passage",
    "Eviction": "eviction",
    "Downhill": "downhill",
    "Underdog": "underdog",
    "Fresh Recruits": "recruits",
}
"""All eighteen, by their names."""
