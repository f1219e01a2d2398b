"""A second opinion on roads, links, distances and caravans: the rulebook in dictionaries and sets, slow and plain.

It reads a position's text and a setup, and uses nothing of the rules. Nodes are (column, row); a token's arms are a
dictionary from direction to number; places of a road are nodes, ("still", name of the upper left node) and "town".
"""

import re
from dataclasses import dataclass, field

COLOURS = ("blue", "red", "orange", "purple")
WAYS = {"^": (0, -1), ">": (1, 0), "v": (0, 1), "<": (-1, 0)}
OTHER = {"^": "v", "v": "^", "<": ">", ">": "<"}
NAMES = {"n": "^", "e": ">", "s": "v", "w": "<"}
TAPS = {
    "Fort Firewater": "N1 E1 S2 W2",
    "Cooper's Hollow": "N1 E2 S1",
    "Moonlight Mill": "N2 E2 W1",
    "Widow's Well": "N1 S2",
    "Badger Bog": "N2 E2 S1 W1",
    "Granny's Cellar": "S1",
    "Sawtooth Still": "E1 W2",
    "Crooked Creek": "N1 E2 S2",
    "Chapel Casks": "N2 S1",
    "Juniper Gate": "N1 E1 W2",
    "Lantern Loft": "N2 E1 S2",
    "Hollow Oak": "N1 E2 S1 W1",
}
SUPPLIES = {
    "Fort Firewater": "3-2-1-1",
    "Cooper's Hollow": "4-2-1",
    "Moonlight Mill": "3-2-1",
    "Widow's Well": "2-2",
    "Badger Bog": "1-1-1-1",
    "Granny's Cellar": "5",
    "Sawtooth Still": "3-3",
    "Crooked Creek": "2-2-2",
    "Chapel Casks": "4-1",
    "Juniper Gate": "2-1-1",
    "Lantern Loft": "1-2-3",
    "Hollow Oak": "3-1-1-1",
}
PLACES = {
    "N1": (0, -1),
    "N2": (1, -1),
    "E1": (2, 0),
    "E2": (2, 1),
    "S1": (0, 2),
    "S2": (1, 2),
    "W1": (-1, 0),
    "W2": (-1, 1),
}


def node_of(name):
    return "abcdefghijklmnop".index(name[0]), int(name[1:]) - 1


def beside(node, way):
    return node[0] + WAYS[way][0], node[1] + WAYS[way][1]


@dataclass
class Token:
    colour: str
    printed: tuple
    arms: dict

    @property
    def strength(self):
        return sum(end for end in self.printed if end != "*")

    @property
    def is_double(self):
        return len(self.arms) == 4


