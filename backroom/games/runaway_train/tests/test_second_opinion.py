"""A second opinion on whole games: the rulebook in plain Python, compared with the kernels in random play.

It imports nothing of the rules but the notation. The referee is a generator: it yields what each seat may answer, `*`
for nature, and is sent who answered what.
"""

import itertools
import random
import tomllib
from pathlib import Path
from types import SimpleNamespace

import pytest

from backroom.engine.kernel import NATURE, dice_from

from .boards import GAME, LITTLE, aboard, at, hand, names, points, shows, start

STANDARD = (Path(__file__).parent.parent / "pieces.toml").read_text("utf-8")
FATES = (None, "braked", "stopped", "plunged", "empty")


def referee(text, seats, last_gasp, w):
    """A game by the book; `w` is what lies open on the table."""
    track = tomllib.loads(text)
    w.speed, w.at, w.times, w.branch, w.fate = 1, 0, 1, None, None
    w.points, w.hands, w.aboard = [0] * seats, [set(range(1, 8)) for _ in range(seats)], set(range(seats))
    contenders = list(range(seats))
    while len(contenders) > 1:  # §3
        rolls = []
        for _ in contenders:
            rolls.append((yield from die("lot")))
        contenders = [seat for seat, rolled in zip(contenders, rolls, strict=True) if rolled == max(rolls)]
    w.engineer = contenders[0]
    while True:
        w.speed += {1: 0, 2: 0, 3: 1, 4: 1, 5: 1, 6: 2}[(yield from die("roll"))]  # §3.1
        w.fate = yield from move(track, w)
        if w.fate:
            break
        is_at_end = w.branch and w.at == track[w.branch]["end"]
        if not is_at_end or last_gasp:
            yield from cards(w)
            if not w.aboard:
                w.fate = "empty"  # §5.2
                break
        if is_at_end:
            if w.engineer not in w.aboard:
                w.engineer = left_of(w)  # §6
            rolled = yield from die("stop")
            w.fate = "stopped" if rolled >= needed(track[w.branch]["stop"], w.speed) else "plunged"  # §5.1
            break
        w.engineer = left_of(w)
    if w.fate in ("braked", "stopped"):
        for seat in w.aboard:
            w.points[seat] += sum(w.hands[seat])  # §5.3
    yield {}


def die(word):
    _, name = yield {"*": {f"{word} {face}" for face in range(1, 7)}}
    return int(name.split()[1])


def left_of(w):
    seats = len(w.points)
    return next(seat % seats for seat in range(w.engineer + 1, w.engineer + seats + 1) if seat % seats in w.aboard)


def needed(chart, speed):
    """§2.2, §2.3"""
    speeds = {int(key): roll for key, roll in chart.items()}
    return 99 if speed > max(speeds) else speeds[max(speed, min(speeds))]


def move(track, w):
    """§3.2 to §3.4; says 'braked' if that ended it."""
    spaces = w.speed
    while True:
        part, end = ("before", track["switch"]) if w.branch is None else (w.branch, track[w.branch]["end"])
        reached = min(w.at + spaces, end)
        spaces -= reached - w.at
        passed = [int(key) for key in track[part] if key.isdecimal() and w.at < int(key) <= reached]
        w.at = reached
        for space in passed:
            what = track[part][str(space)]
            if what.startswith("x"):
                w.times = int(what[1:])
            else:
                rolled = yield from die("brake")
                w.speed -= rolled // 2 if what == "brake 1/2" else rolled
                if w.speed < 1:
                    return "braked"
        if w.branch is not None or w.at != track["switch"]:
            return None
        _, w.branch = yield {w.engineer: {"short", "long"}}


def cards(w):
    """§3.5 to §4.4"""
    chosen = {}
    while set(chosen) != w.aboard:
        seat, name = yield {seat: answers(w.hands[seat]) - {chosen.get(seat)} for seat in w.aboard}
        chosen[seat] = name
    jumper = resolve(w, chosen)
    if jumper is not None:
        _, name = yield {jumper: {"jump", "stay"}}
        if name == "jump":
            w.aboard.discard(jumper)


