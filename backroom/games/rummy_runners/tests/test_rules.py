"""One test for each § of Rummy Runners. `boards.py` shows the land of the positions."""

import itertools

import pytest

from backroom.engine.kernel import NATURE
from backroom.games.rummy_runners.pieces import DIRECTIONS, TILES
from backroom.games.rummy_runners.rules.land import lay_tile
from backroom.games.rummy_runners.rules.state import STATE

from .boards import EVERY_CARD, GAME, after, all_out, at, begun, claims, melded, melds, names, said, why


def score(s, seats=2):
    return GAME.score(s, seats)


def laid_out(s):
    """Let nature lay or deal all tiles, each time the first that is possible."""
    while names(s)[0].startswith("tile"):
        s = after(s, names(s)[0])
    return s


def test_a_state_is_small():
    assert STATE.itemsize <= 512


# §1 What there is


def test_1_1_sixty_cards_one_of_each():
    s = laid_out(begun())
    assert names(s) == [f"card {suit}{number}{colour}" for colour in "ryb" for suit in "smac" for number in range(1, 6)]
    assert GAME.odds(s) == [1] * 60


def test_1_2_twenty_four_tiles_in_rows_of_4_5_6_5_4():
    s = begun()
    assert sorted(names(s)) == sorted(f"tile {suit}{number}" for suit in "smac" for number in range(6))
    rows = {}
    for word in said(laid_out(s))["land"].split():
        space = word.split(":")[0]
        rows[int(space[1:])] = rows.get(int(space[1:]), 0) + 1
    assert [rows[row] for row in sorted(rows)] == [4, 5, 6, 5, 4]


def test_1_2_every_hex_has_at_least_three_neighbours():
    s = at("green hand s1r")
    beside = [sum(int(other) >= 0 for other in s.near[tile]) for tile in range(TILES)]
    assert min(beside) == 3
    assert max(beside) == 6


def test_1_3_the_first_is_drawn_by_lot_and_each_gets_six_cards():
    s = GAME.start(*GAME.settle(3, {}))
    assert GAME.asked(s) == (NATURE,)
    assert (names(s), GAME.odds(s)) == (["first green", "first violet", "first black"], [1, 1, 1])
    s = laid_out(after(s, "first violet"))
    for card in EVERY_CARD[:18]:
        assert GAME.asked(s) == (NATURE,)
        s = after(s, f"card {card}")
    assert GAME.asked(s) == (1,)
    assert list(s.held[:3]) == [6, 6, 6]
    assert said(s)["violet hand"].split() == EVERY_CARD[0:18:3]
    assert said(s)["green hand"].split() == EVERY_CARD[2:18:3]
    assert s.deck == 42


def test_1_3_counts_are_open_and_cards_are_hidden():
    s = at("green hand s1r s2r | violet hand m1r m2r m3r")
    v = GAME.view(s, 0)
    assert said(v)["violet hand"] == "?3"
    assert said(v)["green hand"] == "s1r s2r"
    assert v.deck == 55
    assert said(GAME.view(s, -1))["green hand"] == "?2"
    drawing = after(s, "draw")
    assert GAME.rules.seen(drawing, NATURE, GAME.rules.parse(s, "card s3r")) == 1
    dealing = laid_out(begun())
    assert GAME.rules.seen(dealing, NATURE, GAME.rules.parse(s, "card s3r")) == 1


# §2 A turn


def test_2_1_one_set_then_a_card():
    s = at("green hand s1r s2r s3r | violet hand m1r")
    assert "draw" in names(s)
    melding = melded(s, "s1r s2r s3r")
    assert GAME.asked(melding) == (NATURE,)
    assert list(melding.held[:2]) == [0, 1]
    for drawing in (after(s, "draw"), melding):
        then = after(drawing, "card c5b")
        assert GAME.asked(then) == (1,)
        assert "c5b" in said(then)["green hand"]
        assert then.deck == drawing.deck - 1


def test_2_1_a_winning_meld_ends_the_game_before_the_draw():
    s = melded(at("green claims s1 s2 | green before s3r | green hand s3b a4b c1b"), "s3b a4b c1b")
    assert GAME.asked(s) == ()
    assert s.deck == 60 - 4


