"""The laws of the house as functions over any game: what must hold in every state and for every reader.

Each law takes a `Sample`, a state met in random play, and yields a description of each fault. LAWS.md lists them all.
"""

import itertools
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from inspect import signature
from typing import Any
from xml.parsers import expat

import numpy as np

from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, SPECTATOR, UNKNOWN, below, dice_from, pick
from backroom.engine.log import UNSEEN, Log
from backroom.engine.marks import glyphs_in, plain
from backroom.engine.protocol import Move, Result, Seat, State
from backroom.engine.shape import check_rules, misspelled_fields
from backroom.engine.table import Table, replay

BIGGEST = 2048
"""The largest size of a record in bytes, so that a copy stays one short memcpy."""
IMAGININGS = 3
"""The number of states that each reader imagines in each state."""
LONGEST_WAY = 40
"""The largest number of intermediate pictures of a move: front ends show them all within about a second."""
ROOM_BEHIND = 16
"""The number of places after the last seat's score that are checked for writes: more than there can be seats."""
FEW = 4
"""The number of readers, and of seats that can move, that are checked in one state of a large table, at random."""


class BrokenLaw(AssertionError):
    """A game breaks a law of the house; the message says which, where and how."""


@dataclass(frozen=True)
class Sample:
    """A state met in play, and what the laws need to examine it."""

    game: Game
    seats: int
    start: State
    """The first state of this game."""
    state: State
    dice: Any
    met: set[Move] = field(default_factory=set)
    """Moves of seats that were open at some point of this game."""
    views: dict[Seat, State] = field(default_factory=dict)

    def view(self, seat: Seat) -> State:
        if seat not in self.views:
            self.views[seat] = self.game.view(self.state, seat)
        return self.game.copy(self.views[seat])

    @cached_property
    def readers(self) -> list[Seat]:
        """The seats and a spectator, or FEW of them if there are many."""
        return self.few([SPECTATOR, *range(self.seats)])

    @cached_property
    def everyone(self) -> dict[Seat, list[Move]]:
        """Everyone who can move now, asked or not and including nature, with their moves."""
        moves = {seat: self.game.moves(self.state, seat) for seat in (*range(max(self.game.seats)), NATURE)}
        return {seat: found for seat, found in moves.items() if found}

    @cached_property
    def movers(self) -> list[tuple[Seat, list[Move]]]:
        """Those who can move, or FEW of them if there are many."""
        return self.few(list(self.everyone.items()))

    def few(self, things: list[Any]) -> list[Any]:
        """FEW of many things, at random, in their order."""
        left = list(things)
        while len(left) > FEW:
            left.pop(int(below(self.dice, len(left))))
        return left

    def sees(self, reader: Seat, seat: Seat, move: Move) -> bool:
        """Whether the reader learns which move it is."""
        return self.game.sees(self.state, reader, seat, move)

    def same(self, one: State, other: State) -> bool:
        return self.game.key(one) == self.game.key(other)

    @cached_property
    def said(self) -> list[tuple[str, str]]:
        """All marked texts that people get in this state, each with a description of what it is."""
        rules, found = self.game.rules, list[tuple[str, str]]()
        for reader in self.readers:
            found.append((f"the question for reader {reader}", rules.question(self.view(reader), reader)))
        for seat, moves in self.movers:
            if seat != NATURE:
                v = self.view(seat)
                found += [(f"a label of seat {seat}", rules.label(v, move)) for move in self.some(moves, 12)]
                found += [(f"a situation of seat {seat}", each.says) for each in self.game.situations(v, seat)]
                reasons = self.game.reasons_for(v, seat, moves[0], moves[-1])
                found += [(f"a reason given to seat {seat}", clause) for clause in reasons]
        for _, _, texts in self.sentences:
            found += [(f"the sentence for reader {reader}", text) for reader, text in texts]
        if result := self.results[self.readers[0]]:
            found += [("the result", text) for text in (result.headline, *result.seats, *result.lines)]
        return found

    @cached_property
    def sentences(self) -> list[tuple[Move, State, list[tuple[Seat, str]]]]:
        """For each seat that can move: one of its moves, the state after it, and each reader's sentence about it."""
        found = []
        for seat, moves in self.movers:
            move = self.some(moves, 1)[0]
            then = self.game.after(self.state, seat, move)
            texts = []
            for reader in self.readers:
                told = move if self.sees(reader, seat, move) else UNKNOWN
                text = self.game.say(self.view(reader), seat, told, self.game.view(then, reader), reader)
                texts.append((reader, text))
            found.append((move, then, texts))
        return found

    @cached_property
    def results(self) -> dict[Seat, Result | None]:
        """The result that each reader is told."""
        return {reader: self.game.rules.result(self.view(reader)) for reader in self.readers}

    def some(self, things: list[Move], most: int) -> list[Move]:
        """At most `most` of the things, at random."""
        return [things[int(below(self.dice, len(things)))] for _ in range(most)] if len(things) > most else things


