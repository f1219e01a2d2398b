"""Compiling kernels in advance, in a child process of the running server, with progress for the page."""

import asyncio
import contextlib
import os
import re
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path

import structlog

from backroom.engine.kernel import mark
from backroom.engine.registry import game, is_registered, names

log = structlog.get_logger()

STEP = re.compile(r"(\d+) (\d+) (\S+) (.+)")
"""A line of the child process: step, steps, game, what is compiled; such as `3 12 run rules`."""


def stamp() -> Path | None:
    """The file that exists once all kernels are compiled; None if they are not to be."""
    return None if os.environ.get("NUMBA_DISABLE_JIT") == "1" else mark("warm")


@dataclass
class Compiling:
    """Compiles kernels in a child process, and tracks the progress."""

    steps: int = 0
    done: int = 0
    doing: str = ""
    ready: set[str] = field(default_factory=set)
    is_over: bool = False
    failed: str = ""
    """A sentence for people if the child process has failed; its kernels are compiled at their first use then."""
    child: subprocess.Popen[str] | None = None
    is_stopped: bool = False
    """Whether the server has ended the child process itself."""

    def start(self) -> None:
        all_compiled = stamp()
        if all_compiled is None or all_compiled.exists():
            self.finish()
            return
        words = [sys.executable, "-m", "backroom", "warm", "--plain"]
        self.child = subprocess.Popen(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,  # Ctrl-C is for the server, which stops its child itself
        )
        threading.Thread(target=self._listen, args=(self.child, all_compiled), name="compiling", daemon=True).start()

    def _listen(self, child: "subprocess.Popen[str]", all_compiled: Path) -> None:
        """Read the child's lines until it ends."""
        assert child.stdout is not None
        last = ""
        for line in child.stdout:
            found = STEP.fullmatch(line.rstrip("\n"))
            if found is None or not is_registered(found[3]):
                continue  # an installed game may print something itself
            step, steps, name, what = found.groups()
            if last and name != last:
                self.ready.add(last)
            last = name
            self.done, self.steps, self.doing = int(step) - 1, int(steps), f"{game(name).title}, {what}"
        if child.wait() == 0:
            with contextlib.suppress(OSError):
                all_compiled.touch()
        elif not self.is_stopped:
            self.failed = "Some rules could not be compiled in advance; the first move of a game may take a while."
            log.error("kernels could not be compiled in advance; `backroom warm` shows why", status=child.returncode)
        self.finish()

    def finish(self) -> None:
        self.is_over, self.done, self.ready = True, self.steps, set(names())

    async def wait_for(self, name: str) -> None:
        """Wait until the kernels of a game are compiled."""
        while not self.is_over and name not in self.ready:
            await asyncio.sleep(0.1)

    def stop(self) -> None:
        self.is_stopped = True
        if self.child is not None and self.child.poll() is None:
            self.child.terminate()
