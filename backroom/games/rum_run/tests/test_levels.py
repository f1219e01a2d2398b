"""What the levels must find (a caravan that wins), and that their games neither repeat positions nor each other."""

import itertools
from collections import Counter

import numpy as np
import pytest

from backroom.arena.match import buffers_for, match, play_game
from backroom.bots import bot, ends_of_turns, judge_of, ranked, seated
from backroom.bots.memory import AGAIN
from backroom.bots.seeds import bots_seed_of
from backroom.bots.tree import DECIDED, SERIOUS
from backroom.engine.kernel import dice_from
from backroom.games.rum_run.rules.state import CARAVAN, VIA

from .boards import GAME, after, at, fresh, names

SLOW = "rollouts:worlds=1,width=6,turns=1,blur=1"
"""A bot whose games are long enough for positions to repeat."""
PAST = -1.0
"""A deadline that has passed before anything began."""


def line(s, steps):
    """The moves of a bot in a position, for a number of steps or while the seat is asked."""
    player, found = bot("hard", GAME), []
    (seat,) = GAME.asked(s)
    for number in range(steps):
        if GAME.asked(s) != (seat,):
            break
        move = player.answer(GAME.view(s, seat), seat, number)
        found.append(GAME.rules.name(s, move))
        s = GAME.after(s, seat, move)
    return found, s


def test_a_caravan_that_wins_is_found():
    found, s = line(at("blue g6:1|2v+1 h7:1|3< | red g8:1|2^+1 | scored 7 6"), 1)
    assert found == ["caravan g6"]
    assert s.over
    assert s.winners == 1


def test_a_caravan_whose_free_action_wins_is_found():
    """§6.5: two barrels beside the Town Center, and two are missing."""
    found, s = line(at("blue g6:1|2v+1 h7:1|3<+1 | red g8:1|2^+1 | scored 6 7"), 2)
    assert sorted(found) == ["caravan g6", "caravan h7"]
    assert s.winners == 1


def test_the_one_caravan_that_wins_is_chosen_among_others():
    """Three barrels on the third token: only from the first is one scored now."""
    s = at("blue g6:1|2v+1 g5:2|3v g4:3|4v+3 | red g8:1|2^+1 | scored 7 7")
    assert line(s, 1)[0] == ["caravan g6"]


@pytest.mark.parametrize("seed", range(3))
def test_a_win_is_found_without_looking_further_and_by_all_dice(seed):
    """Two caravans in one turn (§6.5) are decided on together, however small the search is."""
    s = at("blue g6:1|2v+1 h7:1|3<+1 | red g8:1|2^+1 | scored 6 7")
    player = bot("hard:iterations=0", GAME)
    memory = player.memory()
    for _ in range(2):
        s = GAME.after(s, 0, player.answer(GAME.view(s, 0), 0, seed, memory))
    assert s.winners == 1


def test_the_steps_of_a_turn_are_decided_on_together():
    """After the first step, the bot continues its turn as decided, even if later steps have no time.

    The same holds for a step that is the only legal move, as the token with which a road begins (§2.4).
    """
    player, s, forced = bot("hard:iterations=8", GAME), after(fresh(2), "2|2", "1|1"), 0
    for turn in range(4):
        (seat,), memory, steps = GAME.asked(s), player.memory(), []
        while GAME.asked(s) == (seat,):
            v = GAME.view(s, seat)
            open_moves = [move for move in GAME.moves(v, seat) if move != GAME.rules.BACK]
            move = player.answer(v, seat, turn, memory, PAST if steps else None)
            assert move in open_moves
            assert move == memory.steps[len(steps)]
            forced += len(open_moves) == 1
            steps.append(move)
            s = GAME.after(s, seat, move)
        assert memory.count == len(steps)
    assert forced


def tree_of(plan, s):
    """The positions of the tree that `hard` grows with another plan."""
    player, (seat,) = bot(f"hard:{plan}", GAME), GAME.asked(s)
    player.answer(GAME.view(s, seat), seat, 1)
    return player.work.nodes[: player.work.size[0]]


