"""A tree of whole turns: for games in which a turn is made of small steps and everybody sees nearly all.

In each position of the tree the best whole turns are found by a beam over the steps and judged at first sight; so a
step that can be taken back is never looked at without what completes it. The tree grows where turns are promising, as
in Monte Carlo tree search (PUCT), and each way down goes on, by what is best at first sight, to the end of a turn of
whoever decides: what a position is worth should not depend on who has just moved. Each seat plays for itself (max^n),
and by `oppose` against the best of the others. Nature throws her dice anew each time that she is passed.

A game may offer `all_values(s, out)`, the value for all seats at once; `dullness(s)`, how near an end is that nobody
likes; `doubts_first_sight(s)`, whether the turns to decide between are looked at equally often; and `worth_trying`.
Rollouts decide where several are asked at once.
"""

from dataclasses import dataclass, replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from backroom.bots import plans, rollouts
from backroom.bots.hashing import fingerprint, hashed_words
from backroom.bots.memory import AGAIN, MOST_STEPS, await_there, decide_on, goes_on, has_been, next_step, note
from backroom.bots.plans import number
from backroom.bots.rollouts import all_worth_trying
from backroom.bots.thinking import NOBODY, blurred, is_late, lost_by_all, never, share_out
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, kernel, lowest, pick, record, without_back

NEEDS = ("value", "imagine")
"""What a game's module has to offer."""
MOST_WIDTH, MOST_BEAM, MOST_NODES, MOST_DEPTH = 64, 32, 8_192, 64
"""Turns of a position; unfinished turns at a time; positions of a tree; and how many lie behind one another."""
ROOM = MOST_STEPS - 4
"""A turn of more steps is judged where it stands."""
WIDE, WIDE_FIRST = 400, 4_000
"""Steps that are tried in a position before only the best unfinished turn is gone on with; and where it is decided."""
MANY = 200
"""Steps that are tried for each position that is counted: one with more of them counts as several."""
NEW, OVER, BY_NATURE = -1, -2, -3
"""Instead of whoever moves in a position: nobody has looked yet; the game is over; nature moves."""
UNSEEN = -1.0
"""What a turn that was not looked at is short of one that was looked at once."""
SURE = 1e6
"""What a turn that wins is worth more than any number of looks."""

# Where states lie in a workspace: the positions of the tree, then unfinished turns before and after a step, the best
# whole turns, and two to try a step in. Each turn has a line with the same number, counted from PARTS; then come those
# of the turns to decide between.

PARTS = MOST_NODES
TURNS = PARTS + 2 * MOST_BEAM
SPARE = TURNS + MOST_WIDTH
STATES = SPARE + 2
DECIDED = SPARE - PARTS
LINES = DECIDED + MOST_WIDTH
LINE = record([("mark", "f8"), ("count", "i8"), ("steps", "i4", MOST_STEPS)])
"""A turn, or a part of one: what it looks like at first sight, and its steps."""


@dataclass(frozen=True, slots=True)
class Plan(plans.Plan):
    """How far and how wide the tree grows."""

    iterations: int = number(400, most=1_000_000)
    """Positions whose turns are looked at; 0: the turn that is best at first sight."""
    width: int = number(12, least=1, most=MOST_WIDTH)
    """How many whole turns are kept in each."""
    first: int = number(32, least=1, most=MOST_WIDTH)
    """The same for the turn that is to be decided."""
    beam: int = number(8, least=1, most=MOST_BEAM)
    """How many unfinished turns are gone on with, after each step."""
    curious: float = number(0.15, most=100)
    """How much a turn that looks good at first sight is preferred while it was looked at less."""
    warmth: float = number(0.04, least=0.001, most=100)
    """By how much less a turn must look worse to be looked at as often, e times as often."""
    mix: float = number(1.0, most=1)
    """How much of what is found is the value after a turn of one's own; the rest is that before it."""
    halve: int = number(16, least=1, most=MOST_WIDTH)
    """How many turns to decide between are looked at equally often, the worse half dropped again and again, where the
    game doubts first sight.
    """
    oppose: float = number(0.0, most=1)
    """How much of what a seat may expect is what the best of the others may not: at 1 half of it."""
    dull: float = number(0.0, most=1)
    """How much less an end that nobody likes is worth than others; positions before it lose as much of that as the game
    says.
    """
    blur: float = number(0.0, most=100)
    """How far off the judgement of a turn may be, in log-odds."""


