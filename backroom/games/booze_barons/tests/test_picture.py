"""What the picture of Booze Barons shows, in SVG and in text."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from backroom.engine.kernel import SPECTATOR, dice_from
from backroom.engine.options import BadOption
from backroom.games.booze_barons.pieces import BOOZE_CODES, BOOZE_NAMES, CARD_WORDS
from backroom.games.booze_barons.rules.state import OVER, SEATS
from backroom.games.booze_barons.shapes import SYMBOLS, WIDTH, height

from .boards import GAME, after, at, cards, names


def pieces(s, seat=0):
    """The picture of a seat's view."""
    return {piece.id: piece for piece in GAME.rules.draw(GAME.view(s, seat), seat).pieces}


def test_deliveries_lie_at_their_locations_and_what_fits_is_marked():
    s = at("ask act | lying caves1 caves2 club1@dock")
    found = pieces(s)
    assert found["card-caves1"].label == (
        "the delivery for the River Caves with porter, lager, tequila, lightning, champagne, chardonnay, fits you"
    )
    assert "fit-caves1" in found
    assert "fit-caves2" not in found
    dock, card = found["place-dock"], found["card-club1"]
    assert dock.x < card.x < dock.x + 128
    assert dock.y < card.y < dock.y + 163
    assert "fit-caves1" not in pieces(s, SPECTATOR)


def test_many_deliveries_at_one_place_stay_in_it():
    s = at("ask act | lying " + " ".join(f"{word}@dock" for word in CARD_WORDS))
    found = pieces(s)
    top = found["place-dock"].y
    ys = [found[f"card-{word}"].y for word in CARD_WORDS]
    assert len(set(ys)) == 36
    assert top < min(ys) < max(ys) < top + 163 - 20


def test_what_lies_face_down_is_a_count_of_backs():
    s = at("ask act", bruno="tequila at club up club1 down caves1 dock1")
    found = pieces(s, 2)
    assert found["backs-Bruno"].face == "3"
    assert "card-club1" in found
    assert "card-caves1" not in found
    assert not re.search("caves1|dock1", GAME.rules.draw(GAME.view(s, 2), 2).text())


def test_ones_own_are_open_and_so_are_all_where_memory_is():
    s = at("ask act", bruno="tequila at club down caves1")
    assert "card-caves1" in pieces(s, 1)
    s = at("ask act", options={"memory": "open"}, bruno="tequila at club down caves1")
    assert "card-caves1" in pieces(s, 2)
    assert "could-Bruno-porter" in pieces(s, 2)
    assert "could-Bruno-rye" not in pieces(s, 2)


def test_a_look_shows_them_to_who_looks_alone():
    s = at("ask look | mark bruno", ada="porter at club", bruno="tequila at club down caves1 petes2")
    mine = pieces(s, 0)
    assert {"card-caves1", "card-petes2", "steal-caves1", "name-merlot", "nothing"} <= mine.keys()
    assert "steal-petes2" not in mine
    for other in (2, SPECTATOR):
        assert not {"card-caves1", "steal-caves1", "name-merlot", "nothing"} & pieces(s, other).keys()


def test_no_picture_tells_what_its_seat_does_not_know():
    """Ids and labels are the same for every world that the seat can imagine."""
    for seats, seed in ((4, 1), (9, 2)):
        s, throw = GAME.start(*GAME.settle(seats, {"sides": "mixed"})), dice_from(9)
        for played, _ in enumerate(GAME.stroll(s, seats, dice_from(seed))):
            if played % 11 == 0:
                for seat in (SPECTATOR, 0, seats - 1):
                    world = GAME.imagined(GAME.view(s, seat), seat, throw)
                    real, imagined = (GAME.rules.draw(GAME.view(w, seat), seat) for w in (s, world))
                    assert real.pieces == imagined.pieces


def test_a_row_has_baron_snitch_captured_cards_and_an_exposed_booze():
    s = at(
        "ask act | baron bruno",
        ada="porter at club snitch",
        bruno="tequila at club",
        cleo="merlot at dock lost caves ada 1 not B2",
    )
    found = pieces(s, 1)
    assert found["baron"].label == "Bruno is the Booze Baron"
    assert found["snitch-Ada"].label == "Ada has a snitch token"
    assert found["captured-Cleo"].label == "Ada has Cleo’s card of River Caves"
    assert found["closed-Cleo"].label == "River Caves is closed to Cleo"
    assert found["closed-Cleo"].y - found["place-caves"].y == found["pawn-Ada"].y - found["place-club"].y
    assert found["shown-Cleo"].label == "Cleo carries Machine Gun Merlot"
    assert found["row-Ada"].label == "Ada, the bookkeeper: 15 coins, 0 deliveries, 0 face up"
    assert found["turn-Bruno"].label == "Bruno is asked"
    assert found["own"].label == "You carry Time Bomb Tequila (Te)."