def answers(suitcases):
    found = {"pass", "passenger+conductor"} | ({"bluff"} if len(suitcases) > 1 else set())
    return found | {f"{who}+{n}" for who in ("passenger", "conductor") for n in suitcases}


def resolve(w, chosen):
    """§3.6 to §4.2; returns who may jump."""
    acting = {seat: name for seat, name in chosen.items() if "+" in name}
    left = {seat: name for seat, name in acting.items() if list(acting.values()).count(name) == 1}
    with_passenger = {
        int(name[-1]): seat for seat, name in left.items() if name.startswith("passenger+") and len(name) == 11
    }
    with_conductor = {int(name[-1]): seat for seat, name in left.items() if name.startswith("conductor+")}
    if with_passenger:
        case = min(with_passenger)
        w.hands[with_passenger[case]].remove(case)
        w.points[with_passenger[case]] += case * w.times
    if with_conductor:
        case = max(with_conductor)
        w.hands[with_conductor[case]].remove(case)
        w.points[with_conductor[case]] += case * w.times - (case - 1)
    w.aboard -= {seat for seat, name in left.items() if name == "passenger+conductor"}
    return with_passenger[min(with_passenger)] if with_passenger else None


def compare(s, w, asked, where):
    open_to = {"*" if seat == NATURE else seat: set(names(s, seat)) for seat in (*range(int(s.seats)), NATURE)}
    assert {seat: found for seat, found in open_to.items() if found} == asked, where
    table = (int(s.speed), int(s.at), int(s.multiplier), (None, "short", "long")[s.track], FATES[s.fate])
    assert table == (w.speed, w.at, w.times, w.branch, w.fate), where
    assert points(s) == w.points, where
    assert [set(map(int, hand(s, seat))) for seat in range(int(s.seats))] == w.hands, where
    assert set(aboard(s)) == w.aboard, where


def compare_winners(s, w):
    """§5.4"""
    seats = range(len(w.points))
    off = set(seats) - w.aboard
    if w.fate != "plunged":
        ranks = [(True, points) for points in w.points]
    else:
        ranks = [(seat in off, w.points[seat]) if off else (False, 0) for seat in seats]
    best = {seat for seat in seats if ranks[seat] == max(ranks)} if w.fate != "plunged" or off else set()
    assert set(GAME.winners(s, len(seats))) == best
    score = GAME.score(s, len(seats))
    for one, other in itertools.permutations(seats, 2):
        assert (score[one] > score[other]) == (ranks[one] > ranks[other])


