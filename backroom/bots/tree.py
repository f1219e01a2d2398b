"""Monte Carlo tree search over whole turns (PUCT), for games whose turns consist of small steps and hide little.

In each node the best whole turns are found by a beam search over the steps, and get a static evaluation; so a step that
can be taken back is always evaluated with the step that completes it. Each descent goes on to the end of a turn of the
deciding seat, so that values do not depend on who has just moved. Each seat maximizes its own value (max^n), and with
`oppose` also minimizes that of its best opponent. Nature's moves are sampled anew on each descent.

A game may offer `all_values(s, out)`, the values of all seats at once; `dullness(s)`, how near the game is to an end
that nobody likes; `is_about_to_lose(s, seat)`, whether the next seat can win at once; `wants_equal_visits(s)`, whether
the turns at the root get equal visits (sequential halving) rather than visits by their priors; and `worth_trying`. With
a net (`HasPolicyNet`) turns, priors and values come from it too, and a descent ends at any new node, for the net's
values do not depend on who has just moved. If several seats are asked at once, rollouts decide.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from backroom.bots import plans, rollouts
from backroom.bots.deadlines import is_late, never
from backroom.bots.hashing import fingerprint, hashed_words
from backroom.bots.memory import (
    AGAIN,
    MOST_STEPS,
    await_there,
    decide_on,
    goes_on,
    has_been,
    memories,
    next_step,
    note,
)
from backroom.bots.noise import blurred
from backroom.bots.one_move import let_nature_of
from backroom.bots.plans import number
from backroom.bots.rollouts import all_worth_trying, static_value_of
from backroom.bots.shares import NOBODY, lost_by_all, share_out
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, below, dice_from, kernel, lowest, pick, record, without_back
from backroom.engine.protocol import Move, Seat, State

NEEDS = ("value", "imagine")
"""The kernels that a game's module has to offer."""
MOST_WIDTH, MOST_BEAM, MOST_NODES, MOST_DEPTH = 64, 32, 8_192, 64
"""Limits: turns of a node, unfinished turns in a beam, nodes of a tree, and the depth of a tree."""
ROOM = MOST_STEPS - 4
"""The most steps of a turn; a longer one is evaluated before it is finished."""
WIDE, WIDE_FIRST = 400, 4_000
"""Steps tried in a node before the beam is reduced to the best unfinished turn: in general, and at the root."""
MANY = 200
"""Steps tried in a node for each further iteration that it counts as."""
LOOKS, LOOKS_FIRST = 16, 64
"""Positions that the net looks at to find the turns of a node: in general, and at the root."""
LEAST, ENOUGH = 0.005, 0.995
"""The probability, by the net, of a turn that is left out; and that of all turns found, after which no more are."""
NEW, OVER, BY_NATURE = -1, -2, -3
"""Values of `mover` that are not seats: the node is not expanded; the game is over; nature moves."""
UNSEEN = -1.0
"""Penalty of a turn without visits."""
SERIOUS = 0.02
"""The least share of the visits of a turn that may look as good as another."""
SURE, LOST = 1e6, 1e5
"""Bonus of a turn that wins, larger than any number of visits; and penalty of one that lets the next seat win."""

# The order of states in a workspace: the nodes of the tree, unfinished turns before and after a step, the best whole
# turns, and two to try a step in. Each turn has a line with the same index, counted from PARTS; the lines of the turns
# at the root follow.

PARTS = MOST_NODES
TURNS = PARTS + 2 * MOST_BEAM
SPARE = TURNS + MOST_WIDTH
STATES = SPARE + 2
DECIDED = SPARE - PARTS
LINES = DECIDED + MOST_WIDTH
LINE = record([("mark", "f8"), ("count", "i8"), ("steps", "i4", MOST_STEPS)])
"""A turn, or a part of one: its static evaluation, and its steps."""


@dataclass(frozen=True, slots=True)
class Plan(plans.Plan):
    """The budget and the parameters of the tree search."""

    iterations: int = number(400, most=1_000_000)
    """Nodes that are expanded; 0: the turn of the best static evaluation is played."""
    width: int = number(12, least=1, most=MOST_WIDTH)
    """Turns kept in each node."""
    first: int = number(32, least=1, most=MOST_WIDTH)
    """Turns kept at the root."""
    beam: int = number(8, least=1, most=MOST_BEAM)
    """The width of the beam: unfinished turns that are kept after each step."""
    curious: float = number(0.15, most=100)
    """The exploration constant of PUCT."""
    warmth: float = number(0.04, least=0.001, most=100)
    """The temperature of the priors: a turn whose static evaluation is worse by this has a prior e times lower."""
    mix: float = number(1.0, most=1)
    """The weight of the value after the best turn in a node's value; the rest is the value before that turn."""
    halve: int = number(16, least=1, most=MOST_WIDTH)
    """Turns at the root that enter sequential halving, if the game's `wants_equal_visits` says so."""
    oppose: float = number(0.0, most=1)
    """The weight of the best opponent's value, subtracted from a seat's own: at 1 both count the same."""
    dull: float = number(0.0, most=1)
    """Penalty for an end that nobody likes; the value of a position before it is reduced in proportion to the game's
    `dullness`.
    """
    blur: float = number(0.0, most=100)
    """Width of the random error in the evaluation of a turn, in log-odds, for weaker levels."""
    variety: int = number(0, most=10_000)
    """A seat's first turns in which it plays any that looks as good as the one with the most visits, in a game with
    `repetition_key`; so games without chance begin in many ways.
    """
    learned: int = number(0, most=1)
    """1: the policy of the game's net finds turns and gives their priors, where the net knows the game's options."""
    trust: float = number(0.6, most=1)
    """The weight of the net's values in the static evaluation; the rest is the game's own evaluation."""
    temper: float = number(1.5, least=0.1, most=100)
    """The temperature of the net's policy: above 1, less likely turns are found too."""
    eager: float = number(0.4, most=100)
    """The exploration constant instead of `curious`, where the net gives the priors."""
    sight: int = number(12, most=MOST_WIDTH)
    """Turns at the root that are best by static evaluation, besides those of the net."""
    near: int = number(0, most=MOST_WIDTH)
    """The same in the other nodes."""


