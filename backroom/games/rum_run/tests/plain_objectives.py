"""A second opinion on objectives (§11): who gets and holds each, from the positions before and after a move.

It uses nothing of the rules: `plain.py` reads the roads, and what happened follows from the two positions.
"""

from dataclasses import dataclass, field

from . import plain

CIRCULATING = {"longest road": 10, "broke most": 1, "biggest stash": 4, "landlord": 2}
"""The objectives that circulate, and the least with which they are held."""
DOUBLES, GANG, STILLS = 4, 20, 3


def parts(position):
    """The parts of a position's text, by their first word."""
    split = (part.partition(" ") for part in position.split(" | "))
    return {word: rest for word, _, rest in split}


def held(position, objectives, seats):
    """Who holds each objective by a position's text."""
    said = parts(position).get("held", "")
    found = dict(each.split(": ") for each in said.split(", ") if each)
    return {name: plain.COLOURS.index(found[name]) % seats if name in found else None for name in objectives}


def numbers(position, word, seats):
    return [int(each) for each in parts(position).get(word, "").split()] or [0] * seats


@dataclass
class Objectives:
    """Who holds what at a table, by the rulebook."""

    seats: int
    names: list
    holders: dict = field(default_factory=dict)
    broken: list = field(default_factory=list)
    done: dict = field(default_factory=dict)
    """What seats have done at some time: scored, ambushed, gone through a still."""

    def __post_init__(self):
        self.holders = self.holders or dict.fromkeys(self.names)
        self.broken = self.broken or [0] * self.seats
        self.done = {name: set() for name in ("scored 1 barrel", "ambusher", "through the still")}

    def note_placing(self, board, colour, node):
        """§4.5: whose token is broken by a placing, on the board as it was."""
        there = board.tokens.get(node)
        if there and board.seat(there.colour) != board.seat(colour):
            self.broken[board.seat(colour)] += 1

    def note_scored(self, before, after):
        """A barrel that comes to the Town Center without a caravan."""
        self.done["scored 1 barrel"] |= {seat for seat in range(self.seats) if after[seat] > before[seat]}

    def note_caravan(self, seat, before, after, scored):
        """§6: the outcome of a whole caravan, from the boards before and after it, and the barrels that it scored."""
        if scored:
            self.done["scored 1 barrel"].add(seat)
        is_ambush = scored > 1
        if is_ambush:
            self.done["ambusher"].add(seat)
        places = {*before.stored, *after.stored}
        grown = any(after.stored.get(place, 0) > before.stored.get(place, 0) for place in places)
        robbed = is_ambush and any(
            before.seat(place[0]) != seat and after.stored.get(place, 0) < before.stored.get(place, 0)
            for place in places
        )
        if grown or robbed:
            self.done["through the still"].add(seat)

    def values(self, board, position):
        """What each seat has of each objective, as a number; those of type 1 are 1 where they are achieved."""
        tapped = [each.split(":") for each in parts(position).get("tapped", "").split()]
        found = {name: [] for name in self.names}
        for seat in range(self.seats):
            colours = [colour for colour in plain.COLOURS[: board.colours] if board.seat(colour) == seat]
            tokens = {node: token for node, token in board.tokens.items() if token.colour in colours}
            stills = [place.split(".")[0] for colour, place in tapped if colour in colours]
            corners = [plain.beside(board.town, way) for way in plain.WAYS]
            value = {
                **{name: seat in who for name, who in self.done.items()},
                "well connected": len(set(stills)) >= STILLS,
                "regular customer": len(stills) > len(set(stills)),
                "crossroads": sum(token.is_double for token in tokens.values()) >= DOUBLES,
                "road gang": len(tokens) >= GANG,
                "four corners": all(node in tokens for node in corners),
                "longest road": max(longest(board, colour) for colour in colours),
                "broke most": self.broken[seat],
                "biggest stash": sum(stash(board, colour) for colour in colours),
                "landlord": len({still for still in board.taps for colour in colours if board.holds(colour, still)}),
            }
            for name in self.names:
                found[name].append(int(value[name]))
        return found

    def give(self, board, position, turn):
        """§11: what is given when something is done by the seat in turn, which is first among equals."""
        order = [(turn + n) % self.seats for n in range(self.seats)]
        for name, values in self.values(board, position).items():
            least, holder = CIRCULATING.get(name, 1), self.holders[name]
            best = max(order, key=lambda seat: values[seat])
            if name in CIRCULATING and holder is not None and values[holder] < least:
                holder = None
            if holder is None:
                holder = best if values[best] >= least else None
            elif name in CIRCULATING and values[best] > values[holder]:
                holder = best
            self.holders[name] = holder


def longest(board, colour):
    """The steps to the token that is farthest from the Town Center along a road."""
    far = board.distances(colour)
    return max((steps for place, steps in far.items() if place in board.tokens), default=0)


def stash(board, colour):
    """The barrels on what is a colour's road: its tokens, stills with two of its taps, a paved road that it holds."""
    return sum(board.held(colour, place) for place in board.pieces(colour))
