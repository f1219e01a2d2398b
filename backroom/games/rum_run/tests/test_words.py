"""Names that round-trip, sentences, questions, refusals and positions."""

import pytest

from backroom.engine.kernel import NATURE, UNKNOWN
from backroom.engine.marks import who
from backroom.engine.protocol import IllegalMove, Result
from backroom.terminal.answers import read

from .boards import DRAWING, GAME, after, at, drawn, fresh, names, why


def said(s, *moves):
    """The sentence about the last of these moves."""
    s = after(s, *moves[:-1])
    (seat,) = GAME.asked(s)[:1]
    move = GAME.rules.parse(s, moves[-1])
    return GAME.plain(GAME.rules.say(s, seat, move, GAME.after(s, seat, move)))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("G6", "g6"),
        ("5|3", "3|5"),
        ("3|*", "*|3"),
        ("PICK g6", "pick g6"),
        ("claim Longest Road", "claim longest road"),
        ("Event rosie's diner", "event Rosie's Diner"),
        ("turn up badger bog", "turn up Badger Bog"),
        ("to RED", "to red"),
        ("g6 3|5>", "g6 3|5"),
        ("pass", "pass"),
    ],
)
def test_names_are_read_as_people_write_them(text, name):
    s = at("blue f6:3|3 f7:1|2>", folk="yes")
    assert GAME.rules.name(s, GAME.rules.parse(s, text)) in (name, f"{name}>", f"{name}^")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "a move is written like g6"),
        ("z9", "a move is written like g6"),
        ("g17", "a move is written like g6"),
        ("7|1", "no token; they are called"),
        ("pick z9", "no node; nodes are called like g6"),
        ("to pink", "there is no 'pink' to to"),
        ("claim everything", "there is no 'everything' to claim"),
        ("g6 *3|3", "a star is given a number"),
    ],
)
def test_what_is_no_move_is_said_so(text, message):
    with pytest.raises(ValueError, match=message):
        GAME.rules.parse(at(""), text)


def test_an_arrow_says_which_side_links_where_several_could():
    s = after(at("blue g6:1|1 f7:2|2"), "f6")
    assert {"f6 1|3>", "f6 2|3v"} <= set(names(s))
    with pytest.raises(ValueError, match="several sides of f6 could link"):
        GAME.rules.parse(s, "f6 1|3")
    loop = "blue f7:1|2> e7:2|2 e6:2|3v e5:3|3 f5:3|4< g5:4|4 h7:1|5< i7:5|5 i6:5|6v i5:6|6 h5:6|4>"
    both = after(at(loop), "g6")
    assert "g6 4|1^" in names(both)
    assert "name that end first" in why(both, "g6 1|4v")


