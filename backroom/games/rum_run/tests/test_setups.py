"""Setup files: what they contain, and the one-line error for everything that can be wrong with them."""

import tomllib

import pytest

import backroom
from backroom.engine.options import BadOption
from backroom.games.rum_run.options import OPTIONS
from backroom.games.rum_run.pieces import SETUP_NUMBERS
from backroom.games.rum_run.setup_file import FOLDER, NAMED, called, line, node_name, numbers, read

GAME = backroom.game("rum-run")
GOOD = """\
size = 14
town = "g7"
fog = ["f4", "i5"]
events = ["Dynamite", "washout"]
objectives = "all"

[[still]]
name = "Fort Firewater"
at = "c3"

[[still]]
name = "Cooper's Hollow"
at = "k4"
turn = 1
side = "down"

[[still]]
name = "Moonlight Mill"
at = "j10"

[[obstacle]]
name = "log"
nodes = ["g3", "h3"]
"""


def test_a_setup_is_read():
    setup = read(GOOD)
    assert (setup.size, node_name(setup.town), setup.barrels) == (14, "g7", 20)
    assert [still.is_up for still in setup.stills] == [True, False, True]
    assert bin(setup.events).count("1") == 2
    assert bin(setup.objectives).count("1") == 12


def test_its_line_reads_as_itself_and_is_toml():
    text = line(read(GOOD))
    assert "\n" not in text
    assert line(read(text)) == text
    assert read(text) == read(GOOD)
    assert list(tomllib.loads(text)) == ["setup"]
    assert OPTIONS[0].settle(GOOD) == text


@pytest.mark.parametrize("name", NAMED)
def test_the_setups_that_come_with_the_game(name):
    assert (FOLDER / f"{name}.toml").exists()
    assert len(numbers(name)) == SETUP_NUMBERS
    assert read(line(called(name))) == called(name)


def test_every_setup_file_is_offered():
    assert {path.stem for path in FOLDER.glob("*.toml")} == set(NAMED)


def without(text):
    return GOOD.replace(text, "")


WRONG = {
    "this is not TOML: .*line 1": "size = = 3",
    r"line 1: size 9; expected 10 to 16 nodes a side \(§1\.1\)": GOOD.replace("14", "9"),
    r"line 1: the setup does not say where the Town Center is": without('town = "g7"\n'),
    r"line 2: 'z9' is no node; .*\(§1\.1\)": GOOD.replace("g7", "z9"),
    r"line 2: p7 is off a board of 14 × 14 \(§2\.1\)": GOOD.replace("g7", "p7"),
    r"line 1: 'siz' means nothing here; did you mean size\? \(§2\.1\)": GOOD.replace("size", "siz"),
    r"line 3: folk 'yes'; expected true or false": GOOD.replace("fog = ", 'folk = "yes"\nfog = '),
    r"line 8: there is no still called 'Fort Firewatr'; did you mean Fort Firewater\?": GOOD.replace("water", "watr"),
    r"line 12: Fort Firewater is there twice \(§1\.5\)": GOOD.replace("Cooper's Hollow", "Fort Firewater"),
    r"line 9: Fort Firewater at n3 reaches off the board": GOOD.replace("c3", "n3"),
    r"line 14: turn 4; expected 0 to 3 quarters": GOOD.replace("turn = 1", "turn = 4"),
    r"line 15: side 'left'; expected up or down": GOOD.replace("down", "left"),
    r"line 13: Cooper's Hollow at c4 overlaps Fort Firewater at c3 at c4 \(§2\.1\)": GOOD.replace('"k4"', '"c4"'),
    r"line 9: Fort Firewater at f7 overlaps the Town Center at g7 \(§2\.1\)": GOOD.replace('"c3"', '"f7"'),
    r"line 9: a tap of Fort Firewater at a3 would be off the board \(§2\.1\)": GOOD.replace('"c3"', '"a3"'),
    r"line 9: fog at c2 lies on a tap of Fort Firewater at c3, c2 \(§2\.1\)": GOOD.replace("f4", "c2"),
    r"line 22: there is no obstacle called 'lo'; did you mean log\?": GOOD.replace('"log"', '"lo"'),
    r"line 23: log does not have the shape of g3 i3 \(§8\)": GOOD.replace('"h3"', '"i3"'),
    r"line 23: expected the nodes it blocks": GOOD.replace('["g3", "h3"]', '"g3"'),
    r"line 26: boulder and log are on one card, .*\(§8\)": GOOD + '\n[[obstacle]]\nname = "boulder"\nnodes = ["a1"]\n',
    r"line 3: fog at g3 overlaps log at g3": GOOD.replace("f4", "g3"),
    r"line 3: fog \[.*\]; expected a list of 6 nodes at most": GOOD.replace(
        '"i5"', '"a1", "a2", "a3", "a4", "a5", "a6"'
    ),
    r"line 4: there is none called 'Dynamit' among the events; did you mean Dynamite\?": GOOD.replace("mite", "mit"),
    r'line 5: objectives 3; expected "all" or a list of names \(§11\)': GOOD.replace('"all"', "3"),
    r"line 7: the stills hold 7 barrels; expected at least 21 for four": GOOD[: GOOD.index('[[still]]\nname = "C')],
    r"line 1: 0 stills; expected 1 to 5": 'town = "g7"\n',
    r"line 2: 'still' is said in tables called": 'town = "g7"\nstill = 3\n',
    r"line 10: 'colour' means nothing here": GOOD.replace('at = "c3"', 'at = "c3"\ncolour = 1'),
}


@pytest.mark.parametrize("message", WRONG)
def test_what_is_wrong_is_said_with_its_line_and_the_paragraph(message):
    with pytest.raises(ValueError, match=message):
        read(WRONG[message])


def test_more_than_25_barrels_are_refused():
    more = "".join(
        f'\n[[still]]\nname = "{name}"\nat = "{node}"\n' for name, node in [("Hollow Oak", "d9"), ("Badger Bog", "g11")]
    )
    with pytest.raises(ValueError, match=r"the stills hold 30 barrels; .* and 25 at most \(§2\.3\)"):
        read(GOOD + more)


def test_hidden_stills_must_fit_everywhere():
    with pytest.raises(BadOption, match=r"hidden stills must fit everywhere: .*§2\.1"):
        GAME.settle(2, {"setup": "badlands", "hidden": "yes"})
    GAME.settle(2, {"setup": "moonless"})


def test_stills_face_down_must_fit_each_others_places():
    both = (
        GOOD.replace('at = "c3"\n', 'at = "c3"\nside = "down"\n')
        .replace('"k4"', '"k1"')
        .replace("turn = 1", "turn = 2")
    )
    with pytest.raises(ValueError, match=r"a tap of Fort Firewater at k1 would be off the board"):
        read(both)


def test_a_game_with_a_setup_of_ones_own_is_logged_and_replayed():
    table = GAME.table(seats=3, seed=5, setup=GOOD)
    for seat in range(3):
        table.play(seat, ["1|2", "1|3", "1|4"][seat])
    assert table.options["setup"].startswith("setup = {size = 14")
    assert "option setup setup = {size" in str(table.log)
    again = backroom.replay(str(table.log))
    assert GAME.key(again.state) == GAME.key(table.state)


def test_colours_are_for_two():
    with pytest.raises(BadOption, match=r"two colours a player are for a game of two, not of 3 \(§2\.5\)"):
        GAME.settle(3, {"colours": 2})