def test_2_1_no_hand_limit():
    s = at(f"green hand {' '.join(EVERY_CARD[:40])}")
    assert after(s, "draw", "card c5b").held[0] == 41


def test_2_1_what_is_picked_can_be_stepped_back_from():
    s = at("green hand s1r s2r s3r s4b | violet hand m1r")
    picked = after(s, "take s1r", "take s2r")
    assert names(picked)[-1] == "back"
    assert "draw" not in names(picked)
    assert GAME.key(after(picked, "back")) == GAME.key(after(s, "take s1r"))
    assert GAME.key(after(picked, "back", "back")) == GAME.key(s)


def test_2_1_what_is_picked_is_nobodys_business_until_it_is_laid():
    s = at("green hand s1r s2r s3r s4b | violet hand m1r | violet before s5r")
    picked = after(s, "take s1r", "take s5r")
    for reader in (-1, 1):
        assert GAME.key(GAME.view(picked, reader)) == GAME.key(GAME.view(s, reader))
    for text in ("take s2r", "back"):
        assert GAME.rules.seen(picked, 0, GAME.rules.parse(s, text)) == 1
    assert said(GAME.view(picked, 0))["picked"] == "s1r s5r"


def test_2_2_an_empty_deck():
    s = at(all_out())
    assert names(s)[0] == "pass"
    assert GAME.asked(after(s, "pass")) == (1,)
    over = after(s, "pass", "pass")
    assert GAME.asked(over) == ()


def test_2_2_a_meld_begins_the_count_anew():
    s = melded(after(at(all_out(3), seats=3), "pass", "pass"), "s1b s2b s3b")
    assert (GAME.asked(s), s.idle) == ((0,), 0)
    assert GAME.asked(after(s, "pass", "pass")) == (2,)
    assert GAME.asked(after(s, "pass", "pass", "pass")) == ()


def test_2_2_the_turn_that_drew_the_last_card_does_not_count():
    one_left = all_out().replace(" c5b", "")
    s = after(at(one_left), "draw", "card c5b")
    assert (s.deck, s.idle) == (0, 0)
    assert GAME.asked(after(s, "pass")) == (0,)


# §3 Melding


def test_3_1_a_set_is_three_or_more_of_one_number_suit_or_colour():
    assert melds(at("green hand s1r m1y a1b c2b")) == {frozenset({"s1r", "m1y", "a1b"})}
    assert melds(at("green hand s1r s2y s3b c4b")) == {frozenset({"s1r", "s2y", "s3b"})}
    assert melds(at("green hand s1r m2r a3r c4b")) == {frozenset({"s1r", "m2r", "a3r"})}
    four = {"s1r", "s2r", "s3r", "s4r"}
    assert melds(at(f"green hand {' '.join(four)}")) == {
        frozenset(some) for size in (3, 4) for some in itertools.combinations(four, size)
    }
    assert melds(at("green hand s1r m2y")) == set()


def test_3_2_at_least_one_card_comes_from_the_hand():
    s = at("green hand s1r c5b | violet before s2y s3b s4r", seats=2)
    assert all("s1r" in meld for meld in melds(s))
    assert frozenset({"s1r", "s2y", "s3b", "s4r"}) in melds(s)
    assert melds(at("violet before s2y s3b s4r", seats=2)) == set()
    picked = after(s, "take s2y", "take s3b", "take s4r")
    assert names(picked) == ["take s1r", "back"]
    assert "§3.2" in why(picked, "lay")


def test_3_2_only_what_lies_before_others_can_be_scavenged():
    s = at("green hand s1r | green before s2r s3r | violet before m1r a1y", seats=3)
    assert melds(s) == {frozenset({"s1r", "m1r", "a1y"})}
    assert "lies before you" in why(s, "take s2r")
    assert "neither in your hand" in why(s, "take c5b")
    several = at("green hand s1r | violet before m1r | black before a1y | white before c1b", seats=4)
    assert frozenset({"s1r", "m1r", "a1y", "c1b"}) in melds(several)


def test_3_2_what_is_left_need_not_be_a_set():
    s = melded(at("green hand s1r s2r | violet before s3r s4b a5y"), "s1r s2r s3r")
    assert said(s)["violet before"] == "s4b a5y"


