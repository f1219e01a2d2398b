"""What a browser is told about a picture that changes."""

import random

import pytest

from backroom.scene import Board, Piece, Scene, Shape
from backroom.server.tables.messages import Picture, by_turns, in_words, moved_under, number, row

BOARD = Board("b", 10, 10, "", "", {"man": Shape("<circle r='1'/>")})


@pytest.mark.parametrize("seed", range(300))
def test_the_fewest_moves_lead_from_one_order_to_another(seed):
    lot = random.Random(seed)
    have = lot.sample("abcdefghij", lot.randint(0, 10))
    want = lot.sample(have, len(have)) if lot.random() < 0.7 else [*have[1:], *have[:1]]
    moves = moved_under(have, want)
    for name, over in moves:
        have.remove(name)
        have.insert(have.index(over) if over else len(have), name)
    assert have == want
    assert len(moves) < max(1, len(want))


def test_what_moves_to_the_end_is_one_move():
    assert moved_under("abcde", "acdeb") == [("b", None)]
    assert moved_under("abcde", "eabcd") == [("e", "a")]
    assert moved_under("abc", "abc") == []


def test_a_piece_in_few_words():
    assert row(Piece("a", "man", 3.0, 445.857142)) == ["a", 0, "man", 3, 445.857]
    assert row(Piece("a", "man", 0, 0)) == ["a", 0, "man"]
    assert row(Piece("a", "man", 1, 2, "", "7", 0, 4)) == ["a", 4, "man", 1, 2, 0, "", "7"]
    assert str(number(2.0)) == "2"


def patched(order, patch, heights):
    """The result of a patch in a browser: the ids from the lowest to the highest."""
    names = [name for name in order if name not in patch["gone"]]
    for name, z, *_ in patch["up"]:
        if name in names and heights[name] == z:
            continue
        names = [other for other in names if other != name]
        heights[name] = z
        names.insert(next((at for at, other in enumerate(names) if heights[other] > z), len(names)), name)
    for name, over in patch.get("under", ()):
        names.remove(name)
        names.insert(names.index(over) if over else len(names), name)
    return names


@pytest.mark.parametrize("seed", range(200))
def test_patches_lead_to_every_next_picture(seed):
    lot = random.Random(seed)

    def some():
        names = lot.sample("abcdefgh", lot.randint(0, 8))
        return Scene(BOARD, "", [Piece(name, "man", lot.randint(0, 2), 0, z=lot.randint(0, 2)) for name in names])

    scene = some()
    picture = Picture(scene)
    order = [piece.id for piece in sorted(scene.pieces, key=lambda piece: piece.z)]
    heights = {piece.id: piece.z for piece in scene.pieces}
    for _ in range(6):
        scene = some()
        order = patched(order, picture.change(scene), heights)
        assert order == [piece.id for piece in sorted(scene.pieces, key=lambda piece: piece.z)]


def test_a_story_is_told_by_turns():
    """Successive sentences that begin with the same player are one; anything said between them ends it."""
    ann, ben = {"seat": 0, "name": "Ann"}, {"seat": 1, "name": "Ben"}
    lines = [
        {"n": 1, "text": "Ann rolls 6.", **ann, "rest": ["rolls ", ("die-6", "6")]},
        {"n": 2, "text": "Ann moves.", **ann, "rest": ["moves"]},
        {"text": "hello", "who": "Ben"},
        {"n": 3, "text": "Ann bears off.", **ann, "rest": ["bears off"]},
        {"n": 4, "text": "Ben rolls.", **ben, "rest": ["rolls"]},
    ]
    found = by_turns(lines)
    assert [item.get("rest") for item in found] == [
        ["rolls ", ("die-6", "6"), ", ", "moves"],
        None,
        ["bears off"],
        ["rolls"],
    ]
    assert lines[0]["rest"] == ["rolls ", ("die-6", "6")]


def test_a_marked_text_is_told_in_words_and_where_it_has_glyphs_in_parts():
    assert in_words("label", "Wait for @0@", ["Ann"]) == {"label": "Wait for Ann"}
    assert in_words("label", "Take [[die-6|a six]]", ["Ann"]) == {
        "label": "Take a six",
        "rich": ["Take ", ("die-6", "a six")],
    }
