"""The kernels of a batch: one step of one game of many, the same on a core and on a GPU.

What kernels hand to each other is records: those of arrays have one field, `of`, which is the game's part. Arrays
themselves would be simpler to read, but Numba counts each of them at every call: measured, that took most of the time.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, kernel, lowest, pick, record, without_back
from backroom.gym.crew import FIRST_ORDER, IDLE, STOP, done, next_order

SEAT_SHIFT = 26
"""A line of the history is a seat above this bit, and the number of a move below it."""
STEP, SAMPLE = FIRST_ORDER, FIRST_ORDER + 1
"""What a thread is told to do with its games."""
WAIT = -2
"""The action that leaves a game as it is, for callers who have not made up their minds about all."""


def cell_type(rows: int) -> np.dtype[np.void]:
    """The type of what a batch keeps of a game beside its state."""
    return record(
        [
            ("dice", "u8", 1),  # the random stream that nature draws from
            ("lots", "u8", 1),  # the random stream that `sample` draws from
            ("played", "i4"),  # the moves of the game so far, nature's included
            ("games", "i4"),  # how many games were finished here
            ("before", "i4"),  # the moves of the last of them
            ("seat", "i4"),  # who is asked; the lowest where several are
            ("waiting", "i4"),  # all seats that are asked, as bits
            ("ended", "i4"),  # 1: the last step ended a game
            ("truncated", "i4"),  # 1: it cut one off
            ("illegal", "i4"),  # 1: an action was not open, and nothing was played
            ("recorded", "i4"),  # 1: its moves are kept
            ("fresh", "i4"),  # 1: nothing has been played yet: the next step begins the first game
            ("over", "i4"),  # 1: it has ended or was cut off, and none begins after it
            ("count", "i4", rows),  # the number of open moves of each row
        ]
    )


def shared_type(options: int, vocabulary: int, numbers: int, verbs: int, digits: int) -> np.dtype[np.void]:
    """The type of what all games of a batch have in common. A field has at least one place, used or not."""
    return record(
        [
            ("seats", "i8"),
            ("limit", "i8"),  # moves after which a game is cut off
            ("steps_back", "i8"),  # 1: they are offered
            ("wins", "i8"),  # 1: wins are paid, not scores
            ("restarts", "i8"),  # 1: a game that ends begins again
            ("options", "i4", max(options, 1)),
            ("vocabulary", "i4", max(vocabulary, 1)),  # the move of each action
            ("numbers", "i4", max(numbers, 1)),  # the action of each move
            ("verbs", "i4", (verbs, 1 + digits)),  # the first move of each verb, and the sizes of what it is made of
        ]
    )


def part(kind: str, *shape: int) -> np.dtype[np.void]:
    """The type of one game's part of an array."""
    return record([("of", kind, shape)])


class Arrays(NamedTuple):
    """All that a batch of n games is made of: arrays of n records. Those with one field say its shape here; a game has
    one row, or one a seat where seats answer together, for as many seats as there can be.
    """

    states: Any
    """The games."""
    cells: Any
    """What is kept beside them."""
    shared: Any
    """What all games have in common: one record."""
    actions: Any
    """(rows) What the caller answers."""
    moves: Any
    """(rows, MOST_MOVES) The open moves."""
    observation: Any
    """(rows, FEATURES) What the row's seat sees."""
    mask: Any
    """(rows, actions) The actions that are open."""
    rows: Any
    """(rows, MOST_MOVES, 1 + digits) Each open move as its verb and digits; nothing where actions are numbers."""
    reward: Any
    """(seats) What the step brought each seat."""
    asked: Any
    """(rows) Whether the row's seat is asked."""
    history: Any
    """(2, moves) The lines of the present game and of the one before it, where moves are kept; and one record more."""
    seat: Any
    """A plain array: the seat that is asked, the lowest where it is several."""
    ended: Any
    """A plain array: whether the step ended the game; then all that is shown is of the next."""
    truncated: Any
    """A plain array: whether the step cut the game off."""
    illegal: Any
    """A plain array: whether an action was not open; then the game stands still."""


@kernel
def pay(reward, seats):  # type: ignore[no-untyped-def]
    """Turn scores into wins that sum to 0: alone 1, of the others each -1 / (seats - 1); winners share."""
    best = reward[0]
    for seat in range(1, seats):
        best = max(best, reward[seat])
    winners = 0
    for seat in range(seats):
        winners += reward[seat] == best
    for seat in range(seats):
        won = seats / winners if reward[seat] == best else 0.0
        reward[seat] = (won - 1.0) / (seats - 1)