Law = Callable[[Sample], Iterator[str]]
LAWS: list[Law] = []
"""All laws that are checked in every state."""


def law(function: Law) -> Law:
    LAWS.append(function)
    return function


def difference(game: Game, one: State, other: State) -> str:
    """The fields in which two states differ."""
    names = [name for name in game.rules.STATE.names or () if name != "work"]
    return ", ".join(f"{n}: {one[n]} and {other[n]}" for n in names if np.any(one[n] != other[n]))


@law
def somebody_can_answer(m: Sample) -> Iterator[str]:
    """Every seat that is asked has a move, and nature is asked alone.

    When nobody is asked nobody has a move, and a seat that is not at the table never has one.
    """
    asked, can = m.game.asked(m.state), m.everyone
    if NATURE in asked and len(asked) > 1:
        yield f"nature is asked beside others: {asked}"
    for seat in asked:
        if seat not in can:
            yield f"seat {seat} is asked and has no move"
    if absent := [seat for seat in can if m.seats <= seat < NATURE]:
        yield f"seats {absent} have moves, and are not at the table"
    if not asked and can:
        yield f"the game is over, and seats {list(can)} have moves"
    if NATURE in can and NATURE not in asked:
        yield "nature has moves without being asked"


@law
def moves_are_a_list(m: Sample) -> Iterator[str]:
    """Moves are distinct, at most MOST_MOVES, and in the same order each time, a step back last; nature's have odds."""
    back = m.game.rules.BACK
    for seat, found in m.movers:
        if len(found) > m.game.rules.MOST_MOVES:
            yield f"seat {seat} has {len(found)} moves, more than MOST_MOVES"
        if len(set(found)) != len(found):
            yield f"seat {seat} has the same move twice"
        if back in found[:-1]:
            yield f"seat {seat} has a step back that is not the last of its moves"
        if m.game.moves(m.state, seat) != found:
            yield f"seat {seat} has other moves when asked again"
        if seat == NATURE:
            odds = m.game.odds(m.state)
            if len(odds) != len(found) or min(odds) <= 0:
                yield f"nature has {len(found)} moves and the odds {odds}"


@law
def chance_follows_the_odds(m: Sample) -> Iterator[str]:
    """A game's own `chance` draws the move that `pick` finds by the odds, with one random number."""
    if NATURE not in m.game.asked(m.state) or not hasattr(m.game.rules, "chance"):
        return
    seed = int(below(m.dice, 1 << 32))
    odds, throw, other = np.array(m.game.odds(m.state)), dice_from(seed), dice_from(seed)
    due = m.game.moves(m.state, NATURE)[int(pick(throw, odds, len(odds)))]
    s = m.game.copy(m.state)
    drawn = int(m.game.rules.chance(s, other))
    if drawn != due or throw[0] != other[0] or not m.same(s, m.state):
        yield f"nature's move is {due} by the odds, and {drawn} by chance"


@law
def looking_changes_nothing(m: Sample) -> Iterator[str]:
    """Calling moves, odds, seen, asked, value or features leaves the state unchanged."""
    game, s = m.game, m.game.copy(m.state)
    game.asked(s)
    if NATURE in game.asked(s):
        game.odds(s)
    for seat, found in m.movers:
        game.moves(s, seat)
        game.rules.seen(s, seat, found[0])
    for seat in range(m.seats):
        game.rules.value(s, seat)
        game.rules.features(s, seat, np.zeros(game.rules.FEATURES, np.float32))
    if not m.same(s, m.state):
        yield difference(game, m.state, s)


