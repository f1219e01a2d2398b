"""One test for each § of the rules: components, setting up, turns, winning, claims; and whole states."""

import itertools

import pytest

from backroom.engine.kernel import NATURE, dice_from
from backroom.engine.options import BadOption
from backroom.games.rum_run.pieces import (
    EAST,
    FORT,
    HOLDS,
    NORTH,
    OFF,
    OPEN_SECRET,
    PAIRS,
    RAMPARTS,
    SIDE,
    SOUTH,
    STILLS,
    STRENGTH,
    SUPPLY,
    TAPS,
    WEST,
)
from backroom.games.rum_run.rules import STATE
from backroom.games.rum_run.rules.state import next_node
from backroom.games.rum_run.setup_file import called, node_called, node_name, taps_of

from .boards import GAME, after, at, can, fresh, held, is_natures, names, owner, scores, steps, why

# §1 What there is


def test_1_1_nodes_are_called_by_column_and_row_and_neighbours_are_orthogonal():
    assert [node_name(node) for node in (0, 15, 16, 255)] == ["a1", "p1", "a2", "p16"]
    s = at("blue g6:1|2v")
    assert can(s, "g5 2|3")
    assert not can(s, "f5 2|3")
    s = at("blue e4:1|2v e3:2|3v e2:3|4v e1:4|5v", setup="small")
    assert steps(s, "e1") == 4
    assert sorted(name for name in names(s) if len(name) == 2) == ["d5", "e1", "e2", "e3", "e4", "e6", "f5"]


def test_1_1_beyond_the_edge_of_the_grid_there_is_nothing():
    places = {(row, column): row * SIDE + column for row in range(SIDE) for column in range(SIDE)}
    for (row, column), node in places.items():
        around = [(row - 1, column), (row, column + 1), (row + 1, column), (row, column - 1)]
        assert [next_node(node, way) for way in (NORTH, EAST, SOUTH, WEST)] == [places.get(at, OFF) for at in around]
    assert [next_node(OFF, way) for way in range(4)] == [OFF] * 4


def test_1_2_each_colour_has_28_tokens_whose_strength_is_their_dots():
    assert len(PAIRS) == 28
    assert [int(STRENGTH[PAIRS.index(pair)]) for pair in [(1, 1), (6, 6), (0, 4), (0, 0)]] == [2, 12, 4, 0]
    assert len(names(fresh())) == 21
    assert names(fresh(folk="yes"))[-2:] == ["*|6", "*|*"]


def test_1_3_a_double_has_four_arms_and_a_straight_token_two():
    s = at("blue g6:2|2")
    assert {"f6", "h6", "g5"} <= set(names(s))
    s = at("blue g6:1|2v")
    assert "g5" in names(s)
    assert not {"f6", "h6"} & set(names(s))


def test_1_4_there_are_25_barrels_and_no_more_than_the_reserve_is_handed_out():
    assert fresh().reserve == 25 - 24
    s = at("blue g6:1|2v g5:2|3v | fog g4 | unseen 0 1 0 0 0 | supply c3:3-2-1-1 k4:4-2-1 j10:3-2-1 d11:2-2")
    s = after(s, "g4 3|4", "fog two barrels")
    assert held(s, "g4") == [1]
    assert s.reserve == 0


def test_1_5_twelve_stills_with_taps_that_turn():
    assert len(STILLS) == 12
    assert [int(n) for n in SUPPLY.sum(1)] == [7, 7, 6, 4, 4, 5, 6, 6, 5, 4, 6, 6]
    corner = node_called("e5")

    def taps(turn):
        return [node_name(row * 16 + column) for row, column in taps_of(0, corner, turn)]

    assert taps(0) == ["e4", "g5", "f7", "d6"]  # N1 E1 S2 W2
    assert sorted(taps(1)) == sorted(taps(0))  # Fort Firewater looks the same however it is turned
    well = STILLS.index("Widow's Well")
    turned = [[node_name(row * 16 + column) for row, column in taps_of(well, corner, turn)] for turn in range(4)]
    assert turned == [["e4", "f7"], ["g5", "d6"], ["f7", "e4"], ["d6", "g5"]]
    assert all(0 < TAPS[kind] <= 4 for kind in range(12))


# §2 Setting up


