"""`train/scale.py` recovers the strengths from which results were simulated."""

import importlib.util
import math
import sys
from pathlib import Path

import pytest

TRAIN = Path(__file__).parents[1] / "train"


@pytest.fixture(scope="module")
def scale():
    sys.path.insert(0, str(TRAIN))
    try:
        spec = importlib.util.spec_from_file_location("scale", TRAIN / "scale.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules["scale"] = module
        spec.loader.exec_module(module)
        yield module
    finally:
        sys.path.remove(str(TRAIN))
        del sys.modules["scale"]


def test_strengths_are_found_again(scale):
    """Three players, 0, 150 and 400 points; the first and the last never met."""
    truth = [0.0, 150.0, 400.0]

    def pair(i, j):
        share = 1 / (1 + 10 ** ((truth[j] - truth[i]) / 400))
        reach = 1.96 * math.sqrt(share * (1 - share) / 1000)
        return scale.Pair(i, j, 1000, share, (share - reach, share + reach))

    found = scale.scale(3, [pair(1, 0), pair(2, 1)])
    for (middle, low, high), true in zip(found, truth, strict=True):
        assert middle == pytest.approx(true, abs=1.0)
        assert low <= true <= high
    assert found[2][2] - found[2][1] > found[1][2] - found[1][1] > 0


def test_who_never_lost_stands_somewhere(scale):
    found = scale.scale(2, [scale.Pair(1, 0, 20, 1.0, (0.83, 1.0))])
    assert 400 < found[1][0] < 3000


def test_frozen_levels_can_still_be_played_against(scale):
    import backroom

    for name, levels in sys.modules["players"].FROZEN.items():
        for level in levels:
            assert scale.player(f"frozen:{level}", backroom.game(name)).name == f"frozen:{level}"


def test_frozen_levels_of_run_have_the_net_of_their_time(scale):
    import backroom

    old, new = (scale.player(name, backroom.game("run")).work.weights.rows for name in ("frozen:hard", "hard"))
    assert not (old == new).all()


def test_matches_go_on_from_what_was_kept(scale, tmp_path):
    """Games that were played are not played again, gaps are filled first, and the total is the arena's result."""
    import backroom
    from backroom.arena.match import match
    from backroom.bots import bot

    matches, kept = sys.modules["matches"], tmp_path / "kept.jsonl"
    text = "rummy-runners easy random --seats=3 --games=12 --seed=5 --sets=hard"
    (one,) = matches.read([written(tmp_path / "list.txt", f"# what is played\n{text}\n\n")])
    progress = matches.Progress(one)
    assert progress.next_part(set()).start == 5
    for seeds in (range(5, 7), range(8, 9)):
        result, spent = matches.played(one, seeds)
        progress.add(seeds.start, len(seeds), spent, result)
    assert list(progress.next_part({9})) == [7]
    progress = matches.Progress(one)
    matches.play_all([progress], kept, processes=1, seconds=0)
    assert progress.result.games == 0
    matches.play_all([progress], kept, processes=1, seconds=600)
    game = backroom.game("rummy-runners")
    whole = match(bot("easy", game), bot("random", game), 12, 3, seed=5, sets="hard")
    assert progress.result == whole
    again = matches.Progress(one)
    matches.take_up([again], kept)
    assert again.result == whole
    assert again.share_begun == 1
    assert f"{whole.share:.1%} of 12" in again.line()


def written(path, text):
    path.write_text(text, encoding="utf-8")
    return path