@law
def play_has_no_dice_of_its_own(m: Sample) -> Iterator[str]:
    """The same move in the same state leads to the same state: a state contains no random generator."""
    for seat, move in ((seat, move) for seat, found in m.movers for move in m.some(found, 2)):
        once, again = (m.game.after(m.state, seat, move) for _ in range(2))
        if not m.same(once, again):
            yield f"seat {seat}, {m.game.rules.name(m.state, move)}: {difference(m.game, once, again)}"


@law
def pieces_are_conserved(m: Sample) -> Iterator[str]:
    """Every piece is in exactly one place."""
    if not m.game.rules.is_whole(m.state):
        yield "the state is not whole"


@law
def hiding_twice_is_hiding_once(m: Sample) -> Iterator[str]:
    """The view of a view is that view."""
    for reader in m.readers:
        v = m.view(reader)
        if not m.same(m.game.view(v, reader), v):
            yield f"reader {reader}: {difference(m.game, v, m.game.view(v, reader))}"


@law
def who_is_asked_is_public(m: Sample) -> Iterator[str]:
    """Every view shows which seats are asked."""
    for reader in m.readers:
        if m.game.asked(m.view(reader)) != m.game.asked(m.state):
            yield f"reader {reader} sees {m.game.asked(m.view(reader))} asked, but it is {m.game.asked(m.state)}"


@law
def what_is_imagined_fits(m: Sample) -> Iterator[str]:
    """A state that a reader imagines is whole, and its view is the one that the reader has."""
    for reader in m.readers:
        v = m.view(reader)
        for _ in range(IMAGININGS):
            world = m.game.imagined(v, reader, m.dice)
            if not m.game.rules.is_whole(world):
                yield f"reader {reader} imagines a state that is not whole"
            again = m.game.view(world, reader)
            if not m.same(again, v):
                yield f"reader {reader}: {difference(m.game, v, again)}"


@law
def moves_follow_from_the_view(m: Sample) -> Iterator[str]:
    """A seat's moves are the same in the state, in its view and in every state it imagines."""
    for seat in range(m.seats):
        found = m.game.moves(m.state, seat)
        v = m.view(seat)
        if m.game.moves(v, seat) != found:
            yield f"seat {seat} has other moves in its view"
        for _ in range(IMAGININGS):
            if m.game.moves(m.game.imagined(v, seat, m.dice), seat) != found:
                yield f"seat {seat} has other moves in what it imagines"


@law
def what_is_not_seen_does_not_show(m: Sample) -> Iterator[str]:
    """Moves that a reader cannot tell apart all lead to the same view."""
    for seat, found in m.movers:
        some = m.some(found, 12)
        for reader in m.readers:
            unseen = [move for move in some if not m.sees(reader, seat, move)]
            if reader == seat and unseen:
                yield f"seat {seat} does not see its own move"
            views = [m.game.view(m.game.after(m.state, seat, move), reader) for move in unseen]
            for move, v in zip(unseen, views, strict=True):
                if not m.same(v, views[0]):
                    names = [m.game.rules.name(m.state, move) for move in (unseen[0], move)]
                    yield f"reader {reader} can tell {names} apart: {difference(m.game, views[0], v)}"


@law
def what_is_seen_is_kept(m: Sample) -> Iterator[str]:
    """Among the moves that a reader sees, equal views mean equal states: a log tells no more than a view keeps."""
    for seat, found in m.movers:
        thens = {move: m.game.after(m.state, seat, move) for move in m.some(found, 12)}
        for reader in m.readers:
            kept: dict[bytes, State] = {}
            for move, then in thens.items():
                if m.sees(reader, seat, move):
                    other = kept.setdefault(m.game.key(m.game.view(then, reader)), then)
                    if not m.same(other, then):
                        yield f"reader {reader} sees more than its view keeps: {difference(m.game, other, then)}"


@law
def secrets_are_declared(m: Sample) -> Iterator[str]:
    """A game that declares no SECRETS hides nothing from anybody."""
    if not m.game.rules.SECRETS and not m.game.hides_nothing(m.state, m.seats):
        yield "some view hides something"