def test_2_1_extras_are_as_the_setup_says_or_as_the_table_wants():
    s = fresh(setup="standard")
    assert bin(int(s.cards)).count("1") == 17  # all but O'er the Ramparts: there is no Fort Firewater
    assert bin(int(s.goals)).count("1") == 4
    assert (s.ground == 1).sum() == 6
    s = fresh(setup="standard", fog="no", events="no", objectives="no", folk="no")
    assert (int(s.cards), int(s.goals), int((s.ground == 1).sum())) == (0, 0, 0)
    s = fresh(events="yes", objectives="yes")
    assert bin(int(s.cards)).count("1") == 17  # all but Open Secret: nothing is hidden
    assert bin(int(s.goals)).count("1") == 12
    s = fresh(setup="small", hidden="no")
    assert not s.bag
    s = fresh(setup="moonless")
    assert bin(int(s.bag)).count("1") == 4
    assert (s.kind == -1).all()
    assert not fresh(setup="moonless", hidden="no").bag
    with pytest.raises(BadOption, match=r"^Rum Run: the setup has no places for fog .§2\.1"):
        fresh(fog="yes")


FOGGY = 'town = "g7"\nfog = ["f4", "i5"]\n'
STILLS_OF_FIRST = "".join(
    f'[[still]]\nname = "{name}"\nat = "{node}"\n'
    for name, node in zip(
        ("Fort Firewater", "Cooper's Hollow", "Moonlight Mill", "Widow's Well"), ("c3", "k4", "j10", "d11"), strict=True
    )
)


def test_2_1_stills_drawn_from_all_twelve():
    met, forts = set(), 0
    for seed in range(16):
        s = fresh(setup="small", hidden="random", events="yes")
        for _, move in itertools.takewhile(lambda turn: turn[0] == NATURE, GAME.stroll(s, 2, dice_from(seed))):
            assert GAME.rules.name(s, move).startswith("draw ")
            assert GAME.rules.is_whole(s)
        assert (GAME.asked(s), (s.kind == -1).all()) == ((0, 1), True)
        kinds = [kind for kind in range(12) if int(s.bag) >> kind & 1]
        barrels = sum(int(HOLDS[kind]) for kind in kinds)
        assert (len(kinds), int(s.reserve)) == (4, 25 - barrels)
        assert 15 <= barrels <= 25  # their own barrels keep §2.3
        assert bool(int(s.cards) >> RAMPARTS & 1) == (FORT in kinds) == bool(int(s.deck) >> RAMPARTS & 1)
        assert int(s.cards) >> OPEN_SECRET & 1
        met.update(kinds)
        forts += FORT in kinds
    assert met == set(range(12))
    assert 0 < forts < 16


def test_2_1_every_choice_of_stills_is_as_likely_as_any_other():
    s = fresh(4, setup="small", hidden="random")
    enough = [some for some in itertools.combinations(range(12), 4) if 21 <= sum(int(HOLDS[k]) for k in some) <= 25]
    assert GAME.odds(s) == [sum(kind in some for some in enough) for kind in range(12)]
    s = after(s, "draw Granny's Cellar")
    with_granny = [set(some) for some in enough if STILLS.index("Granny's Cellar") in some]
    moves = GAME.moves(s, NATURE)
    assert [GAME.rules.name(s, move) for move in moves] == [f"draw {name}" for name in STILLS if "Granny" not in name]
    others = [kind for kind in range(12) if STILLS[kind] != "Granny's Cellar"]
    assert GAME.odds(s) == [sum(kind in some for some in with_granny) for kind in others]
    s = after(s, "draw Badger Bog")
    assert "draw Widow's Well" not in names(s)  # with 5 + 4 + 4 no fourth makes 21


def test_2_1_a_setup_may_say_which_fog_tokens_are_mixed():
    assert list(fresh(setup="standard").fog) == [1, 1, 1, 2, 1]
    two = FOGGY + 'fog_tokens = ["mud", "mud", "bear trap"]\n' + STILLS_OF_FIRST
    s = fresh(setup=two)
    assert list(s.fog) == [0, 0, 0, 2, 1]
    assert list(fresh(setup=two, fog="no").fog) == [0] * 5


def test_2_1_extras_that_are_switched_off_hinder_nothing():
    on_a_tap = FOGGY.replace("f4", "c2") + STILLS_OF_FIRST
    with pytest.raises(BadOption, match=r"fog at c2 lies on a tap of Fort Firewater at c3, c2 \(§2\.1\)"):
        fresh(setup=on_a_tap)
    fresh(setup=on_a_tap, fog="no")
    beside = FOGGY.replace("f4", "d2") + STILLS_OF_FIRST  # a tap of Moonlight Mill, if that came there
    fresh(setup=beside)
    with pytest.raises(BadOption, match=r"hidden stills must fit everywhere: fog at d2 lies on a tap of"):
        fresh(setup=beside, hidden="yes")
    fresh(setup=beside, hidden="yes", fog="no")
    few = FOGGY + 'fog_tokens = ["mud"]\n' + STILLS_OF_FIRST
    with pytest.raises(BadOption, match=r"1 fog tokens are mixed, for 2 places \(§2\.1\)"):
        fresh(setup=few)
    fresh(setup=few, fog="no")


