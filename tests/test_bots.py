"""Bots in the arena: what they see, what they find, and the statistics of a match."""

import itertools
import math

import numpy as np
import pytest
import terminals

import backroom
from backroom.arena.ladder import Meeting, ladder
from backroom.arena.match import buffers_for, match, play_game
from backroom.arena.result import MatchResult
from backroom.bots import Bot, bot, bots_of, plies, search, seated, tree
from backroom.bots.bot import PLAIN, strategy_of
from backroom.bots.search import Plan, consider
from backroom.bots.shares import NOBODY, share_out
from backroom.engine.kernel import dice_from, kernel
from backroom.engine.options import BadOption

GAMES = list(backroom.names())
SECRET = [name for name in GAMES if backroom.game(name).rules.SECRETS]
QUICK = {"search": "search:8", "net": "net:2", "expert": "expert:games=2,turns=1,plies=2,width=2"}
"""Slow bots with less to do. Levels look one ply ahead with the net, or three."""
LESS = {tree: ":iterations=20", plies: ":width=2"}
"""What makes a level quicker without changing how it thinks, by its strategy."""


def quick(who, game):
    """The name of the bot, or of one that has less to do in the same way."""
    if who in QUICK or who in PLAIN:
        return QUICK.get(who, who)
    return who + LESS.get(strategy_of(who, game)[0], "")


@pytest.mark.parametrize(("name", "who"), [(name, who) for name in GAMES for who in bots_of(backroom.game(name))])
def test_bots_play_legal_games_to_the_end(name, who):
    game = backroom.game(name)
    player = bot(quick(who, game), game)
    for seats in game.seats:
        table = game.table(seats, seed=seats)
        memories = [player.memory() for _ in range(seats)]
        for number in itertools.count():
            if table.is_over or number > 400:
                break
            seat = table.asked[number % len(table.asked)]
            move = player.answer(table.view(seat), seat, number, memories[seat])
            assert move in game.moves(table.state, seat)
            table.play(seat, table.game.rules.name(table.view(seat), move))


@pytest.mark.parametrize("name", SECRET)
def test_in_the_arena_a_bot_is_given_the_view_of_its_seat(name):
    game = backroom.game(name)
    hide = game.rules.hide

    @kernel
    def spy(v, seat, dice, work, memory):
        """Plays the first move, and counts how often it was given something other than its own view."""
        worlds, words, out, looked = work
        worlds[0] = v
        worlds[1] = v
        hide(worlds[1], seat)
        looked[0] += 1
        for i in range(words.shape[1]):
            if words[0, i] != words[1, i]:
                looked[1] += 1
        game_moves(v, seat, out)
        return out[0]

    game_moves = game.rules.moves
    worlds = np.zeros(2, game.rules.STATE)
    looked = np.zeros(2, np.int64)
    out = np.zeros(game.rules.MOST_MOVES, np.int32)
    work = (worlds, worlds.view(np.uint8).reshape(2, -1), out, looked)
    match(Bot("spy", game, spy, lambda: work), bot("random", game), 6)
    assert looked[0] >= 12  # in six games, some of them short
    assert looked[1] == 0


@pytest.mark.parametrize("name", SECRET)
def test_search_does_not_see_what_is_hidden(name):
    """In two worlds that a seat cannot tell apart, the bot plays the same move."""
    game = backroom.game(name)
    player = bot("search:40", game)
    differing = 0
    for seed, (seats, options) in zip(range(12), itertools.cycle(game.settings()), strict=False):
        s = game.start(seats, options)
        for number, (_, _) in enumerate(game.stroll(s, seats, dice_from(seed))):
            for seat in game.asked(s):
                if seat < seats and number % 7 == seed % 7:
                    v = game.view(s, seat)
                    other = game.imagined(v, seat, dice_from(number))
                    differing += game.key(other) != game.key(s)
                    answers = {player.answer(game.view(world, seat), seat, number) for world in (s, other)}
                    assert len(answers) == 1
            if number > 60:
                break
    assert differing


@pytest.mark.parametrize("name", GAMES)
@pytest.mark.parametrize("iterations", [1, 30])
def test_regret_is_matched_where_seats_answer_together(name, iterations):
    """The search plays legal games to the end, with a single iteration and with more."""
    game = backroom.game(name)
    player = bot(f"search:iterations={iterations},regret=1", game)
    table = game.table(seed=11)
    for number in itertools.count():
        if table.is_over:
            break
        seat = table.asked[-1]
        v = table.view(seat)
        table.play(seat, game.rules.name(v, player.answer(v, seat, number)))