class Workspace(NamedTuple):
    """The arrays that the kernels work in."""

    states: Any
    words: Any
    """The memory of `states`, as words to hash."""
    nodes: Any
    """The nodes of the tree (`node_of`)."""
    lines: Any
    worth: Any
    """The result of a descent for each seat."""
    results: Any
    out: Any
    path: Any
    size: Any
    """The number of nodes, the number of steps tried in the latest expansion, and whether the net is used."""
    order: Any
    """The turns at the root, the better first."""
    dice: Any
    rolls: Any
    """The workspace of rollouts."""
    marks: Any
    """The logits of the moves of a position."""
    net: Any
    """The workspace of the game's net; None without one."""
    plan: Any
    stop: Any


def node_of(seats: int) -> Any:
    """The record of a node of the tree."""
    return record(
        [
            ("mover", "i4"),
            ("head", "i4"),  # the first child
            ("count", "i4"),  # the number of children
            ("after", "i4"),  # the next sibling, after a move of nature's
            ("by", "i4"),  # nature's move that led here
            ("visits", "i4"),
            ("prior", "f8"),
            ("less", "f8"),  # penalty at the root, for `blur` and repetition
            ("totals", "f8", seats),  # the sum of results
            ("values", "f8", seats),  # the static evaluation
        ]
    )


@kernel
def never_dull(s):  # type: ignore[no-untyped-def]
    """The default for games without `dullness`."""
    return 0.0


@kernel
def no_equal_visits(s):  # type: ignore[no-untyped-def]
    """The default for games without `wants_equal_visits`."""
    return False


@kernel
def never_about_to_lose(s, seat):  # type: ignore[no-untyped-def]
    """The default for games without `is_about_to_lose`."""
    return False


@kernel
def no_evaluation(s, seat, net):  # type: ignore[no-untyped-def]
    """The default for games without a net."""


@kernel
def no_logit(net, move):  # type: ignore[no-untyped-def]
    """The default for games without a net."""
    return 0.0


@kernel
def knows_nothing(s):  # type: ignore[no-untyped-def]
    """The default for games without a net."""
    return False


@kernel
def no_expected_share(net, seat):  # type: ignore[no-untyped-def]
    """The default for games without a net."""
    return 0.0


@cache
def initialize_of(game: Game) -> Any:
    """The kernel `initialize(work, node)`."""
    rules: Any = game.rules
    asked, score, value, lost, most = rules.asked, rules.score, rules.value, lost_by_all(game), max(rules.SEATS)
    let_nature, room = let_nature_of(game), rules.MOST_MOVES
    dullness, evaluate = getattr(rules, "dullness", never_dull), getattr(rules, "evaluate", no_evaluation)
    expected_share = getattr(rules, "expected_share", no_expected_share)

    @kernel
    def by_one(s, out):  # type: ignore[no-untyped-def]
        """Evaluate seat by seat; seats that are not in the game may be evaluated too."""
        for seat in range(most):
            out[seat] = value(s, seat)

    all_values = getattr(rules, "all_values", by_one)

    @kernel
    def is_evaluated(work, node):  # type: ignore[no-untyped-def]
        """Let the net evaluate the state of a node, after random moves of nature's if she is asked; returns False if
        the game is over then.
        """
        if asked(work.states[node]) < 1 << most:
            evaluate(work.states[node], lowest(asked(work.states[node])), work.net)
            return True
        work.states[SPARE] = work.states[node]
        while asked(work.states[SPARE]) == 1 << NATURE:
            let_nature(work.states[SPARE], work.dice, work.out[:room], work.out[room : 2 * room])
        mask = asked(work.states[SPARE])
        if mask:
            evaluate(work.states[SPARE], lowest(mask), work.net)
        return mask != 0

    @kernel
    def initialize(work, node):  # type: ignore[no-untyped-def]
        """Initialize a node with the static evaluation of its state."""
        s, here, is_over = work.states[node], work.nodes[node], asked(work.states[node]) == 0
        for i in range(len(work.results)):
            work.results[i] = NOBODY if is_over else 0.0
        if is_over:
            score(s, work.results)
            share_out(work.results, lost)
        else:
            trust = work.plan.trust if work.size[2] and is_evaluated(work, node) else 0.0
            if trust < 1.0:
                all_values(s, work.results)
            for seat in range(most if trust > 0.0 else 0):
                work.results[seat] += trust * (expected_share(work.net, seat) - work.results[seat])
        here.mover, here.visits, here.less, here.head, here.count = NEW, 0, 0.0, -1, 0
        left, half = 1.0 - work.plan.dull * dullness(s), 0.0 if is_over else 0.5 * work.plan.oppose
        for seat in range(most):
            best = 0.0
            for other in range(most):
                if other != seat:
                    best = max(best, work.results[other])
            here.totals[seat] = 0.0
            here.values[seat] = left * ((1.0 - half) * max(work.results[seat], 0.0) + half * (1.0 - best))

    return initialize