@dataclass
class Plain:
    """A position."""

    size: int
    town: tuple
    colours: int
    seats: int
    all_tokens: list
    tokens: dict = field(default_factory=dict)
    barrels: dict = field(default_factory=dict)
    stored: dict = field(default_factory=dict)
    blocked: set = field(default_factory=set)
    mud: set = field(default_factory=set)
    taps: dict = field(default_factory=dict)
    """From a still to its taps, and from each of them to the way it faces."""
    paved: tuple | None = None
    ends: str = ""
    keeper: str | None = None
    safe: set = field(default_factory=set)
    turn: str = "blue"

    def seat(self, colour):
        return COLOURS.index(colour) % self.seats

    def copy(self):
        other = Plain(**self.__dict__)
        other.tokens, other.barrels, other.stored = dict(self.tokens), dict(self.barrels), dict(self.stored)
        return other

    # roads

    def holds(self, colour, still):
        """The taps of a still that a colour holds."""
        found = []
        for node, way in self.taps.get(still, {}).items():
            token = self.tokens.get(node)
            if token and token.colour == colour and way in token.arms:
                found.append(node)
        return found

    def neighbours(self, colour, place):
        """The places that a place of a colour's road is linked to."""
        if place == "town":
            return [n for n in (beside(self.town, way) for way in WAYS) if "town" in self.neighbours_of(colour, n)]
        if isinstance(place[0], str):
            held = self.holds(colour, place)
            return held if len(held) > 1 else []
        return self.neighbours_of(colour, place)

    def neighbours_of(self, colour, node):
        found = []
        if node == self.paved:
            if self.keeper != colour:
                return []
            arms = dict.fromkeys(self.ends)
        else:
            token = self.tokens.get(node)
            if token is None or token.colour != colour:
                return []
            arms = token.arms
        for way, number in arms.items():
            other = beside(node, way)
            token = self.tokens.get(other)
            if other == self.town:
                found.append("town")
            elif other == self.paved:
                if self.keeper == colour and OTHER[way] in self.ends:
                    found.append(other)
            elif token and token.colour == colour:
                shown = token.arms.get(OTHER[way])
                if shown is not None and (number is None or shown == number):
                    found.append(other)
            for still, taps in self.taps.items():
                if number is not None and taps.get(node) == way and len(self.holds(colour, still)) > 1:
                    found.append(still)
        return found

    def distances(self, colour, root="town", without=None):
        """Steps from a root to every place that hangs together with it."""
        found, edge, step = {root: 0}, [root], 0
        while edge:
            step += 1
            edge = [n for place in edge for n in self.neighbours(colour, place) if n not in ("town", without, *found)]
            edge = list(dict.fromkeys(edge))
            found.update(dict.fromkeys(edge, step))
        return found

    # building

    def hand(self, colour):
        used = [token.printed for token in self.tokens.values() if token.colour == colour]
        return [printed for printed in self.all_tokens if printed not in used]

    def gives_way(self, colour, node, printed, boldly):
        """§4.5, §9.3"""
        x, y = node
        if not (0 <= x < self.size and 0 <= y < self.size) or node in self.blocked or node in (self.town, self.paved):
            return False
        there = self.tokens.get(node)
        if there is None:
            return True
        if self.seat(there.colour) == self.seat(colour):
            return node not in self.mud
        if self.seat(there.colour) in self.safe:
            return False
        return boldly or sum(end for end in printed if end != "*") > there.strength

    def without(self, node):
        other = self.copy()
        other.tokens.pop(node, None)
        return other

    def links(self, colour, node, arms):
        """The ways in which arms on a node that has been cleared link to something joined (§4.1)."""
        joined = self.distances(colour)
        found = set()
        for way, number in arms.items():
            other = beside(node, way)
            if other == self.town:
                found.add(way)
            if other == self.paved and OTHER[way] in self.ends:
                open_to_all = self.keeper is None and any(beside(self.paved, end) == self.town for end in self.ends)
                if open_to_all or (self.keeper == colour and other in joined):
                    found.add(way)
            token = self.tokens.get(other)
            if token and token.colour == colour and other in joined and token.arms.get(OTHER[way]) == number:
                found.add(way)
        return found

    def placed(self, colour, node, printed, arms):
        other = self.copy()
        other.tokens[node] = Token(colour, printed, arms)
        return other

    def builds(self, colour, hand, boldly=False, only=None):
        """Every way to place a token, as (node, printed, arms)."""
        found = set()
        sources = [self.town, self.paved, *(node for node, token in self.tokens.items() if token.colour == colour)]
        for node in {beside(source, way) for source in sources if source for way in WAYS}:
            bare = self.without(node)
            for printed in hand if only is None else [only]:
                if not self.gives_way(colour, node, printed, boldly):
                    continue
                for arms in lyings(printed):
                    hung = bare.links(colour, node, arms)
                    if hung and (len(arms) < 4 or self.has_second(colour, node, printed, arms, hung, hand, boldly)):
                        found.add((node, printed, frozenset(arms.items())))
        return found

    def has_second(self, colour, node, printed, arms, hung, hand, boldly):
        there = self.tokens.get(node)
        rest = [other for other in hand if other != printed]
        if there and there.colour == colour:
            rest.append(there.printed)
        return bool(self.placed(colour, node, printed, arms).seconds(colour, node, rest, boldly, hung))

    def seconds(self, colour, double, hand, boldly, hung):
        """§4.3: what can follow a double that lies there; `hung` are the ways by which it was placed."""
        found = set()
        for way, number in self.tokens[double].arms.items():
            if hung == {way}:  # of several, another stays as it is
                continue
            node = beside(double, way)
            for printed in hand:
                if not self.gives_way(colour, node, printed, boldly):
                    continue
                for arms in lyings(printed):
                    if arms.get(OTHER[way]) != number:
                        continue
                    after = self.placed(colour, node, printed, arms)
                    if double not in after.distances(colour):
                        continue
                    if len(arms) == 4:
                        there = self.tokens.get(node)
                        rest = [other for other in hand if other != printed]
                        rest += [there.printed] if there and there.colour == colour else []
                        if not after.seconds(colour, node, rest, boldly, {OTHER[way]}):
                            continue
                    found.add((node, printed, frozenset(arms.items())))
        return found

    def is_loose(self, node):
        """§4.6"""
        token = self.tokens[node]
        if self.barrels.get(node) or node in self.mud:
            return False
        linked = [n for n in self.neighbours(token.colour, node) if n == "town" or not isinstance(n[0], str)]
        taps = sum(taps.get(node) in token.arms for taps in self.taps.values())
        return len(linked) + max(taps - 1, 0) <= 1

    # the paved road (§9.2)

    def touching_paved(self):
        """The colours that are linked and joined to the paved road, each as if it were the holder."""
        found = set()
        for colour in COLOURS[: self.colours]:
            own = self.copy()
            own.keeper = colour
            beside_it = [n for n in own.neighbours_of(colour, self.paved) if n != "town"]
            if beside_it and self.paved in own.distances(colour):
                found.add(colour)
        return found

    def next_holder(self, holder, before, finder=None):
        """Who holds the paved road after a whole action: `before` are the colours that were linked to it."""
        now = self.touching_paved()
        if finder in now:
            return finder
        if new := now - before:
            (holder,) = new
        if holder in now:
            return holder
        order = COLOURS[: self.colours]
        turn = order.index(holder) if holder else 0
        return next((colour for colour in (*order[turn + 1 :], *order[:turn]) if colour in now), None)

    # caravans

    def held(self, colour, place):
        return self.stored.get((colour, place), 0) if isinstance(place[0], str) else self.barrels.get(place, 0)

    def put(self, colour, place, number):
        if isinstance(place[0], str):
            self.stored[colour, place] = self.stored.get((colour, place), 0) + number
        else:
            self.barrels[place] = self.barrels.get(place, 0) + number

    def pieces(self, colour):
        found = [node for node, token in self.tokens.items() if token.colour == colour]
        found += [still for still in self.taps if len(self.holds(colour, still)) > 1]
        return found + ([self.paved] if self.paved and self.keeper == colour else [])

    def way(self, node):
        return abs(node[0] - self.town[0]) + abs(node[1] - self.town[1])

    def aims(self, colour, place):
        """§6.3: the nearest tokens of a piece cut off."""
        nodes = [node for node in self.distances(colour, place) if not isinstance(node[0], str)]
        return [node for node in nodes if self.way(node) == min(map(self.way, nodes))]

    def starts(self, colour):
        """The places from which a colour can caravan."""
        joined = self.distances(colour)
        found = set()
        for place in self.pieces(colour):
            if self.held(colour, place) and (place in joined or place not in self.aims(colour, place)):
                found.add(place)
        return found

    def bound(self, colour):
        """§6.8"""
        joined = self.distances(colour)
        return {p for p in self.pieces(colour) if p in joined and self.held(colour, p) > joined[p]}

    def caravans(self, colour, place):
        """Every outcome of a caravan: (scored, barrels on nodes, barrels on stills)."""
        begun = self.copy()
        load = begun.held(colour, place)
        begun.put(colour, place, -load)
        joined = self.distances(colour)
        if place in joined:
            return begun._walk(colour, place, load, joined)
        found = set()
        for aim in self.aims(colour, place):
            found |= begun._walk(colour, place, load, self.distances(colour, aim))
        return found

    def _outcome(self, scored):
        return (
            scored,
            frozenset((node, n) for node, n in self.barrels.items() if n),
            frozenset((key, n) for key, n in self.stored.items() if n),
        )

    def _walk(self, colour, at, load, far):
        if load == 0:
            return {self._outcome(0)}
        ways = [n for n in self.neighbours(colour, at) if far[n] == far[at] - 1]
        if not ways:
            self.put(colour, at, load)
            return {self._outcome(0)}
        found = set()
        for n in ways:
            after = self.copy()
            if n == "town":
                found |= after._overshoot(colour, at, load - 1)
            else:
                after.put(colour, n, 1)
                found |= after._walk(colour, n, load - 1, far)
        return found

    def _overshoot(self, colour, came, load):
        if load == 0:
            return {self._outcome(1)}
        others = [
            other
            for other in COLOURS[: self.colours]
            if self.seat(other) != self.seat(colour) and self.neighbours(other, "town")
        ]
        if not others:
            self.put(colour, came, load)
            return {self._outcome(1)}
        found = set()
        for other in others:
            far = self.distances(other)
            for first in self.neighbours(other, "town"):
                found |= self.copy()._go_out(other, first, load, far)
        return found

    def _go_out(self, other, at, load, far):
        before = self.held(other, at)
        ways = [n for n in self.neighbours(other, at) if n in far and far[n] == far[at] + 1]
        last = load == 1 or not ways
        self.put(other, at, load if last else 1)
        if not last:
            return {found for n in ways for found in self.copy()._go_out(other, n, load - 1, far)}
        scored = 1
        if before:
            scored += self.held(other, at)
            self.put(other, at, -self.held(other, at))
        return {self._outcome(scored)}


