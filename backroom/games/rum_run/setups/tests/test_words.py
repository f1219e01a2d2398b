"""Names of steps, sentences, questions and positions."""

import pytest

from .boards import GAME, after, begin, names

rules = GAME.rules


def test_steps_have_readable_names_and_may_be_written_shorter():
    s = begin()
    assert names(s)[:3] == ["folk", "events", "objectives"]
    assert rules.parse(s, "PLACE fort firewater") == rules.parse(s, "Fort Firewater")
    assert rules.parse(s, "g6") == rules.parse(s, "at g6")
    with pytest.raises(ValueError, match=r"there is no 'lgo' to place; did you mean log\?"):
        rules.parse(s, "place lgo")
    with pytest.raises(ValueError, match="'z9' is no node"):
        rules.parse(s, "at z9")
    with pytest.raises(ValueError, match="a step is written like place log"):
        rules.parse(s, "dance")


def said(s, *steps):
    before = after(s, *steps[:-1])
    return GAME.plain(rules.say(before, 0, rules.parse(before, steps[-1]), after(before, steps[-1])))


def test_labels():
    s = begin("standard")

    def label(s, text):
        return rules.label(s, rules.parse(s, text))

    assert label(s, "place fort firewater") == "Take Fort Firewater out of the box"
    assert label(s, "a1") == "Choose column A, row 1"
    assert label(s, "c4") == "Choose Cooper's Hollow at column C, row 4"
    assert label(after(s, "a1"), "place cliff left") == "Lay cliff left there"
    assert label(after(s, "g7"), "f7") == "Move the Town Center to column F, row 7"
    assert label(after(s, "place fort firewater"), "n1") == "Lay Fort Firewater at column N, row 1"
    assert label(s, "size 12") == "Make the board 12 × 12"
    assert label(after(s, "events"), "dynamite") == "Leave out Dynamite"


def test_sentences():
    s = begin("standard")
    hollow = "Cooper's Hollow at column C, row 3"
    assert said(s, "place fort firewater") == said(s, "a1") == said(s, "c4") == ""
    assert said(s, "place fort firewater", "at n1") == "Maker lays Fort Firewater at column M, row 1."
    assert said(s, "a1", "place cliff left") == "Maker lays cliff left at column A, row 1."
    assert said(s, "c4", "turn") == f"Maker turns {hollow}."
    assert said(s, "c4", "flip") == f"Maker turns {hollow} face down."
    assert said(s, "c4", "flip", "flip") == f"Maker turns {hollow} face up."
    assert said(s, "c4", "remove") == f"Maker puts {hollow} back into the box."
    assert said(s, "g7", "f7") == "Maker moves the Town Center to column F, row 7."
    assert said(s, "g3", "flip") == "Maker turns log at column G, row 3 over: boulder."
    assert said(s, "size 16") == "The board is 16 × 16 now."
    assert said(s, "size 10") == "The board is 10 × 10 now; 6 pieces go back into the box (§3.4)."
    assert said(s, "folk") == "The Forest Folk stay at home."
    assert said(s, "events") == said(s, "events", "back") == said(s, "place fort firewater", "back") == ""
    assert said(s, "events", "dynamite") == "Dynamite goes out."
    assert said(s, "objectives", "landlord") == "Landlord goes in."
    assert said(s, "events", "none") == "All go out."
    assert said(s, "done") == "The draft is done."


def test_the_next_step_is_said():
    s = begin("nothing")
    for step, said in (
        (None, "take the Town Center out of the box"),
        (("place Town Center", "at g7"), "take stills out of the box"),
        (("place Widow's Well", "at d11"), "lay another still"),
        (("place Fort Firewater", "at g7"), "move, turn or take away what is marked red"),
        (("at g8", "at c3", "place Badger Bog", "at k3", "place Hollow Oak", "at k11"), "play it"),
        (("place Chapel Casks", "at g3", "place Juniper Gate", "at g11"), "put a still back into the box"),
    ):
        s = after(s, *step) if step else s
        assert f"Next: {said}" in rules.question(s, 0)


def test_questions():
    s = begin("standard")
    assert rules.question(s, 0) == (
        "Playable by 2, 3 or 4 players: 22 barrels in 4 stills (§2.3). "
        "Next: play it; or add obstacles, fog, events, objectives."
    )
    assert rules.question(after(s, "events"), 0) == "Which events? 18 of 18 are in (§10)."
    assert rules.question(after(s, "objectives"), 0) == "Which objectives? 4 of 12 are in (§11)."
    assert rules.question(after(s, "place cliff left"), 0) == "Where does cliff left go?"
    assert rules.question(after(s, "a1"), 0) == "What goes at column A, row 1?"
    assert rules.question(after(s, "c3"), 0) == (
        "What of Cooper's Hollow at column C, row 3? Move it, turn it, turn it over or put it back (§3.2)."
    )
    assert rules.question(after(s, "g7"), 0) == (
        "What of the Town Center at column G, row 7? Move it or put it back (§3.2)."
    )
    assert rules.question(after(s, "done"), 0).startswith("The game is over: the draft is done. Playable")
    gone = after(s, "g7", "remove", "c3", "remove", "k4", "remove")
    assert rules.question(gone, 0).startswith(
        "Not playable yet: the setup does not say where the Town Center is (§2.1)"
    )
    assert "; and 1 more. Next: take the Town Center" in rules.question(gone, 0)


@pytest.mark.parametrize(
    "steps",
    [
        ["place fort firewater", "turn", "flip"],
        ["place rockslide", "turn", "turn"],
        ["place fog"],
        ["place town center"],
        ["place fog", "c3", "place fog", "c4", "c4"],
        ["place swamp", "c3", "c3"],
        ["a1", "place town center", "a1"],
        ["a1"],
        ["events", "dynamite"],
        ["objectives"],
    ],
)
def test_positions_hold_what_is_chosen(steps):
    s = after(begin(), *steps)
    again = begin()
    rules.place(again, rules.position(s))
    assert GAME.key(again) == GAME.key(s)


EMPTY = "setup = {size = 14, still = []}"


@pytest.mark.parametrize(
    ("position", "wrong"),
    [
        ("nonsense", "this is not TOML"),
        (f"{EMPTY} | hand sword", "no such thing"),
        (f"{EMPTY} | hand lake turned 1", "cannot be turned so"),
        (f"{EMPTY} | hand fog c3", "no such fog token"),
        ("setup = {fog = ['c3']} | node c3", "an empty node"),
        ("setup = {town = 'c3'} | hand Town Center turned 1", "lies on the board otherwise"),
        (f"{EMPTY} | list nodes", "expected events or objectives"),
        (f"{EMPTY} | list events | node c3", "only one thing at a time"),
        (f"{EMPTY} | made 2000", "under 2000"),
        (f"{EMPTY} | over", "nothing goes on"),
        (f"{EMPTY} | colour 3", "is no part of it"),
    ],
)
def test_positions_that_cannot_be(position, wrong):
    with pytest.raises(ValueError, match=wrong):
        rules.place(begin(), position)
