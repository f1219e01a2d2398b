"""§11: each of the twelve objectives, of both types, given and claimed."""

import pytest

from backroom.games.rum_run.pieces import OBJECTIVE_SHORT, OBJECTIVES

from .boards import GAME, after, at, drawn, names, scores, why

FULL = "supply c3:3-2-1-1 f3:4-2-1 f6:3-2-1 c6:2-2"


def holder(s, objective):
    return int(s.holder[OBJECTIVE_SHORT.index(objective)])


def on(position, *moves, **options):
    """The state after these moves in a game with all objectives."""
    return after(at(position, **{"objectives": "yes", **options}), *moves)


def test_scored_1_barrel_at_town_center():
    s = on("blue g6:1|2v+1", "caravan g6")
    assert holder(s, "scored 1 barrel") == 0
    assert scores(s) == [2, 0]
    assert holder(on("blue g6:1|2v g5:2|3v+1", "caravan g5"), "scored 1 barrel") == -1


def test_ambusher():
    s = on("blue g6:1|2v+2 | red h7:1|2<+1", "caravan g6")
    assert holder(s, "ambusher") == 0
    assert holder(on("blue g6:1|2v+2 | red h7:1|2<", "caravan g6"), "ambusher") == -1


def test_well_connected():
    tapped = "tapped blue:f3.0 blue:f6.1"
    s = on(f"{FULL} | {tapped}", "d5 3|3", setup="small")
    assert holder(s, "well connected") == 0
    assert holder(on(f"{FULL} | tapped blue:f3.0", "d5 3|3", setup="small"), "well connected") == -1


def test_regular_customer():
    s = on(f"{FULL} | tapped blue:c3.0", "d5 3|3", setup="small")
    assert holder(s, "regular customer") == 0
    assert holder(on(f"{FULL} | tapped red:c3.0", "d5 3|3", setup="small"), "regular customer") == -1
    two = on(f"{FULL} | tapped orange:c3.0", "d5 3|3", setup="small", colours=2)
    assert holder(two, "regular customer") == 0  # both colours count together


def test_crossroads():
    s = on("blue g6:1|1 a1:2|2 a2:3|3", "h7 4|4")
    assert holder(s, "crossroads") == 0
    assert holder(on("blue g6:1|1 a1:2|2", "h7 4|4"), "crossroads") == -1
    both = "blue a1:1|1 b1:2|2 c1:3|3 d1:4|4 | red a14:1|1 b14:2|2 c14:3|3 | turn red | held crossroads: blue"
    assert holder(on(both, "g6 5|5", "g5 5|6"), "crossroads") == 0  # it stays with the first


def test_through_the_still():
    s = on("blue d5:1|1 e3:2|5<+1", "caravan e3", setup="small")
    assert holder(s, "through the still") == 0
    # an opponent's still, past the Town Center
    s = on("blue e6:2|3^+3 | red d5:1|1 e3:2|5<", "caravan e6", setup="small")
    assert (holder(s, "through the still"), int(s.stored[1, 0])) == (0, 1)
    # no caravan of one's own
    s = drawn("Downhill", "blue d5:1|1 e3:2|5<+1", setup="small", objectives="yes")
    s = after(s, "downhill e3")
    assert (holder(s, "through the still"), int(s.stored[0, 0])) == (-1, 1)


GANG = " ".join(
    f"{column}{row}:{pair}>"
    for (column, row), pair in zip(
        [(column, row) for row in (1, 2) for column in "abcdefghijklmn"],
        ["1|2", "1|3", "1|4", "1|5", "1|6", "2|3", "2|4", "2|5", "2|6", "3|4", "3|5", "3|6", "4|5", "4|6"],
        strict=False,
    )
)


def test_road_gang():
    doubles = "a13:1|1 b13:2|2 c13:3|3 d13:4|4 e13:5|5"
    s = on(f"blue {GANG} {doubles}", "g6 5|6")
    assert holder(s, "road gang") == 0
    assert holder(on(f"blue {GANG}", "g6 5|6"), "road gang") == -1


