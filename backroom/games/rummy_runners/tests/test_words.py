"""The notation of Rummy Runners, its sentences, its refusals and its positions."""

import re
from types import SimpleNamespace

import pytest

import backroom
from backroom.engine.kernel import NATURE, SPECTATOR, UNKNOWN, dice_from
from backroom.engine.protocol import BadPosition, IllegalMove
from backroom.terminal.play import Session

from .boards import GAME, after, all_out, at, begun, melded, names, said, why

BLANK = GAME.start(*GAME.settle(4, {}))
SQUARES = GAME.start(*GAME.settle(4, dict(land="piecepack")))


@pytest.mark.parametrize(
    "text", ["take s3r", "lay", "draw", "pass", "back", "place m4 n12", "first white", "tile s0", "card c5b"]
)
def test_names_read_back(text):
    assert GAME.rules.name(BLANK, GAME.rules.parse(BLANK, text)) == text


def test_names_are_read_kindly():
    assert GAME.rules.parse(BLANK, "S3R") == GAME.rules.parse(BLANK, "Take s3r")
    assert GAME.rules.name(SQUARES, GAME.rules.parse(SQUARES, "place s0 F4")) == "place s0 f4"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "a move is take CARD"),
        ("take", "a move is take CARD"),
        ("meld s3r", "a move is take CARD"),
        ("take s6r", r"no card; expected suit, number and colour.*§1\.1"),
        ("take x", r"§1\.1"),
        ("place s6 m13", r"no tile; expected.*§1\.2"),
        ("place s3 z1", r"no space; expected a column and a row, a1 to y25 \(§6\)"),
        ("place s3 a0", "no space"),
        ("first pink", "a move is"),
    ],
)
def test_what_cannot_be_read_is_refused_with_what_was_expected(text, expected):
    with pytest.raises(ValueError, match=expected):
        GAME.rules.parse(BLANK, text)
    with pytest.raises(ValueError, match="a1 to f4"):
        GAME.rules.parse(SQUARES, "place s3 g1")


HAND = "green hand s1r s2r s3r m1b | green before c1y | violet before a1y a2b"


@pytest.mark.parametrize(
    ("position", "moves", "text", "reason"),
    [
        (HAND, "", "lay", "you have picked nothing to lay (§3.1)"),
        (HAND, "", "back", "you have picked nothing (§2.1)"),
        (HAND, "", "pass", "there is a deck, so you must draw (§2.1)"),
        (HAND, "", "take c1y", "only what lies before others can be scavenged (§3.2)"),
        (HAND, "", "take c5b", "neither in your hand nor face up before another (§3.2)"),
        (HAND, "", "place s1 m13", "in controlled zoning (§6)"),
        (HAND, "", "card s1r", "nature's to turn"),
        (HAND, "take s1r", "take s1r", "you have picked the red 1 of suns already (§3.1)"),
        (HAND, "take s1r", "draw", "you have begun a meld: lay it, or go back card by card (§2.1)"),
        (HAND, "take s1r", "lay", "a set is three or more cards of one number, one suit or one colour (§3.1)"),
        (HAND, "take s2r", "take m1b", "with what you have picked it makes no set"),
        (HAND, "take s1r,take a1y", "take s2r", "with what you have picked it makes no set"),
        ("green hand s1r m2y | violet hand c1r", "", "take s1r", "it makes no set with what you can reach"),
        ("violet before s1r s2r s3r", "", "take s1r", "your hand is empty"),
        (all_out(), "", "draw", "the deck is empty, so pass (§2.2)"),
    ],
)
def test_why_not(position, moves, text, reason):
    assert reason in why(after(at(position), *filter(None, moves.split(","))), text)


def test_why_not_the_hard_way():
    s = at("green hand s1r m1y a1b c2r", sets="hard")
    assert "1-2-3-4-5, four cards of four suits, or three or more of one colour" in why(after(s, "take s1r"), "lay")


