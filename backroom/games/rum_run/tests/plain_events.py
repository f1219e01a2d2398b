"""A second opinion on events (§10): what each asks of whom, or does at once, from the position in which it is drawn.

For tables with a colour a player, without fog and hidden stills. It uses nothing of the rules. An event is answered by
`Asks` (the seat that is asked, and the names of its answers), by `Does` (what it changes at once), or by None: it can
do nothing, and is put away.
"""

from dataclasses import dataclass

from . import plain
from .plain_objectives import numbers, parts

BARRELS = 25


@dataclass(frozen=True)
class Asks:
    seat: int
    answers: frozenset


@dataclass(frozen=True)
class Does:
    """What lies on the board and was scored when it is done."""

    tokens: frozenset
    barrels: frozenset
    scored: tuple


def name_of(node):
    return "abcdefghijklmnop"[node[0]] + str(node[1] + 1)


def named(verb, nodes):
    return frozenset(f"{verb} {name_of(node)}" for node in nodes)


def lying(board, scored):
    """A board as it is compared."""
    tokens = frozenset((node, token.colour, token.printed) for node, token in board.tokens.items())
    return Does(tokens, frozenset((node, n) for node, n in board.barrels.items() if n), tuple(scored))


class Drawn:
    """A position in which a colour draws an event."""

    def __init__(self, board, position):
        self.board, self.seats = board, board.seats
        self.me = board.seat(board.turn)
        self.scored = numbers(position, "scored", board.seats)
        said = (each.partition(":") for each in parts(position)["supply"].split())
        self.supply = {still: [int(n) for n in queue.split("-") if n] for still, _, queue in said}
        out = sum(board.barrels.values()) + sum(board.stored.values()) + sum(map(sum, self.supply.values()))
        self.reserve = BARRELS - out - sum(self.scored)
        self.order = [(self.me + n) % self.seats for n in range(self.seats)]

    def own(self, seat):
        return [node for node, token in self.board.tokens.items() if self.board.seat(token.colour) == seat]

    def on_roads(self, seat):
        """§11: a still counts only while it is a piece of the road."""
        colour = plain.COLOURS[seat]
        return sum(self.board.held(colour, place) for place in self.board.pieces(colour))

    def loaded(self, seats):
        return [node for seat in seats for node in self.own(seat) if self.board.barrels.get(node)]

    def asks(self, seat, verb, nodes, *more):
        answers = named(verb, nodes)
        return Asks(seat, answers | frozenset(more)) if answers else None

    def without(self, nodes):
        """The board after tokens have gone home, and their barrels to the reserve."""
        after = self.board.copy()
        for node in nodes:
            del after.tokens[node]
            after.barrels.pop(node, None)
        return lying(after, self.scored) if nodes else None

    def answer(self, event):
        return getattr(self, METHODS[event])()

    # one for each event

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
        return self.without([node for node in self.board.tokens if self.board.is_loose(node)])

    def lightening(self):
        loaded = self.loaded(self.order[1:]) or self.loaded([self.me])
        most = max((self.board.barrels[node] for node in loaded), default=0)
        return self.asks(self.me, "send home", [node for node in loaded if self.board.barrels[node] == most])

    def graveyard(self):
        """From one's left: the next seat first, oneself last."""
        order = [*self.order[1:], self.me]
        seat = min(order, key=lambda seat: (self.scored[seat], self.on_roads(seat)))
        return self.asks(seat, "gift", self.own(seat)) if self.reserve else None

    def wagon(self):
        """Who has no token has nowhere to put a barrel, and is passed over."""
        order = sorted(self.order, key=lambda seat: self.scored[seat])
        seat = next(seat for seat in order if self.own(seat))
        return self.asks(seat, "gift", self.own(seat)) if self.reserve else None

    def thieves(self):
        near = {plain.beside(node, way) for node in self.own(self.me) for way in plain.WAYS}
        return self.asks(self.me, "rob", [node for node in self.loaded(self.order) if node in near])

    def fingers(self):
        """Linked to the Town Center (§6.6): an arm of the token faces it; not only joined to it by a road."""
        linked = {node for seat in self.order for node in self.board.neighbours(plain.COLOURS[seat], "town")}
        if not linked.intersection(self.own(self.me)):
            return None
        return self.asks(self.me, "rob", [node for node in self.loaded(self.order[1:]) if node in linked])

    def mile(self):
        return self.asks(self.me, "caravan", map(corner, self.board.starts(plain.COLOURS[self.me])))

    def downhill(self):
        """A piece cut off has no step toward the Town Center.†"""
        for seat in self.order:
            colour = plain.COLOURS[seat]
            starts = self.board.starts(colour).intersection(self.board.distances(colour))
            if starts:
                return self.asks(seat, "downhill", map(corner, starts), "skip")
        return None

    def underdog(self):
        if not self.reserve or any(self.scored[seat] < self.scored[self.me] for seat in self.order):
            return None
        return lying(self.board, [n + (seat == self.me) for seat, n in enumerate(self.scored)])

    def ramparts(self):
        """The still stands on every setup that this is played on."""
        (x, y) = next(plain.node_of(still) for still in self.supply if still == FORT)
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
        return self.without(gone)


FORT = "c3"
"""Where Fort Firewater stands in the setup small (§2.2)."""
METHODS = {
    "Superior Scotch": "scotch",
    "Second Batch": "batch",
    "Fresh Recruits": "recruits",
    "Eviction": "eviction",
    "Washout": "washout",
    "Lightening What's Mine": "lightening",
    "Graveyard Giveaway": "graveyard",
    "You Let Who Drive the Wagon": "wagon",
    "No Honor Among Thieves": "thieves",
    "Sticky Fingers": "fingers",
    "Moonlit Mile": "mile",
    "Downhill": "downhill",
    "Underdog": "underdog",
    "O'er the Ramparts We Scorch'd": "ramparts",
}
"""Building and safe passage are not asked for here: Rosie's Diner, Dynamite, Safe Passage; nor what needs fog."""


def corner(place):
    """The node by which a place is named: a still's upper left one."""
    return place[1] if isinstance(place[0], str) else place