@kernel
def place_for(lines, first, n, room, mark):  # type: ignore[no-untyped-def]
    """The index for a mark in a list of the best `room` ones, of which there are n; -1 if it is not among them."""
    if n < room:
        return n
    if room <= 0:
        return -1
    worst = 0
    for i in range(1, n):
        if lines[first + i].mark < lines[first + worst].mark:
            worst = i
    return worst if mark > lines[first + worst].mark else -1


@kernel
def put_in(work, first, n, room, spare, mark, steps, length):  # type: ignore[no-untyped-def]
    """Keep a turn, or a part of one, if it is among the best `room`; returns their number."""
    place = place_for(work.lines, first - PARTS, n, room, mark)
    if place < 0:
        return n
    line = work.lines[first - PARTS + place]
    work.states[first + place] = work.states[spare]
    line.mark, line.count = mark, length
    for k in range(length):
        line.steps[k] = steps[k]
    return max(n, place + 1)


@kernel
def keep_only_best(work, base, n):  # type: ignore[no-untyped-def]
    """Reduce a beam to the best of its n unfinished turns."""
    for i in range(1, n):
        if work.lines[base + i - PARTS].mark > work.lines[base - PARTS].mark:
            work.lines[base - PARTS] = work.lines[base + i - PARTS]
            work.states[base] = work.states[base + i]


@cache
def list_turns_of(game: Game) -> Any:
    """The kernel `list_turns(work, node, seat, width, wide)`."""
    rules: Any = game.rules
    asked, moves, play, value, back, most = (
        rules.asked, rules.moves, rules.play, rules.value, rules.BACK, rules.MOST_MOVES
    )  # fmt: skip
    worth_trying, (_, hashed) = getattr(rules, "worth_trying", all_worth_trying), hashed_words(game)

    @kernel
    def is_known(work, first, n, spare, mark, seat):  # type: ignore[no-untyped-def]
        """Whether a transposition is listed already. Equal evaluations are not enough: a step that only chooses
        something changes none.
        """
        key = np.uint64(0)
        for i in range(n):
            if work.lines[first - PARTS + i].mark == mark:
                if key == 0:
                    key = fingerprint(work.words[spare], hashed, seat)
                if fingerprint(work.words[first + i], hashed, seat) == key:
                    return True
        return False

    @kernel
    def try_steps(work, part, seat, next_base, more, n, width):  # type: ignore[no-untyped-def]
        """Try each step after an unfinished turn, and after a step that can be taken back each that completes it.

        The best turns that are still unfinished are kept at `next_base`, where there are `more`, and the best whole
        ones at TURNS, where there are n. Returns both numbers, and how many turns were evaluated.
        """
        out, then, steps = work.out[:most], work.out[most : 2 * most], work.out[2 * most :]
        length, tried = work.lines[part - PARTS].count, 0
        for k in range(length):
            steps[k] = work.lines[part - PARTS].steps[k]
        count = without_back(out, moves(work.states[part], seat, out), back)
        count = worth_trying(work.states[part], seat, out, count)
        for i in range(count):
            work.states[SPARE] = work.states[part]
            play(work.states[SPARE], seat, out[i])
            steps[length] = out[i]
            left = moves(work.states[SPARE], seat, then) if asked(work.states[SPARE]) == 1 << seat else 0
            can_go_back = left > 1 and then[left - 1] == back
            for j in range(left - 1 if can_go_back else 1):
                spare, made = SPARE, length + 1
                if can_go_back:
                    spare, made = SPARE + 1, length + 2
                    work.states[spare] = work.states[SPARE]
                    play(work.states[spare], seat, then[j])
                    steps[length + 1] = then[j]
                mark = value(work.states[spare], seat)
                tried += 1
                if asked(work.states[spare]) == 1 << seat and made < ROOM:
                    if not is_known(work, next_base, more, spare, mark, seat):
                        more = put_in(work, next_base, more, work.plan.beam, spare, mark, steps, made)
                elif not is_known(work, TURNS, n, spare, mark, seat):
                    n = put_in(work, TURNS, n, width, spare, mark, steps, made)
        return more, n, tried

    @kernel
    def list_turns(work, node, seat, width, wide):  # type: ignore[no-untyped-def]
        """Put the states after the best whole turns of a seat at TURNS; returns their number. 0 if time is over, except
        at the root.
        """
        work.states[PARTS] = work.states[node]
        work.lines[0].count = 0
        base, parts, half, n, tried = PARTS, 1, 0, 0, 0
        while parts:
            if node and is_late(work):
                return 0
            if tried >= wide:
                keep_only_best(work, base, parts)
                parts = 1
            half, more = 1 - half, 0
            next_base = PARTS + half * MOST_BEAM
            for part in range(base, base + parts):
                more, n, here = try_steps(work, part, seat, next_base, more, n, width)
                tried += here
            base, parts = next_base, more
        work.size[1] = tried
        return n

    return list_turns