def test_3_3_all_cards_before_one_count_together():
    s = melded(at("green before s1r | green hand s1y m1y a2y"), "s1y m1y a2y")
    assert said(s)["green before"] == "s1r s1y m1y a2y"
    assert claims(s, 0) == "s1"


def test_3_4_no_card_is_added_but_by_a_new_set():
    s = at("green before s1r m1y a1b | green hand c1y s5b | violet hand s1b")
    assert names(s) == ["draw"]


# §4 Claiming


def test_4_1_two_colours_claim_a_space():
    s = melded(at("green hand s1r s1y m1b"), "s1r s1y m1b")
    assert claims(s, 0) == "s1"
    assert claims(melded(at("green hand s1r s1y s1b"), "s1r s1y s1b"), 0) == "s1"


def test_4_1_a_claim_is_for_good():
    s = melded(at("violet claims s1 | green hand s1r s1y s1b m1r"), "s1r s1y s1b m1r")
    assert (claims(s, 0), claims(s, 1)) == ("", "s1")
    scavenged = melded(at("violet claims s1 | violet before s1r s1y | green hand s1b"), "s1r s1y s1b")
    assert (claims(scavenged, 0), claims(scavenged, 1)) == ("", "s1")


def test_4_1_a_swatch_as_a_first_meld_claims_nothing_and_a_later_one_may():
    assert claims(melded(at("green hand s1r m2r a3r"), "s1r m2r a3r"), 0) == ""
    assert claims(melded(at("green before s1y | green hand s1r m2r a3r"), "s1r m2r a3r"), 0) == "s1"


def test_4_2_a_majority_has_its_null_at_once():
    s = melded(at("green claims s1 s4 | green before s2r | green hand s2y m3y a4y"), "s2y m3y a4y")
    assert claims(s, 0) == "s1 s2 s4 s0"


@pytest.mark.parametrize(
    ("split", "null"),
    [
        (("s1 s4", "s2 s3"), "green"),  # 3-2; 5 and 4-1 have gone through three before
        (("s1 s4", "s2", "s3"), "green"),  # 3-1-1
        (("s1", "s2 s3", "s4"), "dead"),  # 2-2-1, deadlock
        (("", "s2 s3", "s1 s4"), "dead"),  # 2-2-1, and Green has the one
        (("s1", "s2", "s3", "s4"), "dead"),  # 2-1-1-1, plurality
        (("s1", "s2 s3"), "open"),  # 2-2, and one is not claimed
        (("s1", "s2", "s3"), "open"),
    ],
)
def test_4_2_the_splits_of_five_spaces(split, null):
    """Green claims the 5 of suns, the last or not."""
    seats = ("green", "violet", "black", "white")
    parts = [f"{who} claims {spaces}" for who, spaces in zip(seats, split, strict=False) if spaces]
    text = " | ".join([*parts, "green before s5r", "green hand s5y m1y a2y"])
    s = melded(at(text, seats=len(split)), "s5y m1y a2y")
    assert "s5" in claims(s, 0)
    assert ("s0" in claims(s, 0)) == (null == "green")
    assert (said(s).get("dead") == "s0") == (null == "dead")


def test_4_3_only_the_one_who_melded_is_checked():
    """Cards before other players claim nothing during a turn, even if a space becomes free."""
    s = at("violet before s1r m2r | green before s1y | green hand m3r m4r m5y")
    then = melded(s, "m3r m4r m5y")
    assert (claims(then, 0), claims(then, 1)) == ("", "")
    with pytest.raises(ValueError, match=r"§4\.1"):
        at("violet before s1r s1y")


# §5 Winning


def test_5_1_three_in_a_straight_line():
    s = melded(at("green claims s1 s2 | green before s3r | green hand s3b a4b c1b"), "s3b a4b c1b")
    assert GAME.asked(s) == ()
    assert score(s) == (1.0, 0.0)
    assert GAME.plain(GAME.rules.question(s, 1)) == "The game is over: Green has won with three in a line (§5.1)."
    slanting = melded(at("green claims s1 s5 | green before m4r | green hand m4b a4b c1b"), "m4b a4b c1b")
    assert GAME.asked(slanting) == ()