def test_why_not_while_the_land_is_placed():
    s = begun(2, zoning="controlled")
    assert "the tiles come first, each once (§1.2)" in why(s, "card s1r")
    while names(s)[0].startswith("tile"):
        s = after(s, names(s)[0])
    mine, theirs = said(s)["green tiles"].split()[0], said(s)["violet tiles"].split()[0]
    assert "the land comes first: place a tile (§6)" in why(s, "draw")
    assert "to place (§6)" in why(s, f"place {theirs} m13")
    assert "the first tile is laid in the middle" in why(s, f"place {mine} a1")
    s = after(s, f"place {mine} m13")
    mine = said(s)["violet tiles"].split()[0]
    assert "a tile lies there (§6)" in why(s, f"place {mine} m13")
    assert "the second tile goes beside the first (§6)" in why(s, f"place {mine} a1")
    s = after(s, f"place {mine} m14")
    mine = said(s)["green tiles"].split()[0]
    assert "beside two others, at least (§6)" in why(s, f"place {mine} m15")


def test_why_not_for_nature():
    s = GAME.start(*GAME.settle(2, {}))
    assert "§1.3" in why(s, "first white")
    assert "§1.3" in why(after(at(HAND), "draw"), "card s1r")
    assert "the players' to do" in why(after(at(HAND), "draw"), "lay")


def test_every_refusal_over_random_states_names_a_paragraph():
    there = set(re.findall(r"^(?:- |## )§([\d.]+) ", GAME.rulebook, re.M))
    for seed, (seats, options) in enumerate(GAME.settings()[::7]):
        s = GAME.start(seats, options)
        for _ in GAME.stroll(s, seats, dice_from(seed)):
            if GAME.asked(s) and GAME.asked(s)[0] != NATURE:
                (seat,) = GAME.asked(s)
                open_moves = GAME.moves(s, seat)
                for text in ("lay", "draw", "pass", "back", "take s1r", "take c5b", "place s1 c3"):
                    move = GAME.rules.parse(s, text)
                    if move not in open_moves:
                        cited = re.findall(r"§([\d.]+\d|\d)", GAME.rules.why(GAME.view(s, seat), seat, move))
                        assert cited, (text, GAME.rules.why(s, seat, move))
                        assert set(cited) <= there


def test_a_refusal_says_who_and_what():
    table = GAME.table(seed=1)
    seat = table.asked[0]
    with pytest.raises(IllegalMove, match=r"(Green|Violet) cannot play lay: you have picked nothing to lay \(§3\.1\)"):
        table.play(seat, "lay")


# sentences


def told(s, text, reader):
    (seat,) = GAME.asked(s)
    move = GAME.rules.parse(s, text)
    then = GAME.after(s, seat, move)
    seen = move if GAME.sees(s, reader, seat, move) else UNKNOWN
    return GAME.plain(GAME.rules.say(GAME.view(s, reader), seat, seen, GAME.view(then, reader)))


def asked(s, seat):
    return GAME.plain(GAME.rules.question(s, seat))


def test_a_meld_in_words():
    s = at("green hand s1r s1y | violet before m1b | violet hand c1r")
    ready = after(s, "take s1r", "take s1y", "take m1b")
    for reader in (0, 1, SPECTATOR):
        assert told(ready, "lay", reader) == (
            "Green lays the red 1 of suns, the yellow 1 of suns and the blue 1 of moons; "
            "of these the blue 1 of moons from Violet; claims the 1 of suns (§4)."
        )
    lock = after(at("violet claims s1 | green hand s1r s1y s1b", disputes=True), "take s1r", "take s1y", "take s1b")
    assert told(lock, "lay", 1) == (
        "Green lays the red 1 of suns, the yellow 1 of suns and the blue 1 of suns; "
        "takes the 1 of suns from Violet (§6); locks the 1 of suns (§6)."
    )


def test_labels():
    s = at("green hand s1r s1y | violet before m1b | violet hand c1r")
    label = {GAME.rules.name(s, move): GAME.plain(GAME.rules.label(s, move)) for move in GAME.moves(s, 0)}
    assert label["take s1r"] == "Pick the red 1 of suns"
    assert label["take m1b"] == "Take the blue 1 of moons from Violet"
    assert label["draw"] == "Draw a card"
    picked = after(s, "take s1r")
    assert GAME.plain(GAME.rules.label(picked, GAME.rules.BACK)) == "Put the red 1 of suns back"