def looks_of(setup):
    """How often `hard` visits each candidate turn, the most first."""
    nodes = tree_of("halve=4,iterations=48", after(fresh(2, setup=setup), "2|2", "1|1"))
    turns = nodes[nodes[0].head : nodes[0].head + nodes[0].count]
    return sorted((int(turn.visits) for turn in turns), reverse=True)


def test_on_a_small_board_turns_are_looked_at_equally_often_and_the_worse_half_is_dropped():
    looks = looks_of("small")
    assert len(looks) > 4
    assert looks[1] > looks[2] >= looks[3] > 0
    assert looks[0] <= 2 * looks[1]
    assert not any(looks[4:])


def test_on_other_boards_promising_turns_are_looked_at_more_often():
    looks = looks_of("first")
    assert sum(look > 0 for look in looks) > 2
    assert looks[0] > 2 * looks[3]


@pytest.mark.parametrize(("turns", "can_vary"), [(0, True), (9, True), (10, False)])
def test_in_its_first_turns_hard_plays_any_that_looks_as_good(turns, can_vary):
    """Chosen by its dice: without chance two would else play the same game again, evening after evening."""
    player, varied = bot("hard:iterations=150", GAME), 0
    s, memory = at("orange h7:3|3 i7:3|5< | turn blue", seats=3), player.memory()
    (seat,) = GAME.asked(s)
    for seed in range(8):
        memory.count, memory.turns = 0, turns
        player.answer(GAME.view(s, seat), seat, seed, memory)
        nodes, lines = player.work.nodes, player.work.lines[DECIDED:]
        at_root = [nodes[nodes[0].head + i] for i in range(nodes[0].count)]
        marks = [turn.totals[seat] / turn.visits - turn.less if turn.visits else -1.0 for turn in at_root]
        best = max(range(len(at_root)), key=lambda i: at_root[i].visits)
        steps = memory.steps[: memory.count].tolist()
        chosen = next(i for i in range(len(at_root)) if lines[i].steps[: lines[i].count].tolist() == steps)
        assert marks[chosen] >= marks[best]
        assert at_root[chosen].visits >= SERIOUS * nodes[0].visits
        varied += chosen != best
    assert bool(varied) == can_vary


@pytest.mark.parametrize("level", ["beginner", "easy", "medium"])
def test_a_weaker_level_takes_a_caravan_that_wins(level):
    s = at("blue g6:1|2v+1 h7:1|3< | red g8:1|2^+1 | scored 7 6")
    for seed in range(20):
        move = bot(level, GAME).answer(GAME.view(s, 0), 0, seed)
        assert GAME.rules.name(s, move) == "caravan g6"


def can_win(s, seat):
    """Whether a seat that is to act can win in this turn by caravans; by the rules."""
    if GAME.asked(s) != (seat,):
        return s.over and s.winners == 1 << seat
    caravans = [move for move in GAME.moves(s, seat) if CARAVAN <= move < VIA + 256]
    return any(can_win(GAME.after(s, seat, move), seat) for move in caravans)


def turn_of(player, s, seat, seed):
    """The state after a whole turn of a bot."""
    memory = player.memory()
    while GAME.asked(s) == (seat,):
        s = GAME.after(s, seat, player.answer(GAME.view(s, seat), seat, seed, memory))
    return s


@pytest.mark.parametrize(
    "position",
    [
        "blue g6:5|6v | red g8:1|2^+1 | scored 3 7",
        "blue g6:1|2v+1 f6:2|4> | red g8:1|2^+1 | scored 2 7",
        "blue g6:1|2v g5:2|3v+2 | red g8:1|2^ g9:2|3^ h7:1|3<+1 | scored 6 7",
    ],
)
@pytest.mark.parametrize("level", ["beginner", "easy", "medium", "hard"])
def test_no_level_leaves_a_win_at_once_that_a_turn_prevents(level, position):
    """Red lacks the one barrel beside the Town Center; Blue can break the token on which it lies."""
    s = at(position)
    red_to_move = at(f"{position} | turn red")
    assert can_win(red_to_move, 1)
    assert GAME.rules.is_about_to_lose(red_to_move, 0)
    for seed in range(3 if level == "hard" else 10):
        then = turn_of(bot(level, GAME), s, 0, seed)
        assert not can_win(then, 1), GAME.rules.position(then)