@law
def sealed_answers_commute(m: Sample) -> Iterator[str]:
    """When several seats are asked at once, the order of their answers does not matter.

    An answer is a move after which the seat is no longer asked. Claims, which can be made besides, are first come,
    first served.
    """
    asked = m.game.asked(m.state)
    if len(asked) < 2:
        return
    answers = {seat: m.some(answers_of(m, seat), 1) for seat in asked}
    if not all(answers.values()):
        return
    for one, other in itertools.combinations(asked, 2):
        rest = [seat for seat in asked if seat not in (one, other)]
        orders = ([one, other, *rest], [*reversed(rest), other, one])
        ends = []
        for order in orders:
            s = m.game.copy(m.state)
            for seat in order:
                if answers[seat][0] not in m.game.moves(s, seat):
                    yield f"seat {seat}'s answer is not open any more after others have answered"
                    return
                m.game.rules.play(s, seat, answers[seat][0])
            ends.append(s)
        if not m.same(*ends):
            yield f"seats {one} and {other}: {difference(m.game, *ends)}"


@law
def sealed_answers_can_be_changed(m: Sample) -> Iterator[str]:
    """A seat may change its answer while others are still asked, as if the new answer had been the first."""
    asked = m.game.asked(m.state)
    for seat in asked if len(asked) > 1 else ():
        answers = answers_of(m, seat)
        for first, second in itertools.islice(itertools.permutations(m.some(answers, 4), 2), 6):
            sealed = m.game.after(m.state, seat, first)
            if first == second or not m.game.asked(sealed):
                continue
            if second not in m.game.moves(sealed, seat):
                yield f"seat {seat} cannot change its answer while others are asked"
            elif not m.same(m.game.after(sealed, seat, second), m.game.after(m.state, seat, second)):
                yield f"seat {seat} changes its answer, and something of the first is left"


def answers_of(m: Sample, seat: Seat) -> list[Move]:
    """The moves with which a seat that is asked can answer."""
    found = m.game.moves(m.state, seat)
    return [move for move in found if seat not in m.game.asked(m.game.after(m.state, seat, move))]


@law
def names_round_trip(m: Sample) -> Iterator[str]:
    """Every move has a unique name, which parses back to it and is the same for all who see the move."""
    rules = m.game.rules
    for seat, found in m.movers:
        v = m.state if seat == NATURE else m.view(seat)
        names = [rules.name(v, move) for move in found]
        if len(set(names)) != len(names):
            yield f"seat {seat} has moves that share a name: {sorted(names)}"
        for move, name in zip(found, names, strict=True):
            if rules.parse(v, name) != move:
                yield f"seat {seat}: {name!r} reads back as another move"
            if name != " ".join(name.split()) or not name or name == UNSEEN or "," in name or name.isdecimal():
                yield f"seat {seat}: the name {name!r} is empty, a number, ?, or has a comma or white space to lose"
        move = m.some(found, 1)[0]
        for reader in m.readers:
            if m.sees(reader, seat, move) and rules.name(m.view(reader), move) != rules.name(v, move):
                yield f"reader {reader} calls {rules.name(v, move)!r} by another name"


@law
def words_are_said(m: Sample) -> Iterator[str]:
    """Every reader gets a question, a position and a sentence about each move, seen or not; every refusal has a reason.
    Only a step in the middle of a choice needs no sentence: a move after which a seat that was asked is still asked.
    """
    rules = m.game.rules
    for what, text in m.said:
        if what.startswith("the question") and not text:
            yield f"{what} is empty"
    reader = m.some(m.readers, 1)[0]
    if not rules.position(m.view(reader)):
        yield f"reader {reader} gets no position"
    for seat in range(m.seats):
        found = m.game.moves(m.state, seat)
        m.met.update(found)
        if found and (closed := sorted(m.met.difference(found))):
            move = m.some(closed, 1)[0]
            if not rules.name(m.view(seat), move) or not rules.why(m.view(seat), seat, move):
                yield f"seat {seat} is not told why move {move} is not open"
    for move, then, texts in m.sentences:
        if set(m.game.asked(m.state)).isdisjoint(m.game.asked(then)):
            for reader, text in texts:
                if not text:
                    yield f"reader {reader} is told nothing about {rules.name(m.state, move)}"


@law
def labels_tell_moves_apart(m: Sample) -> Iterator[str]:
    """The moves open to a seat all have different labels, also in words alone."""
    for seat, found in m.movers:
        if seat == NATURE:
            continue
        v, names = m.view(seat), seats_as("Somebody", m.seats)
        labels = Counter(plain(m.game.rules.label(v, move), names) for move in found)
        if "" in labels:
            yield f"seat {seat} has a move without a label"
        for label, times in labels.most_common(1):
            if times > 1:
                yield f"seat {seat} has {times} moves with the label {label!r}"