@kernel
def take_likeliest(work, n, steps):  # type: ignore[no-untyped-def]
    """Take the likeliest of the first n unfinished turns out of the list: writes its steps, puts its state at
    SPARE + 1, and returns the number of its steps and its log-probability.
    """
    best = 0
    for i in range(1, n):
        if work.lines[i].mark > work.lines[best].mark:
            best = i
    length, mark = work.lines[best].count, work.lines[best].mark
    for k in range(length):
        steps[k] = work.lines[best].steps[k]
    work.states[SPARE + 1] = work.states[PARTS + best]
    if best < n - 1:
        work.states[PARTS + best] = work.states[PARTS + n - 1]
        work.lines[best] = work.lines[n - 1]
    return length, mark


@cache
def propose_of(game: Game) -> Any:
    """The kernel `propose(work, node, seat, n, width, most_looks)`."""
    rules: Any = game.rules
    asked, moves, play, back, most = rules.asked, rules.moves, rules.play, rules.BACK, rules.MOST_MOVES
    evaluate, logit = getattr(rules, "evaluate", no_evaluation), getattr(rules, "logit", no_logit)
    _, hashed = hashed_words(game)

    @kernel
    def known(work, n, seat):  # type: ignore[no-untyped-def]
        """The whole turn that leads to the state at SPARE; -1 if it is not listed."""
        key = fingerprint(work.words[SPARE], hashed, seat)
        for i in range(n):
            if fingerprint(work.words[TURNS + i], hashed, seat) == key:
                return i
        return -1

    @kernel
    def weigh_steps(work, s, seat, count):  # type: ignore[no-untyped-def]
        """Write the logits of a state's steps, which are in `out`, to `marks`, with 0 for the largest; returns the
        logarithm of the sum of their exponentials.
        """
        work.marks[0] = 0.0
        if count < 2:
            return 0.0
        evaluate(s, seat, work.net)
        highest, total = -1e9, 0.0
        for i in range(count):
            work.marks[i] = logit(work.net, work.out[i]) / work.plan.temper
            highest = max(highest, work.marks[i])
        for i in range(count):
            work.marks[i] -= highest
            total += np.exp(work.marks[i])
        return np.log(total)

    @kernel
    def propose(work, node, seat, n, width, most_looks):  # type: ignore[no-untyped-def]
        """Put the states after the turns that the policy finds likeliest at TURNS, their log-probabilities in the
        lines, after n others, which keep their place; returns how many there are then. The likeliest unfinished turn is
        always continued next.
        """
        out, steps, floor = work.out[:most], work.out[2 * most :], np.log(LEAST)
        work.states[PARTS] = work.states[node]
        work.lines[0].count, work.lines[0].mark = 0, 0.0
        parts, looks, found, own, room = 1, 0, 0.0, TURNS + n, width - n
        for i in range(n):
            work.lines[TURNS - PARTS + i].mark = floor
        while parts and looks < most_looks and found < ENOUGH:
            if node and is_late(work):
                return 0
            length, mark = take_likeliest(work, parts, steps)
            parts -= 1
            if place_for(work.lines, own - PARTS, TURNS + n - own, room, mark) < 0:
                break
            here = work.states[SPARE + 1]
            count = without_back(out, moves(here, seat, out), back)
            looks += 1 if count > 1 else 0
            total = weigh_steps(work, here, seat, count)
            for i in range(count):
                then = mark + work.marks[i] - total
                if then < floor and (n or parts or work.marks[i] < 0.0):
                    continue
                work.states[SPARE] = here
                play(work.states[SPARE], seat, out[i])
                steps[length] = out[i]
                if asked(work.states[SPARE]) == 1 << seat and length + 1 < ROOM:
                    parts = put_in(work, PARTS, parts, 2 * MOST_BEAM, SPARE, then, steps, length + 1)
                    continue
                found += np.exp(then)
                same = known(work, n, seat)
                if same >= 0:
                    line = work.lines[TURNS - PARTS + same]
                    line.mark = np.log(np.exp(line.mark) + np.exp(then))
                else:
                    n = own - TURNS + put_in(work, own, TURNS + n - own, room, SPARE, then, steps, length + 1)
        return n

    return propose