@pytest.mark.parametrize("third", ["s4", "m4", "m2"])
def test_5_1_not_with_a_gap_or_round_a_corner(third):
    s = at(f"green claims s1 s3 | green before {third}r | green hand {third}b a4b c1b")
    assert GAME.asked(melded(s, f"{third}b a4b c1b")) == (NATURE,)


def test_5_1_a_dead_null_breaks_a_line():
    """s5, m0, m1 lie in a row; m0 is dead."""
    dead = "dead m0 | violet claims m3 m5 | black claims m2 m4"
    s = at(f"green before s5r | green claims m1 | green hand s5b a4b c1b | {dead}", seats=3)
    assert GAME.asked(melded(s, "s5b a4b c1b")) == (NATURE,)


def test_5_2_any_four_that_hang_together():
    s = at("green claims m1 m2 a1 | green before a2r | green hand a2b a4b c1b")
    then = melded(s, "a2b a4b c1b")
    assert GAME.asked(then) == ()
    assert score(then) == (1.0, 0.0)
    assert (
        GAME.plain(GAME.rules.question(then, 1))
        == "The game is over: Green has won with four that hang together (§5.2)."
    )
    apart = at("green claims m1 m2 a1 | green before a3r | green hand a3b a4b c1b")
    assert GAME.asked(melded(apart, "a3b a4b c1b")) == (NATURE,)


def test_5_3_most_spaces_then_the_largest_group_then_shared():
    def ended(*claims, seats=2):
        parts = [
            f"{who} claims {part}" for who, part in zip(("green", "violet", "black"), claims, strict=False) if part
        ]
        s = at(" | ".join([all_out(seats), *parts]), seats=seats)
        return score(after(s, *["pass"] * seats), seats)

    assert ended("s1 m2", "a3") == (1.0, 0.0)
    assert ended("s1 m2", "s2 s3") == (0.0, 1.0)
    assert ended("s1 s2", "c2 c3") == (0.5, 0.5)
    assert ended("s1 s2", "c2 c3", "m1", seats=3) == (0.5, 0.5, 0.0)
    assert ended("", "") == (0.5, 0.5)
    assert ended("", "", "", seats=3) == (1 / 3, 1 / 3, 1 / 3)
    assert ended("s1 s3 s4 s0", "c2 c3 c5 c0") == (1.0, 0.0)  # nulls count, also for what hangs together
    assert ended("s1 s3 s4 s0", "m3 a2 c2 c5") == (1.0, 0.0)  # four each, then three together
    assert ended("s1 s3 s4 s0", "m3 a2 c1") == (1.0, 0.0)


# §6 Variants


def test_6_the_hard_way_sets():
    sequence = {"s1r", "m2y", "a3b", "c4r", "s5b"}
    s = at(f"green hand {' '.join(sequence)}", sets="hard")
    suites = {meld for meld in melds(s) if len(meld) == 4}
    assert frozenset(sequence) in melds(s)
    assert suites == {frozenset({"s1r", "m2y", "a3b", "c4r"}), frozenset({"s5b", "m2y", "a3b", "c4r"})}
    assert {meld for meld in melds(s) if len(meld) == 3} == set()
    assert melds(at("green hand s1r s2r s3r s4b s5b", sets="hard")) == {
        frozenset({"s1r", "s2r", "s3r"}),
        frozenset({"s1r", "s2r", "s3r", "s4b", "s5b"}),
    }
    assert melds(at("green hand s1r m1y a1b s2r", sets="hard")) == set()
    both = at("green hand s1r m1y a1b c1r s2y s3b s4r s5y", sets="hard")
    assert set(names(after(both, "take s1r", "take m1y"))) == {"take a1b", "take c1r", "back"}  # two ones: a suite


def test_6_the_hard_way_needs_a_card_from_the_hand_too():
    s = at("green hand c4r | violet before s1r m2y a3b", sets="hard")
    assert melds(s) == {frozenset({"s1r", "m2y", "a3b", "c4r"})}
    assert melds(at("green hand s4r | violet before s1r m2y a3b", sets="hard")) == set()
    only = at("green hand c4r | violet before s1r m2y a3b c4b", sets="hard")
    assert "take c4b" not in names(only)  # the crown must be the one in the hand
    assert names(at("violet before s1r s2r s3r s4r s5r", sets="hard")) == ["draw"]  # with an empty hand nothing