@law
def people_are_told_no_notation(m: Sample) -> Iterator[str]:
    """Labels, questions and sentences contain no notation, and NOTATION matches every name that looks like a code."""
    rules = m.game.rules
    for what, text in m.said:
        if found := rules.NOTATION.search(plain(text, seats_as("Somebody", m.seats))):
            yield f"{what} has the notation {found[0]!r}: {text!r}"
    for seat, moves in m.movers:
        name = rules.name(m.view(seat), m.some(moves, 1)[0]) if seat != NATURE else ""
        if _CODE.search(name) and not rules.NOTATION.search(name):
            yield f"NOTATION does not know {name!r}"


_CODE = re.compile(r"[A-Za-z][0-9]|[0-9][^\s0-9]|[^\s\w][0-9]")
"""A name is a code if it has a digit next to a letter or a sign."""


@law
def players_go_by_any_name(m: Sample) -> Iterator[str]:
    """No text for people contains the name of a seat; it has a mark instead."""
    rules = m.game.rules
    for seat, found in m.movers:
        if seat != NATURE and (closed := sorted(m.met.difference(found))):
            move = m.some(closed, 1)[0]
            m.said.append((f"why {rules.name(m.view(seat), move)} is not open", rules.why(m.view(seat), seat, move)))
    for what, text in m.said:
        words = set(re.findall(r"\w+", plain(text, seats_as("", m.seats))))
        if named := words & set(rules.SEAT_NAMES):
            yield f"{what} has the seat's name {sorted(named)[0]}: {text!r}"


@law
def glyphs_are_drawn(m: Sample) -> Iterator[str]:
    """Every glyph in a text is one of the game's GLYPHS."""
    for what, text in m.said:
        for name in glyphs_in(text):
            if name not in m.game.rules.GLYPHS:
                yield f"{what} shows {name!r}, which is no glyph: {text!r}"


def seats_as(word: str, seats: int) -> list[str]:
    """Names that no seat has: a word and the seat's number."""
    return [f"{word}{seat}" for seat in range(seats)]


@law
def scores_stay_in_their_places(m: Sample) -> Iterator[str]:
    """`score` writes one score for each seat at the table, and nothing else."""
    if m.game.asked(m.state):
        return
    room = np.full(m.seats + ROOM_BEHIND, np.nan)
    try:
        m.game.rules.score(m.state, room[: m.seats])
    except IndexError:  # only uncompiled kernels notice an index out of range
        yield "a score is written beyond the last seat"
        return
    if not np.isnan(room[m.seats :]).all():
        yield "a score is written beyond the last seat"
    if np.isnan(room[: m.seats]).any():
        yield f"no score is written for seats {np.flatnonzero(np.isnan(room[: m.seats])).tolist()}"


@law
def results_are_told(m: Sample) -> Iterator[str]:
    """A finished game has a result in words, the same for all, that agrees with the score; other games have none."""
    if m.game.asked(m.state):
        yield from (f"reader {reader} is told a result before the end" for reader, told in m.results.items() if told)
        return
    winners = m.game.winners(m.state, m.seats)
    for reader, told in m.results.items():
        if told is None:
            yield f"reader {reader} is told no result"
            continue
        if told != m.results[m.readers[0]]:
            yield f"reader {reader} is told another result: {told}"
        elif told.winners != winners:
            yield f"the result says that {told.winners} win, the score that {winners} do"
        elif len(told.seats) != m.seats or not all(told.seats):
            yield f"the result does not say what each seat has: {told.seats}"
        elif not told.headline.endswith(".") or "§" not in told.headline:
            yield f"the result is no sentence that names its §: {told.headline!r}"


@law
def positions_round_trip(m: Sample) -> Iterator[str]:
    """A state written as a position and placed again is the same state."""
    if not m.game.asked(m.state):
        return
    text = m.game.rules.position(m.state)
    s = m.game.copy(m.start)
    m.game.rules.place(s, text)
    if not m.same(s, m.state):
        yield f"{text!r}: {difference(m.game, m.state, s)}"


