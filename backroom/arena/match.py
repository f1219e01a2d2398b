"""Matches between bots: each seed is played again with the seats swapped."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from itertools import count, islice
from typing import Any, NamedTuple

import numpy as np

from backroom.arena.result import MatchResult
from backroom.bots.bot import Bot
from backroom.bots.memory import forget, memories
from backroom.bots.reflexes import reflex_of
from backroom.bots.seeds import bots_seed_of, dice_of
from backroom.engine.game import Game
from backroom.engine.kernel import NATURE, UNKNOWN, below, dice_from, kernel, lowest, pick, without_back
from backroom.engine.options import BadOption


class Ring(NamedTuple):
    """The buffers of one game between two bots."""

    s: Any
    """The state."""
    v: Any
    """The view of the seat that is asked."""
    out: Any
    """Buffer for moves or odds."""
    dice: Any
    """The dice of the bot that decides."""
    memories: Any
    """The memory of each seat."""
    made: Any
    """The number of moves that each seat has made."""
    told: Any
    """Nature's first moves, if they are given; after them nature draws from her own dice."""
    log: Any
    """The seat and the move of each line."""
    lines: Any
    """The number of lines so far."""
    opening: Any
    """The number of random moves that are still to be played."""
    quick: Any
    """The seats whose bots also move when they are not asked, as bits."""


def ring_for(game: Game, told: Iterable[int] = (), longest: int | None = None) -> Ring:
    """Buffers for a game, which is cut off at the longest log it may have."""
    s, v = np.zeros((2, 1), game.rules.STATE)
    return Ring(
        s=s,
        v=v,
        out=np.empty(game.rules.MOST_MOVES, np.int32),
        dice=np.zeros(1, np.uint64),
        memories=memories(NATURE),
        made=np.zeros(NATURE + 1, np.int64),
        told=np.fromiter(told, np.int32),
        log=np.zeros((longest or game.rules.LONGEST, 2), np.int32),
        lines=np.zeros(1, np.int64),
        opening=np.zeros(1, np.int64),
        quick=np.zeros(1, np.int64),
    )


@kernel
def no_reflex(v, seat):  # type: ignore[no-untyped-def]
    """The default for games in which bots move only when they are asked."""
    return UNKNOWN


@cache
def referee_of(game: Game) -> tuple[Any, Any]:
    """The kernels `begin` and `go_on`, which carry a game from one decision of a bot to the next.

    They are compiled once for a game. If they called the bots' kernels themselves, they would have to be compiled again
    for each pair of bots, which takes longer than most matches.
    """
    setup, asked, moves, odds, play, hide = (
        getattr(game.rules, k) for k in ("setup", "asked", "moves", "odds", "play", "hide")
    )
    back, reflex = game.rules.BACK, getattr(game.rules, "reflex", no_reflex)

    @kernel
    def begin(ring, seats, options, opening, quick):  # type: ignore[no-untyped-def]
        """Begin a game: its first `opening` answers of seats are random moves drawn by nature. Only after them do the
        bots of the seats in `quick` move at once when they are not asked.
        """
        setup(ring.s[0], seats, options)
        ring.made[:] = 0
        ring.lines[0] = 0
        ring.opening[0] = opening
        ring.quick[0] = quick
        for seat in range(seats):
            forget(ring.memories[seat])

    @kernel
    def natures_move(ring, chance):  # type: ignore[no-untyped-def]
        """The next of nature's given moves, or a random one."""
        if ring.made[NATURE] < len(ring.told):
            return ring.told[ring.made[NATURE]]
        place = pick(chance, ring.out, odds(ring.s[0], ring.out))
        moves(ring.s[0], NATURE, ring.out)
        return ring.out[place]

    @kernel
    def any_move(ring, seat, chance):  # type: ignore[no-untyped-def]
        """A random move for the opening."""
        return ring.out[below(chance, without_back(ring.out, moves(ring.v[0], seat, ring.out), back))]

    @kernel
    def carry_out(ring, seat, move):  # type: ignore[no-untyped-def]
        play(ring.s[0], seat, move)
        ring.log[ring.lines[0], 0], ring.log[ring.lines[0], 1] = seat, move
        ring.made[seat] += 1
        ring.lines[0] += 1

    @kernel
    def show(ring, seat):  # type: ignore[no-untyped-def]
        ring.v[0] = ring.s[0]
        hide(ring.v[0], seat)

    @kernel
    def moves_at_once(ring, mask):  # type: ignore[no-untyped-def]
        """Carry out the move that the lowest seat makes at once although it is not asked, if there is one."""
        left = ring.quick[0] & ~mask
        while left:
            seat = lowest(left)
            left &= left - 1
            show(ring, seat)
            move = reflex(ring.v[0], seat)
            if move != UNKNOWN:
                carry_out(ring, seat, move)
                return True
        return False

    @kernel
    def go_on(ring, seat, move, chance, bots_seed):  # type: ignore[no-untyped-def]
        """Carry out a move, unless it is -1, and what follows up to the next decision of a bot; returns its seat, whose
        view and dice are then in the ring, or -1 if the game is over.
        """
        if move >= 0:
            carry_out(ring, seat, move)
        mask = asked(ring.s[0])
        while mask and ring.lines[0] < len(ring.log):
            asked_seat = lowest(mask)
            if mask == 1 << NATURE:
                carry_out(ring, asked_seat, natures_move(ring, chance))
            elif ring.opening[0] > 0 or not moves_at_once(ring, mask):
                show(ring, asked_seat)
                ring.dice[0] = dice_of(bots_seed, asked_seat, ring.made[asked_seat])
                if ring.opening[0] == 0:
                    return asked_seat
                ring.opening[0] -= 1
                carry_out(ring, asked_seat, any_move(ring, asked_seat, chance))
            mask = asked(ring.s[0])
        return -1

    return begin, go_on