@pytest.mark.parametrize("track", [STANDARD, LITTLE], ids=["standard", "little"])
@pytest.mark.parametrize("last_gasp", ["no", "yes"])
@pytest.mark.parametrize("seats", [3, 4, 5, 6])
def test_whole_games_go_as_the_referee_says(seats, last_gasp, track, games):
    fates = set()
    for seed in range(-(-games(960) // 16)):
        s = start(seats, last_gasp=last_gasp, track=track)
        w = SimpleNamespace()
        book = referee(track, seats, last_gasp == "yes", w)
        asked = next(book)
        throw = dice_from(seed * 16 + seats)
        for played, (seat, one) in enumerate(homebodies(s, seats, throw) if seed % 2 else GAME.stroll(s, seats, throw)):
            compare(s, w, asked, (seed, played))
            asked = book.send(("*" if seat == NATURE else seat, GAME.rules.name(s, one)))
        compare(s, w, asked, seed)
        assert asked == {}
        compare_winners(s, w)
        fates.add(w.fate)
    assert fates >= ({"empty", "plunged"} if track == STANDARD else {"braked", "plunged"})


def any_track(rng):
    """A track of §2.3: from the shortest there can be, and from no yellow spaces to nothing else."""

    def part(first, end):
        spaces = rng.sample(range(first, end), rng.randint(0, min(6, end - first)))
        kinds = ["x1", "x3", "x9", "brake 1/2", "brake 1"]
        return "".join(f'{space} = "{rng.choice(kinds)}"\n' for space in sorted(spaces))

    def branch(name, end):
        slowest = rng.randint(1, 5)
        chart = ", ".join(f"{speed} = {rng.randint(1, 6)}" for speed in range(slowest, slowest + rng.randint(1, 8)))
        return f"[{name}]\n{part(switch + 1, end)}end = {end}\nstop = {{ {chart} }}\n"

    switch = rng.choice([1, 2, rng.randint(3, 30)])
    ends = [switch + rng.choice([1, 2, rng.randint(3, 40)]) for _ in range(2)]
    return f"switch = {switch}\n[before]\n{part(1, switch)}{branch('short', ends[0])}{branch('long', ends[1])}"


def test_2_3_games_on_tracks_of_all_kinds_go_as_the_referee_says(games):
    fates = set()
    for seed in range(games(40)):
        rng = random.Random(seed)
        track, seats, last_gasp = any_track(rng), rng.choice([3, 4, 5, 6]), rng.choice(["no", "yes"])
        s = start(seats, last_gasp=last_gasp, track=track)
        w = SimpleNamespace()
        book = referee(track, seats, last_gasp == "yes", w)
        asked = next(book)
        for played, (seat, one) in enumerate(homebodies(s, seats, dice_from(seed))):
            compare(s, w, asked, (track, seed, played))
            asked = book.send(("*" if seat == NATURE else seat, GAME.rules.name(s, one)))
        compare(s, w, asked, (track, seed))
        assert asked == {}
        compare_winners(s, w)
        fates.add(w.fate)
    assert fates >= {"braked", "stopped", "plunged"}


def homebodies(s, seats, throw):
    """Random play in which passengers seldom get off, so that trains get far."""
    rng = random.Random(int(throw[0]))
    while asked := GAME.asked(s):
        seat = rng.choice(asked)
        found = GAME.moves(s, seat)
        stay = [one for one in found if GAME.rules.name(s, one) not in ("jump", "passenger+conductor")]
        move = rng.choice(stay if rng.random() < 0.98 else found)
        yield seat, move
        GAME.rules.play(s, seat, move)


@pytest.mark.parametrize("hands", ["1234567 1234567 1234567", "12 2 123", "7 67 none"])
def test_every_reveal_of_three(hands):
    """All combinations of choices, for three seats."""
    cases = [set() if one == "none" else set(map(int, one)) for one in hands.split()]
    worth = [28 - sum(one) for one in cases]
    parts = [
        f"{who} {one} points {n}" for who, one, n in zip(("red", "blue", "green"), hands.split(), worth, strict=True)
    ]
    s = at(" | ".join([*parts, "train 28", "speed 4", "engineer blue", "choose"]))
    for chosen in itertools.product(*(sorted(answers(one)) for one in cases)):
        w = SimpleNamespace(
            times=3, points=list(worth), hands=[set(one) for one in cases], aboard={0, 1, 2}, engineer=1
        )
        jumper = resolve(w, dict(enumerate(chosen)))
        then = shows(s, *chosen)
        assert points(then) == w.points, chosen
        assert [set(map(int, hand(then, seat))) for seat in range(3)] == w.hands, chosen
        assert set(aboard(then)) == w.aboard, chosen
        assert GAME.asked(then) == ((jumper,) if jumper is not None else (NATURE,) if w.aboard else ()), chosen
        if jumper is None and w.aboard:
            assert then.engineer == left_of(w), chosen


@pytest.mark.parametrize("seats", [4, 5, 6])
def test_many_reveals_of_more(seats):
    rng = random.Random(seats)
    s = at("train 28 | speed 4 | choose", seats)
    for _ in range(3000):
        chosen = [rng.choice(sorted(answers(set(range(1, 8))))) for _ in range(seats)]
        w = SimpleNamespace(
            times=3, points=[0] * seats, hands=[set(range(1, 8)) for _ in range(seats)], aboard=set(range(seats))
        )
        jumper = resolve(w, dict(enumerate(chosen)))
        then = shows(s, *chosen)
        assert (points(then), set(aboard(then))) == (w.points, w.aboard), chosen
        assert GAME.asked(then) == ((jumper,) if jumper is not None else (NATURE,)), chosen