def test_one_delivery_is_one_delivery():
    found = pieces(at("ask act", ada="porter at caves up caves1"))
    assert found["row-Ada"].label == "Ada, the bookkeeper: 13 coins, 1 delivery, 1 face up"
    assert found["backs-Ada"].label == "1 delivery, 1 of them face up"


def test_what_was_named_wrongly_is_crossed_out():
    found = pieces(at("ask act", bruno="tequila at club not B2"))
    assert found["not-Bruno-blonde"].label == "Bruno does not carry blonde"


def test_boozes_have_a_symbol_and_a_code_each():
    assert len(set(SYMBOLS)) == len(set(BOOZE_CODES)) == len(set(BOOZE_NAMES)) == 12


def test_a_choice_that_is_sealed_is_shown_to_its_seat_and_as_chosen_to_others():
    s = after(at("ask move"), "go dock")
    assert pieces(s, 0)["choice-Ada"].label == "where you will go"
    assert "choice-Ada" not in pieces(s, 1)
    assert "chosen-Ada" in pieces(s, 1)


@pytest.mark.parametrize(
    ("position", "player", "move", "ids"),
    [
        ("ask move", "porter at club", "go dock", ["place-dock"]),
        ("ask act | lying club1", "porter at club", "take club1", ["card-club1"]),
        ("ask act", "porter at club", "event Bruno", ["event-club", "row-Bruno"]),
        ("ask act", "porter at club", "tail Bruno", ["row-Bruno"]),
        ("ask act", "porter at casino", "event", ["event-casino"]),
        ("ask act | lying petes1", "porter at dock", "event petes1", ["event-dock", "card-petes1"]),
        ("ask look | mark bruno", "porter at club", "name merlot", ["name-merlot"]),
        ("ask look | mark bruno", "porter at club", "nothing", ["nothing"]),
        ("ask act", "porter at club", "pass", ["pass"]),
    ],
)
def test_touching(position, player, move, ids):
    s = at(position, ada=player)
    assert GAME.rules.touch(s, 0, GAME.rules.parse(s, move)) == ids
    assert set(ids) <= pieces(s).keys()
    assert GAME.rules.touch(s, SPECTATOR, GAME.rules.parse(s, move)) == []


@pytest.mark.parametrize("seats", SEATS)
def test_everything_lies_on_the_table(seats):
    s = GAME.start(*GAME.settle(seats, {"sides": "mixed", "memory": "open"}))
    for played, _ in enumerate(GAME.stroll(s, seats, dice_from(seats))):
        if played % 23 == 0:
            for piece in GAME.rules.draw(GAME.view(s, 0), 0).pieces:
                assert 0 <= piece.x <= WIDTH
                assert 0 <= piece.y <= height(seats)


def test_1_4_players_choose_their_bootleggers_for_looks_only():
    s = at("ask act", options={"bootleggers": "greta, ada"})
    scene = GAME.rules.draw(s, 0)
    rows = {piece.id: piece.label for piece in scene.pieces if piece.id.startswith("row-")}
    assert rows["row-Ada"].startswith("Ada, as Greta the aviator:")
    assert rows["row-Bruno"].startswith("Bruno, as Ada the bookkeeper:")
    assert rows["row-Cleo"].startswith("Cleo, as Bruno the ferryman:")  # those who did not choose get the rest
    assert "#0f8b8d" in scene.board.shapes["pawn-0"].svg
    plain = at("ask act")
    assert "Ada, the bookkeeper:" in {piece.id: piece.label for piece in GAME.rules.draw(plain, 0).pieces}["row-Ada"]
    assert [GAME.moves(s, seat) for seat in range(3)] == [GAME.moves(plain, seat) for seat in range(3)]
    for wrong in ("Ada Ada", "Zelda", ","):
        with pytest.raises(BadOption, match="bootlegger"):
            GAME.settle(3, {"bootleggers": wrong})