def test_four_corners():
    s = on("blue g6:1|2v h7:1|3^ f7:1|4^", "g8 5|6")  # linked or not
    assert [holder(s, name) for name in ("four corners", "ambusher", "through the still")] == [0, -1, -1]
    s = on("blue g6:1|2v h7:1|3^ | red f7:1|4^", "g8 5|6")
    assert holder(s, "four corners") == -1


LONG = "g6:1|2v g5:2|3v g4:3|4v g3:4|5v g2:5|5 h2:5|6< i2:6|6 j2:6|1< k2:1|1"


def test_longest_road():
    s = on(f"blue {LONG}", "l2 1|4")
    assert holder(s, "longest road") == 0
    assert scores(s) == [2, 0]  # it is worth two
    s = on(f"blue {LONG} l2:1|4< | held longest road: blue | turn blue", "return l2")
    assert holder(s, "longest road") == -1  # fallen below the minimum: back on the table


def test_longest_road_passes_to_who_has_strictly_more():
    red = "red g8:1|2^ g9:2|3^ g10:3|4^ g11:4|5^ g12:5|5 h12:5|6< i12:6|6 j12:6|1< k12:1|1 l12:1|3<"
    s = on(f"blue {LONG} l2:1|4< | {red} | held longest road: blue | turn red", "m12 3|6")
    assert holder(s, "longest road") == 1
    s = on(f"blue {LONG} l2:1|4< m2:4|6< | {red} | held longest road: blue | turn red", "m12 3|6")
    assert holder(s, "longest road") == 0  # equal is not enough


def test_broke_most_opponents_road_tokens():
    s = on("blue g6:1|2v | red g5:1|1 h7:1|2<", "g5 2|3")
    assert holder(s, "broke most") == 0
    s = on("blue g6:1|2v | red h7:1|2< | broken 1 1 | held broke most: red", "h7 5|6")
    assert holder(s, "broke most") == 0
    s = on("blue g6:1|2v | red h7:1|2< | broken 1 1 | held broke most: red", "g5 2|3")
    assert holder(s, "broke most") == 1  # who is level does not take it, at the minimum neither


def test_biggest_stash():
    assert holder(on("blue g6:1|2v+1 g5:2|3v+2 g4:3|4v+1 | red h7:1|2<+3", "f7 5|6"), "biggest stash") == 0
    assert holder(on("blue g6:1|2v | stored blue:k4+4", "f7 5|6"), "biggest stash") == -1  # without a tap of it
    road = "blue d5:1|1 e3:2|5<+2 | stored blue:c3+2"
    assert holder(on(road, "e6 3|6", setup="small"), "biggest stash") == 0  # a piece of the road (§6.7)
    assert holder(on(road.replace("d5:1|1 ", ""), "e6 3|6", setup="small"), "biggest stash") == -1
    s = on("blue g6:1|2v+1 | red h7:1|2<+3 | paved g4:ns 1 1 2 | fog none", "f7 5|6")
    assert holder(s, "biggest stash") == -1
    s = on("blue g6:1|2v+1 | red h7:1|2<+3 | paved g4:ns+3 1 1 2 | fog none", "f7 5|6")
    assert (s.keeper, holder(s, "biggest stash")) == (-1, -1)  # barrels on one that nobody holds
    s = on("blue g6:1|2v+1 g5:2|3v | paved g4:ns+3 0 0 1 | fog none", "f7 5|6")
    assert holder(s, "biggest stash") == 0  # barrels on the paved road one holds


def test_landlord():
    s = on("blue d5:2|2", "f5 5|5", "g5 5|1", setup="small")
    assert holder(s, "landlord") == 0  # taps of Fort Firewater and of Cooper's Hollow
    s = on("blue d5:2|2 | red f5:5|5", "e4 5|1", setup="small")
    assert holder(s, "landlord") == -1


# claims