def test_2_1_of_stills_drawn_at_random_the_setups_own_do_not_count():
    many = STILLS_OF_FIRST.replace("Widow's Well", "Granny's Cellar")  # 25 barrels; and with a fifth:
    five = FOGGY + many + '[[still]]\nname = "Hollow Oak"\nat = "g3"\n'
    with pytest.raises(BadOption, match=r"the stills hold 31 barrels; .* and 25 at most \(§2\.3\)"):
        fresh(setup=five)
    assert int(fresh(setup=five, hidden="random", fog="no").arg[1]) == 5
    with pytest.raises(BadOption, match=r"no 1 stills hold the 15 to 25 barrels for 2 players \(§2\.3\)"):
        fresh(setup='town = "g7"\n[[still]]\nname = "Hollow Oak"\nat = "g3"\n', hidden="random")


def test_2_2_the_setups_of_the_book():
    s = fresh()
    assert node_name(int(s.town)) == "g7"
    assert [STILLS[kind] for kind in s.kind[:4]] == [
        "Fort Firewater",
        "Cooper's Hollow",
        "Moonlight Mill",
        "Widow's Well",
    ]
    assert [called(name).barrels for name in ("first", "standard", "duel", "small")] == [24, 22, 23, 24]
    # the nearest taps of the first game are 5, 5, 5 and 6 tokens away
    town = divmod(int(s.town), 16)
    ways = [
        min(abs(row - town[0]) + abs(column - town[1]) for row, column in taps_of(still.kind, still.node, still.turn))
        for still in called("first").stills
    ]
    assert sorted(ways) == [5, 5, 5, 6]


def test_2_3_a_setup_must_make_a_winner_certain():
    fresh(4, setup="standard")
    fresh(2, setup="duel", colours=2)
    with pytest.raises(BadOption, match=r"22 barrels; two with four colours need 23 .*§2\.3"):
        fresh(2, setup="standard", colours=2)


def test_2_4_the_weakest_token_begins_and_is_placed_first():
    s = fresh(3)
    assert GAME.asked(s) == (0, 1, 2)
    s = after(s, "5|6", seat=1)
    assert GAME.asked(s) == (0, 2)
    assert "5|6" not in names(s, 1)  # it may be changed until the last has picked
    s = after(s, "1|2", seat=1)
    s = after(s, "1|3", seat=0)
    s = after(s, "2|2", seat=2)
    assert GAME.asked(s) == (1,)
    assert [name for name in names(s) if "|" in name] == ["1|2"]
    assert "your first turn is for the token you picked, the 1-2 (§2.4)" in why(s, "5|6")
    s = after(s, "g6 1|2")
    assert GAME.asked(s) == (2,)  # clockwise


def test_2_4_those_who_tie_pick_again_and_then_the_lot_decides():
    s = fresh(3)
    for seat, token in enumerate(["1|2", "1|2", "6|6"]):
        s = after(s, token, seat=seat)
    assert GAME.asked(s) == (0, 1)
    assert "1|2" not in names(s, 0)
    assert names(s, 2) == []
    assert "only those who tied" in GAME.rules.why(s, 2, GAME.rules.parse(s, "1|1"))
    for token in ("2|2", "3|3"):
        s = after(after(s, token, seat=0), token, seat=1)
    assert is_natures(s)
    assert names(s, NATURE) == ["lot blue", "lot red"]
    s = after(s, "lot red")
    assert GAME.asked(s) == (1,)
    assert [name for name in names(s) if "|" in name] == ["3|3"]  # the last pick counts
    s = after(after(after(fresh(3), "6|6", seat=0), "1|2", seat=1), "1|2", seat=2)
    assert (GAME.asked(s), names(s, 0)) == ((1, 2), [])
    s = after(after(fresh(2), "1|1", seat=0), "2|2", seat=1)
    assert GAME.asked(s) == (0,)
    assert [name for name in names(s) if "|" in name] == ["1|1"]


def test_2_4_a_token_that_cannot_be_placed_frees_one_to_play_any():
    s = at("first blue:*|* | red g6:6|6 f7:5|5 g8:4|4 h7:3|3 | turn blue", folk="yes")
    assert not can(s, "g6 *1|*1")
    assert set(names(s)) & {"5|6", "4|5"}


