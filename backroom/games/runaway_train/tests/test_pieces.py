"""Track files: read as they are meant, refused with where and what was expected."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import backroom
from backroom.engine.laws import check_game
from backroom.engine.options import BadOption
from backroom.games.runaway_train.pieces import TRACK_NUMBERS, read_track, track_numbers, track_of

from .boards import GAME, LITTLE

LITTLE_LINE = (
    '{ before = { 1 = "brake 1/2", 2 = "x3", 3 = "brake 1" }, switch = 4, '
    "short = { end = 6, stop = { 1 = 4, 2 = 6 } }, "
    'long = { 5 = "x2", 7 = "brake 1", 8 = "x5", end = 12, stop = { 2 = 2, 3 = 3, 4 = 5 } } }'
)


def test_a_track_file_becomes_one_line_which_reads_as_itself():
    assert read_track(LITTLE) == LITTLE_LINE
    assert read_track(LITTLE_LINE) == LITTLE_LINE
    assert track_of(LITTLE_LINE) == track_of(LITTLE)


def test_the_standard_track_in_another_hand_is_the_standard_track():
    line = track_of("standard").line()
    assert read_track(line) == "standard"
    assert GAME.settle(3, {"track": line})[1]["track"] == "standard"


def test_kernels_are_always_told_as_many_numbers():
    assert {len(track_numbers(text)) for text in ("standard", LITTLE)} == {TRACK_NUMBERS}


def test_what_stands_before_the_switch_may_be_left_out():
    text = LITTLE.replace('[before]\n1 = "brake 1/2"\n2 = "x3"\n3 = "brake 1"\n', "")
    assert "before = {}," in read_track(text)


@pytest.mark.parametrize(
    ("old", "new", "refusal"),
    [
        ("switch = 4", "", "switch: it is not there; expected the number of its space, 1 to 98"),
        ("switch = 4", "switch = true", "switch: 'True' stands there; expected the number of its space"),
        ("switch = 4", "switch = 3", r"before\.3: the before part lies between 0 and 3; expected a number from 1 to 2"),
        ("switch = 4", "swich = 4", "swich: a track has no such part; expected switch, before, short, long"),
        ("[short]\nend = 6", "[short]", r"short\.end: it is not there; expected the number of its last space, 5 to 99"),
        ("end = 6", "end = 4", r"short\.end: '4' stands there; expected the number of its last space, 5 to 99"),
        ("end = 6", "end = 100", r"short\.end: '100' stands there"),
        ("end = 12", "end = 8", r"long\.8: the long part lies between 4 and 8; expected a number from 5 to 7"),
        ('5 = "x2"', '4 = "x2"', r"long\.4: the long part lies between 4 and 12"),
        (
            '5 = "x2"\n7 = "brake 1"',
            '7 = "brake 1"\n5 = "x2"',
            r"long\.5: it stands after 7; expected numbers that rise",
        ),
        (
            '5 = "x2"',
            '5 = "x0"',
            r"long\.5: 'x0' stands there; expected \"x1\" to \"x9\", \"brake 1/2\" or \"brake 1\"",
        ),
        ('5 = "x2"', "5 = 2", r"long\.5: '2' stands there"),
        ('5 = "x2"', 'five = "x2"', r"long\.five: no number of a space; expected spaces like 44 = \"x4\", end, stop"),
        ('5 = "x2"', '7 = "x2"', r"this is no TOML.*\(at line 12"),
        ("stop = { 1 = 4, 2 = 6 }", "", r"short\.stop: it is not there; expected a table of speeds"),
        ("stop = { 1 = 4, 2 = 6 }", "stop = {}", r"short\.stop: '{}' stands there; expected a table of speeds"),
        ("2 = 2, 3 = 3, 4 = 5", "2 = 2, 4 = 5", r"long\.stop\.4: speed 3 is due here; expected every speed"),
        ("2 = 2, 3 = 3, 4 = 5", "3 = 2, 2 = 5", r"long\.stop\.2: speed 4 is due here; expected every speed"),
        ("4 = 5 }", "4 = 7 }", r"long\.stop\.4: '7' stands there; expected the least roll .*, 1 to 6"),
        ("{ 1 = 4, 2 = 6 }", "{ 41 = 4 }", r"short\.stop\.41: no speed; expected a number from 1 to 40"),
        ("[short]", "[[short]]", r"short: .* stands there; expected a table \[short\] of its spaces"),
        ("switch = 4", "switch = ", "this is no TOML, the language of track files"),
    ],
)
def test_what_is_wrong_is_said_with_where_and_what_was_expected(old, new, refusal):
    assert old in LITTLE
    with pytest.raises(BadOption, match=rf"option track: {refusal}.*; it can be standard or a track file"):
        GAME.settle(3, {"track": LITTLE.replace(old, new)})


def test_too_much_of_everything():
    many = "".join(f'{n} = "x2"\n' for n in range(20, 29))
    base = "switch = 40\n[before]\n{}[short]\nend = 41\nstop = {{ 1 = 1 }}\n[long]\nend = 42\nstop = {{ {} }}\n"
    with pytest.raises(BadOption, match="before: 9 yellow spaces; expected at most 8"):
        GAME.settle(3, {"track": base.format(many, "1 = 1")})
    with pytest.raises(BadOption, match=r"long\.stop: 11 speeds; expected at most 10"):
        GAME.settle(3, {"track": base.format("", ", ".join(f"{n} = 1" for n in range(1, 12)))})
    with pytest.raises(BadOption, match="option track has 30,000 characters"):
        GAME.settle(3, {"track": "#" * 30_000})
    with pytest.raises(BadOption, match="this is no TOML"):
        GAME.settle(3, {"track": "a = " + "[" * 9_000})
    with pytest.raises(BadOption, match="something follows it"):
        GAME.settle(3, {"track": LITTLE_LINE + "\nx = 1"})


spaces = st.dictionaries(
    st.integers(0, 30).map(str), st.sampled_from(["x2", "x9", "brake 1", "brake 1/2", "x"]), max_size=4
)
charts = st.dictionaries(st.integers(0, 9).map(str), st.integers(0, 7), max_size=3)


@given(st.integers(0, 20), spaces, spaces, st.integers(0, 40), charts)
def test_any_track_is_read_or_refused_and_what_is_read_reads_back(switch, before, after, end, chart):
    def table(pairs):
        return "{ " + ", ".join(f"{key} = {value!r}".replace("'", '"') for key, value in pairs.items()) + " }"

    branch = table(after)[:-1] + f"{', ' if after else ''}end = {end}, stop = {table(chart)} }}"
    text = f"switch = {switch}\nbefore = {table(before)}\nshort = {branch}\nlong = {branch}\n"
    try:
        line = read_track(text)
    except ValueError:
        return
    assert read_track(line) == line
    assert track_numbers(line) == track_numbers(text)
    assert "\n" not in line


@given(st.text(max_size=60))
def test_any_text_is_a_track_or_is_refused(text):
    if text == "standard":
        return
    with pytest.raises(ValueError, match=r"."):
        read_track(text)


WIDE = """
switch = 50
before = { 1 = "brake 1/2", 2 = "x9", 40 = "x1" }
short = { end = 51, stop = { 1 = 1 } }
long = { 51 = "x2", 98 = "brake 1", end = 99, stop = { 5 = 2, 6 = 3 } }
"""


@pytest.mark.parametrize("last_gasp", ["no", "yes"])
@pytest.mark.parametrize("track", [LITTLE, WIDE], ids=["little", "wide"])
@pytest.mark.parametrize("seats", [3, 6])
def test_the_laws_hold_on_other_tracks(seats, track, last_gasp):
    looked, seed = 0, 0
    while looked < 120:
        looked += check_game(GAME, seats, {"track": track, "last_gasp": last_gasp}, seed, look=2)
        seed += 1


def test_a_log_keeps_the_track():
    table = GAME.table(seed=1, track=LITTLE)
    while not table.is_over:
        for seat in table.asked:
            table.play(seat, table.moves(seat)[-1])
    text = str(table.log)
    assert f"\noption track {LITTLE_LINE}\n" in text
    assert str(backroom.replay(text).log) == text


def test_a_track_file_at_the_door(tmp_path):
    """As a person gives it: --option track=FILE."""

    def watch(text):
        file = tmp_path / "own.toml"
        file.write_text(text)
        words = ["-m", "backroom", "watch", GAME.name, "--delay", "0", "--seed", "1", "--option", f"track={file}"]
        return subprocess.run([sys.executable, *words], capture_output=True, text=True, timeout=300, check=False)

    done = watch(LITTLE)
    assert (done.returncode, done.stderr) == (0, "")
    assert "To stop at the end of short  (speed:least roll)  1:4 2:6 3+:–" in done.stdout
    assert "The game is over" in done.stdout
    wrong = watch(LITTLE.replace("end = 12", "end = 8"))
    assert wrong.returncode == 2
    assert "option track: long.8: the long part lies between 4 and 8; expected a number from 5 to 7" in wrong.stderr