@law
def pictures_can_be_touched(m: Sample) -> Iterator[str]:
    """Every reader gets a picture with unique ids, and each of the reader's moves is made by touching some of them."""
    rules = m.game.rules
    if int(below(m.dice, 20)):
        return  # one state in twenty: pictures take longer than kernels
    for reader in m.readers:
        v = m.view(reader)
        scene = rules.draw(v, reader)
        ids = {piece.id for piece in scene.pieces}
        yield from _faults_of_picture(m, scene, reader)
        touched = [] if reader == SPECTATOR else [rules.touch(v, reader, move) for move in m.game.moves(v, reader)]
        for ways in touched:
            if not ways or not set(ways) <= ids:
                yield f"reader {reader}: a move touches {ways}, which is not there"
        for one, other in itertools.permutations(touched, 2):
            if one == other[: len(one)]:
                yield f"reader {reader}: touching {one} is a move and the beginning of another, {other}"


def _faults_of_picture(m: Sample, scene: Any, reader: Seat) -> Iterator[str]:
    ids = [piece.id for piece in scene.pieces]
    if len(set(ids)) != len(ids):
        yield f"reader {reader}: two pieces of the picture share an id"
    if kinds := {piece.kind for piece in scene.pieces} - set(scene.board.shapes):
        yield f"reader {reader}: no shape for {kinds}"
    parts = scene.board.parts
    if lost := [piece.id for piece in scene.pieces if not any(part.holds(piece.x, piece.y) for part in parts)]:
        yield f"reader {reader}: {lost} lie in no region"
    if not hasattr(m.game.rules, "MAKES"):  # a game that makes a file may name places as the file does
        pattern = m.game.rules.NOTATION
        told = [text for piece in scene.pieces for text in (piece.label, piece.face) if pattern.search(text)]
        if told:
            yield f"reader {reader}: pieces say notation: {told[:3]}"
    svg = scene.svg()
    expat.ParserCreate().Parse(svg, True)  # ExpatError if it is not well-formed
    if _NO_TEXT.search(svg):
        yield f"reader {reader}: the picture has no text"


_NO_TEXT = re.compile(r"<desc>\s*</desc>")
"""An SVG picture whose text alternative is empty."""


@law
def ways_are_seen(m: Sample) -> Iterator[str]:
    """The intermediate states of a move are views of the reader that can be drawn, and there are not too many.

    Computing them changes nothing.
    """
    for seat, found in m.movers if hasattr(m.game.rules, "between") else ():
        for move, reader in itertools.product(dict.fromkeys((found[0], found[-1])), m.readers):
            yield from _faults_on_the_way(m, reader, seat, move, m.game.after(m.state, seat, move))


def _faults_on_the_way(m: Sample, reader: Seat, seat: Seat, move: Move, then: State) -> Iterator[str]:
    v, after = m.view(reader), m.game.view(then, reader)
    ways = m.game.between(v, seat, move if m.sees(reader, seat, move) else UNKNOWN, after)
    if len(ways) > LONGEST_WAY:
        yield f"reader {reader} is shown {len(ways)} pictures of one move"
    for way in ways:
        if not m.same(m.game.view(way, reader), way):
            yield f"reader {reader}, on the way: {difference(m.game, way, m.game.view(way, reader))}"
        if below(m.dice, 40) == 0:  # drawing is slow
            yield from _faults_of_picture(m, m.game.rules.draw(way, reader), reader)
    if not m.same(v, m.view(reader)) or not m.same(after, m.game.view(then, reader)):
        yield f"reader {reader}: looking at the way changes what was or what came"


# Laws of whole games and of modules