@pytest.mark.parametrize("name", GAMES)
def test_a_search_looks_at_the_moves_that_it_chooses_from(name):
    """At every table and for every seat that is asked, the search starts with the seat's own moves."""
    game = backroom.game(name)
    think, look_back = search.think_of(game), search.look_back_of(game)
    for seats in game.seats:
        table = game.table(seats, seed=seats)
        for number in range(12):
            if table.is_over:
                break
            for seat in table.asked:
                v, work = table.view(seat), search.workspace_for(game, Plan())
                if len(set(game.moves(v, seat)) - {game.rules.BACK}) > 1:
                    think(v, seat, dice_from(number), work, 40)
                    assert work.tried[: look_back(v, seat, work)].sum() >= 20
            seat = table.asked[-1]
            v = table.view(seat)
            table.play(seat, game.rules.name(v, game.moves(v, seat)[number % len(game.moves(v, seat))]))


def test_what_a_seat_has_of_the_win():
    def shares(*scores, lost=NOBODY):
        results = np.full(5, NOBODY)
        results[: len(scores)] = scores
        share_out(results, lost)
        return list(results[: len(scores)])

    assert shares(3, 1) == [1, 0]
    assert shares(2, 2) == [0.5, 0.5]
    assert shares(-5, -5, -7) == [0.75, 0.75, 0]
    assert shares(0, 0, 0) == [0.5, 0.5, 0.5]
    assert shares(1, 9, 2, 3) == [0, 1, 0, 0]
    assert shares(-9, -9, lost=-9) == [0, 0]  # nobody wins
    assert shares(-9, 1, lost=-9) == [0, 1]


def test_a_match_is_the_same_on_any_number_of_threads():
    game = backroom.game(terminals.GAME)
    first, second = bot("search:8", game), bot("search:iterations=8", game)
    alone = match(first, second, 40, seed=5)
    assert match(first, second, 40, seed=5, threads=3) == alone
    assert alone.games == 40


@pytest.mark.parametrize("name", [name for name in GAMES if max(backroom.game(name).seats) > 1])
def test_an_opening_by_chance_is_the_same_with_the_seats_changed(name):
    """So the same bot on both sides plays every game twice, and wins exactly half of each seed."""
    game = backroom.game(name)
    first, second = bot("greedy", game), bot("greedy", game)
    result = match(first, second, 8, seed=3, opening=6)
    assert (result.wins, result.wins_squared) == (4, 4)
    seats, options = game.settle(None, {})
    buffers, ends = buffers_for(game), set()
    for opening, seed in [(0, 0), (6, 0), (6, 1), (6, 2)]:
        chance, bots_seed = dice_from(seed), np.uint64(seed)
        play_game(buffers, first, second, seats, game.encoded(options), 1, opening, chance, bots_seed)
        ends.add(game.key(buffers.s[0]))
    assert len(ends) == 4


def test_a_match_between_equals_is_even():
    """The same bot on both sides, with the same dice for both: the winner of one game loses the other."""
    game = backroom.game(terminals.GAME)
    result = match(bot("random", game), bot("random", game), 400)
    low, high = result.interval
    assert low < 0.5 < high
    assert not result.is_settled
    mean, reach = result.points_a_game
    assert abs(mean) <= 3 * reach


def test_a_match_stops_when_it_is_sure():
    game = backroom.game(terminals.GAME)
    result = match(bot("greedy", game), bot("random", game), 5000, until_sure=True)
    assert match(bot("greedy", game), bot("random", game), 5000, until_sure=True, threads=3) == result
    assert result.games < 500
    assert result.share > 0.5
    assert result.is_settled


def of_games(won, lost):
    """One game a seed, each won or lost."""
    return sum([MatchResult.of_seed([(1.0, 1.0)])] * won + [MatchResult.of_seed([(0.0, -1.0)])] * lost, MatchResult())


def test_how_sure_a_result_is():
    """Coin tosses have Wilson's interval; less variance gives a narrower one, and the reverse."""
    low, high = of_games(70, 30).interval
    assert (round(low, 2), round(high, 2)) == (0.6, 0.78)
    alike = sum([MatchResult.of_seed([(1.0, 1.0), (0.0, -1.0)])] * 50, MatchResult())
    fated = sum([MatchResult.of_seed([(1.0, 1.0)] * 2), MatchResult.of_seed([(0.0, -1.0)] * 2)] * 25, MatchResult())
    tossed = sum([alike, fated], MatchResult())
    widths = [high - low for low, high in (alike.interval, tossed.interval, fated.interval)]
    assert widths[0] < 0.03
    assert widths[0] < widths[1] < widths[2]
    assert 0.18 < widths[2] / math.sqrt(2) < 0.2
    assert alike.points_a_game == (0.0, 0.0)
    assert MatchResult.of_seed([(1.0, 1.0), (1.0, 1.0)]).interval[0] < 0.5


def test_a_game_that_nobody_wins_is_lost_by_both():
    none = MatchResult.of_seed([(None, 0.0), (None, 0.0)])
    assert (none.wins, none.nobodys, none.won, none.share, none.interval) == (0, 2, 0, 0.5, (0.0, 1.0))
    assert not none.is_settled
    some = sum(
        [none, MatchResult.of_seed([(1.0, 3.0), (None, 0.0)]), MatchResult.of_seed([(1.0, 1.0), (0.0, -1.0)])],
        MatchResult(),
    )
    assert (some.games, some.wins, some.won) == (6, 2, 3)
    assert some.share == pytest.approx(2 / 3)  # of the games that somebody won
    assert some.interval[0] < 2 / 3 < some.interval[1]


