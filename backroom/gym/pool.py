"""A pool of threads that repeat the same work, each on its share of the games, and are woken without the interpreter.

Each thread has a mailbox, a word in memory. While it is awake it looks there for orders, and an order takes less than
a microsecond; after a while without any it sleeps, and Python wakes it. Threads of a `ThreadPoolExecutor` would take
turns at the interpreter's lock to begin and to end, and after a fork they would be missing.
"""

import os
import threading
import time
import weakref
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic

from backroom.engine.kernel import kernel, scratch

IDLE, ASLEEP, STOP, FIRST_ORDER = range(4)
"""What a mailbox holds: nothing to do; nothing to do, and the thread must be woken; the end; or an order."""
LINE = 16
"""Words from one mailbox to the next, so that no two are on the same cache line. The second word is the answer."""
PATIENCE = 1000
"""How often a thread looks into its mailbox before it sleeps: about a third of a millisecond on a free core."""
HAS_YIELD = hasattr(os, "sched_yield")
"""Whether the C library can let other threads have the core."""


def _of_word(give: Callable[..., Any], count: int, result: Any) -> Any:
    """An intrinsic over one word of an array of int64, with `count` more numbers as arguments."""

    def typed(context: Any, mail: Any, *numbers: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            array, at, *values = arguments
            held = context.make_array(signature.args[0])(context, builder, array)
            return give(builder, cgutils.get_item_pointer(context, builder, signature.args[0], held, [at]), *values)

        return result(mail, *[types.int64] * (1 + count)), generate

    return typed


@intrinsic
def look(typing_context, mail, at):  # type: ignore[no-untyped-def]
    """Read a word that other threads write."""

    def give(builder: Any, place: Any) -> Any:
        return builder.load_atomic(place, "acquire", 8, typ=ir.IntType(64))

    return _of_word(give, 0, types.int64)(typing_context, mail, at)


@intrinsic
def exchange(typing_context, mail, at, value):  # type: ignore[no-untyped-def]
    """Write a word that other threads read. Returns its former value."""

    def give(builder: Any, place: Any, value: Any) -> Any:
        return builder.atomic_rmw("xchg", place, value, "seq_cst")

    return _of_word(give, 1, types.int64)(typing_context, mail, at, value)


@intrinsic
def replace(typing_context, mail, at, old, new):  # type: ignore[no-untyped-def]
    """Write a word if it still has the old value. Returns whether it was written."""

    def give(builder: Any, place: Any, old: Any, new: Any) -> Any:
        return builder.extract_value(builder.cmpxchg(place, old, new, "seq_cst", "seq_cst"), 1)

    return _of_word(give, 2, types.boolean)(typing_context, mail, at, old, new)


@intrinsic
def let_others(typing_context):  # type: ignore[no-untyped-def]
    """Let another thread have the core, if one wants it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        if HAS_YIELD:
            kind = ir.FunctionType(ir.IntType(32), [])
            builder.call(cgutils.get_or_insert_function(builder.module, kind, "sched_yield"), [])
        return context.get_dummy_value()

    return types.void(), generate


@kernel
def next_order(mail, me):  # type: ignore[no-untyped-def]
    """The order in a thread's mailbox; ASLEEP if none has come for a while."""
    replace(mail, me * LINE, ASLEEP, IDLE)
    for _ in range(PATIENCE):
        order = look(mail, me * LINE)
        if order >= STOP:
            return order
        let_others()
    return ASLEEP if replace(mail, me * LINE, IDLE, ASLEEP) else look(mail, me * LINE)


@kernel
def done(mail, me, answer):  # type: ignore[no-untyped-def]
    """Report the result of an order. STOP may have come meanwhile, and stays."""
    mail[me * LINE + 1] = answer
    order = look(mail, me * LINE)
    if order >= FIRST_ORDER:
        replace(mail, me * LINE, order, IDLE)


@kernel
def post(mail, order):  # type: ignore[no-untyped-def]
    """Give all threads an order."""
    for thread in range(mail.size // LINE):
        exchange(mail, thread * LINE, order)


@kernel
def busiest(mail):  # type: ignore[no-untyped-def]
    """The largest word of all mailboxes, as soon as none of them is an order, or after a while."""
    most = IDLE
    for _ in range(PATIENCE):
        most = IDLE
        for thread in range(mail.size // LINE):
            most = max(most, look(mail, thread * LINE))
        if most < FIRST_ORDER:
            break
        let_others()
    return most


def _serve(work: Any, arguments: tuple[Any, ...], mail: Any, me: int, lock: Any, failures: list[BaseException]) -> None:
    """The life of a thread: it takes orders as they come, and sleeps at its lock when there are none."""
    while mail[me * LINE] != STOP:
        try:
            work(*arguments, mail, me, IDLE)
            lock.acquire()
        except BaseException as failure:  # raised again by `Pool.wait`
            failures.append(failure)
            done(mail, me, 0)


def _wake(locks: Sequence[Any]) -> None:
    """Wake all threads. One that is awake will look into its mailbox once more before it sleeps."""
    for lock in locks:
        if lock.locked():
            lock.release()


def _dismiss(mail: Any, locks: Sequence[Any], process: int) -> None:
    if os.getpid() == process:  # threads do not survive a fork
        post(mail, STOP)
        _wake(locks)


class Pool:
    """Threads that call `work(*share, mail, me, order)`, each with its own share. If the order is IDLE, `work` takes
    orders from the mailbox (`next_order`) and reports their results (`done`) until there are none.

    The owner takes the mailboxes from `ready`, posts an order (`post`), and takes the results from `answers`. It may be
    interrupted between any two of these: whoever calls `wait` next wakes the threads that are asleep.
    """

    def __init__(self, work: Any, shares: Sequence[tuple[Any, ...]]) -> None:
        self._work, self._shares = work, shares
        self._process = -1

    def _begin(self) -> None:
        """Start the threads: at the first order, and at the first one after a fork."""
        mail = scratch(len(self._shares) * LINE, np.int64)
        locks = [threading.Lock() for _ in self._shares]
        failures: list[BaseException] = []
        dismiss = weakref.finalize(self, _dismiss, mail, locks, os.getpid())
        try:
            for me, (share, lock) in enumerate(zip(self._shares, locks, strict=True)):
                lock.acquire()
                arguments = (self._work, share, mail, me, lock, failures)
                threading.Thread(target=_serve, args=arguments, name=f"batch {me + 1}", daemon=True).start()
        except BaseException:
            dismiss()
            raise
        self._mail, self._locks, self._failures = mail, locks, failures
        self._process = os.getpid()  # last: until then there are no threads

    def ready(self) -> Any:
        """The mailboxes of all threads, which are waiting for an order."""
        if self._process != os.getpid():
            self._begin()
        if self.wait() == ASLEEP:
            _wake(self._locks)
        return self._mail

    def answers(self) -> int:
        """Wait until all threads are ready. Returns the sum of their results."""
        self.wait()
        return sum(self._mail[1::LINE].tolist())

    def wait(self) -> int:
        """Wait until no thread is at work, and raise what one of them has raised. Returns ASLEEP if one is asleep."""
        if self._process != os.getpid():
            return IDLE
        while (word := busiest(self._mail)) >= FIRST_ORDER:
            _wake(self._locks)
            time.sleep(1e-5)
        if word == STOP:
            raise RuntimeError("the threads of this batch have ended, for Python is about to end")
        if self._failures:
            failure = self._failures[0]
            self._failures.clear()
            raise failure
        return int(word)