class Workspace(NamedTuple):
    """What it thinks with."""

    states: Any
    words: Any
    """The same, as words to hash."""
    nodes: Any
    """What is known of each position of the tree (`node_of`)."""
    lines: Any
    worth: Any
    """What each seat may expect."""
    results: Any
    out: Any
    path: Any
    size: Any
    """How many positions the tree has; and how many steps were tried in the last."""
    order: Any
    """The turns to decide between, the better first."""
    dice: Any
    rolls: Any
    """What rollouts think with."""
    plan: Any
    stop: Any


def node_of(seats: int) -> Any:
    """What is known of a position of the tree."""
    return record(
        [
            ("mover", "i4"),
            ("head", "i4"),  # its first child
            ("count", "i4"),  # how many there are
            ("after", "i4"),  # the next child, among nature's
            ("by", "i4"),  # nature's move that led here
            ("visits", "i4"),
            ("prior", "f8"),
            ("less", "f8"),  # how much less it is taken to be worth by whoever decides
            ("totals", "f8", seats),  # what was found behind it, added up
            ("values", "f8", seats),  # what it is worth at first sight
        ]
    )


@kernel
def never_dull(s):  # type: ignore[no-untyped-def]
    """For games that say nothing."""
    return 0.0


@kernel
def never_in_doubt(s):  # type: ignore[no-untyped-def]
    """For games that say nothing."""
    return False


@cache
def judge_all_of(game: Game) -> Any:
    """The kernel `judge_all(work, node)`."""
    rules: Any = game.rules
    asked, score, value, lost, most = rules.asked, rules.score, rules.value, lost_by_all(game), max(rules.SEATS)
    dullness = getattr(rules, "dullness", never_dull)

    @kernel
    def by_one(s, out):  # type: ignore[no-untyped-def]
        """Seat by seat; a seat that nobody has may be judged too."""
        for seat in range(most):
            out[seat] = value(s, seat)

    all_values = getattr(rules, "all_values", by_one)

    @kernel
    def judge_all(work, node):  # type: ignore[no-untyped-def]
        """Begin a position of the tree: nobody has looked at it, and it is worth what it is at first sight."""
        s, here, is_over = work.states[node], work.nodes[node], asked(work.states[node]) == 0
        for i in range(len(work.results)):
            work.results[i] = NOBODY if is_over else 0.0
        if is_over:
            score(s, work.results)
            share_out(work.results, lost)
        else:
            all_values(s, work.results)
        here.mover, here.visits, here.less, here.head, here.count = NEW, 0, 0.0, -1, 0
        left, half = 1.0 - work.plan.dull * dullness(s), 0.0 if is_over else 0.5 * work.plan.oppose
        for seat in range(most):
            best = 0.0
            for other in range(most):
                if other != seat:
                    best = max(best, work.results[other])
            here.totals[seat] = 0.0
            here.values[seat] = left * ((1.0 - half) * max(work.results[seat], 0.0) + half * (1.0 - best))

    return judge_all


@kernel
def place_for(lines, first, n, room, mark):  # type: ignore[no-untyped-def]
    """Where a mark goes in a list of n that has room for the best ones; -1: nowhere."""
    if n < room:
        return n
    worst = 0
    for i in range(1, n):
        if lines[first + i].mark < lines[first + worst].mark:
            worst = i
    return worst if mark > lines[first + worst].mark else -1


@kernel
def put_in(work, first, n, room, spare, mark, steps, length):  # type: ignore[no-untyped-def]
    """Keep a turn, or a part of one, if it is among the best; says how many there are then."""
    place = place_for(work.lines, first - PARTS, n, room, mark)
    if place < 0:
        return n
    line = work.lines[first - PARTS + place]
    work.states[first + place] = work.states[spare]
    line.mark, line.count = mark, length
    for k in range(length):
        line.steps[k] = steps[k]
    return max(n, place + 1)