@pytest.mark.parametrize("share", [0.5, 0.8])
@pytest.mark.parametrize("likeness", [0.0, 0.5, 1.0])
def test_intervals_hold_the_truth_95_times_in_100(share, likeness):
    """Pairs of games that are decided alike (1), apart (0), or either way equally often."""
    rng = np.random.default_rng(1)
    held = 0
    for _ in range(400):
        total = MatchResult()
        for _ in range(60):
            first = rng.random()
            second = first if rng.random() < likeness else 1 - first
            total += MatchResult.of_seed([(float(first < share), 0.0), (float(second < share), 0.0)])
        low, high = total.interval
        held += low <= share <= high
    assert 0.92 < held / 400 <= 1


def test_the_ladder_has_the_best_on_top():
    meetings = [
        Meeting("a", "b", of_games(280, 120)),
        Meeting("a", "c", of_games(360, 40)),
        Meeting("b", "c", of_games(300, 100)),
    ]
    rungs = ladder(meetings)
    assert [rung.name for rung in rungs] == ["a", "b", "c"]
    assert [rung.name for rung in ladder(meetings[::-1])] == ["a", "b", "c"]
    assert [round(rung.share, 3) for rung in rungs] == [0.8, 0.525, 0.175]
    assert all(low < rung.share < high for rung in rungs for low, high in [rung.interval])
    assert all(better.interval[0] > worse.interval[1] for better, worse in itertools.pairwise(rungs))
    assert all(better.rating - better.doubt > worse.rating + worse.doubt for better, worse in itertools.pairwise(rungs))


def test_thinking_longer_and_on_more_threads_finds_the_same_kind_of_thing():
    game = backroom.game(terminals.GAME)
    table = game.table(seed=3)
    seat = table.asked[0]
    found = consider(game, table.view(seat), seat, 1, Plan(iterations=600), threads=2)
    assert {one.move for one in found} == set(game.moves(table.state, seat)) - {game.rules.BACK}
    assert sum(one.tried for one in found) >= 500
    assert all(0 <= one.worth <= 1 for one in found)


@pytest.mark.parametrize("name", GAMES)
def test_what_a_bot_has_forgotten_it_recalls(name):
    """A bot that joins in the middle of a turn, and recalls it, plays on like the one that has played it so far."""
    game = backroom.game(name)
    table, medium = game.table(seed=6), bot("medium", game)
    players = [seated(medium, seat, table) for seat in range(table.seats)]
    while not table.is_over and len(table.lines) < 40:
        seat = table.asked[0]
        other = seated(medium, seat, table)
        other.recall(table)
        move = players[seat].move(table)
        assert other.move(table) == move
        table.play(seat, move)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("nobody", "there is no bot called 'nobody'"),
        ("hrad", "did you mean hard"),
        ("random:3", "random has no plan"),
        ("search:-1", "iterations is a whole number from 0 to"),
        ("search:1.5", "iterations is a whole number"),
        ("search:many", "not 'many'"),
        ("search:noise=nan", "noise is a number from 0 to 1, not 'nan'"),
        ("search:iterations=3,noise", "expected NAME=NUMBER"),
        ("search:iteration=3", "did you mean iterations"),
        ("search:" + 200 * "1", "up to 100 letters"),
    ],
)
def test_a_bot_that_there_is_not(name, says):
    with pytest.raises(BadOption, match=says):
        bot(name, backroom.game(GAMES[0]))


def test_a_bot_is_seated_only_where_it_can_play():
    """Before kernels are given a record of another game, or a seat outside of it."""
    game, other = (backroom.game(name) for name in GAMES[:2])
    table, player = game.table(seed=1), bot("random", game)
    assert seated(player, 0, table).move(table) in table.moves(0)
    with pytest.raises(TypeError, match=r"expected a Bot, as bot\(NAME, game\) returns it, not 'random'"):
        seated("random", 0, table)
    with pytest.raises(BadOption, match=f"cannot play {other.name}; expected a bot of that game"):
        seated(player, 0, other.table(seed=1))
    for seat in (-1, table.seats):
        with pytest.raises(BadOption, match=f"there is no seat {seat} at this table"):
            seated(player, seat, table)


def test_names_of_bots():
    game = backroom.game(GAMES[0])
    assert bot("search:300", game).work.plan.iterations == 300
    assert bot("search:iterations=30,regret=1,noise=0.5", game).work.plan.regret == 1
    assert bot("search:300", game) is bot("search:300", game)
    assert bot("search:300", game).work.keys is bot("search:30", game).work.keys  # one workspace a thread
    assert bot("random", game).name == "random"
    assert repr(bot("random", backroom.game(GAMES[0]))).startswith("<bot random for ")