def test_sentences():
    assert said(fresh(), "1|2") == ""
    s = fresh()
    assert GAME.rules.say(s, 0, UNKNOWN, after(s, "1|2", seat=0)) == ""
    last = "All show the token to begin with: Blue the 1-2, Red the 1-3; Blue begins (§2.4)."
    assert said(after(fresh(), "1|2", seat=0), "1|3") == last
    tie = "All show the token to begin with: Blue the 1-2, Red the 1-2; Blue and Red tie (§2.4)."
    assert said(after(fresh(), "1|2", seat=0), "1|2") == tie
    assert said(at(""), "g6") == said(at(""), "3|5") == said(at(""), "3|5", "back") == ""
    road = "blue g6:1|2v | red g5:1|1+2"
    assert said(at(road), "g5", "g5 2|3") == (
        "Blue places the 2-3 two north of the Town Center, the 2 to the south, over Red’s 1-1 (§4.5), "
        "and takes over its 2 barrels."
    )
    full = "supply c3:3-2-1-1 f3:4-2-1 f6:3-2-1 c6:2-2"
    assert said(at(full, setup="small"), "d5", "d5 3|3").endswith(", and taps Fort Firewater: 3 barrels.")
    assert said(at("blue g6:1|2v+1"), "caravan g6") == (
        "Blue moves the 1 barrel of the token one north of the Town Center, and Blue scores 1."
    )
    regent = "Blue wins with 8 barrels and is Regent of Rum (§7.1): Blue 8, Red 0."
    assert regent in said(at("blue g6:1|2v+1 | scored 7 0"), "caravan g6")
    assert "; Blue has Ambusher" in said(at("blue g6:1|2v+2 | red h7:1|2<+1", objectives="yes"), "caravan g6")
    assert said(at("blue g6:1|2v g5:2|3v"), "return g5") == (
        "Blue takes the token two north of the Town Center back (§4.6)."
    )
    assert "can do nothing and passes" in said(at("red g6:6|6 h7:5|5 g8:4|4 f7:3|3 | safe 0 1"), "pass")
    drawing = at(f"blue g6:1|2v | {DRAWING}", events="yes")
    assert said(drawing, "event Safe Passage").startswith("Blue draws Safe Passage: Your tokens cannot be broken")
    assert said(drawing, "event Eviction") == "Blue draws Eviction: it can do nothing (§10)."
    assert said(drawing, "event Dynamite") == "Blue draws Dynamite: Build once more, whatever the strength (§10)."
    fog = at("blue g6:1|2v g5:2|3v | fog g4 | unseen 0 0 1 0 1")
    assert said(fog, "g4 3|4", "fog bear trap") == "In the fog lies a bear trap (§9)."
    assert said(fog, "g4 3|4", "fog paved road", "end east") == "Blue lets the paved road turn east."
    s = at("blue g6:1|2v+2 | red h7:1|2< | orange f7:1|2>", seats=3)
    assert said(s, "caravan g6", "to orange").startswith("Blue goes on to Orange’s road")
    s = at("blue g6:1|2v+1", objectives="yes", claims="noticed")
    assert said(s, "caravan g6", "claim scored 1 barrel").startswith("Blue claims Scored 1 Barrel")
    assert said(drawn("Downhill", "blue g6:1|2v+1"), "skip") == "Blue moves nothing."
    s = at("blue d5:1|1 e3:2|5< | stored blue:c3+1", setup="small")
    assert said(s, "caravan c3") == "Blue moves the barrels of Fort Firewater."
    tie = after(after(fresh(), "1|2", seat=0), "1|2", seat=1)
    for token in ("2|2", "3|3"):
        tie = after(after(tie, token, seat=0), token, seat=1)
    assert said(tie, "lot red") == "The lot says that Red begins (§2.4)."
    s = after(at("blue f5:1|1 e5:1|2> | fog none", setup="moonless", events="no"), "d5 2|4")
    assert said(s, "turn up Badger Bog") == "Badger Bog is turned up (§5.3)."


def labels(s, *moves):
    s = after(s, *moves)
    (seat,) = GAME.asked(s)[:1]
    return [GAME.plain(GAME.rules.label(s, move)) for move in GAME.moves(s, seat)]


def test_labels():
    assert labels(fresh())[1] == "Begin with the 1-2"
    s = at("blue g6:1|2v+1 g5:2|3v")
    assert {
        "Build one east of the Town Center",
        "Place the 3-5",
        "Take the token two north of the Town Center back",
    } <= set(labels(s))
    assert "Move the barrels of the token one north of the Town Center" in labels(s)
    assert labels(s, "3|5")[-1] == "Choose again"
    assert "Place the 3-5 three north of the Town Center, the 3 to the south" in labels(s, "3|5")
    assert "Place the 3-5, the 3 to the south" in labels(s, "g4")
    folk = labels(at("blue g6:1|2v g5:2|3v", folk="yes"), "g4")
    assert {
        "Place the star-5, the star as a 3 to the south",
        "Place the star-3, the 3 to the south and the star as a 1",
    } <= set(folk)
    s = at("blue g6:1|2v+2 | red h7:1|2< | orange f7:1|2>", seats=3)
    assert "Go on to Orange’s road" in labels(s, "caravan g6")