@cache
def list_turns_of(game: Game) -> Any:
    """The kernel `list_turns(work, node, seat, width, wide)`."""
    rules: Any = game.rules
    asked, moves, play, value, back, most = (
        rules.asked, rules.moves, rules.play, rules.value, rules.BACK, rules.MOST_MOVES
    )  # fmt: skip
    worth_trying, (_, hashed) = getattr(rules, "worth_trying", all_worth_trying), hashed_words(game)

    @kernel
    def is_known(work, first, n, spare, mark, seat, is_whole):  # type: ignore[no-untyped-def]
        """Whether other steps led to the same position; of unfinished turns those that look exactly as good are taken
        for it, for hardly anything else does.
        """
        key = np.uint64(0)
        for i in range(n):
            if work.lines[first - PARTS + i].mark == mark:
                if not is_whole:
                    return True
                if key == 0:
                    key = fingerprint(work.words[spare], hashed, seat)
                if fingerprint(work.words[first + i], hashed, seat) == key:
                    return True
        return False

    @kernel
    def list_turns(work, node, seat, width, wide):  # type: ignore[no-untyped-def]
        """Put where the best whole turns of a seat lead to at TURNS; says how many they are. None if it is late, except
        where it is to be decided.
        """
        work.states[PARTS] = work.states[node]
        work.lines[0].count = 0
        base, parts, half, n, tried = PARTS, 1, 0, 0, 0
        out, then, steps = work.out[:most], work.out[most : 2 * most], work.out[2 * most :]
        while parts:
            if node and is_late(work):
                return 0
            if tried >= wide:
                for i in range(1, parts):
                    if work.lines[base + i - PARTS].mark > work.lines[base - PARTS].mark:
                        work.lines[base - PARTS] = work.lines[base + i - PARTS]
                        work.states[base] = work.states[base + i]
                parts = 1
            half, more = 1 - half, 0
            next_base = PARTS + half * MOST_BEAM
            for part in range(base, base + parts):
                length = work.lines[part - PARTS].count
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
                        spare = SPARE
                        if can_go_back:
                            spare = SPARE + 1
                            work.states[spare] = work.states[SPARE]
                            play(work.states[spare], seat, then[j])
                            steps[length + 1] = then[j]
                        made = length + 2 if can_go_back else length + 1
                        mark = value(work.states[spare], seat)
                        tried += 1
                        if asked(work.states[spare]) == 1 << seat and made < ROOM:
                            if not is_known(work, next_base, more, spare, mark, seat, False):
                                more = put_in(work, next_base, more, work.plan.beam, spare, mark, steps, made)
                        elif not is_known(work, TURNS, n, spare, mark, seat, True):
                            n = put_in(work, TURNS, n, width, spare, mark, steps, made)
            base, parts = next_base, more
        work.size[1] = tried
        return n

    return list_turns


@kernel
def select(work, node):  # type: ignore[no-untyped-def]
    """The child to look at next. One that nobody has looked at is taken to change as the others did on average."""
    seat, base, n = work.nodes[node].mover, work.nodes[node].head, work.nodes[node].count
    changed, seen = 0.0, 0
    for i in range(base, base + n):
        child = work.nodes[i]
        changed += child.totals[seat] - child.visits * child.values[seat]
        seen += child.visits
    changed /= max(seen, 1)
    best, most_worth, root = base, -1e9, np.sqrt(seen + 1.0)
    for i in range(base, base + n):
        child = work.nodes[i]
        worth = child.totals[seat] / child.visits if child.visits else child.values[seat] + changed
        worth += work.plan.curious * child.prior * root / (1 + child.visits) - child.less
        if worth > most_worth:
            best, most_worth = i, worth
    return best


@kernel
def weigh(work, node):  # type: ignore[no-untyped-def]
    """How often the children of a position are to be looked at, by their first sight; says which is best."""
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
def put_first(work, seat, n, left):  # type: ignore[no-untyped-def]
    """Bring the best of n turns to decide between to the front of `order`, in order; says how many these are."""
    left = min(left, n)
    for i in range(left):
        for j in range(i + 1, n):
            if mark_of(work, seat, work.order[j]) > mark_of(work, seat, work.order[i]):
                work.order[i], work.order[j] = work.order[j], work.order[i]
    return left