@kernel
def select(work, node):  # type: ignore[no-untyped-def]
    """The child to visit next (PUCT). The value of one without visits is its static evaluation, plus the mean change of
    its visited siblings.
    """
    seat, base, n = work.nodes[node].mover, work.nodes[node].head, work.nodes[node].count
    changed, seen = 0.0, 0
    for i in range(base, base + n):
        child = work.nodes[i]
        changed += child.totals[seat] - child.visits * child.values[seat]
        seen += child.visits
    changed /= max(seen, 1)
    best, most_worth, root = base, -1e9, np.sqrt(seen + 1.0)
    curious = work.plan.eager if work.size[2] else work.plan.curious
    for i in range(base, base + n):
        child = work.nodes[i]
        worth = child.totals[seat] / child.visits if child.visits else child.values[seat] + changed
        worth += curious * child.prior * root / (1 + child.visits) - child.less
        if worth > most_worth:
            best, most_worth = i, worth
    return best


@kernel
def set_priors(work, node):  # type: ignore[no-untyped-def]
    """Set the priors of a node's children by their static evaluations; returns the best child."""
    here = work.nodes[node]
    seat, best, all_of = here.mover, here.head, 0.0
    for i in range(here.head, here.head + here.count):
        if work.nodes[i].values[seat] > work.nodes[best].values[seat]:
            best = i
    for i in range(here.head, here.head + here.count):
        child = work.nodes[i]
        child.prior = np.exp((child.values[seat] - work.nodes[best].values[seat]) / work.plan.warmth)
        all_of += child.prior
    for i in range(here.head, here.head + here.count):
        work.nodes[i].prior /= all_of
    return best


@kernel
def set_priors_by_policy(work, node):  # type: ignore[no-untyped-def]
    """Set the priors of a node's children by the net's log-probabilities, which are in the lines of the turns."""
    here, all_of = work.nodes[node], 0.0
    for i in range(here.count):
        work.nodes[here.head + i].prior = np.exp(work.lines[TURNS - PARTS + i].mark)
        all_of += work.nodes[here.head + i].prior
    for i in range(here.head, here.head + here.count):
        work.nodes[i].prior /= all_of


@kernel
def put_first(work, seat, n, left):  # type: ignore[no-untyped-def]
    """Bring the best `left` of n turns at the root to the front of `order`, in order; returns their number."""
    left = min(left, n)
    for i in range(left):
        for j in range(i + 1, n):
            if mark_of(work, seat, work.order[j]) > mark_of(work, seat, work.order[i]):
                work.order[i], work.order[j] = work.order[j], work.order[i]
    return left


@kernel
def mark_of(work, seat, node):  # type: ignore[no-untyped-def]
    """The mean result of a turn at the root so far, less its penalty."""
    child = work.nodes[node]
    return (child.totals[seat] / child.visits if child.visits else child.values[seat] + UNSEEN) - child.less


@cache
def let_nature_move_of(game: Game) -> Any:
    """The kernel `let_nature_move(work, node)`."""
    moves, odds, play = game.rules.moves, game.rules.odds, game.rules.play

    @kernel
    def let_nature_move(work, node):  # type: ignore[no-untyped-def]
        """The child after a random move of nature's, and whether it is new."""
        here = work.nodes[node]
        place = pick(work.dice, work.out, odds(work.states[node], work.out))
        moves(work.states[node], NATURE, work.out)
        move, child = work.out[place], here.head
        while child >= 0 and work.nodes[child].by != move:
            child = work.nodes[child].after
        if child >= 0:
            return child, False
        child = work.size[0]
        work.size[0] += 1
        work.states[child] = work.states[node]
        play(work.states[child], NATURE, move)
        work.nodes[child].by, work.nodes[child].after = move, here.head
        here.head = child
        return child, True

    return let_nature_move


@cache
def expand_of(game: Game) -> Any:
    """The kernel `expand(work, node, is_first)`."""
    asked, most = game.rules.asked, max(game.rules.SEATS)
    list_turns, propose, initialize = list_turns_of(game), propose_of(game), initialize_of(game)

    @kernel
    def expand(work, node, is_first):  # type: ignore[no-untyped-def]
        """Add the turns of a node to the tree, and write its value to `worth`. Returns how many iterations this counts
        as; 0 if time is over.
        """
        here, seat, base, mix = work.nodes[node], lowest(asked(work.states[node])), work.size[0], work.plan.mix
        width, wide = (work.plan.first, WIDE_FIRST) if is_first else (work.plan.width, WIDE)
        sight, n, tried = work.plan.sight if is_first else work.plan.near, 0, 0
        if work.size[2]:
            if sight:
                n = list_turns(work, node, seat, sight, wide)
                tried = work.size[1]
            n = propose(work, node, seat, n, width, LOOKS_FIRST if is_first else LOOKS)
            work.size[1] = tried
        if not work.size[2] or n == 0:
            n = list_turns(work, node, seat, width, wide)
        for other in range(most):
            work.worth[other] = here.values[other]
        if n == 0:
            return 0
        for i in range(n):
            work.states[base + i] = work.states[TURNS + i]
            initialize(work, base + i)
        here.mover, here.head, here.count = seat, base, n
        work.size[0] += n
        best = work.nodes[set_priors(work, node)]
        if work.size[2]:
            set_priors_by_policy(work, node)
        for other in range(most):
            work.worth[other] += mix * (best.values[other] - here.values[other])
        return 1 + work.size[1] // MANY

    return expand