def test_questions():
    def asks(s, seat=0):
        return GAME.plain(GAME.rules.question(s, seat))

    assert "Pick in secret" in asks(fresh())
    assert asks(after(fresh(), "1|2", seat=0)) == "Waiting for Red to pick the first token (§2.4)."
    assert asks(at("")) == "Build roads or move barrels (§3): choose a place, a token or barrels."
    assert asks(at(""), 1) == "Blue chooses to build roads or to move barrels (§3)."
    assert asks(after(at(""), "g6")) == "Choose a token to place one north of the Town Center."
    assert asks(after(at(""), "3|5")) == "Choose where the 3-5 goes."
    assert asks(after(at(""), "g6 2|2")) == "Choose a second token for the double (§4.3)."
    assert asks(drawn("Rosie's Diner", "")) == "Rosie's Diner: choose what to build."
    assert asks(after(at("blue g6:1|2v+1"), "caravan g6")).startswith("Take a free action, build")
    assert "(orange)" in asks(at("turn orange", colours=2, setup="duel"))
    assert asks(at(DRAWING, events="yes")) == "An event is drawn (§10)."
    over = after(at("blue g6:1|2v+1 | scored 7 0"), "caravan g6")
    assert asks(over) == "The game is over: Blue wins with 8 barrels and is Regent of Rum (§7.1): Blue 8, Red 0."
    told = GAME.rules.result(over)
    assert told == Result(
        f"{who(0)} wins with 8 barrels and is Regent of Rum (§7.1).", ("8 barrels", "0 barrels"), (0,)
    )
    tie = after(at("red h7:1|2< | scored 2 2 | quiet 39 | turn red"), "g8 5|6")
    shared = "share the win with 2 barrels each (§7.2)"
    assert asks(tie) == f"The game is over: nothing happens any more, and Blue and Red {shared}: Blue 2, Red 2."
    assert GAME.rules.result(tie) == Result(
        f"Nothing happens any more, and {who(0)} and {who(1)} {shared}.", ("2 barrels", "2 barrels"), (0, 1)
    )
    most = GAME.rules.result(after(at("red h7:1|2< | scored 2 1 | quiet 39 | turn red"), "g8 5|6"))
    assert (most.headline, most.seats, most.winners) == (
        f"Nothing happens any more, and {who(0)} wins with the most, 2 barrels (§7.2).",
        ("2 barrels", "1 barrel"),
        (0,),
    )
    assert GAME.rules.result(at("")) is None
    drawing = fresh(hidden="random")
    assert asks(drawing) == "The stills of this game are drawn from all twelve (§2.1)."
    assert said(drawing, "draw Badger Bog") == "Badger Bog is drawn, and will lie face down somewhere (§2.1)."


def test_refusals_have_their_paragraph():
    s = at("blue g6:1|2v a9:1|1")
    for text in (
        "a1",
        "g7",
        "6|6 x"[:3],
        "pick g6",
        "caravan g6",
        "pass",
        "back",
        "via g6",
        "g6 3|5",
        "gift g6",
        "skip",
    ):
        move = GAME.rules.parse(s, text)
        if move not in GAME.moves(s, 0):
            assert "§" in GAME.rules.why(s, 0, move), text
    assert "nature's" in why(s, "event Dynamite")
    assert "it is not your turn" in GAME.rules.why(s, 1, GAME.rules.parse(s, "g5"))
    chosen = after(s, "g5")
    assert "go back to choose another node" in why(chosen, "h7 5|6")
    assert "not in your inventory" in why(chosen, "g5 1|2")
    token = after(s, "2|3")
    assert "go back to choose another token" in why(token, "g5 2|4")
    second = after(at("blue g6:1|2v"), "g5 2|2")
    assert "links to an arm of the double" in why(second, "g4 3|5")
    fog = at("blue g6:1|2v g5:2|3v | fog g4 | unseen 0 0 1 0 0")
    paved = after(fog, "g4 3|5", "fog paved road", "end east")
    assert "off the paved road's other end" in why(paved, "g3 3|5")
    assert "everyone picks a token first" in why(fresh(), "g6")
    assert "what you have picked" in why(after(fresh(), "1|2", seat=0), "1|2", seat=0)
    assert "Forest Folk are not in this game" in why(fresh(), "*|1")
    assert "off the board" in why(at("", setup="small"), "p16")