def test_a_lost_position_is_one_in_which_the_next_seat_can_win():
    """Where nobody has a fork, `is_about_to_lose` is exact."""
    for road, scored, is_lost in [
        ("h7:1|3<+1", 7, True),
        ("h7:1|3<+1", 6, False),
        ("h7:1|3<+1 i7:3|4<+1", 6, False),
        ("h7:1|3<+1 i7:3|4<+2", 6, True),
        ("g6:1|2v+1 h7:1|3<+1", 6, True),
        ("h7:1|3< i7:3|4<+1", 7, False),
    ]:
        s = at(f"red {road} | blue g8:1|2^ | scored 0 {scored} | turn red")
        assert can_win(s, 1) == GAME.rules.is_about_to_lose(s, 0) == is_lost, road
        assert not GAME.rules.is_about_to_lose(s, 1)
        assert not GAME.rules.is_about_to_lose(at(f"red {road} | blue g8:1|2^ | scored 0 {scored}"), 0)


def evening(level, seed, answers, setup="badlands"):
    """The beginning of a game of a level against itself: its moves, and how turns of each seat ended."""
    table = GAME.table(seats=2, seed=seed, setup=setup)
    players = [seated(bot(level, GAME), seat, table) for seat in range(2)]
    for _ in range(answers):
        if table.is_over:
            break
        seat = table.asked[0]
        table.play(seat, players[seat].move(table))
    return [line.name for line in table.lines], [ends_of_turns(table, seat) for seat in range(2)]


def test_no_two_evenings_are_alike_and_the_same_seed_is_the_same_evening():
    """On *first* nothing is drawn: only the levels' own dice make a difference."""
    for level in ("beginner", "easy", "medium", "hard:iterations=30"):
        first, again, other = (evening(level, seed, 24, "first")[0] for seed in (1, 1, 2))
        assert first == again
        assert first != other


def test_a_turn_does_not_end_again_and_again_as_before():
    """Tokens are not taken up and laid down again for ever: the third time, another move is preferred."""
    _, ends = evening(SLOW, 0, 300)
    for mine in ends:
        assert len(mine) > 40
        assert max(Counter(mine).values()) <= 3


def test_after_a_restart_a_bot_knows_how_its_turns_ended():
    table = GAME.table(seats=2, seed=1, setup="badlands")
    players = [seated(bot(SLOW, GAME), seat, table) for seat in range(2)]
    while len(table.lines) < 60:
        seat = table.asked[0]
        table.play(seat, players[seat].move(table))
    for seat, player in enumerate(players):
        other = seated(bot(SLOW, GAME), seat, table)
        other.recall(table)
        assert other.memory.turns == player.memory.turns > 5
        assert list(other.memory.been) == list(player.memory.been)


def met(setup, seats):
    """Decisions in games of a bot, as the view and the seat: first steps of turns and later ones."""
    player = bot("medium:iterations=8", GAME)
    for seed in itertools.count():
        table = GAME.table(seats=seats, seed=seed, setup=setup)
        players = [seated(player, seat, table) for seat in range(seats)]
        while not table.is_over:
            seat = table.asked[0]
            v = table.view(seat)
            if len(table.lines) % 12 > 9 and len(GAME.moves(v, seat)) > 2:
                yield v, seat
            table.play(seat, players[seat].move(table))


@pytest.mark.parametrize(("setup", "seats"), [("first", 2), ("badlands", 3), ("small", 2)])
def test_hints_are_what_the_strongest_level_plays(setup, seats):
    judge, hard, lost = judge_of(GAME), bot("hard", GAME), []
    for v, seat in itertools.islice(met(setup, seats), 8):
        worths = dict(ranked(GAME, judge, v, seat))
        lost.append(max(worths.values()) - worths[hard.answer(v, seat, 0)])
    assert np.median(lost) <= 0.001
    assert np.mean(lost) <= 0.02


def test_a_win_by_two_caravans_is_hinted_step_by_step():
    s, judge = at("blue g6:1|2v+1 h7:1|3<+1 | red g8:1|2^+1 | scored 6 7"), judge_of(GAME, 0.1)
    for _ in range(2):
        move, worth = ranked(GAME, judge, GAME.view(s, 0), 0)[0]
        assert worth == pytest.approx(1)
        s = GAME.after(s, 0, move)
    assert s.winners == 1