def test_2_5_two_colours_a_player():
    s = fresh(2, setup="duel", colours=2)
    s = after(after(s, "1|3", seat=0), "1|2", seat=1)
    order = []
    for _ in range(6):
        order.append(int(s.turn))
        s = after(s, names(s)[0])
        while int(s.turn) == order[-1]:
            s = GAME.after(s, GAME.asked(s)[0], GAME.moves(s, GAME.asked(s)[0])[0])
    assert order == [1, 0, 3, 2, 1, 0]  # B1, A1, B2, A2
    s = at("blue g6:1|2v | orange g5:6|6 | red h7:5|5", colours=2, setup="duel")
    s = after(s, "g5 2|3")  # over one's own other colour, whatever its strength
    assert owner(s, "g5") == "blue"
    assert s.broken[0] == 0
    assert int(s.hand[2]) >> PAIRS.index((6, 6)) & 1
    s = at("blue g6:1|2v+3 | orange h7:1|2<", colours=2, setup="duel")
    s = after(s, "caravan g6")
    assert held(s, "g6", "h7") == [2, 0]  # no overshooting onto one's own other colour


# §7 Winning


@pytest.mark.parametrize(("seats", "colours", "goal"), [(4, 1, 6), (3, 1, 7), (2, 1, 8), (2, 2, 12)])
def test_7_1_enough_barrels_win_at_once(seats, colours, goal):
    lead = " ".join([str(goal - 2), *["1"] * (seats - 1)])
    s = at(f"blue g6:1|2v+1 g5:2|3v+2 | scored {lead}", seats=seats, colours=colours)
    s = after(s, "caravan g6")
    assert GAME.asked(s)
    s = after(s, "caravan g5")
    assert GAME.asked(s) == ()
    assert names(s, 0) == []
    assert GAME.score(s, seats) == (1.0, *[0.0] * (seats - 1))


def test_7_1_of_several_at_once_the_one_in_turn_wins():
    s = at("blue g6:1|2v+1 | red h7:1|2<+1 | scored 7 7 | turn red", objectives="yes", claims="noticed")
    s = after(s, "caravan h7")
    assert GAME.score(s, 2) == (0.0, 1.0)


def test_7_2_twenty_quiet_rounds_end_the_game_and_most_barrels_win():
    s = at("blue g6:1|2v | red h7:1|2< | scored 3 2 | quiet 39 | turn red")
    s = after(s, "g8 5|6")
    assert GAME.asked(s) == ()
    assert GAME.score(s, 2) == (1.0, 0.0)
    s = at("blue g6:1|2v | red h7:1|2< | scored 2 2 | quiet 39 | turn red")
    assert GAME.score(after(s, "g8 5|6"), 2) == (0.5, 0.5)  # a tie is shared
    s = at("blue g6:1|2v | red h7:1|2<+1 | quiet 39 | turn red")
    s = after(s, "caravan h7")
    assert GAME.asked(s) == (1,)
    s = after(s, "g8 5|6")
    assert (GAME.asked(s), s.quiet) == ((0,), 0)  # a barrel was scored


def test_7_2_who_breaks_an_empty_token_steals_nothing():
    assert after(at("blue g6:1|2v | red g5:1|4>"), "g5 2|4").quiet == 1


@pytest.mark.parametrize("action", ["g5 2|3", "caravan h7", "return g6"])
def test_7_2_only_passes_one_after_another_count(action):
    assert after(at("blue g6:1|2v h7:3|4<+1 | passes 1"), action).passes == 0


def test_7_2_if_everyone_passes_the_game_ends():
    walls = "red g6:6|6 h7:5|5 g8:4|4 f7:3|3 | safe 0 1"
    s = at(f"{walls} | turn blue")
    assert names(s) == ["pass"]
    assert "only who can neither build nor move barrels passes" in why(at("turn blue"), "pass")
    s = after(s, "pass")
    assert s.passes == 1
    assert after(at(f"first blue:1|2 | {walls} | turn blue"), "pass").first[0] == 0  # a pick is for the first turn
    s = at(f"{walls} | turn blue | passes 1")
    s = after(s, "pass")
    assert GAME.asked(s) == ()


# §3, §8 and §12 have no numbered paragraphs; these are theirs


def test_3_a_turn_is_one_action_then_it_goes_on():
    s = at("blue g6:1|2v | red h7:1|2<")
    s = after(s, "g5 2|3")
    assert GAME.asked(s) == (1,)
    assert s.turn == 1


def test_8_obstacles_block_for_good():
    s = at("blue g6:1|2v g5:2|3v g4:3|4v", setup="standard")
    assert "g3" not in names(s)
    assert "not free" in why(s, "g3")


