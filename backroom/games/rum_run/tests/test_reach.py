"""What a road can reach: next tokens against the moves of the rules, boards against plain sets, distances by hand."""

import random

import pytest

from backroom.games.rum_run import reach
from backroom.games.rum_run.pieces import COLUMNS, NODES, OFF, SIDE
from backroom.games.rum_run.rules.state import NODE, PICK, next_node
from backroom.games.rum_run.setup_file import node_name

from .boards import GAME, at, fresh


def nodes_of(board):
    return {node for node in range(NODES) if reach.has(board, node)}


def board_of(nodes):
    board = reach.NOWHERE
    for node in nodes:
        board = reach.with_node(board, node)
    return board


@pytest.mark.parametrize("seed", range(8))
def test_boards_are_sets_of_nodes(seed):
    dice = random.Random(seed)
    a, b = (set(dice.sample(range(NODES), 60)) for _ in range(2))
    one, other = board_of(a), board_of(b)
    assert nodes_of(one) == a
    assert nodes_of(reach.both(one, other)) == a | b
    assert nodes_of(reach.common(one, other)) == a & b
    assert nodes_of(reach.without(one, other)) == a - b
    assert nodes_of(reach.along_rows(one)) == {next_node(node, side) for node in a for side in (1, 3)} - {OFF}
    assert nodes_of(reach.along_columns(one)) == {next_node(node, side) for node in a for side in (0, 2)} - {OFF}
    assert reach.is_any(one)
    assert not reach.is_any(reach.NOWHERE)


def test_the_ground_is_where_tokens_may_lie():
    s = fresh(setup="standard")
    free = {node_name(node) for node in nodes_of(reach.ground_of(s))}
    assert {"a1", "f4", "g6"} <= free  # fog is free
    assert not {"g7", "c3", "g3", "k7"} & free  # the Town Center, a still, obstacles
    assert len(free) <= 14 * 14
    assert all(COLUMNS.index(name[0]) < 14 for name in free)


@pytest.mark.parametrize("setup", ["first", "standard", "small", "duel"])
def test_next_tokens_are_those_that_the_rules_allow(setup):
    """Except for the colour's own joined road, and for nodes where only a double fits, which may lack a second."""
    looked = 0
    for seed in range(12):
        table = GAME.table(seats=2, seed=seed, setup=setup)
        dice = random.Random(seed)
        for _ in range(90):
            if table.is_over:
                break
            seat = table.asked[0]
            s = table.state
            found = GAME.moves(s, seat)
            nodes = {move - NODE for move in found if NODE <= move < PICK}
            if nodes and not s.first[s.turn]:
                colour = int(s.turn)
                own = {node for node in range(NODES) if s.owner[node] and s.dist[node]}
                own = {node for node in own if (int(s.owner[node]) - 1) % 2 == colour % 2}
                mine = set().union(*map(nodes_of, reach.frontier(s, colour)))
                assert nodes - own <= mine
                assert set().union(*map(nodes_of, reach.frontier(s, colour)[:2])) <= nodes
                looked += 1
            table.play(seat, GAME.rules.name(table.view(seat), dice.choice(found)))
    assert looked > 100


def reached(s, colour=0):
    return [round(float(worth), 4) for worth in reach.within_reach(s, colour, reach.ground_of(s))]


def test_a_tap_is_worth_less_by_each_token_and_each_bend():
    """Cooper's Hollow at k4 is tapped from k6, upward: three tokens east of h7, and a double there."""
    dry = "c3:0 j10:0 d11:0"
    s = at(f"blue h7:1|2< | supply k4:4 {dry}")
    # i7, j7, a double on k7, then k6: three missing and a bend
    assert reached(s)[0] == round(4 * 0.8**4, 4)
    s = at(f"blue h7:1|2< i7:2|3< j7:3|4< k7:4|4 | supply k4:4 {dry}")
    assert reached(s)[0] == 4.0
    s = at(f"blue h7:1|2< i7:2|3< j7:3|4< k7:4|4 | supply k4:4 {dry} | tapped blue:k4.2")
    assert reached(s)[0] < 4.0


def test_what_lies_between_is_gone_round():
    """The river at j7 and k7 stands in the way of a road to the east."""
    supply = "supply k4:2 c3:0 j10:0 d11:0"
    road = "blue h7:1|2< i7:2|3<"
    assert reached(at(f"{road} | {supply}", setup="standard"))[0] < reached(at(f"{road} | {supply}"))[0]


def test_barrels_cut_off_count_by_the_tokens_that_would_join_them():
    assert reached(at("blue g6:1|2v g5:3|4v+3"))[1] == 3.0  # one on g5 covers it
    assert reached(at("blue g6:1|2v g4:3|4v+3"))[1] == round(3 * 0.8, 4)
    assert reached(at("blue g6:1|2v g5:2|3v+3"))[1] == 0.0  # they are joined
    assert reached(at("blue g6:1|2v g4:3|4v+3 | red f7:1|2> f6:2|2 f5:2|6v g5:6|6"))[1] < 3.0  # nothing breaks 6|6


def test_what_can_be_taken_next():
    """§4.5: a stronger token of the inventory, linked, takes the barrels."""
    assert reached(at("blue g6:1|1 f6:1|2> | red h7:1|1 h6:1|3v+2"))[2] == 2.0
    assert reached(at("blue g6:1|1 f6:1|2> | red h7:5|5 h6:5|6v+2"))[2] == 0.0  # none with a 1 is stronger than 11
    assert reached(at("blue f7:1|2> | red h7:1|1 h6:1|3v+2"))[2] == 0.0  # nothing links there


def test_a_still_face_down_draws_roads_to_it():
    s = fresh(setup="moonless")
    ring = nodes_of(reach.around_unseen(s))
    corner = int(s.corner[0])
    assert {corner - 1, corner + 2, corner - SIDE, corner + 2 * SIDE} <= ring
    assert reached(at("blue g6:1|2v"))[0] == 0.0  # all dry
    assert reached(s)[0] > 0.0


def danger(s, colour=0):
    return reach.in_danger(s, colour, reach.threats_to(s, colour))


def test_barrels_in_danger():
    """A home of 1|2 is broken from the Town Center by any stronger token; one of 6|6 by none."""
    assert danger(at("blue g6:1|2v+1")) == (1, 0)
    assert danger(at("blue g6:1|2v g5:2|3v+2")) == (0, 2)
    assert danger(at("blue g6:6|6 g5:6|5v+2")) == (0, 0)
    assert danger(at("blue g5:2|3v+2")) == (0, 0)  # cut off already


@pytest.mark.parametrize(("home", "is_safe"), [("6|6", True), ("1|1", False)])
def test_a_home_is_safe_if_nobody_can_break_it(home, is_safe):
    s = at(f"blue g6:{home} g5:{home[0]}|3v")
    assert reach.is_home_safe(s, 0, reach.threats_to(s, 0)) == is_safe
    assert not reach.is_home_safe(s, 1, reach.threats_to(s, 1))  # red has none


def test_at_the_beginning_every_side_of_the_town_center_is_open():
    rows, columns, corners = ({node_name(node) for node in nodes_of(board)} for board in reach.frontier(at(""), 0))
    assert (rows, columns) == ({"f7", "h7"}, {"g6", "g8"})
    assert corners == rows | columns