@pytest.mark.parametrize("setup", ["badlands", "small"])
def test_who_follows_hints_does_not_go_in_circles(setup):
    """For sixty turns in all, from random openings, against a bot."""
    judge, rival, turns = judge_of(GAME, 0.05), bot("hard:iterations=20", GAME), 0
    for seed in range(20):
        table = GAME.table(seats=2, seed=seed, setup=setup)
        dice, other = np.random.default_rng(seed), seated(rival, 1, table)
        for _ in range(8):
            seat = table.asked[0]
            table.play(seat, dice.choice(table.moves(seat)))
        ends = []
        while not table.is_over and len(ends) < 60:
            if table.asked[0]:
                table.play(1, other.move(table))
            else:
                v, ends = table.view(0), ends_of_turns(table, 0)
                table.play(0, GAME.rules.name(v, ranked(GAME, judge, v, 0, been=ends)[0][0]))
        assert max(Counter(ends).values()) <= 3
        turns += len(ends)
        if turns >= 60:
            break
    assert turns >= 60


def test_a_hint_that_ends_a_turn_as_before_is_worth_less():
    """Less for each time, whichever step of the turn is next."""
    judge = judge_of(GAME, 0.1)
    for v, seat in itertools.islice(met("first", 2), 4):
        plain = ranked(GAME, judge, v, seat)
        move, worth = plain[0]
        root, line = judge.work.nodes[0], judge.work.lines[DECIDED:]
        keys = {
            int(GAME.rules.repetition_key(judge.work.states[root.head + i], seat))
            for i in range(root.count)
            if line[i].steps[0] == move
        }
        warned = dict(ranked(GAME, judge, v, seat, been=[*keys, *keys]))
        assert warned[move] < worth - AGAIN


def test_each_level_beats_the_one_below():
    """On the board with the shortest games; `levels.md` has the others. `hard` searches less here, to save time."""
    levels = [
        ("beginner", "random", 20, 0.65),
        ("easy", "beginner", 60, 0.55),
        ("medium", "easy", 14, 0.6),
        ("hard:iterations=200", "medium", 10, 0.55),
    ]
    for better, worse, games, least in levels:
        assert match(bot(better, GAME), bot(worse, GAME), games, seed=2026, setup="small").share >= least


@pytest.mark.parametrize(("seats", "setup", "games"), [(2, "first", 3), (4, "first", 1), (2, "standard", 2)])
def test_games_between_players_without_noise_end(seats, setup, games):
    """§7.2 would let barrels be stolen back and forth for ever; the levels do not.

    They search few moves here, to save time.
    """
    player = bot("hard:iterations=4,width=4,first=8,blur=0", GAME)
    buffers = buffers_for(GAME, longest=1500 * seats)
    _, chosen = GAME.settle(seats, {"setup": setup})
    for seed in range(games):
        chance, bots_seed = dice_from(seed), np.uint64(bots_seed_of(str(seed)))
        play_game(buffers, player, player, seats, GAME.encoded(chosen), 1, 4 * seats, chance, bots_seed)
        assert not GAME.asked(buffers.s[0])


FREE_LOAD = (
    "blue e6:6|6 | red g5:6|3< e4:5|6^+3 f5:6|6 | orange c5:5|6< d5:6|6+3 | turn orange | scored 0 1 5 | broken 2 1 1 "
    "| stills c3:Fort_Firewater f3:Cooper's_Hollow f6:Moonlight_Mill c6:Widow's_Well | supply c3:2-1-1 f3:2-1 f6:1 "
    "c6:2-2 | tapped blue:f6.2 red:f3.2 orange:c3.2 orange:f6.2"
)
"""Orange wins by the caravan from d5 over Red's road, not over Blue's: when it chooses, nothing has moved yet."""


@pytest.mark.parametrize("level", ["beginner", "easy", "medium", "hard"])
def test_choices_that_change_nothing_yet_are_told_apart(level):
    s = after(at(FREE_LOAD, seats=3, setup="small"), "caravan d5")
    assert {"to blue", "to red"} <= set(names(s))
    for seed in range(2 if level == "hard" else 10):
        assert turn_of(bot(level, GAME), s, 2, seed).winners == 1 << 2
