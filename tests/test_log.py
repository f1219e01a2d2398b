"""The text of a game: what is written parses back, and what is wrong is refused with its line and what was expected."""

import re

import pytest
import terminals
from hypothesis import given
from hypothesis import strategies as st

import backroom
from backroom.engine.ending import END, RESIGN, TIME, Ending
from backroom.engine.kernel import NATURE
from backroom.engine.log import BadLog, Log
from backroom.engine.table import verify

HASH = "7902699be42c8a8e46fbbb4501726517e86b22c56a189f7625a6da49081b2451"
GAME = backroom.game(terminals.GAME)
HEADER = f"backroom log 1\ngame some-game 2\nseats 2\noption length 3\nseed-hash {HASH}\n\n"


def test_a_log_reads_like_this():
    log = Log("some-game", 2, 2, {"length": "3"}, HASH, moves=((NATURE, "roll 6 4"), (0, "1/7")), seed="7")
    assert str(log) == HEADER + "* roll 6 4\n0 1/7\nseed 7\n"
    assert Log.parse(str(log)) == log


def test_a_log_says_who_resigned_and_that_it_ended():
    endings = (Ending(1, RESIGN, 1), Ending(2, TIME, 0), Ending(2, END))
    log = Log("some-game", 2, 3, {"length": "3"}, HASH, moves=((0, "1/7"), (2, "1/7")), seed="7", endings=endings)
    assert str(log) == HEADER.replace("seats 2", "seats 3") + "0 1/7\nresign 1\n2 1/7\ntime 0\nend\nseed 7\n"
    assert Log.parse(str(log)) == log
    assert Log.parse(str(log)).line_of == (7, 9)


def test_the_name_of_a_file_in_place_of_a_log_is_answered_with_how_to_give_a_file(tmp_path):
    kept = tmp_path / "kept"
    kept.write_text("x.log")
    for wrong in ("games/x.log", str(kept)):
        for function in (backroom.replay, verify):
            with pytest.raises(BadLog, match="line 1: expected 'backroom log 1'") as refusal:
                function(wrong)
            assert f"for the file of that name say pathlib.Path({wrong!r})" in str(refusal.value)
    for function, wrong in (
        (backroom.replay, kept),
        (backroom.replay, "x"),
        (backroom.replay, ""),
        (Log.parse, "x.log"),
    ):
        with pytest.raises(BadLog) as refusal:
            function(wrong)
        assert "pathlib" not in str(refusal.value)


words = st.text("abc/|0123456789", min_size=1, max_size=8)
moves = st.lists(st.tuples(st.sampled_from([0, 1, 8, 13, NATURE]), words), max_size=5)


@given(
    options=st.dictionaries(st.from_regex(r"[a-z_]{1,8}", fullmatch=True), words, max_size=3),
    start=st.none() | words,
    seed_hash=st.none() | st.just(HASH),
    moves=moves,
    seed=st.none() | words,
    who=st.dictionaries(st.integers(0, 8), words, max_size=3),
)
def test_every_log_reads_back(options, start, seed_hash, moves, seed, who):
    log = Log("some-game", 1, 9, options, seed_hash, start, tuple(moves), seed, who)
    assert Log.parse(str(log)) == log
    assert Log.parse(f"{log}\n\n") == log  # as it may end when it was pasted


@pytest.mark.parametrize(
    ("text", "refusal"),
    [
        ("", "line 1: expected 'backroom log 1': this is not a log"),
        ("PK\x03\x04", "line 1: expected 'backroom log 1'"),
        ("backroom log 2\n", "line 1: expected 'backroom log 1'"),
        ("backroom log 1\ngame a 1\n", "line 3: expected an empty line between the header and the moves"),
        ("backroom log 1\ngame a\n\n", "line 2: 'game a'; expected game NAME VERSION"),
        ("backroom log 1\ngame a 1\n\n", "line 3: the header ends without 'seats'; expected seats NUMBER"),
        ("backroom log 1\ngame a 1\nseats 2\n\n", "line 4: the header ends without 'seed-hash'"),
        ("backroom log 1\ngame a 1\nseats two\n\n", "line 3: 'seats two'; expected seats NUMBER"),
        ("backroom log 1\ngame a 1\nseats 2\nseats 2\n\n", "line 4: 'seats 2' says again"),
        ("backroom log 1\nseats 2\ngame a 1\n\n", "line 3: 'game' comes too late; expected the order game, seats"),
        ("backroom log 1\ngame a 1\ncolour red\n\n", "line 3: 'colour red' does not belong in a header"),
        (HEADER.replace("option", "option length 3\noption"), "line 5: 'option length 3' says again"),
        (HEADER.replace(HASH, "12"), "line 5: 'seed-hash 12'; expected seed-hash and 64 hexadecimal digits"),
        (HEADER + "0\n", "line 7: '0'; expected a seat"),
        (HEADER + "0  1/7\n", "line 7: '0  1/7'; expected a seat"),
        (HEADER + "* roll 6 4\n\n0 1/7\n", "line 8: ''; expected a seat"),
        (HEADER + "* roll 6 4\n15 1/7\n", "line 8: there is no seat 15"),
        (HEADER + "seed 7\n0 1/7\n", "line 7: 'seed 7'; the seed is the last line, and nothing may follow it"),
        (HEADER.replace("\n", "\r\n"), "line 1: expected"),
        (HEADER.replace("game some-game 2", "game some-game " + "9" * 5000), "expected game NAME VERSION"),
        (HEADER.replace("option", "seat 1 x\nseat 1 y\noption"), "line 5: 'seat 1 y' says again"),
        (HEADER.replace("option", "seat ten x\noption"), "line 4: 'seat ten x'; expected seat NUMBER WHO"),
    ],
)
def test_a_bad_line_is_refused_with_its_number_and_what_was_expected(text, refusal):
    with pytest.raises(BadLog, match=re.escape(refusal)):
        Log.parse(text)


@given(st.text())
def test_any_text_is_read_or_refused(text):
    for whole in (text, HEADER + text):
        refusal = None
        try:
            Log.parse(whole)
        except BadLog as error:
            refusal = str(error)
        assert refusal is None or refusal.startswith("line ")


# logs against their game


@pytest.fixture
def finished():
    table = GAME.table(seed="a-seed")
    while not table.is_over:
        table.play(table.asked[0], table.moves(table.asked[0])[0])
    return table


def test_what_does_not_fit_the_game_is_refused(finished):
    text = str(finished.log)
    name, version = GAME.name, GAME.rules.VERSION
    now = f"game {name} {version}"
    for bad, refusal in [
        (text.replace(now, f"game {name} 99"), f"this is a log of {name} 99; this program plays {name} {version}"),
        (re.sub(r"option \w+ \w+\n", "", text, count=1), "the header does not say option"),
        (text.replace("seed a-seed", "seed another"), "not the one that the header's seed-hash commits to"),
    ]:
        with pytest.raises(BadLog, match=re.escape(refusal)):
            backroom.replay(bad)
    with pytest.raises(backroom.BadOption, match="no game called"):
        backroom.replay(text.replace(now, "game nothing 1"))


def test_an_illegal_move_is_refused_with_its_line(finished):
    lines = str(finished.log).split("\n")
    place = next(number for number, line in enumerate(lines) if line.startswith("0 "))
    lines[place] = "0 nonsense"
    with pytest.raises(BadLog, match=rf"^line {place + 1}: .* cannot play 'nonsense'"):
        backroom.replay("\n".join(lines))