@kernel
def describe(verbs, move, verb, out):  # type: ignore[no-untyped-def]
    """Write a move as its verb and digits, -1 where it has none; says the verb, which is looked for from a guess on."""
    count, digits = verbs.shape[0], verbs.shape[1] - 1
    while move < verbs[verb, 0] or (verb + 1 < count and move >= verbs[verb + 1, 0]):
        verb = verb + 1 if verb + 1 < count else 0
    rest = np.uint32(move - verbs[verb, 0])  # processors divide such numbers faster, above all GPUs
    out[0] = verb
    for digit in range(digits, 0, -1):
        size = np.uint32(verbs[verb, digit])
        if size:
            out[digit] = rest % size
            rest = np.uint32(rest // size)
        else:
            out[digit] = -1
    return verb


@kernel
def tell(cell, i, asked, seat, ended, truncated, illegal):  # type: ignore[no-untyped-def]
    """Write what the cell of game i says where callers read it."""
    seat[i] = cell.seat
    ended[i] = cell.ended != 0
    truncated[i] = cell.truncated != 0
    illegal[i] = cell.illegal != 0
    for row in range(asked[i].of.shape[0]):
        asked[i].of[row] = 1 if cell.count[row] else 0


class Parts(NamedTuple):
    """What one step of one game consists of, as kernels."""

    advance: Any
    """Play the actions, and what nature answers; says whether anything was played."""
    offer: Any
    """Write which moves are open to those who are asked."""
    see: Any
    """Write what a seat sees: into the row of an observation, from a state that becomes the seat's view."""
    choose: Any
    """Draw an action for each row."""


@cache
def batch_of(game: Game, together: bool, slots: bool, clears: bool = True) -> Parts:
    """The kernels for one game of a batch: closures over the game's own kernels. Without `clears` the mask of a game
    whose actions are numbers was cleared by the caller.
    """
    setup, asked, moves, odds, play = (getattr(game.rules, k) for k in ("setup", "asked", "moves", "odds", "play"))
    hide, features, score = game.rules.hide, game.rules.features, game.rules.score
    back = game.rules.BACK

    @kernel
    def put(s, cell, seat, move, lines):  # type: ignore[no-untyped-def]
        """Play a move and write it down."""
        if cell.recorded:
            lines.of[cell.games & 1, cell.played] = (seat << SEAT_SHIFT) | move
        play(s, seat, move)
        cell.played += 1

    @kernel
    def let_nature_answer(s, cell, chance, lines):  # type: ignore[no-untyped-def]
        while asked(s) == 1 << NATURE:
            weights, out = chance.of[0], chance.of[1]
            place = pick(cell.dice, weights, odds(s, weights))
            moves(s, NATURE, out)
            put(s, cell, NATURE, out[place], lines)

    @kernel
    def offer_row(s, cell, shared, row, seat, moved, mask, rows):  # type: ignore[no-untyped-def]
        """What one seat can do."""
        out = moved.of[row]
        n = moves(s, seat, out)
        if not shared.steps_back:
            n = without_back(out, n, back)
        if slots:
            verb = 0
            for slot in range(n):
                verb = describe(shared.verbs, out[slot], verb, rows.of[row, slot])
                mask.of[row, slot] = 1
            for slot in range(n, cell.count[row]):
                rows.of[row, slot, :] = 0
                mask.of[row, slot] = 0
        else:
            if clears:
                mask.of[row, :] = 0
            for at in range(n):
                mask.of[row, shared.numbers[out[at]]] = 1
        cell.count[row] = n

    @kernel
    def clear_row(cell, row, mask, rows):  # type: ignore[no-untyped-def]
        """Nothing, to a seat that is not asked any more."""
        if slots:
            for slot in range(cell.count[row]):
                rows.of[row, slot, :] = 0
                mask.of[row, slot] = 0
        elif clears:
            mask.of[row, :] = 0
        cell.count[row] = 0

    @kernel
    def offer(s, cell, shared, moved, mask, rows):  # type: ignore[no-untyped-def]
        """What everybody can do who is asked; after the end nobody is."""
        waiting = 0 if cell.over else int(asked(s))
        cell.waiting = waiting
        cell.seat = lowest(waiting)
        if together:
            for seat in range(shared.seats):
                if waiting >> seat & 1:
                    offer_row(s, cell, shared, seat, seat, moved, mask, rows)
                elif cell.count[seat]:
                    clear_row(cell, seat, mask, rows)
        elif waiting:
            offer_row(s, cell, shared, 0, cell.seat, moved, mask, rows)
        else:
            clear_row(cell, 0, mask, rows)

    @kernel
    def see(s, seat, out):  # type: ignore[no-untyped-def]
        hide(s, seat)
        features(s, seat, out)

    @kernel
    def start(s, cell, shared, chance, lines):  # type: ignore[no-untyped-def]
        setup(s, shared.seats, shared.options)
        cell.played = 0
        let_nature_answer(s, cell, chance, lines)

    @kernel
    def move_of(cell, shared, row, action, moved, mask):  # type: ignore[no-untyped-def]
        """The move that an action means; -1 if it is not open."""
        if slots:
            return np.int64(moved.of[row, action]) if 0 <= action < cell.count[row] else np.int64(-1)
        is_open = 0 <= action < mask.of.shape[1] and mask.of[row, action]
        return np.int64(shared.vocabulary[action]) if is_open else np.int64(-1)

    @kernel
    def finish(s, cell, shared, chance, lines, reward):  # type: ignore[no-untyped-def]
        """Where the game is over or too long: pay, and begin the next, if there is to be one."""
        is_over = asked(s) == 0
        if not is_over and cell.played < shared.limit:
            return
        if is_over:
            score(s, reward.of)
            if shared.wins and shared.seats > 1:
                pay(reward.of, shared.seats)
        cell.ended = 1 if is_over else 0
        cell.truncated = 0 if is_over else 1
        if shared.restarts:
            cell.before = cell.played
            cell.games += 1
            start(s, cell, shared, chance, lines)
        else:
            cell.over = 1

    @kernel
    def answer(s, cell, shared, lines, actions, moved, mask):  # type: ignore[no-untyped-def]
        """Play the actions of all who are asked; says whether they could be, nothing is played if one is not open."""
        if not together:
            move = move_of(cell, shared, 0, actions.of[0], moved, mask)
            if move < 0:
                return False
            put(s, cell, cell.seat, move, lines)
            return True
        for seat in range(shared.seats):
            if cell.waiting >> seat & 1 and move_of(cell, shared, seat, actions.of[seat], moved, mask) < 0:
                return False
        for seat in range(shared.seats):
            if cell.waiting >> seat & 1:
                put(s, cell, seat, move_of(cell, shared, seat, actions.of[seat], moved, mask), lines)
        return True

    @kernel
    def advance(s, cell, shared, chance, lines, actions, moved, mask, reward):  # type: ignore[no-untyped-def]
        """Play the actions of one game, then nature; begin again where it ends. Says whether anything was played.

        In a fresh cell begin the first game, and play nothing. One kernel for both takes half the time to compile.
        """
        if cell.fresh:
            cell.fresh = 0
            reward.of[:] = 0.0
            start(s, cell, shared, chance, lines)
            return True
        if cell.over or actions.of[0] == WAIT:
            return False
        if cell.ended or cell.truncated:
            reward.of[:] = 0.0
        cell.ended = 0
        cell.truncated = 0
        cell.illegal = 0 if answer(s, cell, shared, lines, actions, moved, mask) else 1
        if cell.illegal:
            return False
        let_nature_answer(s, cell, chance, lines)
        finish(s, cell, shared, chance, lines, reward)
        return True

    @kernel
    def choose(cell, shared, moved, actions):  # type: ignore[no-untyped-def]
        """An open action by chance, for each row."""
        for row in range(actions.of.shape[0]):
            if cell.count[row]:
                place = below(cell.lots, cell.count[row])
                actions.of[row] = place if slots else shared.numbers[moved.of[row, place]]

    return Parts(advance, offer, see, choose)


@cache
def work_of(game: Game, together: bool, slots: bool) -> Any:
    """The kernel by which a core steps a run of games, or samples actions for them."""
    advance, offer, see, choose = batch_of(game, together, slots)
    has_secrets, features = game.rules.SECRETS, game.rules.features

    @kernel
    def show_row(s, view, seat, out):  # type: ignore[no-untyped-def]
        """What one seat sees."""
        if has_secrets:
            view[0] = s
            see(view[0], seat, out)
        else:
            features(s, seat, out)

    @kernel
    def show(s, cell, shared, view, observation):  # type: ignore[no-untyped-def]
        """What everybody sees who is asked."""
        if together:
            for row in range(shared.seats):
                if cell.count[row]:
                    show_row(s, view, row, observation.of[row])
                else:
                    observation.of[row, :] = 0.0
        elif cell.count[0]:
            show_row(s, view, cell.seat, observation.of[0])
        else:
            observation.of[0, :] = 0.0

    @kernel
    def step(a, first, end, view, chance):  # type: ignore[no-untyped-def]
        """Says how many games had an illegal action."""
        states, cells, shared, history = a.states, a.cells, a.shared[0], a.history
        actions, moves, observation = a.actions, a.moves, a.observation
        mask, rows, reward = a.mask, a.rows, a.reward
        last, refused = history.size - 1, 0
        for i in range(first, end):
            s, cell = states[i], cells[i]
            lines = history[min(i, last)]
            if advance(s, cell, shared, chance[0], lines, actions[i], moves[i], mask[i], reward[i]):
                offer(s, cell, shared, moves[i], mask[i], rows[i])
                show(s, cell, shared, view, observation[i])
            refused += cell.illegal
            tell(cell, i, a.asked, a.seat, a.ended, a.truncated, a.illegal)
        return refused

    @kernel
    def sample(a, first, end):  # type: ignore[no-untyped-def]
        cells, shared, moves, actions = a.cells, a.shared[0], a.moves, a.actions
        for i in range(first, end):
            choose(cells[i], shared, moves[i], actions[i])

    @kernel
    def work(a, first, end, view, chance, mail, me, order):  # type: ignore[no-untyped-def]
        """Carry out an order; or, given IDLE, those that come to the mailbox of thread `me`. Says what came of it."""
        serves = order == IDLE
        while True:
            if serves:
                order = next_order(mail, me)
                if order <= STOP:
                    return 0
            refused = 0
            if order == STEP:
                refused = step(a, first, end, view, chance)
            else:
                sample(a, first, end)
            if not serves:
                return refused
            done(mail, me, refused)

    return work