@kernel
def mark_of(work, seat, node):  # type: ignore[no-untyped-def]
    """What a turn to decide between has come to so far."""
    child = work.nodes[node]
    return (child.totals[seat] / child.visits if child.visits else child.values[seat] + UNSEEN) - child.less


@cache
def grow_of(game: Game) -> Any:
    """The kernel `grow(work, seat, dice, memory)`."""
    asked, moves, odds, play, most = (
        game.rules.asked, game.rules.moves, game.rules.odds, game.rules.play, max(game.rules.SEATS)
    )  # fmt: skip
    doubts_first_sight = getattr(game.rules, "doubts_first_sight", never_in_doubt)
    list_turns, judge_all, again = list_turns_of(game), judge_all_of(game), again_of(game)

    @kernel
    def let_nature(work, node):  # type: ignore[no-untyped-def]
        """The child after a move that nature throws now, and whether it is a new one."""
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

    @kernel
    def expand(work, node, is_first):  # type: ignore[no-untyped-def]
        """Add the turns of a position to the tree; what it is worth comes into `worth`. Says how many positions that
        counts for; none if it is late.
        """
        here, seat, base, mix = work.nodes[node], lowest(asked(work.states[node])), work.size[0], work.plan.mix
        if is_first:
            n = list_turns(work, node, seat, work.plan.first, WIDE_FIRST)
        else:
            n = list_turns(work, node, seat, work.plan.width, WIDE)
        for other in range(most):
            work.worth[other] = here.values[other]
        if n == 0:
            return 0
        for i in range(n):
            work.states[base + i] = work.states[TURNS + i]
            judge_all(work, base + i)
        here.mover, here.head, here.count = seat, base, n
        work.size[0] += n
        best = work.nodes[weigh(work, node)]
        for other in range(most):
            work.worth[other] += mix * (best.values[other] - here.values[other])
        return 1 + work.size[1] // MANY

    @kernel
    def prepare(work, seat, dice, memory):  # type: ignore[no-untyped-def]
        """Keep the turns to decide between, and how they are misjudged; says whether there is anything to look at."""
        n, base, is_won = work.nodes[0].count, work.nodes[0].head, False
        for i in range(n):
            child = work.nodes[base + i]
            work.lines[DECIDED + i] = work.lines[TURNS - PARTS + i]
            mark = child.values[seat]
            child.less = mark - blurred(dice, mark, work.plan.blur) + again(work.states[base + i], memory)
            is_won = is_won or mark >= 1.0
        return n > 1 and not is_won

    @kernel
    def descend(work, seat, first):  # type: ignore[no-untyped-def]
        """Go down the tree, and on to the end of a turn of the seat; tell all positions on the way what is found there.
        `first` is the turn to begin with, or -1. Says how many positions were looked at.
        """
        node, length, looked, is_new = 0, 0, 0, False
        while True:
            if is_new:
                judge_all(work, node)
            here, is_new = work.nodes[node], False
            work.path[length] = node
            length += 1
            if here.mover == NEW:
                mask = asked(work.states[node])
                if mask == 0:
                    here.mover = OVER
                elif mask == 1 << NATURE:
                    here.mover = BY_NATURE
                elif work.size[0] + MOST_WIDTH + MOST_DEPTH <= MOST_NODES:
                    found = expand(work, node, node == 0)
                    looked += found
                    if found == 0 or here.mover == seat:
                        break
            if here.mover == OVER or here.mover == NEW or length == MOST_DEPTH:
                for other in range(most):
                    work.worth[other] = here.values[other]
                break
            if here.mover == BY_NATURE:
                node, is_new = let_nature(work, node)
            else:
                node = first if node == 0 and first >= 0 else select(work, node)
        for i in range(length):
            here = work.nodes[work.path[i]]
            here.visits += 1
            for other in range(most):
                here.totals[other] += work.worth[other]
        return max(looked, 1)

    @kernel
    def halve(work, seat):  # type: ignore[no-untyped-def]
        """Look at the best turns equally often, and drop the worse half again and again (sequential halving). Says
        which is left.
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
                    if is_late(work) or work.size[0] + MOST_WIDTH + MOST_DEPTH > MOST_NODES:
                        put_first(work, seat, left, 1)
                        return order[0] - base
                    done += descend(work, seat, order[i])
            left = put_first(work, seat, left, (left + 1) // 2)
        return order[0] - base

    @kernel
    def grow(work, seat, dice, memory):  # type: ignore[no-untyped-def]
        """A tree from `states[0]`; says which turn is the best. The turns of that position are looked at however late
        it is, and do not count.
        """
        work.size[0] = 1
        judge_all(work, 0)
        work.dice[0] = dice[0]
        descend(work, seat, -1)
        done, goes = 0, prepare(work, seat, dice, memory)
        if goes and doubts_first_sight(work.states[0]):
            return halve(work, seat)
        while goes and done < work.plan.iterations and not is_late(work):
            if work.size[0] + MOST_WIDTH + MOST_DEPTH > MOST_NODES:
                break
            done += descend(work, seat, -1)
        return most_looked_at(work, seat)

    return grow


@cache
def again_of(game: Game) -> Any:
    """The kernel `again(s, memory)`: how much less it is worth that a turn ends where earlier ones have."""
    rules: Any = game.rules
    if not hasattr(rules, "layout"):

        @kernel
        def never_again(s, memory):  # type: ignore[no-untyped-def]
            """For games in which nothing comes back."""
            return 0.0

        return never_again
    layout = rules.layout

    @kernel
    def again(s, memory):  # type: ignore[no-untyped-def]
        return AGAIN * has_been(memory, layout(s))

    return again


@cache
def keep_of(game: Game) -> Any:
    """The kernel `keep(s, seat, memory)`: notes how a turn has ended, if it has."""
    rules: Any = game.rules
    if not hasattr(rules, "layout"):

        @kernel
        def keep_nothing(s, seat, memory):  # type: ignore[no-untyped-def]
            """For games in which nothing comes back."""

        return keep_nothing
    asked, layout = rules.asked, rules.layout

    @kernel
    def keep(s, seat, memory):  # type: ignore[no-untyped-def]
        if asked(s) != 1 << seat:
            note(memory, layout(s))

    return keep


@kernel
def most_looked_at(work, seat):  # type: ignore[no-untyped-def]
    """Which of the turns to decide between: one that wins; else the one that was looked at most, of equals the better
    one.
    """
    best, most_worth = 0, -1e9
    for i in range(work.nodes[0].count):
        child = work.nodes[work.nodes[0].head + i]
        worth = child.totals[seat] / child.visits if child.visits else child.values[seat] + UNSEEN
        worth += child.visits - child.less + (SURE if child.values[seat] >= 1.0 else 0.0)
        if worth > most_worth:
            best, most_worth = i, worth
    return best


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
    """Whether a game can be played so: nothing may be hidden but what nature has yet to decide."""
    return all(hasattr(game.rules, name) for name in NEEDS)


A_WORLD = 600
"""Positions of a tree that a judge trades for a world to roll out in."""
ROLLS = rollouts.Plan(worlds=1, width=16, turns=1, blur=0.02)
"""How it is decided by rollouts."""


def workspace_for(game: Game, plan: Plan) -> Workspace:
    """What it needs."""
    most, seats, (word, _) = game.rules.MOST_MOVES, max(game.rules.SEATS), hashed_words(game)
    states = np.zeros(STATES, game.rules.STATE)
    return Workspace(
        states=states,
        words=states.view(word).reshape(STATES, -1),
        nodes=np.zeros(MOST_NODES, node_of(seats)),
        lines=np.zeros(LINES, LINE),
        worth=np.zeros(seats),
        results=np.zeros(max(NATURE, 3 * seats)),
        out=np.zeros(2 * most + MOST_STEPS, np.int32),
        path=np.zeros(MOST_DEPTH, np.int32),
        size=np.zeros(2, np.int64),
        order=np.zeros(MOST_WIDTH, np.int64),
        dice=np.zeros(1, np.uint64),
        rolls=rollouts.workspace_for(game, ROLLS),
        plan=plan.record,
        stop=never(),
    )


class Judge(rollouts.Judge):
    """What moves and views are worth, by rollouts: a tree behind each move would have to be small, and says less."""

    def __init__(self, game: Game, plan: Plan) -> None:
        super().__init__(game, replace(ROLLS, worlds=max(1, plan.iterations // A_WORLD)))
