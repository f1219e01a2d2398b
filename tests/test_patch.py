"""Patches lead from each picture to the next."""

import random

import pytest

from backroom.scene import BOARD, HAND, Board, Piece, Region, Scene, Shape
from backroom.scene.patch import Picture, is_another_kind, out_of_order, row

REGIONS = (Region(BOARD, 0, 0, 10, 10), Region(HAND, 0, 11, 10, 10))
PLANE = Board("b", 10, 21, "", "", {"man": Shape("<circle r='1'/>"), "king": Shape("<circle r='2'/>")}, REGIONS)


@pytest.mark.parametrize("seed", range(300))
def test_what_stays_is_in_order_already(seed):
    lot = random.Random(seed)
    have = lot.sample("abcdefghij", lot.randint(0, 10))
    want = lot.sample(have, len(have)) if lot.random() < 0.7 else [*have[1:], *have[:1]]
    moved = out_of_order(have, want)
    assert [name for name in have if name not in moved] == [name for name in want if name not in moved]
    assert len(moved) < max(1, len(want))


def test_what_moves_to_the_end_is_one_move():
    assert out_of_order("abcde", "acdeb") == {"b"}
    assert out_of_order("abcde", "eabcd") == {"e"}
    assert out_of_order("abc", "abc") == set()


def test_a_piece_in_few_words():
    assert row(Piece("a", "man", 3.0, 445.857142)) == ["a", "man", "translate(3 445.857)"]
    assert row(Piece("a", "man", 1, 2, "", "7", 90, 4)) == ["a", "man", "translate(1 2) rotate(90)", 4, "", "7"]


def test_a_piece_of_another_kind_keeps_the_rest():
    piece = Piece("a", "man", 1, 2, "white man", "7", 90, 4)
    king = Piece("a", "king", 1, 2, "white man", "7", 90, 4)
    assert is_another_kind(king, piece)
    assert not is_another_kind(king, None)
    assert not is_another_kind(king, king)
    assert not is_another_kind(king, Piece("a", "man", 1, 2, "white man", "8", 90, 4))


def test_pieces_that_only_change_their_kind_are_listed_by_kind():
    men = [Piece(name, "man", 1, 2) for name in "abc"]
    kings = [Piece("a", "king", 1, 2), Piece("b", "king", 1, 2), Piece("c", "king", 2, 2)]
    picture = Picture(Scene(PLANE, "", men))
    found = picture.change(Scene(PLANE, "", kings))
    assert found == {"up": [["c", "king", "translate(2 2)"]], "gone": [], "kinds": {"king": "00a\x7f00b"}}


def patched(regions, patch):
    """The result of a patch in a browser: for each region the ids from the lowest to the highest."""
    moved = {name for name, *_ in patch.get("put", ())}
    regions = [[name for name in names if name not in {*patch["gone"], *moved}] for names in regions]
    for name, region, *above in patch.get("put", ()):
        names = regions[region]
        names.insert(names.index(above[0]) if above else len(names), name)
    assert "kinds" not in patch  # there is only one here
    assert {name for name, *_ in patch["up"]} <= {name for names in regions for name in names}
    return regions


def drawn(scene):
    return [
        [piece.id for piece in PLANE.in_order(scene.pieces) if PLANE.region_at(piece.x, piece.y) == region]
        for region in range(len(REGIONS))
    ]


@pytest.mark.parametrize("seed", range(200))
def test_patches_lead_to_every_next_picture(seed):
    lot = random.Random(seed)

    def some():
        names = lot.sample("abcdefgh", lot.randint(0, 8))
        pieces = [Piece(name, "man", lot.randint(0, 2), lot.choice((5, 15)), z=lot.randint(0, 2)) for name in names]
        return Scene(PLANE, "", pieces)

    scene = some()
    picture, regions = Picture(scene), drawn(scene)
    for _ in range(6):
        scene = some()
        regions = patched(regions, picture.change(scene))
        assert regions == drawn(scene)