def test_6_the_hard_way_no_first_meld_claims_anything():
    for cards in ("s1r s2y s3b s4r s5y", "s1r m1y a1b c1r", "s1r m1r a1r s2r"):
        s = melded(at(f"green hand {cards}", sets="hard"), cards)
        assert claims(s, 0) == ""


def test_6_disputes_two_colours_take_an_unlocked_space():
    s = at("violet claims s1 | violet before s1r | green hand s1y s1b m1r", disputes=True)
    then = melded(s, "s1y s1b m1r")
    assert (claims(then, 0), claims(then, 1)) == ("s1", "")
    assert "locked" not in said(then)


def test_6_disputes_three_colours_lock_whoever_held_it():
    s = at("violet claims s1 | green hand s1r s1y s1b", disputes=True)
    then = melded(s, "s1r s1y s1b")
    assert (claims(then, 0), said(then)["locked"]) == ("s1", "s1")
    own = at("green claims s1 | green before s1r s1y | green hand s1b s2b s3b", disputes=True)
    assert said(melded(own, "s1b s2b s3b"))["locked"] == "s1"  # one's own too
    third = at("violet claims s1 | locked s1 | violet before s1r s1y | green hand s1b s2y", disputes=True)
    assert claims(melded(third, "s1r s1y s1b"), 1) == "s1"  # locked, whoever has three now
    again = at("violet claims s1 | locked s1 | violet before s1r | green hand s1y s1b m1r", disputes=True)
    assert claims(melded(again, "s1y s1b m1r"), 1) == "s1"


def test_6_disputes_what_the_holder_still_has_does_not_matter():
    s = at("green claims s1 | violet hand s2r s3r s4r | turn violet | violet before a1y", disputes=True)
    assert claims(melded(s, "s2r s3r s4r"), 0) == "s1"


def test_6_disputes_a_locked_space_counts_for_its_holder():
    s = at("green claims s1 s2 | locked s1 s2 | green before s3r | green hand s3b a4b c1b", disputes=True)
    assert GAME.asked(melded(s, "s3b a4b c1b")) == ()


def test_6_disputes_a_null_is_never_looked_at_again():
    """Violet loses his majority and keeps the null; a dead null stays dead though Green now has three."""
    s = at("violet claims s1 s3 s5 s0 | green before s3r | green hand s3y m1y a4y", disputes=True)
    then = melded(s, "s3y m1y a4y")
    assert (claims(then, 0), claims(then, 1)) == ("s3", "s1 s5 s0")
    both = at(
        "violet claims s1 s3 s5 s0 | green claims s2 s4 | green before s3r | green hand s3y m1y a4y", disputes=True
    )
    then = melded(both, "s3y m1y a4y")
    assert (claims(then, 0), claims(then, 1)) == ("s2 s3 s4", "s1 s5 s0")  # nor is it Green's by a new majority
    dead = at(
        "dead s0 | green claims s1 s4 | violet claims s2 s3 | black claims s5 | green before s3r"
        " | green hand s3y m1y a4y",
        seats=3,
        disputes=True,
    )
    then = melded(dead, "s3y m1y a4y")
    assert (claims(then, 0), said(then)["dead"]) == ("s1 s3 s4", "s0")


def test_6_controlled_zoning_deals_the_tiles_out_and_they_are_placed_in_turn():
    s = laid_out(begun(3, first="violet", zoning="controlled"))
    assert GAME.asked(s) == (1,)
    assert [said(s)[f"{who} tiles"].count(" ") + 1 for who in ("green", "violet", "black")] == [8, 8, 8]
    four = laid_out(begun(4, zoning="controlled"))
    assert [said(four)[f"{who.lower()} tiles"].count(" ") + 1 for who in GAME.rules.SEAT_NAMES] == [6, 6, 6, 6]
    assert {text.split()[2] for text in names(s)} == {"m13"}
    s = after(s, names(s)[0])
    assert GAME.asked(s) == (2,)
    assert {text.split()[2] for text in names(s)} == {"l13", "n13", "m12", "m14", "n12", "l14"}
    s = after(s, next(text for text in names(s) if text.endswith("n13")))
    assert {text.split()[2] for text in names(s)} == {"n12", "m14"}  # beside both
    while names(s)[0].startswith("place"):
        s = after(s, names(s)[-1])
    assert s.laid == TILES
    assert names(s)[0].startswith("card")
    assert s.turn == 1