def test_a_circulating_objective_is_claimed_only_by_who_could_be_given_it_now():
    s = at("blue g6:1|2v | red h7:1|2< | broken 2 1", objectives="yes", claims="noticed")
    assert "claim broke most" in names(s, 0)
    assert names(s, 1) == []
    assert "strictly more than its holder" in why(s, "claim broke most", seat=1)
    assert holder(after(s, "g5 2|3"), "broke most") == -1  # nothing is given unless it is claimed
    s = after(s, "claim broke most", seat=0)
    assert holder(s, "broke most") == 0
    assert "claim broke most" not in names(s, 0)


def test_a_claim_stands_beside_a_step_back():
    s = at("blue g6:1|2v | broken 2 1", objectives="yes", claims="noticed")
    s = after(s, "g5")
    plain = after(at("blue g6:1|2v", objectives="yes"), "g5")
    assert names(s) == [*names(plain)[:-1], "claim broke most", "back"]


def test_a_claim_may_win_in_the_middle_of_a_caravan():
    loop = "blue f7:1|2> e7:2|2 e6:2|3v e5:3|3 f5:3|4< g5:4|4+3 h7:1|5< i7:5|5 i6:5|6v i5:6|6 h5:6|4>"
    s = at(f"{loop} | broken 0 2 | scored 0 7", objectives="yes", claims="noticed")
    s = after(s, "caravan g5")
    s = after(s, "claim broke most", seat=1)
    assert GAME.score(s, 2) == (0.0, 1.0)
    assert s.load == 0


def test_claims_that_are_refused():
    s = at("blue g6:1|2v", objectives="yes")
    assert "given automatically" in why(s, "claim ambusher")
    s = at("blue g6:1|2v", setup="standard", claims="noticed")
    assert "not in this game" in why(s, "claim ambusher")
    s = at("blue g6:1|2v+4", setup="standard", claims="noticed")
    assert "claim biggest stash" not in names(s)


def test_a_state_that_was_met_before_is_not_achieved_again():
    corners = "blue g6:1|2v h7:1|3^ f7:1|4^"
    s = on(f"{corners} | red a1:1|2v", "g8 2|3", claims="noticed")
    assert "claim four corners" in names(s, 0)
    s = after(s, "g8 4|6", seat=1)  # red breaks one corner, and blue has them all no more
    assert "claim four corners" in names(s, 0)  # but achieved it last
    s = at(f"{corners} g8:5|6^ | red a1:1|2v | meets four corners: 1", objectives="yes", claims="noticed")
    assert "claim four corners" not in names(after(s, "g5 2|3"), 0)
    s = after(on(f"{corners} | red a1:1|2v", "g8 5|6", claims="noticed"), "claim four corners", seat=0)
    assert holder(after(s, "return a1"), "four corners") == 0
    assert "it goes to the one who achieved it last" in why(s, "claim four corners", seat=0)


@pytest.mark.parametrize(("one", "other"), [("blue", "red"), ("red", "blue")])
def test_who_goes_on_meeting_an_objective_does_not_achieve_it_after_another(one, other):
    doubles = f"{one} a1:1|1 b1:2|2 c1:3|3 d1:4|4 | {other} a14:1|1 b14:2|2 c14:3|3 | turn {other}"
    seats = [["blue", "red"].index(colour) for colour in (one, other)]
    said = f"{doubles} | meets crossroads: {1 << seats[0]} | achieved crossroads: {one}"
    s = at(said, objectives="yes", claims="noticed")
    assert ["claim crossroads" in names(s, seat) for seat in seats] == [True, False]
    for seat, moves in zip(seats[::-1], [("g6 5|5", "g5 5|6"), ("h7 2|3",)], strict=True):
        s = after(s, *moves, seat=seat)
        assert ["claim crossroads" in names(s, seat) for seat in seats] == [False, True]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_every_objective_has_a_test(objective):
    name = "test_" + objective.lower().replace("'", "").replace(" ", "_")
    assert name in globals()
