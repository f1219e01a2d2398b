"""One test for each § of the rules."""

import pytest

import backroom
from backroom.engine.kernel import NATURE

GAME = backroom.game("new-game")


def at(position, seats=2, **options):
    """A table at a position."""
    return GAME.table(seats=seats, start=position, nature=False, **options)


def test_1_1_sixteen_cards():
    assert GAME.table(nature=False).moves(NATURE) == [f"deal {number}" for number in range(1, 17)]


@pytest.mark.parametrize("hand", [2, 3, 4])
def test_2_1_cards_are_dealt_one_by_one(hand):
    table = GAME.table(seats=3, nature=False, hand=hand)
    for number in range(1, 3 * hand + 1):
        assert table.asked == (NATURE,)
        table.play(NATURE, f"deal {number}")
    assert table.asked == (0, 1, 2)
    assert table.moves(1) == [f"bid {number}" for number in range(2, 3 * hand + 1, 3)]


def test_2_2_nobody_sees_the_cards_of_others():
    table = at("ann 3 7 won 1 | ben 4 12* won 0 | played 1 2 | last 2 1")
    assert GAME.rules.position(table.view(0)) == "ann 3 7 won 1 | ben ? ? * won 0 | played 1 2 | last 2 1 | due 0"


def test_3_1_a_choice_may_be_changed_until_the_last_has_chosen():
    table = at("ann 3 7 won 0 | ben 4 12 won 0")
    table.play(0, "bid 3")
    assert table.asked == (1,)
    assert table.moves(0) == ["bid 7"]
    table.play(0, "bid 7")
    assert GAME.rules.position(table.view(1)) == "ann ? ? * won 0 | ben 4 12 won 0 | due 0"


def test_3_2_the_highest_takes_the_trick():
    table = at("ann 3 7* won 0 | ben 4 12 won 0")
    table.play(1, "bid 12")
    assert GAME.rules.position(table.state) == "ann 3 won 0 | ben 4 won 1 | played 7 12 | last 7 12 | due 0"
    table.play(1, "bid 4")
    told = [GAME.plain(said) for _, said in table.turns()]
    assert told == ["The trick goes to Ben: the 12 beats the 7 of Ann.", "Ben has chosen."]


def test_4_1_most_tricks_win_and_equal_ones_share():
    table = at("ann 3* won 1 | ben 4 won 0 | played 7 12 | last 12 7")
    table.play(1, "bid 4")
    assert table.is_over
    assert table.score == (1.0, 1.0)
    assert "Ann and Ben share it" in GAME.plain(GAME.rules.question(table.view(0), 0))


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("bid 12", r"you do not have the 12 \(§3.1\)"),
        ("bid 2", r"the 2 is out of play \(§3.2\)"),
        ("bid 7", r"you have chosen the 7 already \(§3.1\)"),
        ("deal 5", r"cards are dealt by nature"),
        ("bid", r"a move is written like bid 12"),
    ],
)
def test_a_refusal_names_its_paragraph(move, reason):
    table = at("ann 3 7* won 1 | ben 4 12 won 0 | played 1 2 | last 2 1")
    with pytest.raises(backroom.IllegalMove, match=reason):
        table.play(0, move)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("ann 3 3 won 0", "there is only one card 3"),
        ("ann 17 won 0", "'17' is no card from 1 to 16"),
        ("ann x", "'x' is no hand"),
        ("zoe 3 won 0", "there is no part 'zoe'"),
        ("ann 3 won 1 | ben 4 won 0", "tricks and cards do not agree"),
        ("ann 3 won 0", "hands are of one size"),
        ("ann 3* won 0 | ben 4* won 0", "when all have chosen"),
        ("due 99", "'99' cards cannot be due"),
    ],
)
def test_a_position_that_cannot_be_is_refused(text, said):
    with pytest.raises(backroom.BadPosition, match=said):
        at(text)
