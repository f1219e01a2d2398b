"""A second opinion: the whole game again in plain Python, from the rulebook, without sets of bits or piles of arrays.

It follows random games move by move and says what everybody may do, what lies where, and who wins.
"""

import numpy as np
import pytest

from backroom.engine.kernel import NATURE, dice_from
from backroom.games.booze_barons.pieces import BOOZE_WORDS, BOX, PLACE_WORDS
from backroom.games.booze_barons.rules.state import SEATS

from .boards import GAME, NAMES, cards

SIGNS = {f"{mob['letter']}{n}": booze["word"] for mob in BOX["mobs"] for n, booze in enumerate(mob["boozes"], 1)}
SHOWN = {
    f"{place['word']}{n}": {SIGNS[text[at : at + 2]] for at in range(0, 12, 2)}
    for place in BOX["locations"]
    for n, text in enumerate(place["deliveries"], 1)
}
MOB = {booze["word"]: mob["name"] for mob in BOX["mobs"] for booze in mob["boozes"]}


def printed_at(card):
    return card.rstrip("123456")


class Player:
    def __init__(self, name):
        self.name, self.booze, self.place, self.choice = name, None, None, None
        self.up, self.down, self.movement = [], [], list(PLACE_WORDS)
        self.captured, self.snitch, self.exposed, self.guessed = [], 0, None, []

    def fits(self, cards):
        return sorted((card for card in cards if self.booze in SHOWN[card]), key=list(SHOWN).index)


