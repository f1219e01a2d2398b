"""The threads of a batch stay in order whatever is interrupted, fails or ends."""

import os
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from numba import njit

from backroom.gym import Batch
from backroom.gym.pool import ASLEEP, FIRST_ORDER, IDLE, LINE, STOP, Pool, _dismiss, done, next_order, post

COUNT, FAIL = FIRST_ORDER, FIRST_ORDER + 1


@njit(nogil=True)
def work(numbers, mail, me, order):
    """Count, or fail in all threads but the caller's."""
    is_serving = order == IDLE
    if not is_serving:
        post(mail, order)
    while True:
        if is_serving:
            order = next_order(mail, me)
            if order <= STOP:
                return 0
            if order == FAIL:
                raise IndexError("beyond the end")
        numbers[0] += 1
        if not is_serving:
            return 1
        done(mail, me, 1)


@pytest.fixture
def pool():
    return Pool(work, [(np.zeros(1, np.int64),) for _ in range(2)])


def asked(pool, order=COUNT):
    return work(np.zeros(1, np.int64), pool.ready(), 0, order) + pool.answers()


def test_what_a_thread_raises_is_raised_where_it_is_waited_for(pool):
    for _ in range(2):
        assert asked(pool) == 3
        with pytest.raises(IndexError, match="beyond the end"):
            asked(pool, FAIL)
    assert asked(pool) == 3


def test_an_order_to_a_sleeping_thread_is_carried_out_by_whoever_waits_next(pool):
    """A signal may arrive before the thread is woken."""
    assert asked(pool) == 3
    while not (pool._mail[::LINE] == ASLEEP).all():
        time.sleep(0.001)
    post(pool._mail, COUNT)
    assert pool.answers() == 2


def test_threads_that_cannot_all_be_started_are_dismissed(pool, monkeypatch):
    start, started = threading.Thread.start, []

    def start_once(thread):
        if started:
            raise RuntimeError("can't start new thread")
        started.append(thread)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", start_once)
    with pytest.raises(RuntimeError, match="can't start"):
        asked(pool)
    started[0].join(10)
    assert not started[0].is_alive()
    monkeypatch.undo()
    assert asked(pool) == 3


def test_the_end_of_a_thread_is_not_overwritten_by_its_answer():
    mail = np.zeros(LINE, np.int64)
    mail[0] = STOP
    done(mail, 0, 7)
    assert mail[0] == STOP
    mail[0] = COUNT
    done(mail, 0, 7)
    assert mail[:2].tolist() == [IDLE, 7]


def test_threads_that_have_ended_are_an_error(pool):
    asked(pool)
    _dismiss(pool._mail, pool._locks, os.getpid())
    with pytest.raises(RuntimeError, match="the threads of this batch have ended"):
        asked(pool)


INTERRUPTED = """
import random, signal, time
from backroom.gym import Batch

def state_of(batch):
    return batch.arrays.states.tobytes() + batch.arrays.cells.tobytes()

def interrupt(*_):
    raise KeyboardInterrupt

one, many = Batch("run", n=300, threads=1), Batch("run", n=300, threads=3)
for batch in (one, many):
    batch.reset(7)
    batch.step(batch.sample())
signal.signal(signal.SIGALRM, interrupt)
lot, interrupted = random.Random(1), 0
for _ in range(300):
    known = [state_of(one)]
    actions = one.sample()
    known.append(state_of(one))
    one.step(actions)
    known.append(state_of(one))
    if lot.random() < 0.1:
        time.sleep(0.005)  # threads sleep
    try:
        signal.setitimer(signal.ITIMER_REAL, 1e-6 + lot.random() * 4e-4)
        many.step(many.sample())
        signal.setitimer(signal.ITIMER_REAL, 0)
    except KeyboardInterrupt:
        interrupted += 1
    done = [state == state_of(many) for state in known].index(True)  # all games, or none
    if done == 0:
        many.sample()
    if done < 2:
        many.step(actions)
    assert (many.observation == one.observation).all() and (many.mask == one.mask).all()
assert interrupted > 20, interrupted
print("all games")
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there are no such timers here")
def test_an_interrupted_step_is_one_of_all_games_or_of_none():
    script = [sys.executable, "-W", "ignore", "-c", INTERRUPTED]
    ran = subprocess.run(script, capture_output=True, text=True, check=True, timeout=120)
    assert ran.stdout == "all games\n"


def test_a_second_thread_is_refused():
    batch = Batch("run", n=2)
    batch.reset(0)
    own, is_in, may_go = batch._runner._by_itself, threading.Event(), threading.Event()

    def slow(order):
        is_in.set()
        may_go.wait(10)
        return own(order)

    batch._runner._by_itself = slow
    thread = threading.Thread(target=batch.step, args=(batch.mask.argmax(1),))
    thread.start()
    is_in.wait(10)
    for use in (batch.sample, batch.save, lambda: batch.reset(1), lambda: batch.step([0, 0])):
        with pytest.raises(RuntimeError, match="another thread is using this batch"):
            use()
    may_go.set()
    thread.join()
    batch.sample()
