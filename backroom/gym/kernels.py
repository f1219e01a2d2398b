"""The kernels of a batch: one step of one game, the same code on CPU and GPU.

Kernels pass records to each other. A record of an array has one field, `of`, which is the part of one game. Plain
arrays would be easier to read, but Numba counts references to each of them at every call, which took most of the time
when it was measured.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from backroom.engine.chance import chance_of
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, kernel, lowest, record, without_back
from backroom.gym.pool import FIRST_ORDER, IDLE, STOP, done, next_order, post

SEAT_SHIFT = 26
"""A line of the history is a seat shifted left by this, plus the number of a move."""
STEP, SAMPLE = FIRST_ORDER, FIRST_ORDER + 1
"""Orders for threads: step their games, or draw actions for them."""
WAIT = -2
"""The action that leaves a game as it is, for callers that do not want to step all games."""
LEAST_ACTION, MOST_ACTION = -(1 << 31), (1 << 31) - 1
"""The numbers that fit into the array of actions. Both are open nowhere: numbers beyond them become one of them."""


def cell_type(rows: int) -> np.dtype[np.void]:
    """The type of the data of a game in a batch beside its state."""
    return record(
        [
            ("dice", "u8", 1),  # the random stream that nature draws from
            ("lots", "u8", 1),  # the random stream that `sample` draws from
            ("played", "i4"),  # the moves of the game so far, nature's included
            ("games", "i4"),  # the number of games finished here
            ("before", "i4"),  # the moves of the last finished game
            ("seat", "i4"),  # the seat that is asked; the lowest of several
            ("waiting", "i4"),  # all seats that are asked, as bits
            ("ended", "i4"),  # 1: the last step ended a game
            ("truncated", "i4"),  # 1: the last step truncated a game
            ("illegal", "i4"),  # 1: an action was not open, and nothing was played
            ("recorded", "i4"),  # 1: its moves are recorded
            ("fresh", "i4"),  # 1: the next game has to begin
            ("over", "i4"),  # 1: it has ended or was truncated, and no game follows
            ("count", "i4", rows),  # the number of open moves of each row
        ]
    )


def shared_type(options: int, vocabulary: int, numbers: int, verbs: int, digits: int) -> np.dtype[np.void]:
    """The type of the settings that all games of a batch share. Array fields have at least one element, used or not."""
    return record(
        [
            ("seats", "i8"),
            ("limit", "i8"),  # moves after which a game is truncated
            ("steps_back", "i8"),  # 1: steps back are offered
            ("wins", "i8"),  # 1: rewards are wins, not scores
            ("restarts", "i8"),  # 1: a game that ends begins again
            ("options", "i4", max(options, 1)),
            ("vocabulary", "i4", max(vocabulary, 1)),  # the move of each action
            ("numbers", "i4", max(numbers, 1)),  # the action of each move
            ("verbs", "i4", (verbs, 1 + digits)),  # the first move of each verb, and the sizes of its arguments
        ]
    )


def part(kind: str, *shape: int) -> np.dtype[np.void]:
    """The type of one game's part of an array."""
    return record([("of", kind, shape)])


class Arrays(NamedTuple):
    """The arrays of a batch of n games: n records each. For records with one field its shape is given here. A game has
    one row, or one for each possible seat if seats answer together.
    """

    states: Any
    """The states of the games."""
    cells: Any
    """Further data of each game: see `cell_type`."""
    shared: Any
    """The settings that games share: one record for all of them, or several that take turns."""
    actions: Any
    """(rows) The actions of the caller."""
    moves: Any
    """(rows, MOST_MOVES) The open moves."""
    observation: Any
    """(rows, FEATURES) The features of the view of the row's seat."""
    mask: Any
    """(rows, actions) The actions that are open."""
    rows: Any
    """(rows, MOST_MOVES, 1 + digits) The verb and digits of each open move; unused if actions are numbers."""
    reward: Any
    """(seats) The reward of each seat for the step."""
    asked: Any
    """(rows) Whether the row's seat is asked."""
    history: Any
    """(2, moves) The lines of the current game and of the one before it, for games that are recorded, and one more
    record for all the others.
    """
    seat: Any
    """A plain array: the seat that is asked, the lowest of several."""
    ended: Any
    """A plain array: whether the step ended the game; the other arrays then show the next game."""
    truncated: Any
    """A plain array: whether the step truncated the game."""
    illegal: Any
    """A plain array: whether an action was not open; the game was not stepped then."""


@kernel
def pay(reward, seats):  # type: ignore[no-untyped-def]
    """Turn scores into wins that sum to 0: 1 for the only winner, -1 / (seats - 1) for the others; winners share."""
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
    """Write a move to `out` as its verb and digits, padded with -1. Returns the verb; the search for it begins at
    `verb`.
    """
    count, digits = verbs.shape[0], verbs.shape[1] - 1
    while move < verbs[verb, 0] or (verb + 1 < count and move >= verbs[verb + 1, 0]):
        verb = verb + 1 if verb + 1 < count else 0
    rest = np.uint32(move - verbs[verb, 0])  # 32 bits are divided much faster than 64, above all by GPUs
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
    """Copy fields of the cell of game i to the plain arrays."""
    seat[i] = cell.seat
    ended[i] = cell.ended != 0
    truncated[i] = cell.truncated != 0
    illegal[i] = cell.illegal != 0
    for row in range(asked[i].of.shape[0]):
        asked[i].of[row] = 1 if cell.count[row] else 0