def test_spaces_are_told_by_the_tiles_beside_them():
    s = GAME.start(*GAME.settle(2, dict(zoning="controlled")))
    while GAME.asked(s) == (NATURE,):
        s = after(s, names(s)[0])
    label = GAME.rules.label
    assert {label(s, move).split("s ", 2)[-1] for move in GAME.moves(s, GAME.asked(s)[0])} == {"in the middle"}
    first = GAME.moves(s, GAME.asked(s)[0])[0]
    laid = label(s, first).removeprefix("Place ").removesuffix(" in the middle")
    s = after(s, GAME.rules.name(s, first))
    ways = {label(s, move).rsplit(f" of {laid}", 1)[0].split()[-1] for move in GAME.moves(s, GAME.asked(s)[0])}
    assert ways == {"east", "west", "north-east", "north-west", "south-east", "south-west"}


def test_how_a_game_was_won_in_words():
    line = at("green claims s1 s2 | green before s3r | green hand s3b a4b c1b")
    ready = after(line, "take s3b", "take a4b", "take c1b")
    assert told(ready, "lay", 1).endswith("; wins with three in a line (§5.1).")
    assert asked(after(ready, "lay"), 1) == "The game is over: Green has won with three in a line (§5.1)."
    four = melded(at("green claims m1 m2 a1 | green before a2r | green hand a2b a4b c1b"), "a2b a4b c1b")
    assert "Green has won with four that hang together (§5.2)" in asked(four, 0)
    deck = at(f"{all_out()} | green claims s1 s2 | violet claims c1 | idle 1")
    assert told(deck, "pass", 0) == (
        "Green passes: the deck is empty (§2.2). The game is over: nothing more is melded, "
        "and Green has won with 2 spaces and 2 together (§5.3)."
    )
    shared = after(at(f"{all_out()} | green claims s1 | violet claims c1 | idle 1"), "pass")
    assert "Green and Violet share it with 1 space and 1 together each (§5.3)" in asked(shared, 0)


def test_what_is_hidden_is_told_without_its_name():
    drawing = after(at("green hand s1r | violet hand c1r"), "draw")
    assert told(drawing, "card m3b", 0) == "Green draws the blue 3 of moons."
    assert told(drawing, "card m3b", 1) == "Green draws a card."
    assert told(drawing, "card m3b", SPECTATOR) == "Green draws a card."


def test_questions():
    s = at("green hand s1r s2r s3r | violet hand c1r")
    assert asked(s, 0) == "Pick the cards of a set to meld, or draw."
    assert asked(s, 1) == "Green may meld, and draws."
    assert asked(after(s, "take s1r"), 0) == "You have picked the red 1 of suns: take more, or go back."
    ready = after(s, "take s1r", "take s2r", "take s3r")
    three = "the red 1 of suns, the red 2 of suns and the red 3 of suns"
    assert asked(ready, 0) == f"You have picked {three}: lay them, or go back."
    more = after(at("green hand s1r s2r s3r s4r"), "take s1r", "take s2r", "take s3r")
    assert asked(more, 0) == f"You have picked {three}: lay them, or take more."
    assert asked(GAME.view(ready, 1), 1) == "Green may meld, and draws."


def test_steps_of_a_meld_leave_no_trace_in_others_logs():
    table = GAME.table(start=f"land in order | {HAND} | violet hand c2r", seed=3)
    for text in ("take s1r", "take s2r", "back", "take s2r", "take s3r", "lay"):
        table.play(0, text)
    others = [name for seat, name in table.log_seen_by(1).moves if seat == 0]
    assert others == ["lay"]
    assert [name for seat, name in table.log_seen_by(1).moves if seat == NATURE] == ["?"]


