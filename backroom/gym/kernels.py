"""The kernels of a batch: one step of one game, the same code on CPU and GPU.

Kernels pass records to each other. A record of an array has one field, `of`, which is the part of one game. Plain
arrays would be easier to read, but Numba counts references to each of them at every call, which took most of the time
when it was measured.
"""

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, kernel, lowest, pick, record, without_back

SEAT_SHIFT = 26
"""A line of the history is a seat shifted left by this, plus the number of a move."""
MOST_ROWS = 16
WAIT = -2
"""The action that leaves a game as it is, for callers that do not want to step all games."""

CELL = record(
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
        ("count", "i4", MOST_ROWS),  # the number of open moves of each row
        ("recorded", "i4"),  # 1: its moves are recorded
        ("fresh", "i4"),  # 1: nothing has been played yet: the next step begins the first game
        ("over", "i4"),  # 1: it has ended or was truncated, and no game follows
    ]
)
"""The data of a game in a batch beside its state."""


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
    """Further data of each game: see `CELL`."""
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
    rest = move - verbs[verb, 0]
    out[0] = verb
    for digit in range(digits, 0, -1):
        size = verbs[verb, digit]
        if size > 0:
            out[digit] = rest % size
            rest //= size
        else:
            out[digit] = -1
    return verb


@kernel
def tell(cells, asked, seat, ended, truncated, illegal, first, end):  # type: ignore[no-untyped-def]
    """Copy fields of the cells to the plain arrays; returns the number of games with an illegal action."""
    refused = 0
    for i in range(first, end):
        cell = cells[i]
        seat[i] = cell.seat
        ended[i] = cell.ended != 0
        truncated[i] = cell.truncated != 0
        illegal[i] = cell.illegal != 0
        refused += cell.illegal
        for row in range(asked[i].of.shape[0]):
            asked[i].of[row] = 1 if cell.count[row] else 0
    return refused


