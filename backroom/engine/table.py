"""One game being played: a table is a log that can be continued."""

import contextlib
import copy
import functools
import hashlib
import heapq
import hmac
import itertools
import operator
import os
import secrets
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from backroom.engine import ending, registry
from backroom.engine.ending import RESIGN, Ending
from backroom.engine.game import Game, is_in
from backroom.engine.kernel import EVERYONE, NATURE, SPECTATOR, UNKNOWN, dice_from
from backroom.engine.log import UNSEEN, BadLog, Log, Unfair
from backroom.engine.marks import plain, told_apart, turns
from backroom.engine.notice import noticing
from backroom.engine.options import BadOption
from backroom.engine.phrases import listing
from backroom.engine.protocol import BadPosition, IllegalMove, Move, Result, Seat, State

SNAPSHOT_EVERY = 256
"""The number of lines between two states that a table keeps, so that any state is quickly computed from one of them."""
IMAGININGS = 16
"""The number of imagined states used to find out whether a move revealed something to its own seat."""


@dataclass(frozen=True, slots=True)
class Line:
    """A move in the log."""

    seat: Seat
    move: Move
    name: str
    seen: int
    """The seats that know which move it is, as bits."""
    noticed: int
    """The seats that know that a move was made, as bits: those that saw it, and those whose view it changed."""


line = functools.lru_cache(1 << 16)(Line)
"""A Line, shared between equal moves: a table consists mostly of lines, and few of them differ."""


class Step(NamedTuple):
    """A line of the log, with the states before and after it."""

    line: Line
    before: State
    after: State


