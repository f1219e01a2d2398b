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


class Buffers(NamedTuple):
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
    given: Any
    """Nature's first moves, if they are given; after them nature draws from her own dice."""
    log: Any
    """The seat and the move of each line."""
    lines: Any
    """The number of lines so far."""
    opening: Any
    """The number of random moves that are still to be played."""
    quick: Any
    """The seats whose bots also move when they are not asked, as bits."""


def buffers_for(game: Game, given: Iterable[int] = (), longest: int | None = None) -> Buffers:
    """Buffers for a game, which is cut off at the longest log it may have."""
    s, v = np.zeros((2, 1), game.rules.STATE)
    return Buffers(
        s=s,
        v=v,
        out=np.empty(game.rules.MOST_MOVES, np.int32),
        dice=np.zeros(1, np.uint64),
        memories=memories(NATURE),
        made=np.zeros(NATURE + 1, np.int64),
        given=np.fromiter(given, np.int32),
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
    def begin(buffers, seats, options, opening, quick):  # type: ignore[no-untyped-def]
        """Begin a game: its first `opening` answers of seats are random moves drawn by nature. Only after them do the
        bots of the seats in `quick` move at once when they are not asked.
        """
        setup(buffers.s[0], seats, options)
        buffers.made[:] = 0
        buffers.lines[0] = 0
        buffers.opening[0] = opening
        buffers.quick[0] = quick
        for seat in range(seats):
            forget(buffers.memories[seat])

    @kernel
    def natures_move(buffers, chance):  # type: ignore[no-untyped-def]
        """The next of nature's given moves, or a random one."""
        if buffers.made[NATURE] < len(buffers.given):
            return buffers.given[buffers.made[NATURE]]
        place = pick(chance, buffers.out, odds(buffers.s[0], buffers.out))
        moves(buffers.s[0], NATURE, buffers.out)
        return buffers.out[place]

    @kernel
    def any_move(buffers, seat, chance):  # type: ignore[no-untyped-def]
        """A random move for the opening."""
        return buffers.out[below(chance, without_back(buffers.out, moves(buffers.v[0], seat, buffers.out), back))]

    @kernel
    def carry_out(buffers, seat, move):  # type: ignore[no-untyped-def]
        play(buffers.s[0], seat, move)
        buffers.log[buffers.lines[0], 0], buffers.log[buffers.lines[0], 1] = seat, move
        buffers.made[seat] += 1
        buffers.lines[0] += 1

    @kernel
    def show(buffers, seat):  # type: ignore[no-untyped-def]
        buffers.v[0] = buffers.s[0]
        hide(buffers.v[0], seat)

    @kernel
    def moves_at_once(buffers, mask):  # type: ignore[no-untyped-def]
        """Carry out the move that the lowest seat makes at once although it is not asked, if there is one."""
        left = buffers.quick[0] & ~mask
        while left:
            seat = lowest(left)
            left &= left - 1
            show(buffers, seat)
            move = reflex(buffers.v[0], seat)
            if move != UNKNOWN:
                carry_out(buffers, seat, move)
                return True
        return False

    @kernel
    def go_on(buffers, seat, move, chance, bots_seed):  # type: ignore[no-untyped-def]
        """Carry out a move, unless it is -1, and what follows up to the next decision of a bot; returns its seat, whose
        view and dice are then in the buffers, or -1 if the game is over.
        """
        if move >= 0:
            carry_out(buffers, seat, move)
        mask = asked(buffers.s[0])
        while mask and buffers.lines[0] < len(buffers.log):
            asked_seat = lowest(mask)
            if mask == 1 << NATURE:
                carry_out(buffers, asked_seat, natures_move(buffers, chance))
            elif buffers.opening[0] > 0 or not moves_at_once(buffers, mask):
                show(buffers, asked_seat)
                buffers.dice[0] = dice_of(bots_seed, asked_seat, buffers.made[asked_seat])
                if buffers.opening[0] == 0:
                    return asked_seat
                buffers.opening[0] -= 1
                carry_out(buffers, asked_seat, any_move(buffers, asked_seat, chance))
            mask = asked(buffers.s[0])
        return -1

    return begin, go_on


def play_game(
    buffers: Buffers,
    first: Bot,
    second: Bot,
    seats: int,
    options: Any,
    firsts: int,
    opening: int,
    chance: Any,
    bots_seed: np.uint64,
) -> int:
    """Play one game between two bots; returns the number of lines of its log. The buffers then have its last state.

    `firsts` are the seats of the first bot, as bits. Nature draws from `chance`; the bots' dice are derived from
    `bots_seed`. The first `opening` answers of seats are random moves drawn by nature.
    """
    begin, go_on = referee_of(first.game)
    players = [first if firsts >> seat & 1 else second for seat in range(seats)]
    quick = sum(1 << seat for seat, bot in enumerate(players) if reflex_of(bot.name, bot.game) is not None)
    begin(buffers, seats, options, opening, quick)
    chooses = [(bot.choose, bot.work) for bot in players]
    v, memories = buffers.v[0], list(buffers.memories[:seats])
    seat = go_on(buffers, 0, -1, chance, bots_seed)
    while seat >= 0:
        choose, work = chooses[seat]
        move = choose(v, seat, buffers.dice, work, memories[seat])
        seat = go_on(buffers, seat, move, chance, bots_seed)
    return int(buffers.lines[0])


def pairs(
    first: Bot, second: Bot, seats: int, options: Any, opening: int, seeds: Iterable[int]
) -> Iterator[MatchResult]:
    """Play two games for each seed: the first bot in every other seat, and then in the rest."""
    game = first.game
    buffers = buffers_for(game)
    for seed in seeds:
        games: list[tuple[float | None, float]] = []
        for parity in range(2):
            firsts = sum(1 << seat for seat in range(seats) if seat % 2 == parity)
            chance, bots_seed = dice_from(seed), np.uint64(bots_seed_of(str(seed)))
            play_game(buffers, first, second, seats, options, firsts, opening, chance, bots_seed)
            if game.asked(buffers.s[0]):
                raise RuntimeError(f"a game of {game.name} between {first.name} and {second.name} does not end")
            score = game.score(buffers.s[0], seats)
            mine = [score[seat] for seat in range(seats) if firsts >> seat & 1]
            theirs = [score[seat] for seat in range(seats) if not firsts >> seat & 1]
            winners = game.winners(buffers.s[0], seats)
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
    on_result: Callable[[MatchResult], object] = lambda so_far: None,
    **options: object,
) -> MatchResult:
    """Play an even number of games, or until it is certain who is better; `on_result` is called with the result so far.

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
            on_result(total)
    return total