@kernel
def is_full(work):  # type: ignore[no-untyped-def]
    """Whether there may be no room for another descent."""
    return work.size[0] + MOST_WIDTH + MOST_DEPTH > MOST_NODES


@cache
def descend_of(game: Game) -> Any:
    """The kernel `descend(work, seat, first)`."""
    asked, most = game.rules.asked, max(game.rules.SEATS)
    initialize, expand, let_nature_move = initialize_of(game), expand_of(game), let_nature_move_of(game)

    @kernel
    def descend(work, seat, first):  # type: ignore[no-untyped-def]
        """Descend through the tree to the end of a new turn of the seat, and back up the value found there. `first` is
        the child of the root to begin with, or -1. Returns the number of iterations that this counts as.
        """
        node, length, looked, is_new = 0, 0, 0, False
        while True:
            if is_new:
                initialize(work, node)
            here, is_new = work.nodes[node], False
            work.path[length] = node
            length += 1
            if here.mover == NEW:
                mask = asked(work.states[node])
                if mask == 0:
                    here.mover = OVER
                elif mask == 1 << NATURE:
                    here.mover = BY_NATURE
                elif not is_full(work):
                    found = expand(work, node, node == 0)
                    looked += found
                    if found == 0 or here.mover == seat or work.size[2]:
                        break
            if here.mover == OVER or here.mover == NEW or length == MOST_DEPTH:
                for other in range(most):
                    work.worth[other] = here.values[other]
                break
            if here.mover == BY_NATURE:
                node, is_new = let_nature_move(work, node)
            else:
                node = first if node == 0 and first >= 0 else select(work, node)
        for i in range(length):
            here = work.nodes[work.path[i]]
            here.visits += 1
            for other in range(most):
                here.totals[other] += work.worth[other]
        return max(looked, 1)

    return descend