class Table:
    """One game being played, from the first line of its log to the last.

    Nature answers by herself, from the seed, unless `nature=False`: then her moves are played like any other, as in
    `play(NATURE, "roll 6 4")`. `start` is the position to begin with, `who` the players' names by seat, and `options`
    the options of the game, by name, that do not have their defaults. A table whose
    chance was drawn elsewhere has `nature=False`, the `seed_hash` of its log, and the seed if it is known.

    The steps of a move are computed, which changes nothing, and then appended: `append(steps(seat, text))`. States are
    never changed in place, so callers may keep them.
    """

    nature: bool
    """Whether nature answers by herself."""
    seed: str | None
    """The seed that chance is drawn from; None if chance is told, or the seed is not known."""
    seed_hash: str | None
    """The hash of the seed that the table committed to before its first move; None if chance is told."""

    def __init__(
        self,
        game: Game,
        *,
        seats: int | None = None,
        seed: object = None,
        start: str | None = None,
        nature: bool = True,
        seed_hash: str | None = None,
        who: Mapping[Seat, str] = MappingProxyType({}),
        options: Mapping[str, object] = MappingProxyType({}),
    ) -> None:
        if not isinstance(game, Game):
            raise TypeError(f"a table is of a Game, not of {game!r}; say backroom.game(NAME).table()")
        self.game = game
        self.seats, self.options = game.settle(seats, options)
        self.who = {seat: " ".join(name.split()) for seat, name in who.items()}
        if wrong := [seat for seat, name in self.who.items() if seat not in range(self.seats) or not name]:
            raise BadOption(f"nobody can sit at seat {wrong[0]} without a name, or at a table of {self.seats} seats")
        self.nameless: frozenset[Seat] = frozenset()
        """Seats that are called by their seats' names even if `who` names them: programs, for example."""
        self.nature, self.seed, self.seed_hash = nature, None if seed is None else str(seed), seed_hash
        if nature:
            self.seed = new_seed() if self.seed is None else self.seed
            if not self.seed or not self.seed.isprintable() or " " in self.seed:
                raise BadOption(f"a seed is one word of letters, digits and signs, not {self.seed!r}")
            self.seed_hash = hash_of(self.seed)
        elif seed is not None and seed_hash is None:
            raise BadOption("a table whose chance is told needs no seed")
        self.lines: list[Line] = []
        self.endings: list[Ending] = []
        """Losses and stops before the rules end the game."""
        self._first = game.start(self.seats, self.options)
        self.start = None if start is None else " ".join(start.split())
        if self.start is not None:
            try:
                game.rules.place(self._first, self.start)
            except ValueError as error:
                raise BadPosition(f"there is no such position: {error}") from None
        self.state = self._first
        self._snapshots = [self._first]
        """The states after every SNAPSHOT_EVERY lines, beginning with the first state."""
        self._let_nature_answer()

    # Reading

    @property
    def asked(self) -> tuple[Seat, ...]:
        """The seats that must answer now; none when the game is over."""
        return () if self.is_ended else self.game.asked(self.state)

    @property
    def is_ended(self) -> bool:
        """Whether the game is over before the rules end it: all seats but one have lost, or it was stopped."""
        return ending.is_ended(self.endings, self.seats)

    @property
    def lost(self) -> dict[Seat, str]:
        """The seats that have lost before the rules end the game, in order, each with the reason."""
        return ending.losses(self.endings)

    @property
    def is_over(self) -> bool:
        """Whether the game is over, by its rules or before they end it: nobody is asked."""
        return not self.asked

    def moves(self, seat: Seat) -> list[str]:
        """The names of the moves open to a seat, asked or not."""
        v = self.view(seat)
        return [] if self.is_ended else [self.game.rules.name(v, move) for move in self.game.moves(self.state, seat)]

    def labels(self, seat: Seat) -> list[str]:
        """The labels of the moves open to a seat, in plain words."""
        v = self.view(seat)
        moves = [] if self.is_ended else self.game.moves(self.state, seat)
        return [plain(self.game.rules.label(v, move), self.names) for move in moves]

    @property
    def names(self) -> list[str]:
        """The players' names in texts, or the names of their seats."""
        named = ["" if seat in self.nameless else self.who.get(seat, "") for seat in range(self.seats)]
        return told_apart(named, self.game.rules.SEAT_NAMES)

    def view(self, seat: Seat) -> State:
        """The view of a seat or of a SPECTATOR. Nature sees everything, but only if her moves are told."""
        if seat == SPECTATOR:
            return self.game.view(self.state, SPECTATOR)
        self._check_seat(seat)
        return self._view(seat)

    def _view(self, seat: Seat) -> State:
        return self.game.copy(self.state) if seat == NATURE else self.game.view(self.state, seat)

    @property
    def score(self) -> tuple[float, ...] | None:
        """Each seat's result; None until the game is over, or if it was stopped without a result."""
        if not self.is_over:
            return None
        is_by_rules = not self.game.asked(self.state)
        own = self.game.score(self.state, self.seats) if is_by_rules else None
        return ending.scores(self.endings, own, self.seats)

    @property
    def result(self) -> Result | None:
        """Who has won and why, in words with marks for players; None until the game is over, or without a result."""
        own = self.game.rules.result(self.view(SPECTATOR))
        return ending.result(self.endings, own, self.score, self.seats) if self.endings else own

    def copy(self) -> "Table":
        """An independent copy of the table."""
        twin = copy.copy(self)
        twin.lines, twin.who, twin.options = list(self.lines), dict(self.who), dict(self.options)
        twin._snapshots, twin.endings = list(self._snapshots), list(self.endings)
        return twin

    @property
    def log(self) -> Log:
        """The game so far, with its seed once it is over."""
        return self._log(self.start, self.seed if self.is_over else None, self.lines)

    @property
    def save(self) -> Log:
        """The log with its seed at any time, to continue from. It reveals all dice to come."""
        return self._log(self.start, self.seed, self.lines)

    def log_seen_by(self, reader: Seat) -> Log:
        """The log as a seat or a SPECTATOR knows it: unseen moves are `?`, and lines it did not notice are missing."""
        self._check_reader(reader)
        start = None if self.start is None else self.game.rules.position(self.game.view(self._first, reader))
        noticed = [at for at in self.lines if is_in(at.noticed, reader)]
        return self._log(start, None, noticed, reader)

    def _log(self, start: str | None, seed: str | None, lines: list[Line], reader: Seat | None = None) -> Log:
        rules = self.game.rules
        moves = ((at.seat, at.name if reader is None or is_in(at.seen, reader) else UNSEEN) for at in lines)
        endings = self.endings
        if reader is not None:  # lines it did not notice have no number either
            known = [is_in(at.noticed, reader) for at in self.lines]
            endings = [each._replace(lines=sum(known[: each.lines])) for each in self.endings]
        return Log(
            rules.NAME, rules.VERSION, self.seats, self.options, self.seed_hash, start, tuple(moves), seed, self.who,
            tuple(endings),
        )  # fmt: skip

    def states(self, since: int = 0) -> Iterator[State]:
        """The states from the one after the first `since` lines to the present one, inclusive."""
        if since < 0:
            raise IndexError(f"a number of lines is 0 or more, not {since}")
        s = self.game.copy(self._snapshots[since // SNAPSHOT_EVERY])
        for at in self.lines[since // SNAPSHOT_EVERY * SNAPSHOT_EVERY : since]:
            self.game.rules.play(s, at.seat, at.move)
        yield self.game.copy(s)
        for at in itertools.islice(self.lines, since, None):
            self.game.rules.play(s, at.seat, at.move)
            yield self.game.copy(s)

    def state_at(self, number: int) -> State:
        """The state after the first `number` lines."""
        if number > len(self.lines):
            raise IndexError(f"this table has {len(self.lines)} lines, so there is no state after {number}")
        return next(self.states(number))

    def way(self, number: int, reader: Seat = SPECTATOR) -> list[State]:
        """The reader's intermediate views of line `number` (from 1); usually none."""
        self._check_reader(reader)
        if not 1 <= number <= len(self.lines):
            raise IndexError(f"this table has lines 1 to {len(self.lines)}, and no line {number}")
        at = self.lines[number - 1]
        if not is_in(at.noticed, reader):
            return []
        before, after = (self.game.view(s, reader) for s in itertools.islice(self.states(number - 1), 2))
        return self.game.between(before, at.seat, at.move if is_in(at.seen, reader) else UNKNOWN, after)

    def chronicle(self, reader: Seat = SPECTATOR, since: int = 0) -> Iterator[tuple[int, str]]:
        """The number of each line that the reader noticed after the first `since`, and a sentence about it, with marks.

        Steps in the middle of a choice have no sentence.
        """
        self._check_reader(reader)
        for number, (before, after) in enumerate(itertools.pairwise(self.states(since)), since + 1):
            at = self.lines[number - 1]
            if is_in(at.noticed, reader):
                move = at.move if is_in(at.seen, reader) else UNKNOWN
                v, then = self.game.view(before, reader), self.game.view(after, reader)
                if sentence := self.game.say(v, at.seat, move, then, reader):
                    yield number, sentence

    def story(self, reader: Seat = SPECTATOR, since: int = 0) -> Iterator[str]:
        """The sentences of the chronicle in plain words, with those about endings before the rules end the game."""
        return (plain(sentence, self.names) for _, sentence in self._told(reader, since))

    def _told(self, reader: Seat, since: int) -> Iterator[tuple[int, str]]:
        """The chronicle with the sentences about endings."""
        late = [(each.lines, ending.sentence(each)) for each in self.endings if each.lines > since or not since]
        return heapq.merge(self.chronicle(reader, since), late, key=operator.itemgetter(0))

    def turns(self, reader: Seat = SPECTATOR, since: int = 0) -> Iterator[tuple[int, str]]:
        """The chronicle turn by turn: the number of each turn's first line, and one sentence about the whole turn."""
        told = self._told(reader, since)
        return ((number, plain(text, self.names)) for number, text in (turns(told) if self.seats > 1 else told))

    def question(self, reader: Seat = SPECTATOR) -> str:
        """What the reader is asked, in words."""
        return plain(self.game.rules.question(self.view(reader), reader), self.names)

    def why(self, seat: Seat, text: str) -> str | None:
        """Why the seat may not play this move, as a sentence; None if it may."""
        self._check_seat(seat)
        try:
            self._legal_move(seat, text, self._view(seat))
        except IllegalMove as refusal:
            return str(refusal)
        return None

    # Playing

    def play(self, seat: Seat, text: str) -> None:
        """Make a move by its name; nature then answers, if she is asked.

        IllegalMove says who, what, why not, and the §.
        """
        self.append(self.steps(seat, text))

    def steps(self, seat: Seat, text: str, v: State | None = None) -> list[Step]:
        """The steps that a move would add: the move itself and nature's answers. Changes nothing.

        A caller that has the seat's view passes it as `v`.
        """
        self._check_seat(seat)
        v = self._view(seat) if v is None else v
        first = self._step(self.state, seat, self._legal_move(seat, text, v), v)
        return [first, *self._answers_of_nature(first.after, len(self.lines) + 1)]

    def steps_told(self, seat: Seat, text: str) -> list[Step]:
        """The step of a move that was made elsewhere, nature's too.

        Nature does not answer it: her answers follow as moves.
        """
        v = self._view(seat)
        return [self._step(self.state, seat, self._legal_move(seat, text, v), v)]

    def append(self, steps: Iterable[Step]) -> None:
        """Append steps that were computed from the present state."""
        for step in steps:
            if step.before is not self.state:
                raise ValueError("these steps were computed from another state than the present one")
            self.state = step.after
            self.lines.append(step.line)
            if len(self.lines) % SNAPSHOT_EVERY == 0:
                self._snapshots.append(self.state)

    def concede(self, seat: Seat, word: str = RESIGN) -> None:
        """A seat loses by resigning or by running out of time. With one seat left the game is over."""
        self._check_seat(seat)
        if self.is_over or seat in self.lost:
            raise IllegalMove(f"{self._called(seat)} cannot lose any more: that is settled")
        self.endings.append(Ending(len(self.lines), word, seat))

    def stop(self) -> None:
        """End the game as it stands.

        The seats that have not lost share the win; if none has lost there is no result.
        """
        if not self.is_over:
            self.endings.append(Ending(len(self.lines), ending.END))

    def take_back(self, seat: Seat, consent: bool = False) -> None:
        """Drop the log from the seat's last move on; IllegalMove if somebody has learned anything since.

        With `consent`, everybody has agreed to it, whatever was learned.
        """
        self._check_seat(seat)
        mine = [number for number, at in enumerate(self.lines) if at.seat == seat]
        if not mine:
            raise IllegalMove(f"{self._called(seat)} has made no move to take back")
        last = mine[-1]
        if not consent and not self.can_take_back(last):
            raise IllegalMove(
                f"{self._called(seat)} cannot take {self.lines[last].name} back: "
                "somebody has learned something since, so the others must agree"
            )
        self.rewind(last)

    def can_take_back(self, number: int) -> bool:
        """Whether the lines after the first `number` can be dropped freely: there is one, and it revealed nothing."""
        return len(self.lines) == number + 1 and not self._has_taught(number)

    def rewind(self, number: int) -> None:
        """Drop all lines after the first `number`, whatever anybody has learned: everybody has agreed to it.

        Dice fall the same way again, since they are drawn by line number.
        """
        self.cut(number)
        self._let_nature_answer()

    def cut(self, number: int) -> None:
        """Drop all lines after the first `number`; nature's answers to what is left follow."""
        self.state = self.state_at(number)
        del self.lines[number:], self._snapshots[number // SNAPSHOT_EVERY + 1 :]
        self.endings = [each._replace(lines=min(each.lines, number)) for each in self.endings]

    # Internals

    def _legal_move(self, seat: Seat, text: str, v: State) -> Move:
        """The legal move with this name, or IllegalMove; `v` is the seat's view."""
        if not isinstance(text, str):
            raise IllegalMove(f"{self._called(seat)} cannot play {text!r}: a move is the text that `moves` has for it")
        rules = self.game.rules
        text = " ".join(text.split())
        open_moves = [] if self.is_ended else self.game.moves(self.state, seat)
        if not open_moves and self.is_over:
            raise IllegalMove(f"{self._called(seat)} cannot play {text!r}: the game is over")
        try:
            move = rules.parse(v, text)
        except ValueError as error:
            raise IllegalMove(f"{self._called(seat)} cannot play {text!r}: {error}") from None
        if move in open_moves:
            return move
        if not open_moves and seat not in self.asked:
            why = f"it is for {listing(map(self._called, self.asked), 'and')} to answer"
        else:
            why = plain(rules.why(v, seat, move), self.names)
        raise IllegalMove(f"{self._called(seat)} cannot play {rules.name(v, move)}: {why}")

    def _step(self, before: State, seat: Seat, move: Move, v: State) -> Step:
        """The step of a move from a state; `v` is the view of its seat (nature sees everything)."""
        game = self.game
        seen = noticed = int(game.rules.seen(before, seat, move))
        after = game.after(before, seat, move)
        if seen != EVERYONE:
            noticed |= noticing(game)(before, after, self.seats)
        return Step(line(seat, move, game.rules.name(v, move), seen, noticed), before, after)

    def _has_taught(self, number: int) -> bool:
        """Whether this line told anybody more than that a hidden move was made.

        Where nothing is hidden nothing can be learned. Otherwise a move that others see may have shown them something.
        A move that only its own seat sees can have told only that seat something: its view would then come out
        differently in some of the states it imagines.
        """
        at, before = self.lines[number], self.state_at(number)
        game, after = self.game, self.game.after(before, at.seat, at.move)
        if game.hides_nothing(before, self.seats) and game.hides_nothing(after, self.seats):
            return False
        if at.seen != 1 << at.seat:
            return True
        worlds = (game.imagined(game.view(before, at.seat), at.seat, dice_from(n)) for n in range(IMAGININGS))
        views = {game.key(game.view(game.after(world, at.seat, at.move), at.seat)) for world in worlds}
        return views != {game.key(game.view(after, at.seat))}

    def _answers_of_nature(self, s: State, lines: int) -> Iterator[Step]:
        """Nature's own answers in a state after the first `lines` lines of the log."""
        while self.nature and self.seed is not None and not self.is_ended and self.game.asked(s) == (NATURE,):
            lines += 1
            step = self._step(s, NATURE, drawn(self.game, s, self.seed, lines), s)
            yield step
            s = step.after

    def _let_nature_answer(self) -> None:
        self.append(self._answers_of_nature(self.state, len(self.lines)))

    def _check_seat(self, seat: Seat) -> None:
        if seat == NATURE and self.nature:
            raise IllegalMove("nature answers by herself at this table, and shows her view to nobody")
        if seat != NATURE and seat not in range(self.seats):
            raise IllegalMove(f"there is no seat {seat!r} at this table; it has seats 0 to {self.seats - 1}")

    def _check_reader(self, reader: Seat) -> None:
        if reader != SPECTATOR:
            self._check_seat(reader)

    def _called(self, seat: Seat) -> str:
        return self.game.seat_name(seat) if seat == NATURE else self.names[seat]

    def __repr__(self) -> str:
        state = "over" if self.is_over else f"{listing(map(self._called, self.asked), 'and')} to answer"
        return f"<table of {self.game.name}: {len(self.lines)} moves, {state}>"

    def _repr_svg_(self) -> str:
        """The picture that a notebook shows: what everyone may see."""
        return str(self.game.rules.draw(self.view(SPECTATOR), SPECTATOR).svg())


def new_seed() -> str:
    """A seed for nature at a table: its hash is published at the beginning, the seed itself at the end."""
    return secrets.token_hex(16)


def hash_of(seed: str) -> str:
    """The hash that a table commits to before its first move."""
    return hashlib.sha256(seed.encode()).hexdigest()


def drawn(game: Game, s: State, seed: str, number: int) -> Move:
    """Nature's move for this line of the log: HMAC-SHA256(seed, number) modulo the sum of the odds."""
    weights = game.odds(s)
    at = int.from_bytes(hmac.digest(seed.encode(), str(number).encode(), "sha256")) % sum(weights)
    return game.moves(s, NATURE)[next(i for i, total in enumerate(itertools.accumulate(weights)) if at < total)]


Witness = Callable[[Table, int, Seat, str], None]
"""A callback that gets each move of a replay before it is made: the table, its number, the seat and the name."""


def replay(log: Log | str | Path, seed: object = None) -> Table:
    """The table that wrote this log: a Log, the text of one, or the Path of its file.

    An unfinished game can continue if its seed is in the log or given.
    """
    if isinstance(log, Path):
        with named_after(log):
            return replay(Log.parse(log.read_text("utf-8-sig")), seed)
    log = _as_log(log)
    return _replayed(log, log.seed if seed is None else str(seed), lambda *_: None)


def _as_log(text: Log | str) -> Log:
    """The log, or the one with this text; BadLog says how to give a file, if the text looks like the name of one."""
    if isinstance(text, Log):
        return text
    if not isinstance(text, str):
        raise TypeError(f"a log is a Log, its text or the pathlib.Path of its file, not {text!r}")
    try:
        return Log.parse(text)
    except BadLog as error:
        if "\n" not in text and (text.endswith(".log") or os.path.isfile(text)):
            raise BadLog(f"{error}; for the file of that name say pathlib.Path({text!r})") from None
        raise


@contextlib.contextmanager
def named_after(path: Path) -> Iterator[None]:
    """Prefix errors in a file with its name."""
    try:
        yield
    except UnicodeDecodeError:
        raise BadLog(f"{path}: this is not text, and cannot be read") from None
    except (BadLog, BadOption, BadPosition) as error:
        raise type(error)(f"{path}: {error}") from None


def _replayed(log: Log, seed: str | None, witness: Witness) -> Table:
    game = registry.game(log.game)
    if log.version != game.rules.VERSION:
        raise BadLog(f"this is a log of {log.game} {log.version}; this program plays {log.game} {game.rules.VERSION}")
    needed = [option.name for option in game.options if not option.may_be_unsaid]
    if missing := [name for name in needed if name not in log.options]:
        raise BadLog(f"the header does not say option {missing[0]}; expected 'option {missing[0]} VALUE'")
    if seed is not None and hash_of(seed) != log.seed_hash:
        raise Unfair("the seed is not the one that the header's seed-hash commits to")
    table = Table(
        game, seats=log.seats, seed=seed, start=log.start, nature=False, seed_hash=log.seed_hash, who=log.who,
        options=log.options,
    )  # fmt: skip
    endings = list(log.endings)
    for number, (seat, name) in enumerate(log.moves, 1):
        _end(table, [endings.pop(0) for each in log.endings if each.lines == number - 1])
        witness(table, number, seat, name)
        try:
            table.play(seat, name)
        except IllegalMove as refusal:
            where = f"line {log.line_of[number - 1]}" if log.line_of else f"move {number}"
            raise BadLog(f"{where}: {refusal}") from None
    _end(table, endings)
    table.nature = seed is not None
    table._let_nature_answer()
    return table


def _end(table: Table, endings: Iterable[Ending]) -> None:
    """Apply a log's endings; BadLog if they are impossible."""
    for each in endings:
        if each.seat is None:
            table.stop()
            continue
        try:
            table.concede(each.seat, each.word)
        except IllegalMove as refusal:
            raise BadLog(f"{str(each)!r}: {refusal}") from None


def verify(log: Log | str | Path) -> int:
    """Check that all chance in a log was drawn from the seed it committed to; returns the number of such moves."""
    if isinstance(log, Path):
        with named_after(log):
            return verify(Log.parse(log.read_text("utf-8-sig")))
    log = _as_log(log)
    if log.seed_hash is None:
        raise BadLog("its header says 'seed-hash none': its chance was told, not drawn, and cannot be verified")
    if log.seed is None:
        raise BadLog("it holds no seed yet: a log can be verified when its game is over and its seed is shown")
    seed = log.seed

    def compare(table: Table, number: int, seat: Seat, name: str) -> None:
        if seat == NATURE and table.asked == (NATURE,):
            due = table.game.rules.name(table.state, drawn(table.game, table.state, seed, number))
            if due != name:
                raise Unfair(f"move {number}: nature played {name!r}, but the seed draws {due!r}")

    _replayed(log, seed, compare)
    return sum(seat == NATURE for seat, _ in log.moves)