class Opinion:
    """The game as a reader of the rules would keep it on paper."""

    def __init__(self, seats, sides, refill, nerve):
        self.players = [Player(NAMES[seat]) for seat in range(seats)]
        self.n, self.sides, self.nerve = seats, dict(zip(PLACE_WORDS, sides, strict=True)), nerve
        self.refill = -(-seats // 2) if refill == "up" else seats // 2
        self.fresh, self.below = list(SHOWN), []
        self.lying = {place: [] for place in PLACE_WORDS}
        self.tokens = 2 if seats >= 7 else 1
        self.round, self.baron, self.queue, self.ask = 0, 0, [], ("deal", 0)

    # what may be done

    @property
    def deck(self):
        return len(self.fresh) + sum(map(len, self.below))

    def seat_of(self, player):
        return self.players.index(player)

    def moves(self, seat):
        kind, *more = self.ask
        me = self.players[seat]
        if kind == "move":
            places = [place for place in me.movement if place not in (me.place, me.choice)]
            return [f"go {place}" for place in PLACE_WORDS if place in places]
        if kind == "act" and more[0] == seat:
            return self.actions(me)
        if kind == "look" and more[0] == seat:
            return self.after_look(me, self.players[more[1]])
        if kind == "take" and more[0] == seat:
            return [*(f"take {card}" for card in me.fits(more[1])), "nothing"]
        return []

    def tailable(self, other):
        return not (other.place == "caves" and self.sides["caves"] == "A")

    def actions(self, me):
        here, b = me.place, self.sides[me.place] == "B"
        found = [f"take {card}" for card in me.fits(self.lying[here])]
        others = [other for other in self.players if other is not me]
        ring = [PLACE_WORDS[(PLACE_WORDS.index(here) + step) % 6] for step in (-1, 1)]
        seat = self.seat_of(me)
        if here == "club":
            other = self.players[(seat + (-1 if b else 1)) % self.n]
            found += [f"event {other.name}"] if self.tailable(other) else []
        if here == "casino" and self.deck:
            found.append("event")
        if here == "petes" and b:
            found += [f"event {other.name}" for other in others if other.place in ring and self.tailable(other)]
        if here == "petes" and not b and self.lying["petes"]:
            found += [f"event {other.name}" for other in others]
        if here == "dock":
            sources = [place for place in PLACE_WORDS if place != "dock"] if b else ring
            there = [card for place in sources for card in self.lying[place]]
            found += [f"event {card}" for card in (sorted(there, key=list(SHOWN).index) if b else me.fits(there))]
        if here == "barber" and not b:
            found += [f"event {card}" for card in me.fits(self.lying["barber"])]
        if here == "barber" and b:
            found += [f"event {other.name}" for other in others if other.down]
        found += [f"tail {other.name}" for other in others if other.place == here and self.tailable(other)]
        return [*found, "pass"]

    def after_look(self, me, other):
        found = []
        if not (other.place == "caves" and self.sides["caves"] == "B"):
            found += [f"steal {card}" for card in me.fits(other.down)]
        if other.exposed is None and len(other.up) + len(other.down) >= self.nerve:
            found += [f"name {booze}" for booze in BOOZE_WORDS]
        return [*found, "nothing"]

    # what comes of it

    def play(self, seat, name):
        verb, _, what = name.partition(" ")
        if seat == NATURE:
            self.chance(verb, what)
            return
        me = self.players[seat]
        if verb == "go":
            me.choice = what
            if all(player.choice for player in self.players):
                for player in self.players:
                    player.place, player.choice = player.choice, None
                self.queue = [(self.baron + step) % self.n for step in range(self.n)]
                self.next_turn()
            return
        kind, *more = self.ask
        if kind == "act":
            self.act(me, verb, what)
        elif kind == "look":
            self.follow(me, self.players[more[1]], verb, what)
        elif verb == "take":
            self.take(me, what)
            rest = [card for card in more[1] if card != what]
            self.ask = ("take", seat, rest, more[2] - 1)
            if more[2] == 1:
                self.next_turn()
        else:
            self.next_turn()

    def take(self, me, card):
        for cards_there in self.lying.values():
            if card in cards_there:
                cards_there.remove(card)
        me.up.append(card)

    def act(self, me, verb, what):
        seat, here, b = self.seat_of(me), me.place, self.sides[me.place] == "B"
        named = next((other for other in self.players if other.name == what), None)
        if verb == "take":
            self.take(me, what)
            self.next_turn()
        elif verb == "pass":
            self.next_turn()
        elif verb == "tail" or here == "club" or (here == "petes" and b):
            self.ask = ("look", seat, self.seat_of(named))
        elif here == "casino":
            self.ask = ("turn up", seat, min(2, self.deck), []) if b else ("draw", seat, min(3, self.deck), [])
        elif here == "petes":
            self.ask = ("take", self.seat_of(named), list(self.lying["petes"]), 2)
        elif here == "barber" and b:
            self.ask = ("send back", self.seat_of(named))
        elif here == "dock" and b:
            for cards_there in self.lying.values():
                if what in cards_there:
                    cards_there.remove(what)
            self.lying["dock"].append(what)
            self.ask = ("take", seat, list(self.lying["dock"]), 1)
        else:
            self.take(me, what)
            self.ask = ("take", seat, list(self.lying["barber"]), 1)
            if here == "dock":
                self.next_turn()

    def follow(self, me, other, verb, what):
        if verb == "steal":
            other.down.remove(what)
            me.up.append(what)
        if verb == "name" and what == other.booze:
            self.expose(other)
            me.captured.append(other)
            me.guessed.append(other)
            if self.tokens and not me.snitch:
                me.snitch, self.tokens = 1, self.tokens - 1
        self.next_turn()

    def expose(self, player):
        player.exposed = self.round
        player.movement.remove(player.place)

    def next_turn(self):
        if self.queue:
            self.ask = ("act", self.queue.pop(0))
            return
        self.baron = (self.baron + 1) % self.n
        self.ask = ("refill", min(self.refill, self.deck))
        if not self.deck:
            self.end_round()

    def end_round(self):
        hidden = [player for player in self.players if player.exposed is None]
        if not self.deck and len(hidden) > 1:
            fewest = min(map(self.wealth, hidden))
            for player in [player for player in hidden if self.wealth(player) == fewest]:
                self.expose(player)
        for player in self.players:
            player.down, player.up = player.down + player.up, []
        self.ask = ("over",)
        if sum(player.exposed is None for player in self.players) > 1:
            self.round += 1
            self.ask = ("move",)

    def leave_deck(self, card):
        if self.fresh:
            self.fresh.remove(card)
        else:
            self.below[0].remove(card)
            if not self.below[0]:
                self.below.pop(0)

    def chance(self, verb, what):
        kind, *more = self.ask
        if kind == "deal":
            self.players[more[0]].booze = what
            self.ask = ("deal", more[0] + 1) if more[0] + 1 < self.n else ("first", 9)
        elif verb == "baron":
            self.baron, self.round, self.ask = NAMES.index(what), 1, ("move",)
        elif kind == "send back":
            self.players[more[0]].down.remove(what)
            self.lying[printed_at(what)].append(what)
            self.next_turn()
        elif kind == "draw":
            self.drawn(self.players[more[0]], what, *more[1:])
        else:
            self.leave_deck(what)
            self.lying[printed_at(what)].append(what)
            if kind == "turn up":
                seat, left, turned = more[0], more[1] - 1, [*more[2], what]
                self.ask = (kind, seat, left, turned) if left else ("take", seat, turned, 1)
            else:
                self.ask = (kind, more[0] - 1) if more[0] > 1 else ("lot",)
                if kind == "refill" and more[0] == 1:
                    self.end_round()

    def drawn(self, me, card, left, rest):
        self.leave_deck(card)
        if me.booze in SHOWN[card]:
            me.up.append(card)
        else:
            rest = [*rest, card]
        self.ask = ("draw", self.seat_of(me), left - 1, rest)
        if left == 1:
            self.below += [rest] if rest else []
            self.next_turn()

    # coins

    def wealth(self, player):
        return len(player.up + player.down) + player.snitch + 2 * len(player.movement) + 2 * len(player.captured)

    def ranking(self):
        """§8: mobs from best to worst, with what decides between them."""
        found = {}
        for mob in set(MOB.values()):
            members = [player for player in self.players if MOB[player.booze] == mob]
            coins = sorted(
                self.wealth(one) - 4 * sum(MOB[other.booze] == mob for other in one.captured) for one in members
            )
            total = sum(coins)
            if self.n in (4, 5) and len(members) == 1:
                total *= 2
            if self.n in (7, 8) and len(members) == 3:
                total = coins[0] + coins[-1]
            opponents = sum(MOB[other.booze] != mob for one in members for other in one.guessed)
            found[mob] = (total, opponents, max(999 if one.exposed is None else one.exposed for one in members))
        return found


def agree(s, opinion, where):
    """What lies where, and who may do what."""
    for seat, player in enumerate(opinion.players):
        assert [GAME.rules.name(s, move) for move in GAME.moves(s, seat)] == opinion.moves(seat), where
        assert set(cards(s.held[seat] & s.up)) == set(player.up), where
        assert set(cards(s.held[seat] & ~s.up)) == set(player.down), where
    for place, there in zip(PLACE_WORDS, s.lying, strict=True):
        assert set(cards(there)) == set(opinion.lying[place]), where


@pytest.mark.parametrize("seats", SEATS)
def test_whole_games_agree_with_the_plain_reading_of_the_rules(seats, games):
    rng = np.random.default_rng(seats)
    for seed in range(-(-games(12 * len(SEATS)) // len(SEATS))):
        options = {
            "sides": "".join(rng.choice(["A", "B"], 6)),
            "refill": str(rng.choice(["up", "down"])),
            "nerve": str(rng.choice(["0", "2", "3"])),
        }
        s = GAME.start(*GAME.settle(seats, options))
        opinion = Opinion(seats, options["sides"], options["refill"], int(options["nerve"]))
        for seat, move in GAME.stroll(s, seats, dice_from(1000 * seats + seed)):
            where = f"{options}, seed {seed}, {opinion.ask}"
            agree(s, opinion, where)
            assert int(s.deck) == opinion.deck - 0 + len(opinion.ask[3] if opinion.ask[0] == "draw" else []), where
            opinion.play(seat, GAME.rules.name(s, move))
        assert opinion.ask == ("over",)
        ranks = opinion.ranking()
        score = GAME.score(s, seats)
        for one in range(seats):
            for other in range(seats):
                mine, theirs = (ranks[MOB[opinion.players[seat].booze]] for seat in (one, other))
                assert (score[one] > score[other]) == (mine > theirs)
                assert int(score[one]) == mine[0]
