"""What the picture of a draft shows, in SVG and in text."""

from backroom.engine.kernel import SPECTATOR
from backroom.games.rum_run.setups.picture import layout_of
from backroom.games.rum_run.shapes import WIDTH

from .boards import GAME, after, begin

rules = GAME.rules


def pieces(s, seat=0):
    return {piece.id: piece for piece in rules.draw(s, seat).pieces}


def test_what_is_wrong_is_marked_where_it_is_and_said():
    s = after(begin("first"), "at g7", "at c3")
    found = pieces(s)
    assert found["wrong-c3"].kind == "wrong"
    assert "overlaps the Town Center at c3 (§2.1)" in found["wrong-c3"].label
    assert found["facts"].kind == "unfit"
    assert found["facts"].face == "24 barrels in 4 stills · 1 thing is wrong"
    assert pieces(begin("first"))["facts"].face == "24 barrels in 4 stills · for 2, 3 or 4 players"


def test_what_lies_on_the_board_is_not_in_the_box():
    found = pieces(begin("first"))
    assert "still-0" in found
    assert "box-0" not in found
    assert "box-4" in found
    assert found["box-4"].label == "Badger Bog, 1-1-1-1 · 4 taps"


def test_only_what_can_be_done_has_a_button():
    def buttons(*steps):
        return {name.removeprefix("button-") for name in pieces(after(begin("first"), *steps)) if "button-" in name}

    assert buttons() == {"folk", "events", "objectives", "done"}
    assert buttons("at c3") == {"turn", "flip", "remove", "back"}
    assert buttons("at g7") == {"remove", "back"}
    assert buttons("place lake") == {"flip", "back"}
    assert buttons("events") == {"all", "none", "back"}
    assert buttons("done") == set()


def test_empty_nodes_show_where_something_can_go():
    found = pieces(after(begin("first"), "place fog"))
    assert (found["node-a1"].kind, found["node-c3"].kind) == ("goal-spot", "spot")
    assert pieces(begin("first"))["node-a1"].kind == "spot"


def test_the_maker_knows_what_lies_face_down():
    found = pieces(begin("moonless"))
    assert found["still-0"].kind == "still-down"
    assert found["still-0"].label == "Fort Firewater at c3: 3-2-1-1, face down"


def test_everything_is_on_the_sheet_and_the_text_tells_it_too():
    for seat in (0, SPECTATOR):
        for steps in ([], ["place swamp"], ["events"], ["at c3"]):
            s = after(begin("first"), *steps)
            for piece in rules.draw(s, seat).pieces:
                assert 0 <= piece.x <= WIDTH
                assert 0 <= piece.y <= layout_of(14).height
    text = rules.draw(begin("first"), 0).text()
    for word in ("[TWN]", "[Fort Fir]", "Badger Bog 1-1-1-1", "rockslide", "24 barrels"):
        assert word in text
