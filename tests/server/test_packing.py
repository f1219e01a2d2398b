"""The compact form of moves in events for pages: nothing is lost, and it is small."""

import random

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import backroom
from backroom.scene.lines import END, MOST, shared, whole
from backroom.server.storage.journal import SIT, Entry
from backroom.server.tables import messages
from backroom.server.tables.config import Terms, config
from backroom.server.tables.packing import FEW, packed, unpacked
from backroom.server.tables.state import TableState

LINES = st.lists(st.text(st.characters(exclude_characters=END, exclude_categories=("Cs",)), max_size=20), min_size=1)


@given(LINES)
@example(["", "a", "aa", "a", ""])
@example(["aba", "ababa", "aba"])
@example(["x" * 200, "x" * 201, "x" * 90 + "y" + "x" * 110])
@example(["🂡 a", "🂡 b", "🂢 b"])
def test_lines_come_back_whole(lines):
    assert whole(shared(lines)) == lines


@given(LINES)
@example(["🂡 a", "🂡 b", "🂢 b"])
def test_counts_are_the_same_in_code_units(lines):
    """JavaScript counts a letter beyond the first 65,536 as two."""
    found, last = [], b""
    for line in shared(lines).split(END):
        first, end = 2 * (ord(line[0]) - 48), 2 * (ord(line[1]) - 48)
        last = last[:first] + line[2:].encode("utf-16-le") + last[len(last) - end :]
        found.append(last.decode("utf-16-le"))
    assert found == lines


def test_what_lines_share_is_left_out():
    assert shared(["at a14", "at b14", "at b15", "back"]) == END.join(["00at a14", "32b", "505", "00back"])
    assert shared(["x" * 500, "x" * 500]).split(END)[1] == "zz" + (500 - 2 * MOST) * "x"


def table_of(game):
    state = TableState(config(game.name, game.seats[0], {}, Terms(), is_public=True, maker="x", made=0))

    def apply(entries):
        first = state.number + 1
        state.apply(msgspec.structs.replace(entry, number=n, at=0) for n, entry in enumerate(entries, first))

    apply([Entry(SIT, seat, f"P{seat} 🂡", f"p{seat}") for seat in range(game.seats[0])])
    apply(state.begun())
    return state, apply


@pytest.mark.parametrize("name", list(backroom.names()))
def test_moves_come_back_whole(name):
    game, rng = backroom.game(name), random.Random(1)
    state, apply = table_of(game)
    for _ in range(60):
        if not state.asked:
            break
        seat = rng.choice(state.asked)
        moves = messages.answers(state, state.view(seat), seat)
        found = packed(moves)
        if len(moves) < FEW:
            assert found is moves
        else:
            assert unpacked(found) == [{**move, "touch": list(move["touch"])} for move in moves]
        apply(state.move_entries(seat, rng.choice(moves)["name"]))