def check_shape(game: Game) -> None:
    """Check that a game fulfils the contract, that kernels can use its record, and that they use only its fields."""
    rules = game.rules
    check_rules(game.name, rules)
    names = list(rules.STATE.names or ())
    if "work" in names and names[-1] != "work":
        raise BrokenLaw(f"{game.name}: `work` must be the last field")
    if clash := [name for name in names if hasattr(np.ndarray, name)]:
        raise BrokenLaw(f"{game.name}: fields named like methods of NumPy: {clash}")
    if rules.STATE.itemsize > BIGGEST:
        raise BrokenLaw(f"{game.name}: a state of {rules.STATE.itemsize} bytes, more than {BIGGEST}")
    if max(rules.SEATS) > len(rules.SEAT_NAMES):
        raise BrokenLaw(f"{game.name}: more seats than names for them")
    if wrong := next(misspelled_fields(rules), ""):
        raise BrokenLaw(f"{game.name}: {wrong}")
    for option in rules.OPTIONS:
        if len(set(option.values)) != len(option.values) or not option.says.endswith("."):
            raise BrokenLaw(f"{game.name}: option {option.name} wants different values and one sentence")
        if option.name in signature(game.table).parameters:
            raise BrokenLaw(f"{game.name}: option {option.name} has the name of something else that a table takes")
        if len({len(option.encode(value)) for value in option.values}) != 1:
            raise BrokenLaw(f"{game.name}: option {option.name} is told to kernels in different lengths")
        if not option.title or len(set(map(option.called, option.values))) != len(option.values):
            raise BrokenLaw(f"{game.name}: option {option.name} wants a title, and a different one for each value")


def check_game(game: Game, seats: int, options: Mapping[str, object], seed: int, look: int = 1) -> int:
    """Play one random game and check every `look`-th state against all laws; returns the number of states checked."""
    throw = dice_from(seed)
    seats, chosen = game.settle(seats, options)
    s = game.start(seats, chosen)
    start, met = game.copy(s), set[Move]()
    where = f"{game.name}, {seats} seats, {chosen}, seed {seed}"
    table = Table(game, seats=seats, nature=False, options=chosen)
    looked = 0

    def look_at_it() -> None:
        sample = Sample(game, seats, start, s, throw, met)
        for held in LAWS:
            for finding in held(sample):
                raise BrokenLaw(f"{held.__name__}: {where}, after {len(table.lines)} moves: {finding}")

    for played, (seat, move) in enumerate(game.stroll(s, seats, throw)):
        if played == game.rules.LONGEST:
            raise BrokenLaw(f"every_game_ends: {where}: no end after LONGEST = {played} moves")
        if played % look == seed % look:
            look_at_it()
            looked += 1
        table.play(seat, game.rules.name(s if seat == NATURE else game.view(s, seat), move))
    look_at_it()
    _check_log(game, s, table, where)
    return looked + 1


def check_imagination(game: Game, seats: int, options: Mapping[str, object], deals: int = 2000) -> None:
    """Check that imagined states are distributed like real ones: over many deals, the moments of all fields agree.

    States are compared when nature has dealt and nobody has answered yet: what a seat infers from answers is up to the
    game.
    """
    seats, chosen = game.settle(seats, options)
    names = [name for name in game.rules.STATE.names or () if name != "work"]
    throw = dice_from(1)
    true, imagined = bytearray(), bytearray()
    for deal in range(deals):
        s = game.start(seats, chosen)
        while game.asked(s) == (NATURE,):
            odds = np.array(game.odds(s))
            game.rules.play(s, NATURE, game.moves(s, NATURE)[int(pick(throw, odds, len(odds)))])
        reader = deal % seats
        world = game.imagined(game.view(s, reader), reader, throw)
        true += s.tobytes()
        imagined += world.tobytes()
    ours, theirs = (
        np.hstack([records[name].reshape(deals, -1).astype(float) for name in names])
        for records in (np.frombuffer(found, game.rules.STATE) for found in (true, imagined))
    )
    for power in (1, 2):  # the mean and the variance
        gap = (ours**power).mean(0) - (theirs**power).mean(0)
        error = np.sqrt(((ours**power).var(0) + (theirs**power).var(0)) / deals)
        if np.any(np.abs(gap) > 5 * error + 1e-9):
            raise BrokenLaw(f"imagination_is_even: {game.name}, {seats} seats, {chosen}: fields off by {gap.round(2)}")


def _check_log(game: Game, s: State, table: Table, where: str) -> None:
    """Check that the text of the log, parsed and replayed, gives the same state."""
    text = str(table.log)
    again = replay(Log.parse(text))
    if game.key(again.state) != game.key(s) or str(again.log) != text:
        raise BrokenLaw(f"the_log_is_the_game: {where}: the log does not replay to the same state")
    if table.score is None or len(table.score) != table.seats or not np.all(np.isfinite(table.score)):
        raise BrokenLaw(f"every_game_ends: {where}: no score for every seat, but {table.score}")
