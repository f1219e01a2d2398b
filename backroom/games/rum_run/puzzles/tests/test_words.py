"""Names of moves, sentences, reasons and positions."""

import pytest

from .boards import GAME, after, at, names, why

rules = GAME.rules


def test_moves_are_called_as_in_rum_run_but_for_giving_up():
    s = at()
    assert names(s)[:5] == ["c4", "d5", "c6", "b5", "1|2"]
    assert rules.parse(s, "C4") == rules.parse(s, "c4")
    assert names(after(s, "c4"))[-1] == "back"
    assert rules.name(s, rules.parse(s, "Give Up")) == "give up"
    with pytest.raises(ValueError, match=r"one can give up \(§3.2\)"):
        rules.parse(s, "pass")
    with pytest.raises(ValueError, match=r"a move is written like c4"):
        rules.parse(s, "north")
    with pytest.raises(ValueError, match="is no token"):
        rules.parse(s, "7|8")


def test_sentences():
    s = at("red c4:2|3^ | blue d5:1|3<")

    def said(s, *moves):
        before = after(s, *moves[:-1])
        return GAME.plain(rules.say(before, 0, rules.parse(before, moves[-1]), after(before, moves[-1])))

    assert said(s, "c4") == said(s, "2|5") == said(s, "c4", "back") == ""
    assert said(s, "c4", "c4 2|5") == (
        "Blue places the 2-5 one north of the Town Center, the 2 to the south, over red’s 2-3 (§4.5)."
    )
    near = at("blue c4:1|3v c3:3|6v c2:6|4v")
    assert said(near, "c1", "c1 4|1") == (
        "Blue places the 1-4 four north of the Town Center, the 4 to the south, where the barrel is: "
        "solved in 1 placing (§5.3)."
    )
    stuck = at("boulders b5 d5 c6 c4")
    assert said(stuck, "give up") == "Blue gives up (§3.2)."


def test_questions():
    s = at()
    goal = "Reach the barrel four north of the Town Center; it takes 4 placings"
    assert rules.question(s, 0) == f"{goal}, 6 of 6 left."
    assert rules.question(after(s, "c4"), 0) == f"{goal}. Which token goes one north of the Town Center? 6 of 6 left."
    assert GAME.plain(rules.question(after(s, "1|2"), -1)) == f"{goal}. Where does the 1-2 go? 6 of 6 left."
    assert rules.question(after(s, "c4 3|3"), 0) == f"{goal}. The double wants a second token (§4.3); 5 of 6 left."
    stuck = at("boulders b5 d5 c6 c4")
    assert rules.question(stuck, 0) == f"{goal}. Nothing can be placed any more (§3.2): take back, or give up."
    assert rules.question(after(stuck, "give up"), 0) == "The game is over: not solved, and it takes 4 placings (§5.2)."
    given_up = rules.result(after(stuck, "give up"))
    assert (given_up.headline, given_up.seats, given_up.winners) == (
        "Not solved, and it takes 4 placings (§5.2).",
        ("not solved",),
        (),
    )
    assert rules.result(stuck) is None
    near = at("blue c4:1|3v c3:3|6v c2:6|4v")
    assert "solved in 1 placing, as few as can be" in rules.question(after(near, "c1 4|1"), 0)
    slow = after(near, "b5 1|2", "b5 2|5", "b5 1|2", "b5 2|5", "c1 4|1")
    assert "solved in 5 placings, but it takes only 4" in rules.question(slow, 0)


def test_reasons_name_the_paragraph():
    s = at("boulders d5")
    assert why(s, "d5").endswith("(§4.1)")
    assert why(s, "a1").endswith("(§4.1)")
    assert why(s, "g9").endswith("(§1.1)")
    assert why(s, "4|4").endswith("(§4.1)")
    assert why(s, "c4 1|2").endswith("(§4.1)")
    assert why(s, "back").endswith("(§3)")
    assert why(s, "caravan c4").endswith("(§3.1)")
    assert "that is no answer now" in why(after(s, "c4"), "c6")


def test_positions():
    s = after(at("red c4:2|3^ | blue d5:1|3<"), "c4 2|5")
    assert rules.position(s) == "blue d5:1|3< c4:5|2^ | left 5 | broken 1"
    again = at("red c4:2|3^ | blue d5:1|3<")
    rules.place(again, "broken 1 | left 5 | blue c4:2|5v d5:3|1>")
    assert GAME.key(again) == GAME.key(s)
    double = after(at(), "c4 3|3")
    assert rules.position(double) == "blue c4:3|3 | left 5 | second c4v"
    folk = after(
        at(puzzle="size 6 | town c5 | barrel c1 | in 4 | tokens 1|2 *|* 2|3 2|5 3|3 5|6"), "c4 3|3", "c3 *3|*3"
    )
    assert rules.position(folk) == "blue c4:3|3 c3:*3|*3 | left 4 | second c3v"
    placed = at(puzzle="size 6 | town c5 | barrel c1 | in 4 | tokens 1|2 *|* 2|3 2|5 3|3 5|6")
    rules.place(placed, rules.position(folk))
    assert GAME.key(placed) == GAME.key(folk)


@pytest.mark.parametrize(
    ("position", "wrong"),
    [
        ("blue c4:1|3v", "does not have that token"),
        ("blue c5:1|2v", "no token can lie there"),
        ("blue c1:1|2v", "no token can lie there"),
        ("blue h8:1|2v", "no token can lie there"),
        ("blue c4:1|2", "an arrow says"),
        ("left 7", "from -2 to 6"),
        ("chosen 6|6", "not in the inventory"),
        ("second c4", "no double of yours wants one"),
        ("blue c4:3|3 c3:3|2v | second c4", "no second token could follow"),
        ("over", "nothing goes on"),
        ("green c4:1|2v", "is no part of it"),
    ],
)
def test_positions_that_cannot_be(position, wrong):
    with pytest.raises(ValueError, match=wrong):
        rules.place(at(), position)