@cache
def halve_of(game: Game) -> Any:
    """The kernel `halve(work, seat)`."""
    descend = descend_of(game)

    @kernel
    def halve(work, seat):  # type: ignore[no-untyped-def]
        """Sequential halving: visit the best turns at the root equally often, and drop the worse half in each round.
        Returns the one that is left.
        """
        base, n, order = work.nodes[0].head, work.nodes[0].count, work.order
        for i in range(n):
            order[i] = base + i
        left, rounds = put_first(work, seat, n, work.plan.halve), 1
        while 1 << rounds < left:
            rounds += 1
        for _ in range(rounds):
            share = work.plan.iterations / (rounds * left)
            for i in range(left):
                done = 0
                while done < share:
                    if is_late(work) or is_full(work):
                        put_first(work, seat, left, 1)
                        return order[0] - base
                    done += descend(work, seat, order[i])
            left = put_first(work, seat, left, (left + 1) // 2)
        return order[0] - base

    return halve


@cache
def plant_of(game: Game) -> Any:
    """The kernel `plant(work, dice)`."""
    knows, initialize = getattr(game.rules, "knows", knows_nothing), initialize_of(game)

    @kernel
    def plant(work, dice):  # type: ignore[no-untyped-def]
        """Begin a new tree from `states[0]`."""
        work.size[0], work.dice[0] = 1, dice[0]
        work.size[2] = 1 if work.plan.learned and knows(work.states[0]) else 0
        initialize(work, 0)

    return plant


@cache
def grow_of(game: Game) -> Any:
    """The kernel `grow(work, seat, dice, memory)`."""
    wants_equal_visits = getattr(game.rules, "wants_equal_visits", no_equal_visits)
    is_about_to_lose = getattr(game.rules, "is_about_to_lose", never_about_to_lose)
    plant, descend, halve, again = plant_of(game), descend_of(game), halve_of(game), again_of(game)

    @kernel
    def shun_losing(work, seat):  # type: ignore[no-untyped-def]
        """Rule out turns that let the next seat win at once, unless all do."""
        n, base, lost = work.nodes[0].count, work.nodes[0].head, 0
        for i in range(n):
            work.order[i] = 1 if is_about_to_lose(work.states[base + i], seat) else 0
            lost += work.order[i]
        for i in range(n if lost < n else 0):
            work.nodes[base + i].less += LOST * work.order[i]

    @kernel
    def prepare(work, seat, dice, memory):  # type: ignore[no-untyped-def]
        """Keep the lines of the turns at the root, and set their penalties; returns whether a search is needed."""
        n, base, is_won = work.nodes[0].count, work.nodes[0].head, False
        for i in range(n):
            child = work.nodes[base + i]
            work.lines[DECIDED + i] = work.lines[TURNS - PARTS + i]
            mark = child.values[seat]
            child.less = mark - blurred(dice, mark, work.plan.blur) + again(work.states[base + i], seat, memory)
            is_won = is_won or mark >= 1.0
        shun_losing(work, seat)
        return n > 1 and not is_won

    @kernel
    def grow(work, seat, dice, memory):  # type: ignore[no-untyped-def]
        """Grow a tree from `states[0]`; returns the best turn. The root is expanded even if time is over, and does not
        count as an iteration.
        """
        plant(work, dice)
        descend(work, seat, -1)
        done, goes = 0, prepare(work, seat, dice, memory)
        if goes and wants_equal_visits(work.states[0]):
            return halve(work, seat)
        while goes and done < work.plan.iterations and not is_late(work) and not is_full(work):
            done += descend(work, seat, -1)
        best = most_looked_at(work, seat)
        return any_as_good(work, seat, best, dice) if goes and memory.turns < work.plan.variety else best

    return grow


@cache
def foresee_of(game: Game) -> Any:
    """The kernel `foresee(work, seat, dice)`."""
    plant, descend = plant_of(game), descend_of(game)

    @kernel
    def foresee(work, seat, dice):  # type: ignore[no-untyped-def]
        """The mean result for a seat of a tree from `states[0]`, whoever moves there."""
        plant(work, dice)
        done = 0
        while done < work.plan.iterations and not is_full(work):
            done += descend(work, seat, -1)
        return work.nodes[0].totals[seat] / work.nodes[0].visits

    return foresee


@cache
def again_of(game: Game) -> Any:
    """The kernel `again(s, seat, memory)`: the penalty for a turn that ends in a repeated position."""
    rules: Any = game.rules
    if not hasattr(rules, "repetition_key"):

        @kernel
        def never_again(s, seat, memory):  # type: ignore[no-untyped-def]
            """The default for games without `repetition_key`, whose positions do not repeat."""
            return 0.0

        return never_again
    repetition_key = rules.repetition_key

    @kernel
    def again(s, seat, memory):  # type: ignore[no-untyped-def]
        return AGAIN * has_been(memory, repetition_key(s, seat))

    return again


@cache
def keep_of(game: Game) -> Any:
    """The kernel `keep(s, seat, memory)`: notes in the memory how a turn ended, if it has."""
    rules: Any = game.rules
    if not hasattr(rules, "repetition_key"):

        @kernel
        def keep_nothing(s, seat, memory):  # type: ignore[no-untyped-def]
            """The default for games without `repetition_key`."""

        return keep_nothing
    asked, repetition_key = rules.asked, rules.repetition_key

    @kernel
    def keep(s, seat, memory):  # type: ignore[no-untyped-def]
        if asked(s) != 1 << seat:
            note(memory, repetition_key(s, seat))

    return keep


@kernel
def most_looked_at(work, seat):  # type: ignore[no-untyped-def]
    """The turn at the root to play: one that wins, else the one with the most visits, and of equals the one of the
    higher mean.
    """
    best, most_worth = 0, -1e9
    for i in range(work.nodes[0].count):
        child = work.nodes[work.nodes[0].head + i]
        worth = child.totals[seat] / child.visits if child.visits else child.values[seat] + UNSEEN
        worth += child.visits - child.less + (SURE if child.values[seat] >= 1.0 else 0.0)
        if worth > most_worth:
            best, most_worth = i, worth
    return best


@kernel
def any_as_good(work, seat, best, dice):  # type: ignore[no-untyped-def]
    """A random turn at the root of those that look as good as the best or better after a serious number of visits."""
    base, least, n, chosen = work.nodes[0].head, SERIOUS * work.nodes[0].visits, 0, best
    for i in range(work.nodes[0].count):
        is_as_good = mark_of(work, seat, base + i) >= mark_of(work, seat, base + best)
        if i == best or (is_as_good and work.nodes[base + i].visits >= least):
            n += 1
            if below(dice, n) == 0:
                chosen = i
    return chosen


@cache
def choose_of(game: Game) -> Any:
    """The kernel `choose(v, seat, dice, work, memory)`."""
    asked, moves, play, back = game.rules.asked, game.rules.moves, game.rules.play, game.rules.BACK
    imagine, hide, grow, roll = game.rules.imagine, game.rules.hide, grow_of(game), rollouts.choose_of(game)
    keep, (_, hashed) = keep_of(game), hashed_words(game)

    @kernel
    def choose(v, seat, dice, work, memory):  # type: ignore[no-untyped-def]
        """The next step of the turn decided on, or of a new one."""
        if asked(v) != 1 << seat:
            return roll(v, seat, dice, work.rolls, memory)
        n = without_back(work.out, moves(v, seat, work.out), back)
        move = work.out[0]
        work.states[SPARE] = v
        is_decided = goes_on(memory, fingerprint(work.words[SPARE], hashed, seat))
        work.states[0] = v
        imagine(work.states[0], seat, dice)
        if n > 1 and not is_decided:
            line = work.lines[DECIDED + grow(work, seat, dice, memory)]
            decide_on(memory, line.steps, line.count)
            is_decided = True
        if is_decided:
            move = next_step(memory)
        work.states[SPARE] = work.states[0]
        play(work.states[SPARE], seat, move)
        keep(work.states[SPARE], seat, memory)
        if is_decided:
            hide(work.states[SPARE], seat)
            await_there(memory, fingerprint(work.words[SPARE], hashed, seat))
        return move

    return choose


def suits(game: Game) -> bool:
    """Whether the strategy can play a game. It is meant for games in which only nature's future moves are unknown."""
    return all(hasattr(game.rules, name) for name in NEEDS)


ROLLS = rollouts.Plan(worlds=1, width=16, turns=1, blur=0.02)
"""The plan of rollouts, where they decide."""
ROLLS_OF_A_JUDGE = replace(ROLLS, worlds=8)
"""The same for a judge."""
A_VIEW = 4
"""Factor by which a judge's tree for a view is smaller than that for moves."""
BEHIND = 0.001
"""The least by which a step is judged worse than the first step of the best turn, unless it ends the game."""


def workspace_for(game: Game, plan: Plan) -> Workspace:
    """A new workspace for a game."""
    most, seats, (word, _) = game.rules.MOST_MOVES, max(game.rules.SEATS), hashed_words(game)
    states, stop = np.zeros(STATES, game.rules.STATE), never()
    return Workspace(
        states=states,
        words=states.view(word).reshape(STATES, -1),
        nodes=np.zeros(MOST_NODES, node_of(seats)),
        lines=np.zeros(LINES, LINE),
        worth=np.zeros(seats),
        results=np.zeros(max(NATURE, 3 * seats)),
        out=np.zeros(2 * most + MOST_STEPS, np.int32),
        path=np.zeros(MOST_DEPTH, np.int32),
        size=np.zeros(3, np.int64),
        order=np.zeros(MOST_WIDTH, np.int64),
        dice=np.zeros(1, np.uint64),
        rolls=rollouts.workspace_for(game, ROLLS)._replace(stop=stop),
        marks=np.zeros(most),
        net=game.rules.policy_net() if hasattr(game.rules, "policy_net") else None,
        plan=plan.record,
        stop=stop,
    )


class Judge:
    """Judges a step by the best turn at the root of a tree that begins with it; where several seats are asked at once,
    or the seat is not asked, by rollouts.
    """

    LONGER = 0.6
    """Factor by which it thinks longer than a bot that only has to choose: less, for an analysis has many steps."""

    def __init__(self, game: Game, plan: Plan) -> None:
        self.game = game
        self.grow, self.foresee = grow_of(game), foresee_of(game)
        self.static_value, self.again = static_value_of(game), again_of(game)
        self.work = workspace_for(game, replace(plan, blur=0.0, variety=0))
        self.work_for_views = self.work._replace(plan=plan.longer(1 / A_VIEW).record)
        self.rollouts = rollouts.Judge(game, ROLLS_OF_A_JUDGE)

    def moves(self, v: State, seat: Seat, seed: int) -> dict[Move, float]:
        return self.moves_after(v, seat, seed, ())

    def moves_after(self, v: State, seat: Seat, seed: int, been: Sequence[int]) -> dict[Move, float]:
        """The value of each step. One with which no turn at the root begins is judged by its static evaluation, less
        as much as that of the best first step is off.
        """
        game = self.game
        if game.asked(v) != (seat,):
            return self.rollouts.moves(v, seat, seed)
        dice, memory = dice_from(seed), memories(1)[0]
        for key in been:
            note(memory, np.uint64(key))
        s = self.work.states[0] = game.imagined(v, seat, dice)
        first, looked = self.looked(seat, int(self.grow(self.work, seat, dice, memory)))
        marks = {move: self.mark(s, seat, move, memory) for move in game.moves(s, seat) if move != game.rules.BACK}
        top, shift = looked[first], looked[first] - marks[first]
        worths = {}
        for move, mark in marks.items():
            if game.asked(game.after(s, seat, move)):
                worth = looked.get(move, mark + shift)
                worths[move] = worth if move == first else min(worth, top - BEHIND)
            else:
                worths[move] = looked.get(move, mark)
        return {move: min(max(worth, 0.0), 1.0) for move, worth in worths.items()}

    def view(self, v: State, seat: Seat, seed: int) -> float:
        """The value of a view: the mean result of a smaller tree."""
        dice = dice_from(seed)
        self.work.states[0] = self.game.imagined(v, seat, dice)
        return float(self.foresee(self.work_for_views, seat, dice))

    def looked(self, seat: Seat, best: int) -> tuple[Move, dict[Move, float]]:
        """The first step of the best turn at the root, and for each first step the mean result of the best of its
        turns, less its penalties. None is better than the best turn, since few visits prove little. A turn without
        visits is judged by its static evaluation, plus the mean change of those with visits.
        """
        root = self.work.nodes[0]
        turns = self.work.nodes[root.head : root.head + root.count]
        visits, totals, statics = turns["visits"], turns["totals"][:, seat], turns["values"][:, seat]
        changed = (totals - visits * statics).sum() / max(visits.sum(), 1)
        means = np.where(visits > 0, totals / np.maximum(visits, 1), statics + changed) - turns["less"]
        found: dict[Move, float] = {}
        firsts = self.work.lines["steps"][DECIDED : DECIDED + root.count, 0].tolist()
        for move, worth in zip(firsts, np.minimum(means, means[best]).tolist(), strict=True):
            found[move] = max(worth, found.get(move, worth))
        return firsts[best], found

    def mark(self, s: State, seat: Seat, move: Move, memory: Any) -> float:
        """The static evaluation of a step, less the penalty for a repeated position if it ends the turn there."""
        found = float(self.static_value(s, seat, move, self.work.states[SPARE:], self.work.out))
        then = self.game.after(s, seat, move)
        return found if self.game.asked(then) == (seat,) else found - float(self.again(then, seat, memory))