# positions


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "'nonsense' is no part of a position; expected blue, red"),
        ("turn blue | turn red", "says 'turn' twice"),
        ("turn green", "turn 'green'; expected blue, red"),
        ("blue g6", "no token on a node; expected one like"),
        ("blue g6:3|5", "an arrow says where the first end faces"),
        ("blue g6:3|3^", "a double has none"),
        ("blue g7:3|3", r"no token can lie there \(§2\.1\)"),
        ("blue g6:3|3 g5:3|3", r"does not have that token, or not twice \(§1\.2\)"),
        ("blue p16:3|3", r"p16 is off the board \(§1\.1\)"),
        ("orange g6:3|3", r"nobody plays orange here \(§2\.5\)"),
        ("blue g6:1|2v+26", r"more than 25 \(§1\.4\)"),
        ("scored 1", "expected 2 numbers"),
        ("scored x 1", "expected a number"),
        ("supply a1:3", "no still lies on a1"),
        ("supply c3", "two words with a colon between"),
        ("supply c3:1-1-1-1-1-1-1-1-1-1-1", "room for 10"),
        ("stills c3:Nowhere", "still 'Nowhere'; expected Fort Firewater"),
        ("unseen 1 2", "expected how many there are of one barrel"),
        ("paved g4", "like paved f4:ns"),
        ("hand 1 2", "expected 5 numbers"),
        ("ask 1:2", "expected three numbers a question"),
        ("used Nothing", "used 'Nothing'; expected"),
        ("held everything: blue", "holder 'everything'; expected"),
    ],
)
def test_impossible_positions_are_refused(text, message):
    s = GAME.start(*GAME.settle(2, {}))
    with pytest.raises(ValueError, match=message):
        GAME.rules.place(s, text)


def test_a_still_that_is_not_face_down_cannot_be_turned_up():
    s = GAME.start(*GAME.settle(2, {"setup": "moonless"}))
    with pytest.raises(ValueError, match="Widow's Well does not lie face down here"):
        GAME.rules.place(s, "stills c3:Widow's_Well")


def test_a_position_in_the_middle_of_things_goes_on():
    loop = "blue f7:1|2> e7:2|2 e6:2|3v e5:3|3 f5:3|4< g5:4|4+3 h7:1|5< i7:5|5 i6:5|6v i5:6|6 h5:6|4>"
    s = after(at(loop), "caravan g5")
    again = GAME.start(*GAME.settle(2, {}))
    GAME.rules.place(again, GAME.rules.position(s))
    assert names(again) == ["via h5", "via f5"]
    assert GAME.key(again) == GAME.key(s)


def test_fog_that_is_all_gone_stays_gone():
    s = at("blue g6:1|2v f7:1|4> | fog none | unseen 0 0 0 0 0 | mud f7", setup="standard")
    again = GAME.start(*GAME.settle(2, {"setup": "standard"}))
    GAME.rules.place(again, GAME.rules.position(s))
    assert GAME.key(again) == GAME.key(s)
    assert not (again.ground == 1).any()


def test_every_move_of_nature_has_a_name():
    s = at(DRAWING, events="yes", setup="standard")
    assert all(name.startswith("event ") for name in names(s, NATURE))


def test_whole_moves_are_typed_at_the_first_question():
    """A node and a token on one line, in either order; what is left open is asked on."""
    table = GAME.table(seed="1")
    table.play(0, "1|2")
    table.play(1, "1|3")
    assert read(table, 0, "g6 1|2").moves == ["g6", "g6 1|2"]
    assert read(table, 0, "g6 2|1").moves == ["g6", "g6 2|1"]
    answer = read(table, 0, "1|2 g6")
    assert answer.moves == ["1|2"]
    assert answer.unclear == "g6 may be g6 1|2 or g6 2|1: say which"
    with pytest.raises(IllegalMove, match=r"§4\.1"):
        read(table, 0, "g6 5|6")