# §11


def test_11_1_claims_are_noticed_or_automatic():
    lines = "blue g6:1|2v+1 | red h7:1|2<+1"
    s = after(at(lines, objectives="yes"), "caravan g6")
    assert scores(s) == [2, 0]  # the barrel, and the objective
    s = after(at(lines, objectives="yes", claims="noticed"), "caravan g6")
    assert scores(s) == [1, 0]
    assert "claim scored 1 barrel" in names(s, 0)
    assert names(s, 1) == []
    assert scores(after(s, "claim scored 1 barrel", seat=0)) == [2, 0]
    s = after(s, "g8 5|6")
    assert names(s, 0) == ["claim scored 1 barrel"]  # out of turn
    assert "it goes to the one who achieved it last" in why(s, "claim scored 1 barrel", seat=1)
    s = after(s, "caravan h7")
    assert names(s, 0) == []  # lost: someone else has achieved it
    assert "claim scored 1 barrel" in names(s, 1)


# The house


def test_the_record_is_small():
    assert STATE.itemsize <= 2048


def test_random_games_end_and_stay_whole():
    for seed, (seats, options) in itertools.islice(enumerate(GAME.settings()), 0, 6, 3):
        s = GAME.start(seats, options)
        for turn, _ in enumerate(GAME.stroll(s, seats, dice_from(seed))):
            if turn == 60:
                break
            assert GAME.rules.is_whole(s)


def spoil(field, value, *index):
    def change(s):
        if index:
            s[field][index] = value
        else:
            s[field] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        spoil("owner", 0, node_called("g6")),
        spoil("owner", 2, node_called("g6")),
        spoil("ground", 16, node_called("g6")),
        spoil("hand", 0, 0),
        spoil("hand", 1 << 25, 1),
        spoil("hand", 1, 3),
        spoil("sealed", -1, 1),
        spoil("barrels", 1, node_called("a1")),
        spoil("supply", 1, 0, 5),
        spoil("reserve", 3),
        spoil("dist", 7, node_called("g6")),
        spoil("dist", 7, node_called("a9")),
        spoil("reach", 3, 0, 2),
        spoil("loops", 1, 1),
    ],
)
def test_a_state_that_is_not_whole_is_known(change):
    s = at("blue g6:1|2v a9:1|1")
    change(s)
    assert not GAME.rules.is_whole(s)


def test_a_token_lost_from_the_inventory_is_missed():
    s = at("blue g6:1|2v")
    s.hand[1] &= ~1
    assert not GAME.rules.is_whole(s)


def test_a_still_and_a_paved_road_that_are_not_reached_are_missed():
    s = at("blue d5:1|1 e3:2|5<", setup="small")
    assert GAME.rules.is_whole(s)
    s.reach[0, 0] = 0
    assert not GAME.rules.is_whole(s)
    s = at("blue g6:1|2v | paved g5:ns 0 0 1 | fog none")
    assert GAME.rules.is_whole(s)
    s.dist[s.paved] = 0
    assert not GAME.rules.is_whole(s)


def test_a_hidden_pick_is_imagined_among_what_was_not_shown():
    s = after(fresh(3), "3|5", seat=1)
    v = GAME.view(s, 0)
    assert v.sealed[1] == -1
    assert GAME.rules.position(v).count("?") == 1
    picks = {int(GAME.imagined(v, 0, dice_from(seed)).sealed[1]) for seed in range(200)}
    assert picks == set(range(1, 22))
    assert GAME.rules.seen(s, 0, 3) == 1
    assert GAME.rules.seen(after(after(s, "1|1", seat=0), "1|2", seat=2), 1, 3) == (1 << 15) - 1


def test_nature_has_even_odds_but_for_mud():
    s = after(at("blue g6:1|2v g5:2|3v | fog g4 | unseen 1 1 1 2 1"), "g4 3|5")
    assert GAME.odds(s) == [1, 1, 1, 2, 1]
    s = after(at("blue f5:1|1 e5:1|2> | fog none", setup="moonless", events="no"), "d5 2|4")
    assert GAME.odds(s) == [1, 1, 1, 1]


def test_lists_of_moves_are_alike_by_what_is_asked():
    """By a number under 64: a GPU makes the lists of states with the same number side by side."""
    s, asked = fresh(), set()
    for _ in GAME.stroll(s, 2, dice_from(1)):
        number = int(GAME.rules.likeness(s))
        assert 0 <= number < 64
        asked.add(number // 12)
        if len(asked) == 5:
            break
    assert asked == set(range(5))