def contest_of(first: Bot, second: Bot) -> Callable[..., int]:
    """A function that plays one game between two bots.

    Its arguments: `contest(ring, seats, options, firsts, opening, chance, bots_seed)`.
    """
    begin, go_on = referee_of(first.game)

    def contest(
        ring: Ring, seats: int, options: Any, firsts: int, opening: int, chance: Any, bots_seed: np.uint64
    ) -> int:
        """Play one game; returns the number of lines of its log.

        `firsts` are the seats of the first bot, as bits. Nature draws from `chance`; the bots' dice are derived from
        `bots_seed`. The first `opening` answers of seats are random moves drawn by nature.
        """
        players = [first if firsts >> seat & 1 else second for seat in range(seats)]
        quick = sum(1 << seat for seat, bot in enumerate(players) if reflex_of(bot.name, bot.game) is not None)
        begin(ring, seats, options, opening, quick)
        chooses = [(bot.choose, bot.work) for bot in players]
        v, memories = ring.v[0], list(ring.memories[:seats])
        seat = go_on(ring, 0, -1, chance, bots_seed)
        while seat >= 0:
            choose, work = chooses[seat]
            move = choose(v, seat, ring.dice, work, memories[seat])
            seat = go_on(ring, seat, move, chance, bots_seed)
        return int(ring.lines[0])

    return contest


def pairs(
    first: Bot, second: Bot, seats: int, options: Any, opening: int, seeds: Iterable[int]
) -> Iterator[MatchResult]:
    """Play two games for each seed: the first bot in every other seat, and then in the rest."""
    game = first.game
    contest, ring = contest_of(first, second), ring_for(game)
    for seed in seeds:
        games: list[tuple[float | None, float]] = []
        for parity in range(2):
            firsts = sum(1 << seat for seat in range(seats) if seat % 2 == parity)
            chance, bots_seed = dice_from(seed), np.uint64(bots_seed_of(str(seed)))
            contest(ring, seats, options, firsts, opening, chance, bots_seed)
            if game.asked(ring.s[0]):
                raise RuntimeError(f"a game of {game.name} between {first.name} and {second.name} does not end")
            score = game.score(ring.s[0], seats)
            mine = [score[seat] for seat in range(seats) if firsts >> seat & 1]
            theirs = [score[seat] for seat in range(seats) if not firsts >> seat & 1]
            winners = game.winners(ring.s[0], seats)
            won = sum(firsts >> seat & 1 for seat in winners) / len(winners) if winners else None
            ahead = sum(mine) / len(mine) - sum(theirs) / len(theirs)
            games.append((won, ahead))
        yield MatchResult.of_seed(games)


def match(
    first: Bot,
    second: Bot,
    games: int,
    seats: int | None = None,
    seed: int = 0,
    threads: int = 1,
    until_sure: bool = False,
    opening: int = 0,
    told: Callable[[MatchResult], object] = lambda so_far: None,
    **options: object,
) -> MatchResult:
    """Play an even number of games, or until it is certain who is better; `told` is called with each new result.

    The first `opening` moves of a game are random, and the same with the seats swapped: without chance and noise two
    bots would play the same game again and again. Bots remember nothing from other games, so the result does not depend
    on the number of threads.
    """
    game = first.game
    seats, chosen = game.settle(seats, options)
    if seats == 1:
        raise BadOption(f"{game.name} with one seat has nobody to play against")
    numbers = game.encoded(chosen)
    seeds = count(seed)
    total = MatchResult()

    def play(share: list[int]) -> MatchResult:
        return sum(pairs(first, second, seats, numbers, opening, share), MatchResult())

    with ThreadPoolExecutor(threads) as pool:
        while total.games < games and not (until_sure and total.is_settled):
            left = (games - total.games + 1) // 2
            batch = max(1, min(left // threads, 1 if until_sure else 8))
            shares = [list(islice(seeds, batch)) for _ in range(min(threads, left))]
            for part in pool.map(play, shares):
                if not (until_sure and total.is_settled):  # games played after that do not count
                    total += part
            told(total)
    return total