@cache
def permit_of(together: bool, slots: bool) -> tuple[Any, Any]:
    """The kernels `move_of` and `permit`, which read the actions of the caller."""

    @kernel
    def move_of(cell, shared, row, action, moved, mask):  # type: ignore[no-untyped-def]
        """The move of an action; -1 if it is not open."""
        if slots:
            return np.int64(moved.of[row, action]) if 0 <= action < cell.count[row] else np.int64(-1)
        is_open = 0 <= action < mask.of.shape[1] and mask.of[row, action]
        return np.int64(shared.vocabulary[action]) if is_open else np.int64(-1)

    @kernel
    def permit(cell, shared, actions, moved, mask, reward):  # type: ignore[no-untyped-def]
        """The seats that now answer, as bits: all that are asked, or none if the game is not to be stepped or an action
        is not open.
        """
        cell.illegal = 0
        if cell.over or actions.of[0] == WAIT:
            return 0
        if cell.ended or cell.truncated:
            reward.of[:] = 0.0
        cell.ended = 0
        cell.truncated = 0
        answering = cell.waiting if together else 1 << cell.seat
        if together:
            for seat in range(shared.seats):
                if answering >> seat & 1 and move_of(cell, shared, seat, actions.of[seat], moved, mask) < 0:
                    cell.illegal = 1
        elif move_of(cell, shared, 0, actions.of[0], moved, mask) < 0:
            cell.illegal = 1
        return 0 if cell.illegal else answering

    return move_of, permit


@cache
def play_of(game: Game, together: bool, slots: bool) -> Any:
    """The kernel `play` for one game of a batch: a closure over the game's own kernels. A GPU's compiler inlines them
    wherever they are called, so there are few such places.
    """
    setup, asked, play_move, score = (getattr(game.rules, k) for k in ("setup", "asked", "play", "score"))
    natures_move = chance_of(game)
    move_of, permit = permit_of(together, slots)

    @kernel
    def put(s, cell, seat, move, lines):  # type: ignore[no-untyped-def]
        """Play a move, and record it if the game is recorded."""
        if cell.recorded:
            lines.of[cell.games & 1, cell.played] = (seat << SEAT_SHIFT) | move
        play_move(s, seat, move)
        cell.played += 1

    @kernel
    def answer(s, cell, shared, answering, lines, actions, moved, mask):  # type: ignore[no-untyped-def]
        """Play the actions of the seats that answer."""
        if together:
            while answering:
                seat = min(lowest(answering), NATURE - 1)
                answering &= answering - 1
                put(s, cell, seat, move_of(cell, shared, seat, actions.of[seat], moved, mask), lines)
        elif answering:
            seat = min(cell.seat, NATURE - 1)  # so that compilers leave out what only nature does
            put(s, cell, seat, move_of(cell, shared, 0, actions.of[0], moved, mask), lines)

    @kernel
    def let_nature_answer(s, cell, chance, lines):  # type: ignore[no-untyped-def]
        while asked(s) == 1 << NATURE:
            put(s, cell, NATURE, natures_move(s, cell.dice, chance.of[0], chance.of[1]), lines)

    @kernel
    def finish(s, cell, shared, reward):  # type: ignore[no-untyped-def]
        """If the game is over or too long, write the rewards; the next game has to begin if games restart."""
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
            cell.fresh = 1
        else:
            cell.over = 1

    @kernel
    def play(s, cell, shared, chance, lines, actions, moved, mask, reward):  # type: ignore[no-untyped-def]
        """Play the actions and nature's answers, and write the rewards if that ends the game; or, in a fresh cell,
        begin the next game. Returns whether anything was played.
        """
        answering = 0
        if cell.fresh:
            if not (cell.ended or cell.truncated):
                reward.of[:] = 0.0
            setup(s, shared.seats, shared.options)
            cell.played = 0
        else:
            answering = permit(cell, shared, actions, moved, mask, reward)
            if answering == 0:
                return False
        answer(s, cell, shared, answering, lines, actions, moved, mask)
        let_nature_answer(s, cell, chance, lines)
        if cell.fresh:
            cell.fresh = 0
        else:
            finish(s, cell, shared, reward)
        return True

    return play


