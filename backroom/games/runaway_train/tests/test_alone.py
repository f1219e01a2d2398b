"""The train alone: how long it runs and how it ends in 100,000 games, against an exact calculation in plain Python."""

import tomllib
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from backroom.engine.kernel import NATURE, below, dice_from, kernel, lowest
from backroom.games.runaway_train.rules.state import BRAKED, PLUNGED, ROLL, STOPPED, TAKE_SHORT

from .boards import GAME, LITTLE

GAMES = 100_000
STANDARD = (Path(__file__).parent.parent / "pieces.toml").read_text("utf-8")
setup, asked, moves, play = (getattr(GAME.rules, name) for name in ("setup", "asked", "moves", "play"))


@kernel
def run_alone(s, options, dice, out, track, games, counts):
    """Everybody passes, every engineer takes the same track; counts[fate, rounds]."""
    for _ in range(games):
        setup(s, 3, options)
        rounds = 0
        mask = asked(s)
        while mask:
            seat = lowest(mask)
            n = moves(s, seat, out)
            move = out[0]  # the first of a choice of cards is to pass
            if seat == NATURE:
                move = out[below(dice, n)]
                if ROLL <= move < ROLL + 6:
                    rounds += 1
            elif move == TAKE_SHORT:
                move = TAKE_SHORT + track - 1
            play(s, seat, move)
            mask = asked(s)
        counts[s.fate, rounds] += 1


def exact(text, branch):
    """The chance of each (fate, rounds): step by step over all (space, speed), with the chance of being there."""
    track = tomllib.loads(text)
    spaces = {int(k): v for part in ("before", branch) for k, v in track[part].items() if k.isdecimal()}
    end, chart = track[branch]["end"], {int(k): v for k, v in track[branch]["stop"].items()}
    found, running, rounds = Counter(), {(0, 1): 1.0}, 0
    while running:
        rounds += 1
        after_move = Counter()
        for (at, speed), chance in running.items():
            for die in range(1, 7):
                faster = speed + (0, 0, 1, 1, 1, 2)[die - 1]
                to = min(at + faster, end)
                speeds = {faster: chance / 6}
                for space in sorted(n for n in spaces if at < n <= to):
                    if spaces[space].startswith("brake"):
                        slower = Counter()
                        for now, likely in speeds.items():
                            for brake in range(1, 7):
                                less = brake // 2 if spaces[space] == "brake 1/2" else brake
                                slower[now - less] += likely / 6
                        found[BRAKED, rounds] += sum(likely for now, likely in slower.items() if now < 1)
                        speeds = {now: likely for now, likely in slower.items() if now >= 1}
                for now, likely in speeds.items():
                    after_move[to, now] += likely
        running = {}
        for (at, speed), chance in after_move.items():
            if at < end:
                running[at, speed] = chance
                continue
            least = 7 if speed > max(chart) else chart[max(speed, min(chart))]
            found[STOPPED, rounds] += chance * (7 - least) / 6
            found[PLUNGED, rounds] += chance * (least - 1) / 6
    return found


@pytest.mark.parametrize("branch", ["short", "long"])
@pytest.mark.parametrize("text", [STANDARD, LITTLE], ids=["standard", "little"])
def test_game_lengths_and_plunges_are_distributed_as_calculated(text, branch):
    chances = exact(text, branch)
    assert sum(chances.values()) == pytest.approx(1)
    _, options = GAME.settle(3, {"track": text})
    counts = np.zeros((5, 100), np.int64)
    out = np.zeros(GAME.rules.MOST_MOVES, np.int32)
    track = ("short", "long").index(branch) + 1
    run_alone(GAME.blank(), GAME.encoded(options), dice_from(2026), out, track, GAMES, counts)
    assert counts.sum() == GAMES
    cells, chi_square, rest, expected_rest = 0, 0.0, 0, 0.0
    for fate in range(5):
        for rounds in range(100):
            expected = chances[fate, rounds] * GAMES
            if expected == 0:
                assert counts[fate, rounds] == 0
            elif expected < 10:
                rest, expected_rest = rest + counts[fate, rounds], expected_rest + expected
            else:
                cells += 1
                chi_square += (counts[fate, rounds] - expected) ** 2 / expected
    if expected_rest >= 5:
        cells, chi_square = cells + 1, chi_square + (rest - expected_rest) ** 2 / expected_rest
    assert cells >= 8
    assert chi_square < cells + 4 * (2 * cells) ** 0.5, (cells, chi_square)


def test_the_calculation_by_hand():
    """A track so short that every case can be counted on fingers."""
    tiny = "switch = 1\n[before]\n[short]\nend = 2\nstop = { 1 = 3 }\n[long]\nend = 3\nstop = { 1 = 1 }\n"
    chances = exact(tiny, "short")  # 1, 2: speed 1, to the switch; anything else goes over the end at speed 2 or more
    assert chances[PLUNGED, 1] == pytest.approx(4 / 6)
    assert chances[STOPPED, 2] == pytest.approx(2 / 6 * 2 / 6 * 4 / 6)