@cache
def batch_of(game: Game, together: bool, slots: bool) -> tuple[Any, Any]:
    """The kernels `advance` and `choose` for one game of a batch: closures over the game's own kernels."""
    setup, asked, moves, odds, play = (getattr(game.rules, k) for k in ("setup", "asked", "moves", "odds", "play"))
    hide, features, score = game.rules.hide, game.rules.features, game.rules.score
    back, has_secrets = game.rules.BACK, game.rules.SECRETS

    @kernel
    def put(s, cell, seat, move, lines):  # type: ignore[no-untyped-def]
        """Play a move, and record it if the game is recorded."""
        if cell.recorded:
            lines.of[cell.games & 1, cell.played] = (seat << SEAT_SHIFT) | move
        play(s, seat, move)
        cell.played += 1

    @kernel
    def let_nature_answer(s, cell, moved, weights, lines):  # type: ignore[no-untyped-def]
        while asked(s) == 1 << NATURE:
            out = moved.of[0]
            place = pick(cell.dice, weights.of, odds(s, weights.of))
            moves(s, NATURE, out)
            put(s, cell, NATURE, out[place], lines)

    @kernel
    def show_row(s, cell, shared, view, row, seat, moved, observation, mask, rows):  # type: ignore[no-untyped-def]
        """Write the observation and the open actions of one seat."""
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
            mask.of[row, :] = 0
            for at in range(n):
                mask.of[row, shared.numbers[out[at]]] = 1
        cell.count[row] = n
        if has_secrets:
            view[0] = s
            hide(view[0], seat)
            features(view[0], seat, observation.of[row])
        else:
            features(s, seat, observation.of[row])

    @kernel
    def clear_row(cell, row, observation, mask, rows):  # type: ignore[no-untyped-def]
        """Clear the row of a seat that is no longer asked."""
        if slots:
            rows.of[row, : cell.count[row], :] = 0
        mask.of[row, :] = 0
        observation.of[row, :] = 0.0
        cell.count[row] = 0

    @kernel
    def show(s, cell, shared, view, moved, observation, mask, rows):  # type: ignore[no-untyped-def]
        """Write the rows of all seats that are asked; after the end none is."""
        waiting = 0 if cell.over else int(asked(s))
        cell.waiting = waiting
        cell.seat = lowest(waiting)
        if together:
            for seat in range(shared.seats):
                if waiting >> seat & 1:
                    show_row(s, cell, shared, view, seat, seat, moved, observation, mask, rows)
                elif cell.count[seat]:
                    clear_row(cell, seat, observation, mask, rows)
        elif waiting:
            show_row(s, cell, shared, view, 0, cell.seat, moved, observation, mask, rows)
        else:
            clear_row(cell, 0, observation, mask, rows)

    @kernel
    def start(s, cell, shared, moved, weights, lines):  # type: ignore[no-untyped-def]
        setup(s, shared.seats, shared.options)
        cell.played = 0
        let_nature_answer(s, cell, moved, weights, lines)

    @kernel
    def move_of(cell, shared, row, action, moved, mask):  # type: ignore[no-untyped-def]
        """The move of an action; -1 if it is not open."""
        if slots:
            return np.int64(moved.of[row, action]) if 0 <= action < cell.count[row] else np.int64(-1)
        is_open = 0 <= action < mask.of.shape[1] and mask.of[row, action]
        return np.int64(shared.vocabulary[action]) if is_open else np.int64(-1)

    @kernel
    def finish(s, cell, shared, moved, weights, lines, reward):  # type: ignore[no-untyped-def]
        """If the game is over or too long, write the rewards, and begin the next game if games restart."""
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
            start(s, cell, shared, moved, weights, lines)
        else:
            cell.over = 1

    @kernel
    def are_open(cell, shared, actions, moved, mask):  # type: ignore[no-untyped-def]
        """Whether the actions of all seats that are asked are open to them."""
        if not together:
            return move_of(cell, shared, 0, actions.of[0], moved, mask) >= 0
        for seat in range(shared.seats):
            if cell.waiting >> seat & 1 and move_of(cell, shared, seat, actions.of[seat], moved, mask) < 0:
                return False
        return True

    @kernel
    def answer(s, cell, shared, lines, actions, moved, mask):  # type: ignore[no-untyped-def]
        """Play the actions of all seats that are asked."""
        if together:
            for seat in range(shared.seats):
                if cell.waiting >> seat & 1:
                    put(s, cell, seat, move_of(cell, shared, seat, actions.of[seat], moved, mask), lines)
        else:
            put(s, cell, cell.seat, move_of(cell, shared, 0, actions.of[0], moved, mask), lines)

    @kernel
    def advance(s, cell, shared, view, weights, lines, actions, moved, observation, mask, rows, reward):  # type: ignore[no-untyped-def]
        """Step one game: play its actions and nature's answers, restart it if it ends, and write what comes next.

        In a fresh cell it begins the first game, and plays nothing. One kernel for both halves the time to compile.
        """
        if cell.fresh:
            cell.fresh = 0
            reward.of[:] = 0.0
            start(s, cell, shared, moved, weights, lines)
        else:
            if cell.over or actions.of[0] == WAIT:
                return
            if cell.ended or cell.truncated:
                reward.of[:] = 0.0
            cell.ended = 0
            cell.truncated = 0
            cell.illegal = 0 if are_open(cell, shared, actions, moved, mask) else 1
            if cell.illegal:
                return
            answer(s, cell, shared, lines, actions, moved, mask)
            let_nature_answer(s, cell, moved, weights, lines)
            finish(s, cell, shared, moved, weights, lines, reward)
        show(s, cell, shared, view, moved, observation, mask, rows)

    @kernel
    def choose(cell, shared, moved, actions):  # type: ignore[no-untyped-def]
        """A random open action for each row."""
        for row in range(actions.of.shape[0]):
            if cell.count[row]:
                place = below(cell.lots, cell.count[row])
                actions.of[row] = place if slots else shared.numbers[moved.of[row, place]]

    return advance, choose


@cache
def loops_of(game: Game, together: bool, slots: bool) -> tuple[Any, Any]:
    """The kernels `step` and `sample` for a range of games on one thread."""
    advance, choose = batch_of(game, together, slots)

    @kernel
    def step(a, first, end, view, weights):  # type: ignore[no-untyped-def]
        """Step games `first` to `end`; returns the number of games with an illegal action."""
        states, cells, shared, history = a.states, a.cells, a.shared, a.history
        actions, moves, observation = a.actions, a.moves, a.observation
        mask, rows, reward = a.mask, a.rows, a.reward
        last = history.size - 1
        for i in range(first, end):
            advance(
                *(states[i], cells[i], shared[i % shared.size], view, weights[0], history[min(i, last)]),
                *(actions[i], moves[i], observation[i], mask[i], rows[i], reward[i]),
            )
        return tell(cells, a.asked, a.seat, a.ended, a.truncated, a.illegal, first, end)

    @kernel
    def sample(a, first, end, view, weights):  # type: ignore[no-untyped-def]
        cells, shared, moves, actions = a.cells, a.shared[0], a.moves, a.actions
        for i in range(first, end):
            choose(cells[i], shared, moves[i], actions[i])

    return step, sample