@cache
def offer_of(game: Game, together: bool, slots: bool, alone: bool = True) -> Any:
    """The kernel `offer`, which writes the open moves and actions of the seats that are asked. If it is not `alone`,
    the caller has cleared the mask where actions are numbers, and writes mask and rows itself where they are slots.
    """
    asked, moves, back = game.rules.asked, game.rules.moves, game.rules.BACK

    @kernel
    def close(cell, row, n, mask, rows):  # type: ignore[no-untyped-def]
        """Clear the slots from n on that were open before."""
        for slot in range(n, cell.count[row]):
            rows.of[row, slot, :] = 0
            mask.of[row, slot] = 0

    @kernel
    def offer_row(s, cell, shared, row, seat, moved, mask, rows):  # type: ignore[no-untyped-def]
        """Write the open moves and actions of one seat."""
        out = moved.of[row]
        n = moves(s, seat, out)
        if not shared.steps_back:
            n = without_back(out, n, back)
        if slots:
            if alone:
                verb = 0
                for slot in range(n):
                    verb = describe(shared.verbs, out[slot], verb, rows.of[row, slot])
                for slot in range(cell.count[row], n):
                    mask.of[row, slot] = 1
                close(cell, row, n, mask, rows)
        else:
            if alone:
                mask.of[row, :] = 0
            for at in range(n):
                mask.of[row, shared.numbers[out[at]]] = 1
        cell.count[row] = n

    @kernel
    def clear_row(cell, row, mask, rows):  # type: ignore[no-untyped-def]
        """Clear the row of a seat that is no longer asked."""
        if slots:
            if alone:
                close(cell, row, 0, mask, rows)
        elif alone:
            mask.of[row, :] = 0
        cell.count[row] = 0

    @kernel
    def offer(s, cell, shared, moved, mask, rows):  # type: ignore[no-untyped-def]
        """Write the rows of all seats that are asked; after the end none is."""
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

    return offer


@cache
def see_of(game: Game) -> Any:
    """The kernel `see`, which turns a state into the view of a seat and writes the features of the view to an array
    that is all 0.
    """
    hide, features = game.rules.hide, game.rules.features

    @kernel
    def see(s, seat, out):  # type: ignore[no-untyped-def]
        hide(s, seat)
        features(s, seat, out)

    return see


@cache
def views_of(game: Game) -> Any:
    """The kernel `views`, which turns copies of a state into the views of the seats, in their order."""
    hide = game.rules.hide

    @kernel
    def views(copies):  # type: ignore[no-untyped-def]
        for seat in range(len(copies)):
            hide(copies[seat], seat)

    return views


@cache
def choose_of(slots: bool) -> Any:
    """The kernel `choose`, which draws a random open action for each row; 0 where none is open."""

    @kernel
    def choose(cell, shared, moved, actions):  # type: ignore[no-untyped-def]
        for row in range(actions.of.shape[0]):
            actions.of[row] = 0
            if cell.count[row]:
                place = below(cell.lots, cell.count[row])
                actions.of[row] = place if slots else shared.numbers[moved.of[row, place]]

    return choose


@cache
def show_of(game: Game, together: bool) -> Any:
    """The kernel `show`, which writes the observations of the seats that are asked."""
    see, features, has_secrets = see_of(game), game.rules.features, game.rules.SECRETS
    must_clear = not getattr(game.rules, "WRITES_ALL", False)

    @kernel
    def show_row(s, view, seat, out):  # type: ignore[no-untyped-def]
        if must_clear:
            out[:] = 0.0
        if has_secrets:
            view[0] = s
            see(view[0], seat, out)
        else:
            features(s, seat, out)

    @kernel
    def show(s, cell, shared, view, observation):  # type: ignore[no-untyped-def]
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

    return show


@cache
def work_of(game: Game, together: bool, slots: bool, observe: bool) -> Any:
    """The kernel `work` for a range of games on one thread."""
    play, offer = play_of(game, together, slots), offer_of(game, together, slots)
    show, choose = show_of(game, together), choose_of(slots)

    @kernel
    def step(a, first, end, view, chance):  # type: ignore[no-untyped-def]
        """Step games `first` to `end`; returns the number of games with an illegal action."""
        states, cells, history = a.states, a.cells, a.history
        actions, moves, observation = a.actions, a.moves, a.observation
        mask, rows, reward = a.mask, a.rows, a.reward
        last, refused, turn = history.size - 1, 0, first % a.shared.size
        for i in range(first, end):
            s, cell, shared = states[i], cells[i], a.shared[turn]
            turn = turn + 1 if turn + 1 < a.shared.size else 0
            lines = history[min(i, last)]
            is_played = play(s, cell, shared, chance[0], lines, actions[i], moves[i], mask[i], reward[i])
            if cell.fresh:
                play(s, cell, shared, chance[0], lines, actions[i], moves[i], mask[i], reward[i])
            if is_played:
                offer(s, cell, shared, moves[i], mask[i], rows[i])
                if observe:
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
        """Post the order, STEP or SAMPLE, to all other threads and carry it out; returns the number of games with an
        illegal action. If the order is IDLE, take orders from the mailbox of thread `me` until there are none.
        """
        is_serving = order == IDLE
        if not is_serving:
            post(mail, order)
        while True:
            if is_serving:
                order = next_order(mail, me)
                if order <= STOP:
                    return 0
            refused = 0
            if order == STEP:
                refused = step(a, first, end, view, chance)
            else:
                sample(a, first, end)
            if not is_serving:
                return refused
            done(mail, me, refused)

    return work