def test_5_5_what_was_taken_this_round_lies_open_before_it_is_turned():
    lying = " ".join(f"{place}{n}" for place in ("casino", "petes", "dock", "barber") for n in range(1, 7))
    rest = "caves2 caves3 caves4 caves5 caves6 club2 club3 club4 club5 club6"
    s = at(
        f"ask act | round 2 | turn cleo | acted 2 | lying {lying} club1 {rest}",
        ada="porter at caves up caves1",
        cleo="merlot at barber",
    )
    card = next(name.split()[1] for name in names(s) if name.startswith("take "))
    then = after(s, f"take {card}")
    assert not then.up  # the deck is empty: the round ends at once
    (way,) = GAME.between(s, 2, GAME.rules.parse(s, f"take {card}"), then)
    assert cards(int(way.up)) == sorted(("caves1", card), key=lambda word: cards(2**36 - 1).index(word))
    for reader in (0, 1, -1):
        open_ = {piece.id for piece in GAME.rules.draw(GAME.view(way, reader), reader).pieces}
        assert {"card-caves1", f"card-{card}"} <= open_
    assert list(GAME.between(then, 0, 0, then)) == []


def test_8_the_final_sheet_shows_the_coins_that_count_and_the_reckoning():
    friend = dict(bruno="blonde at petes lost petes ada 4", desmond="tequila at petes")
    s = at("ask act | round 9", seats=4, ada="porter at caves", **friend)
    row = {piece.id: piece for piece in GAME.rules.draw(s, 0).pieces}
    assert row["coins-Ada"].face == "14¢"  # as all can see them
    s.ask = OVER
    sheet = {piece.id: piece for piece in GAME.rules.draw(s, 0).pieces}
    assert sheet["coins-Ada"].face == "10¢"  # §8.1: a card captured from one's own mob
    told = [piece.face for piece in sheet.values() if piece.kind == "reckoned"]
    assert told[0] == "Ada 10: deliveries 0, own cards 12, from one’s own mob -2"
    assert told[1].strip() == "(§8.1)."
    assert "Ada 10: deliveries 0, own cards 12, from one’s own mob -2" in GAME.rules.draw(s, 0).text()


def test_letters_are_large_enough_on_a_phone():
    """At a width of 360 pixels, no text is smaller than nine pixels."""
    scene = GAME.rules.draw(at("ask look | mark bruno", seats=9, ada="porter at club", bruno="tequila at club"), 0)
    sizes = [float(size) for size in re.findall(r'font-size="([\d.]+)"', scene.svg())]
    assert min(sizes) * 360 / WIDTH >= 11


def test_the_svg_is_whole_and_lights_what_can_be_touched():
    s = at("ask act | lying caves1", seats=9)
    root = ElementTree.fromstring(GAME.rules.draw(s, 0).svg(lit=["card-caves1", "pass"]))
    uses = {group.get("id"): group.find("{*}use") for group in root.iter("{http://www.w3.org/2000/svg}g")}
    assert uses["card-caves1"].get("href") == "#booze-barons-chip-0-lit"
    assert uses["pass"].get("href") == "#booze-barons-button-lit"
    there = {group.get("id") for group in root.iter("{http://www.w3.org/2000/svg}g")}
    used = {use.get("href").removeprefix("#") for use in root.iter("{http://www.w3.org/2000/svg}use")}
    assert used <= there


TEXT = """\
Round 2 · deck 31
River Caves A             Curtain Club B            Casino Regale A
 no tails here             tail your right           draw 3, keep fits
                           Ada Bru
*caves1 PoLaTeLiChSh       club2 BlLaBoLiMeSh
 caves2 BlHoRyBoMeBr




Barbershop A              Dockyard A                Seedy Pete's A
 take 1 or 2               take from next door       another takes 0–2
                                                     Cle






     player  coins deliveries             Po Bl La Ho  Te Ry Bo Li  Me Br Ch Sh
>you Ada      12           B
     Bruno    14  2 (1 up)                1        1   1  1            1  1
     Cleo     10                -dock                               Me

You carry Punching Bag Porter (Po)."""


def test_the_text_of_a_table():
    s = at(
        "ask act | round 2 | lying caves1 caves2 club2",
        sides="ABAAAA",
        ada="porter at club",
        bruno="tequila at club up club1 down caves3",
        cleo="merlot at petes lost dock box 1",
    )
    assert GAME.rules.draw(GAME.view(s, 0), 0).text() == TEXT


def test_a_picture_is_made_of_few_pieces():
    """The time to draw grows with the number of pieces."""
    s = GAME.start(*GAME.settle(9, {"memory": "open"}))
    most = 0
    for played, _ in enumerate(GAME.stroll(s, 9, dice_from(1))):
        if played % 10 == 0:
            most = max(most, len(GAME.rules.draw(GAME.view(s, 0), 0).pieces))
    assert most < 260
