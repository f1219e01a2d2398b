"""The batch: its observations follow from views, it plays the same games in any shape, and they are ordinary games."""

import copy
import io
import os
import pickle
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import backroom
from backroom.bots.sight import sighted
from backroom.engine.kernel import NATURE, dice_from
from backroom.engine.options import BadOption
from backroom.engine.protocol import IllegalMove
from backroom.gym import WAIT, Batch
from backroom.gym.batch import SAVED
from backroom.gym.dlpack import capsule_of

GAMES = list(backroom.names())
SIMULTANEOUS = ("runaway-train", "booze-barons")
SMALL = ("run", "runaway-train")
"""Games whose kernels compile fast, for properties that all share."""


def settings_of(name: str, most: int = 3):
    """A few seats and options of a game, the first and the last among them."""
    every = backroom.game(name).settings()
    return [every[i * (len(every) - 1) // (most - 1)] for i in range(most)]


def play(batch: Batch, steps: int):
    for _ in range(steps):
        batch.step(batch.sample())


@pytest.mark.parametrize("name", GAMES)
def test_an_observation_follows_from_the_view(name):
    """Observations have the same bytes after everything hidden is imagined anew.

    The mask has the moves of the view and is never empty.
    """
    game = backroom.game(name)
    for seats, options in settings_of(name):
        batch = Batch(name, n=4, seats=seats, logs=4, **options)
        batch.reset(11)
        for step in range(60):
            if step % 6 == 0:
                for i in range(4):
                    s, seat = batch.arrays.states[i], int(batch.seat[i])
                    v = game.view(s, seat)
                    imagined = game.imagined(v, seat, dice_from(step + i))
                    seen = np.zeros(game.rules.FEATURES, np.float32)
                    game.rules.features(game.view(imagined, seat), seat, seen)
                    assert np.array_equal(batch.observation[i], seen)
                    found = game.moves(v, seat)
                    open_moves = found if len(found) == 1 else [move for move in found if move != game.rules.BACK]
                    assert open_moves
                    assert sorted(moves_shown(batch, i)) == sorted(open_moves)
            play(batch, 1)


def moves_shown(batch: Batch, i: int) -> list[int]:
    """The moves that the mask of a game shows."""
    if batch.has_slots:
        shown = batch.rows[i][batch.mask[i]]
        moves = []
        for verb, *digits in shown.tolist():
            first, sizes = batch.verbs[verb]
            place = 0
            for digit, size in zip(digits, sizes, strict=False):
                place = place * size + digit
            moves.append(first + place)
        return moves
    return batch.moves_of_actions[batch.mask[i]].tolist()


@pytest.mark.parametrize("name", GAMES)
def test_every_move_of_a_seat_has_a_verb(name):
    game = backroom.game(name)
    for number, (seats, options) in enumerate(settings_of(name, 12)):
        verbs = game.rules.verbs(options)
        assert [first for first, _ in verbs] == sorted(first for first, _ in verbs)
        ranges = [range(first, first + int(np.prod(sizes))) for first, sizes in verbs]
        s = game.start(seats, options)
        for played, (_, _) in enumerate(game.stroll(s, seats, dice_from(number))):
            for seat in range(seats):
                assert all(any(move in run for run in ranges) for move in game.moves(s, seat))
            if played == 300:
                break


@pytest.mark.parametrize("name", GAMES)
def test_games_are_ordinary_games_and_pay_what_the_game_says(name):
    game = backroom.game(name)
    batch = Batch(name, n=2, logs=2, reward="score")
    paid = Batch(name, n=2, reward="win")
    for each in (batch, paid):
        each.reset(3)
    for _ in range(3 * game.rules.LONGEST):
        actions = batch.sample().copy()
        batch.step(actions)
        paid.step(actions)
        if batch.ended[0]:
            break
    finished, going = batch.logs(0)
    table = backroom.replay(str(finished))
    assert table.is_over
    assert table.score == pytest.approx(batch.reward[0])
    assert game.key(backroom.replay(going).state) == game.key(batch.arrays.states[0])
    if batch.seats == 1:
        assert paid.reward[0, 0] == batch.reward[0, 0]
        return
    best = batch.reward[0] == batch.reward[0].max()
    assert paid.reward[0].sum() == pytest.approx(0, abs=1e-6)
    assert (paid.reward[0][best] >= 0).all()
    assert (paid.reward[0][~best] == np.float32(-1 / (batch.seats - 1))).all()


def bytes_of(batch: Batch) -> list[bytes]:
    game = batch.game
    shown = (batch.observation, batch.mask, batch.rows, batch.seat, batch.reward, batch.ended)
    return [
        game.key(batch.arrays.states[i]) + b"".join(np.ascontiguousarray(a[i]).tobytes() for a in shown)
        for i in range(batch.n)
    ]


@pytest.mark.parametrize("name", GAMES)
def test_the_same_seeds_give_the_same_bytes_whatever_n_and_threads(name):
    one, many = Batch(name, n=3, threads=1), Batch(name, n=200, threads=3)
    one.reset(7)
    many.reset(7)
    for _ in range(40):
        play(one, 1)
        play(many, 1)
        assert bytes_of(one) == bytes_of(many)[:3]
    many.reset(7)
    one.reset(7)
    assert bytes_of(one) == bytes_of(many)[:3]


@pytest.mark.parametrize("how", [{"limit": 40}, {"actions": "slots"}, {"together": True}], ids=str)
@pytest.mark.parametrize("name", SMALL)
def test_ends_and_restarts_are_the_same_whatever_n_and_threads(name, how):
    one, many = Batch(name, n=3, threads=1, **how), Batch(name, n=200, threads=3, **how)
    for batch in (one, many):
        batch.reset(7)
    ends = 0
    for _ in range(500):
        play(one, 1)
        play(many, 1)
        ends += int((one.ended | one.truncated).sum())
        for what in ("reward", "ended", "truncated", "seat", "mask", "observation", "rows"):
            assert np.array_equal(getattr(one, what), getattr(many, what)[:3]), what
    assert bytes_of(one) == bytes_of(many)[:3]
    assert ends


THREADS = """
import gc, os, threading, time
from backroom.gym import Batch
one, many = Batch("run", n=300, threads=1), Batch("run", n=300, threads=3)
def go_on():
    for batch in (one, many):
        batch.step(batch.sample())
    assert one.save() == many.save()
for batch in (one, many):
    batch.reset(7)
go_on()
time.sleep(0.1)  # they sleep, and are woken
go_on()
assert threading.active_count() == 3
if not os.fork():  # where there are none of them any more
    go_on()
    print("child", flush=True)
    os._exit(0)
os.wait()
go_on()
del many, batch
gc.collect()
while threading.active_count() > 1:
    time.sleep(0.01)
print("parent")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here")
def test_threads_sleep_and_wake_survive_a_fork_and_end_with_their_batch():
    script = [sys.executable, "-W", "ignore", "-c", THREADS]
    ran = subprocess.run(script, capture_output=True, text=True, check=True, timeout=120)
    assert ran.stdout.split() == ["child", "parent"]


@pytest.mark.parametrize("name", GAMES)
def test_an_observation_is_written_anew(name):
    """What stood there before is of another seat or game."""
    one, other = Batch(name, n=3), Batch(name, n=3)
    for batch in (one, other):
        batch.reset(7)
    for _ in range(60):
        one.observation[:] = np.nan
        for batch in (one, other):
            batch.step(batch.sample())
        assert np.array_equal(one.observation, other.observation)


def test_a_batch_without_observations_plays_the_same_games():
    seeing, blind = Batch("run", n=3), Batch("run", n=3, observe=False)
    for batch in (seeing, blind):
        batch.reset(7)
        for _ in range(300):
            batch.step(batch.sample())
    assert seeing.observation.any()
    assert not blind.observation.any()
    for what in ("mask", "seat", "reward", "ended", "truncated"):
        assert np.array_equal(getattr(seeing, what), getattr(blind, what)), what
    with pytest.raises(BadOption, match="what was saved is"):
        blind.load(seeing.save())


@pytest.mark.parametrize("name", GAMES)
def test_a_batch_can_be_saved(name):
    one, two = Batch(name, n=3, logs=1), Batch(name, n=3, logs=1)
    one.reset(1)
    play(one, 25)
    two.load(one.save())
    play(one, 25)
    play(two, 25)
    assert bytes_of(one) == bytes_of(two)
    assert one.logs(0) == two.logs(0)
    with pytest.raises(BadOption, match="this batch is"):
        Batch(name, n=4).load(one.save())


@pytest.mark.parametrize("name", SIMULTANEOUS)
def test_seats_answer_together_or_one_after_the_other(name):
    """The same answers lead to the same game, and nobody sees an answer before all are given."""
    game = backroom.game(name)
    apart, together = Batch(name, n=1, logs=1), Batch(name, n=1, together=True, logs=1)
    apart.reset(2)
    together.reset(2)
    for _ in range(30):
        answers = together.sample().copy()
        asked = np.flatnonzero(together.asked[0]).tolist()
        assert not together.mask[0][~together.asked[0]].any()
        assert not together.observation[0][~together.asked[0]].any()
        assert together.mask[0].any(axis=1).tolist() == together.asked[0].tolist()
        together.step(answers)
        for seat in asked:
            assert apart.seat[0] == seat
            apart.step(answers[:, seat])
        assert game.key(apart.arrays.states[0]) == game.key(together.arrays.states[0])
    assert apart.logs(0) == together.logs(0)


@pytest.mark.parametrize("name", GAMES)
def test_together_each_row_shows_the_view_of_its_seat(name):
    game = backroom.game(name)
    batch = Batch(name, n=3, together=True)
    batch.reset(4)
    seen = np.zeros(game.rules.FEATURES, np.float32)
    for _ in range(40):
        for i, s in enumerate(batch.arrays.states):
            assert np.flatnonzero(batch.asked[i]).tolist() == list(game.asked(s))
            for seat in game.asked(s):
                seen[:] = 0
                game.rules.features(game.view(s, seat), seat, seen)
                assert np.array_equal(batch.observation[i, seat], seen)
        play(batch, 1)


def test_a_game_that_waited_goes_on():
    batch = Batch("run", n=2)
    batch.reset(0)
    wrong, right = int(np.flatnonzero(~batch.mask[0])[0]), batch.mask.argmax(1)
    with pytest.raises(IllegalMove, match="in game 0;"):
        batch.step([wrong, right[1]])
    batch.step([WAIT, batch.mask[1].argmax()])
    assert not batch.illegal.any()


def test_a_sample_lets_no_game_wait():
    batch = Batch("runaway-train", n=20, together=True)
    batch.reset(0)
    for _ in range(60):
        batch.step(np.full((20, 3), WAIT))
        actions = batch.sample()
        assert not actions[~batch.asked].any()
        before = batch.arrays.cells["played"].copy()
        batch.step(actions)
        assert (batch.arrays.cells["played"] != before).all()


@pytest.mark.parametrize("name", ["run", "rum-run"])
def test_a_copy_of_a_batch_goes_on_by_itself(name):
    one = Batch(name, n=3, logs=1)
    copy.deepcopy(one).reset(0)
    one.reset(3)
    play(one, 5)
    two, same = copy.deepcopy(one), Batch(name, n=3, logs=1)
    same.load(one.save())
    before = bytes_of(one)
    for batch in (two, same):
        play(batch, 20)
    assert bytes_of(one) == before
    assert bytes_of(two) == bytes_of(same)
    assert two.logs(0) == same.logs(0)


def test_games_that_are_over_can_be_begun_again():
    """The next games are those that `restart=True` begins."""
    one, other = Batch("run", n=5, logs=1), Batch("run", n=5, logs=1, restart=False)
    for batch in (one, other):
        batch.reset(3)
    for _ in range(400):
        play(one, 1)
        play(other, 1)
        other.begin_next()
        assert bytes_of(one) == bytes_of(other)
    assert one.logs(0) == other.logs(0)
    assert len(one.logs(0)) == 2


def test_a_damaged_save_changes_nothing():
    batch, other = Batch("run", n=3), Batch("run", n=3)
    for each in (batch, other):
        each.reset(5)
    saved = other.save()
    play(batch, 10)
    before = batch.save()
    with np.load(io.BytesIO(saved)) as file:
        arrays = dict(file)
    damaged = [{key: array for key, array in arrays.items() if key != name} for name in ("kind", *SAVED)]
    damaged += [{**arrays, name: arrays[name][..., :-1]} for name in SAVED]
    for wrong in damaged:
        file = io.BytesIO()
        np.savez(file, **wrong)
        with pytest.raises(BadOption, match="expected"):
            batch.load(file.getvalue())
    assert batch.save() == before
    for place in range(100, len(saved), len(saved) // 20):
        broken = bytearray(saved)
        broken[place] ^= 0x55
        try:
            batch.load(bytes(broken))
        except BadOption:
            assert batch.save() == before
        else:  # a byte that does not count
            assert batch.save() == saved
            batch.load(before)
    alone = io.BytesIO()
    np.save(alone, np.zeros(3))
    for wrong in (alone.getvalue(), None):
        with pytest.raises(BadOption, match="not a saved batch"):
            batch.load(wrong)


def test_fractions_on_a_gpu_are_no_actions():
    batch = Batch("run", n=2)
    batch.reset(0)
    batch.device = "cuda"
    for kind in (np.float32, np.bool_):
        interface = {"shape": (2,), "typestr": np.dtype(kind).str, "data": (0, False), "version": 3}
        with pytest.raises(BadOption, match="actions are whole numbers, not"):
            batch.step(SimpleNamespace(shape=(2,), __cuda_array_interface__=interface))


def test_slots_and_numbers_mean_the_same_moves():
    for name in SMALL:
        numbers, slots = Batch(name, n=2, actions="numbers"), Batch(name, n=2, actions="slots")
        numbers.reset(4)
        slots.reset(4)
        for _ in range(20):
            for i in range(2):
                assert sorted(moves_shown(numbers, i)) == sorted(moves_shown(slots, i))
            play(numbers, 1)
            play(slots, 1)
            assert np.array_equal(numbers.observation, slots.observation)


class Mixed(Batch):
    """Single games and matches by turns, as `train/rum_run_ppo.py` has several tables in one batch."""

    def _shared(self):
        return np.concatenate([Batch("run", 1, match=match).arrays.shared for match in ("single", 3)])


def test_games_can_take_turns_at_several_settings():
    single, long, mixed = Batch("run", 4), Batch("run", 4, match=3), Mixed("run", 4)
    for batch in (single, long, mixed):
        batch.reset(3)
        for _ in range(40):
            batch.step(batch.sample())
    assert [int(s.match) for s in mixed.arrays.states] == [1, 3, 1, 3]
    for i, plain in enumerate((single, long, single, long)):
        assert mixed.arrays.states[i].tobytes() == plain.arrays.states[i].tobytes()


def test_games_are_cut_off_at_a_limit():
    batch = Batch("run", n=2, limit=30, logs=1)
    batch.reset(0)
    while not batch.truncated[0]:
        play(batch, 1)
    assert not batch.ended[0]
    assert not batch.reward[0].any()
    finished, going = batch.logs(0)
    assert 30 <= len(finished.moves) <= 32
    assert all(seat == NATURE for seat, _ in going.moves)


def test_steps_back_are_offered_to_those_who_ask():
    batch = Batch("rummy-runners", n=64, steps_back=True)
    batch.reset(0)
    back = batch.moves_of_actions.tolist().index(backroom.game("rummy-runners").rules.BACK)
    offered = False
    for _ in range(30):
        play(batch, 1)
        offered |= bool(batch.mask[:, back].any())
    assert offered


def test_bad_arguments_are_answered_in_a_sentence():
    for said, wrong in {
        "no game called 'runn'; did you mean run": dict(name="runn"),
        "device cannot be 'tpu'; it can be cpu or cuda": dict(device="tpu"),
        "actions cannot be 'names'; it can be numbers or slots": dict(actions="names"),
        "reward cannot be 'points'; it can be win or score": dict(reward="points"),
        "n cannot be 0; it is a whole number of at least 1": dict(n=0),
        "run is for 2 seats, not 5": dict(seats=5),
        "run is for 2 seats, not '2'": dict(seats="2"),
        "n cannot be True; it is a whole number of at least 1": dict(n=True),
        "threads cannot be 0; it is a whole number of at least 1": dict(threads=0),
        "run has no option 'mach'; did you mean match": dict(mach=3),
        "run has no option 'rewards'; did you mean reward": dict(rewards="win"),
        "run is for 2 seats, not 2.0": dict(seats=2.0),
        "a game cannot be 5; expected its name": dict(name=5),
        r"a game cannot be \['run'\]; expected its name": dict(name=["run"]),
        "limit cannot be 1180591620717411303424; it is a whole number": dict(limit=1 << 70),
        "steps_back cannot be 'yes'; it can be True or False": dict(steps_back="yes"),
        "actions cannot be 0; it can be numbers or slots": dict(actions=0),
    }.items():
        with pytest.raises(BadOption, match=said):
            Batch(**{"name": "run", "n": 2, **wrong})
    for n in (1, 2):
        batch = Batch("run", n=n)
        batch.reset(0)
        for no_number in (True, [True] * n):
            with pytest.raises(BadOption, match="actions are whole numbers, not bool"):
                batch.step(no_number)
    batch = Batch("run", n=2)
    with pytest.raises(BadOption, match="expected reset first"):
        batch.step([0, 0])
    with pytest.raises(BadOption, match="expected one seed a game"):
        batch.reset([1, 2, 3])
    with pytest.raises(BadOption, match="expected reset first"):
        batch.open_moves(0, 0)
    with pytest.raises(BadOption, match="expected reset first"):
        batch.view(0, 0)
    batch.reset(0)
    for i in (-1, 2, 1.0):
        with pytest.raises(BadOption, match=f"there is no game {i}; expected 0 to 1"):
            batch.open_moves(i, 0)
        with pytest.raises(BadOption, match=f"there is no game {i}; expected 0 to 1"):
            batch.view(i, 0)
        with pytest.raises(BadOption, match=f"there is no game {i}; expected 0 to 1"):
            batch.action_of(i, int(batch.moves_of_actions[0]))
    for move in (-7, 5, 10**6):
        with pytest.raises(BadOption, match=f"move {move} is in no action; see moves_of_actions"):
            batch.actions_of([int(batch.moves_of_actions[0]), move])
        with pytest.raises(BadOption, match=f"move {move} is in no action"):
            batch.action_of(0, move)
    slots = Batch("run", n=2, actions="slots")
    slots.reset(0)
    with pytest.raises(BadOption, match="move 5 is not open in game 1; see open_moves"):
        slots.action_of(1, 5)
    before = bytes_of(batch)
    wrong = int(np.flatnonzero(~batch.mask[1])[0])
    with pytest.raises(IllegalMove, match=f"action {wrong} is not open in game 1"):
        batch.step([int(np.flatnonzero(batch.mask[0])[0]), wrong])
    assert bytes_of(batch)[1] == before[1]
    with pytest.raises(IllegalMove):
        batch.step([-1, 10**6])
    with pytest.raises(BadOption, match="expected Batch"):
        batch.logs(0)
    with pytest.raises(BadOption, match="i cannot be -1; it is a whole number of at least 0"):
        batch.logs(-1)
    before = bytes_of(batch)
    for said, actions in {
        r"actions of the shape \(1,\); expected one action a game: \(2,\)": [0],
        r"actions of the shape \(\)": 0,
        "actions are whole numbers, not float64": [0.0, 0.5],
        "actions are whole numbers, not object": None,
        "actions have no shape": [[0], [0, 1]],
    }.items():
        with pytest.raises(BadOption, match=said):
            batch.step(actions)
    with pytest.raises(IllegalMove):
        batch.step([1 << 32, -1 << 33])  # no action of 32 bits
    with pytest.raises(IllegalMove):
        batch.step(np.full(2, (1 << 32) + WAIT, np.uint32))
    assert bytes_of(batch) == before
    for seeds in (1.5, "a", [0.5, 1.0]):
        with pytest.raises(BadOption, match="seeds are whole numbers"):
            batch.reset(seeds)
    for saved in (b"", b"junk", batch.save()[:100]):
        with pytest.raises(BadOption, match="not a saved batch"):
            batch.load(saved)
    Batch("run", n=np.int64(2), seats=np.int32(2)).reset(np.array(7))


SIMULATED = """
import warnings
warnings.filterwarnings("ignore", "overflow encountered")  # NumPy says so of random numbers, which is what they are for
import numpy as np
from backroom.gym import Batch
settings = [("run", {}), ("runaway-train", {"together": True}), ("booze-barons", {"actions": "slots"})]
settings.append(("rum-run", {"setup": "standard"}))  # with draws of nature, which the default has not
for name, how in settings:
    core, card = (Batch(name, n=3, device=device, logs=1, **how) for device in ("cpu", "cuda"))
    for batch in (core, card):
        batch.reset(5)
    for step in range(12):
        actions, others = core.sample(), card.sample()
        held = others.copy_to_host()
        assert np.array_equal(actions, held)
        core.step(actions)
        card.step(held if step % 2 else others)
        for what in ("observation", "mask", "rows", "seat", "reward", "ended", "truncated", "asked"):
            assert np.array_equal(getattr(core, what), getattr(card, what).copy_to_host()), what
    assert core.logs(0) == card.logs(0)
    card.load(core.save())
    print(name)
"""


def test_a_gpu_plays_the_same_games_in_numba_s_simulator():
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    ran = subprocess.run([sys.executable, "-c", SIMULATED], env=environment, capture_output=True, text=True, check=True)
    assert ran.stdout.split() == ["run", "runaway-train", "booze-barons", "rum-run"]


TAKEN = """
import warnings
warnings.filterwarnings("ignore", "overflow encountered")
import numpy as np
from numba import cuda
from backroom.engine.protocol import IllegalMove
from backroom.gym import WAIT, Batch

class Lent:
    def __init__(self, array):
        self.array, self.shape = array, array.shape
        self.__cuda_array_interface__ = {**array.__array_interface__, "version": 3}

cuda.as_cuda_array = lambda lent: cuda.to_device(lent.array)  # the simulator has none
wrap, first = 1 << 32, (0, 1 << 32, -1 << 32)
for kind in (np.int64, np.uint64, np.int32, np.uint32, np.uint8):
    for beyond in (*first, WAIT + wrap, 1 << 62, -1 << 62, (1 << 64) + WAIT):
        core, card = (Batch("run", n=2, device=device) for device in ("cpu", "cuda"))
        for batch in (core, card):
            batch.reset(5)
        actions = core.mask.argmax(1).tolist()
        actions[0] = actions[0] + beyond if beyond in first else beyond
        if not all(np.iinfo(kind).min <= action <= np.iinfo(kind).max for action in actions):
            continue
        try:
            core.step(np.array(actions, kind))
        except IllegalMove:
            assert beyond
        else:
            assert not beyond
        card.step(Lent(np.array(actions, kind)))
        for what in ("illegal", "mask", "seat", "observation"):
            assert np.array_equal(getattr(core, what), getattr(card, what).copy_to_host()), (kind, beyond, what)
        assert card.illegal.copy_to_host().tolist() == [bool(beyond), False]
        taken = card._runner.on_host("actions")["of"]
        assert np.array_equal(taken[:, 0], core._runner.outputs["actions"]), (kind, beyond)
        print(kind.__name__, beyond)
"""


def test_a_number_that_is_no_action_becomes_none_on_a_gpu():
    """Any integers on a GPU are copied to an array of 32 bits, which must not make an open action of a large number."""
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1", "NUMBA_DISABLE_JIT": "1"}
    ran = subprocess.run([sys.executable, "-c", TAKEN], env=environment, capture_output=True, text=True, check=True)
    assert len(ran.stdout.splitlines()) == 15


class Lent:
    """A CPU array that is exported the way GPU arrays are."""

    def __init__(self, array):
        self.array, self.shape, self.dtype, self.strides = array, array.shape, array.dtype, array.strides

    def __dlpack_device__(self):
        return 1, 0

    def __dlpack__(self, **_):
        return capsule_of(self, self.array.ctypes.data, self.__dlpack_device__())


@pytest.mark.parametrize("kind", [np.float32, np.int16, np.int32, np.bool_])
def test_arrays_are_handed_over_without_a_copy(kind):
    array = np.arange(24).reshape(2, 3, 4).astype(kind)[:, 1]
    taken = np.from_dlpack(Lent(array))
    assert np.array_equal(taken, array)
    assert np.shares_memory(taken, array)


def test_an_array_on_a_gpu_is_shared_there_and_not_copied():
    from backroom.gym.device import CUDA_DEVICE, DeviceArray

    array = np.arange(6, dtype=np.int32)
    held = DeviceArray(SimpleNamespace(device_ctypes_pointer=SimpleNamespace(value=array.ctypes.data)), array)
    for how in ({}, {"copy": False}, {"max_version": (1, 0)}, {"dl_device": (CUDA_DEVICE, 0), "copy": None}):
        assert "dltensor" in repr(held.__dlpack__(**how))
    with pytest.raises(BufferError, match="shared without a copy"):
        held.__dlpack__(copy=True)
    with pytest.raises(BufferError, match=r"cannot go to \(1, 0\)"):
        held.__dlpack__(dl_device=(1, 0))


def test_a_stream_of_another_library_waits_for_our_kernels(monkeypatch):
    """Streams are numbered as the array API says; our kernels run on the legacy default stream, 1."""
    from backroom.gym import device

    waited, recorded = [], []
    event = SimpleNamespace(record=lambda: recorded.append(1), wait=waited.append)
    monkeypatch.setattr(device.cuda, "event", lambda timing: event, raising=False)
    monkeypatch.setattr(device.cuda, "external_stream", lambda handle: handle, raising=False)
    array = np.arange(6, dtype=np.int32)
    owner = SimpleNamespace(device_ctypes_pointer=SimpleNamespace(value=array.ctypes.data))
    held = device.DeviceArray(owner, array)
    assert held.__cuda_array_interface__["stream"] == 1
    for stream in (None, -1, 1, 2, 94_000_000_000_000):
        assert "dltensor" in repr(held.__dlpack__(stream=stream))
    assert waited == [2, 94_000_000_000_000]
    assert len(recorded) == 2
    for stream in (0, -2, "1"):
        with pytest.raises(
            BufferError, match=f"stream cannot be {stream!r}; expected None, -1 or the number of a CUDA"
        ):
            held.__dlpack__(stream=stream)


def test_a_batch_is_pickled_with_its_games():
    batch = Batch("runaway-train", n=3, together=True, logs=1)
    assert pickle.loads(pickle.dumps(batch)).seats == 3
    batch.reset(1)
    play(batch, 5)
    other = pickle.loads(pickle.dumps(batch))
    play(batch, 5)
    play(other, 5)
    assert other.save() == batch.save()
    with pytest.raises(TypeError, match="is not the registered one, which alone can be pickled"):
        pickle.dumps(Batch(sighted(backroom.game("booze-barons")), n=1))