def test_6_controlled_zoning_in_the_frame_of_a_piecepack():
    s = laid_out(begun(2, zoning="controlled", land="piecepack"))
    assert {text.split()[2] for text in names(s)} == {f"{column}{row}" for column in "abcdef" for row in range(1, 5)}
    s = after(s, next(text for text in names(s) if text.endswith("a1")))
    assert {text.split()[2] for text in names(s)} == {"a2", "b1", "b2"}  # a corner counts as beside
    middle = laid_out(begun(2, zoning="controlled", land="piecepack"))
    middle = after(middle, next(text for text in names(middle) if text.endswith("b2")))
    assert {text.split()[2] for text in names(middle)} == {"a1", "a2", "a3", "b1", "b3", "c1", "c2", "c3"}
    for first, second, spaces in (("b2", "b3", "a2 a3 c2 c3"), ("b2", "c2", "b1 b3 c1 c3"), ("b3", "c2", "b2 c3")):
        two = laid_out(begun(2, zoning="controlled", land="piecepack"))
        for space in (first, second):
            two = after(two, next(text for text in names(two) if text.endswith(space)))
        assert {text.split()[2] for text in names(two)} == set(spaces.split())
    s = after(s, next(text for text in names(s) if text.endswith("b2")))
    assert {text.split()[2] for text in names(s)} == {"a2", "b1"}
    while names(s)[0].startswith("place"):
        s = after(s, names(s)[0])
    assert s.laid == TILES


def test_6_the_piecepack_has_lines_to_the_sides_and_over_corners():
    """In order: s0 to s5, m0 to m5, a0 to a5, c0 to c5, a row each."""
    for claimed, third in (("s1 s2", "s3"), ("s1 m1", "a1"), ("s1 m2", "a3"), ("s5 m4", "a3")):
        s = at(f"green claims {claimed} | green before {third}r | green hand {third}b c4b m5b", land="piecepack")
        assert GAME.asked(melded(s, f"{third}b c4b m5b")) == (), third


def test_6_in_the_piecepack_four_hang_together_by_their_sides_only():
    together = at("green claims s1 s2 m1 | green before m2r | green hand m2b c4b a5b", land="piecepack")
    assert GAME.asked(melded(together, "m2b c4b a5b")) == ()
    corner = at("green claims s1 s2 m1 | green before a2r | green hand a2b c4b s5b", land="piecepack")
    assert GAME.asked(melded(corner, "a2b c4b s5b")) == (NATURE,)


def test_6_a_land_as_long_as_can_be_stays_on_the_canvas():
    """The longest land there is, a strip two wide, in each of the six directions."""
    for along, beside in itertools.chain.from_iterable(
        (((x, y), (u, v)), ((-x, -y), (-u, -v))) for x, y, u, v in ((1, 0, 0, 1), (0, 1, 1, 0), (1, -1, 1, 0))
    ):
        s = laid_out(begun(2, zoning="controlled"))
        spaces = [
            (k * along[0] + side * beside[0], k * along[1] + side * beside[1]) for k in range(12) for side in (0, 1)
        ]
        for column, row in spaces:
            space = f"{chr(ord('m') + column)}{13 + row}"
            s = after(s, next(text for text in names(s) if text.endswith(f" {space}")))
        assert s.laid == TILES
        assert GAME.rules.is_whole(s)


def test_6_neighbours_are_mutual():
    for land in ("hexpack", "piecepack"):
        s = at("green hand s1r", land=land)
        for tile, way in itertools.product(range(TILES), range(DIRECTIONS)):
            if s.near[tile, way] >= 0:
                assert s.near[s.near[tile, way], way ^ 1] == tile
    blank = GAME.start(*GAME.settle(2, {}))
    lay_tile(blank, 0, 312)
    lay_tile(blank, 1, 313)
    assert [way for way in range(DIRECTIONS) if blank.near[0, way] == 1] == [2]