def lyings(printed):
    """Every way a token can lie, with its stars given numbers (§4.4)."""
    a, b = printed
    if printed == ("*", "*"):
        return [dict.fromkeys(WAYS, number) for number in range(1, 7)]
    if a == b:
        return [dict.fromkeys(WAYS, a)]
    pairs = [(number, b) for number in range(1, 7) if number != b] if a == "*" else [(a, b)]
    return [{way: x, OTHER[way]: y} for x, y in pairs for way in WAYS]


TOKENS = [(a, b) for a in range(1, 7) for b in range(a, 7)]
FOLK = [*(("*", n) for n in range(1, 7)), ("*", "*")]
_LYING = re.compile(r"([a-p]\d+):(\*?)(\d)\|(\*?)(\d)([\^>v<]?)(?:\+(\d+))?")


def read(position, setup, seats, colours, has_folk):
    """A position's text as a Plain."""
    board = Plain(setup.size, (setup.town % 16, setup.town // 16), colours, seats, TOKENS + (FOLK if has_folk else []))
    turns = {}
    for still in setup.stills:
        corner = (still.node % 16, still.node // 16)
        turns[corner] = still.turn
        board.blocked |= {(corner[0] + x, corner[1] + y) for x in (0, 1) for y in (0, 1)}
    for obstacle in setup.obstacles:
        board.blocked |= {(node % 16, node // 16) for node in obstacle.nodes}
    for part in position.split(" | "):
        word, _, rest = part.partition(" ")
        if word in COLOURS:
            for match in map(_LYING.fullmatch, rest.split()):
                _read_token(board, word, match)
        elif word == "turn":
            board.turn = rest
        elif word == "mud":
            board.mud = {node_of(name) for name in rest.split()}
        elif word == "safe":
            board.safe = {seat for seat, number in enumerate(rest.split()) if number != "0"}
        elif word == "stills":
            for said in rest.split():
                name, called = said.split(":")
                board.taps["still", node_of(name)] = _taps(node_of(name), called.replace("_", " "), turns)
        elif word == "stored":
            for said in rest.split():
                colour, name, number = re.split("[:+]", said)
                board.stored[colour, ("still", node_of(name))] = int(number)
        elif word == "paved":
            _read_paved(board, rest)
    return board


def _read_token(board, colour, match):
    node = node_of(match[1])
    a, b = int(match[3]), int(match[5])
    first, second = ("*" if match[2] else a), ("*" if match[4] else b)
    printed = tuple(sorted((first, second), key=lambda end: 0 if end == "*" else end))
    arms = {match[6]: a, OTHER[match[6]]: b} if match[6] else dict.fromkeys(WAYS, a)
    board.tokens[node] = Token(colour, printed, arms)
    if match[7]:
        board.barrels[node] = int(match[7])


def _taps(corner, called, turns):
    found = {}
    for name in TAPS[called].split():
        (x, y), way = PLACES[name], {"N": "v", "E": "<", "S": "^", "W": ">"}[name[0]]
        for _ in range(turns[corner]):  # a quarter clockwise about the middle of the four nodes
            x, y = 1 - y, x
            way = {"^": ">", ">": "v", "v": "<", "<": "^"}[way]
        found[corner[0] + x, corner[1] + y] = way
    return found


def _read_paved(board, rest):
    match = re.match(r"([a-p]\d+):([nesw]+)(?:\+(\d+))? (-?\d) ", rest + " ")
    board.paved = node_of(match[1])
    board.ends = "".join(NAMES[end] for end in match[2])
    if match[3]:
        board.barrels[board.paved] = int(match[3])
    board.keeper = None if match[4] == "-1" else COLOURS[int(match[4])]
