"""Measurements in processes of their own: with a time limit, and nothing that they have started goes on afterwards."""

import contextlib
import multiprocessing
import os
import signal
import time
import traceback
from collections.abc import Callable
from multiprocessing import resource_tracker
from pathlib import Path
from typing import Any

MARK = "BACKROOM_BENCH_ROW"
"""The environment variable by which all processes that a measurement has started are found."""
STOPPING = 30.0
"""Most seconds for a process to end after its result."""


def apart(name: str, seconds: float, work: Callable[..., Any], *given: Any) -> tuple[Any, str]:
    """Call a function in a process of its own; returns its result, or None and why there is none."""
    resource_tracker.ensure_running()  # before there is a mark: it serves all measurements
    context, mark = multiprocessing.get_context("spawn"), f"{name}-{os.getpid()}-{time.time_ns()}"
    ours, theirs = context.Pipe()
    os.environ[MARK] = mark
    child = context.Process(target=answer, args=(theirs, work, *given))
    child.start()
    theirs.close()
    try:
        if not ours.poll(seconds):
            return None, f"it was not done after {seconds:.0f} seconds"
        result, why = ours.recv()
        child.join(STOPPING)
        return result, why
    except EOFError:
        return None, "its process has ended"
    finally:
        end_all(mark)
        child.kill()
        child.join()


def answer(found: Any, work: Callable[..., Any], *given: Any) -> None:
    """Send the result of a function, or why there is none."""
    try:
        found.send((work(*given), ""))
    except (Exception, SystemExit) as error:
        traceback.print_exc()
        found.send((None, f"{type(error).__name__}: {error}"))


def end_all(mark: str) -> None:
    """Kill the processes with this mark in their environment."""
    sought = f"{MARK}={mark}".encode()
    for _ in range(100):
        left = [int(path.parent.name) for path in Path("/proc").glob("[0-9]*/environ") if sought in read(path)]
        if not left:
            return
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        time.sleep(0.05)
    raise RuntimeError(f"processes cannot be ended: {left}")


def read(path: Path) -> bytes:
    """A file of a process; nothing if that has ended or belongs to somebody else."""
    try:
        return path.read_bytes()
    except OSError:
        return b""