# positions


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ("green hand s1r | violet hand s1r", "s1r twice"),
        ("green hand s1r s1r", "s1r twice"),
        ("green hand s9r", "no card"),
        ("black hand s1r", "no part of a position"),
        ("turn black", "does not play"),
        ("nonsense", "no part of a position"),
        ("green hand s1r | green hand s2r", "twice"),
        ("lot | green hand s1r", r"§1\.3"),
        ("green hand s1r | violet hand ?6", r"violet hand is hidden; expected its cards.*§1\.3"),
        ("green before s1r s1y", r"two colours of the 1 of suns out, and nobody claims it \(§4\.1\)"),
        ("green claims s1 | violet claims s1", "claimed twice"),
        ("green claims s1 s2 s3", r"Green has won already: that game is over \(§5\.1, §5\.2\)"),
        ("green claims s1 m2 s5 s4", r"null of suns is settled by a majority.*§4\.2"),
        ("green claims s0", r"needs a majority to be claimed.*§4\.2"),
        ("dead s1", r"only a null can be dead \(§4\.2\)"),
        ("dead s0", r"five claims without to die \(§4\.2\)"),
        ("green claims s1 | locked s1", r"border disputes \(§6\)"),
        ("green tiles s1", "placed twice"),
        ("idle 1 | green hand s1r", r"an empty deck \(§2\.2\)"),
        ("green hand s1r | picked s1r", r"no part of a set.*§3\.1, §3\.2"),
        ("green hand s1r s2r s3r | dealing", r"nothing else has happened \(§1\.3\)"),
        ("land m13:s1", r"laid out in rows, as one reads \(§1\.2\)"),
        ("land m13:s1 m13:s2", "m13 twice"),
        ("green hand s1", "no card"),
        (f"{all_out()} | drawing", r"§2\.1"),
    ],
)
def test_impossible_positions_are_refused(position, expected):
    with pytest.raises(BadPosition, match=expected):
        GAME.table(
            start=position if "land" in position or position.startswith("lot") else f"land in order | {position}"
        )


@pytest.mark.parametrize(
    ("position", "expected"),
    [
        ("land a1:s1", "cannot have grown"),
        ("land m13:s1 o13:s2", "cannot have grown"),
        ("land m13:s1 n13:s2 o13:s3", "cannot have grown"),
        ("green tiles s1 s2 | violet tiles s3", r"turn green; expected violet"),
        ("green tiles s1 s2 s3 | violet tiles s4", "in turn"),
        ("green tiles s1 | green hand m1r", "before all tiles lie"),
    ],
)
def test_impossible_lands_are_refused(position, expected):
    with pytest.raises(BadPosition, match=expected):
        GAME.table(start=position, zoning="controlled")


def test_a_position_can_be_begun_from_and_its_log_replays():
    table = GAME.table(start=f"land in order | {HAND} | violet hand c2r c3r", seed=4)
    while not table.is_over:
        table.play(table.asked[0], table.moves(table.asked[0])[0])
    again = backroom.replay(str(table.log))
    assert again.score == table.score
    assert again.start == table.start


def test_the_rulebook_names_its_author_and_its_licence():
    head = GAME.rulebook.split("\n## ")[0]
    assert "Nathan Morse" in head
    assert "CC BY-NC-SA 4.0" in head


def test_a_set_is_typed_on_one_line_and_taken_back_whole(tmp_path):
    table = GAME.table(seed="1")
    while not (found := _set_in_hand(table)):
        table.play(table.asked[0], "draw")
    (seat,) = table.asked
    bot = SimpleNamespace(recall=lambda table: None)
    session = Session(table, {1 - seat: bot}, tmp_path / "game.log")
    before = len(table.lines)
    assert session.obey(seat, found)
    assert len(table.lines) == before + len(found.split())
    assert session.obey(seat, "lay")
    assert session.obey(seat, "undo")
    assert len(table.lines) == before
    assert any("lay are taken back" in str(said) for said in session.news)


def _set_in_hand(table):
    """The cards of a set that the seat to move has in its hand, in notation."""
    (seat,) = table.asked
    line, picked = table.copy(), []
    while "lay" not in line.moves(seat):
        cards = [name for name in line.moves(seat) if name.startswith("take ")]
        if not cards:
            return ""
        line.play(seat, cards[0])
        picked.append(cards[0].removeprefix("take "))
    return " ".join(picked)
