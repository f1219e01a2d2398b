"""Several server processes on one socket and one database: started, watched, and replaced one by one."""

import asyncio
import contextlib
import math
import os
import select
import signal
import socket
import sys
import tempfile
import time
import traceback
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from types import FrameType
from typing import NoReturn

import structlog

from backroom.engine.options import BadOption
from backroom.server.compiling import stamp
from backroom.server.place import PLACE, Place

log = structlog.get_logger()

AGAIN = getattr(signal, "SIGHUP", None)
"""The signal for a restart; Windows has none."""
STOPS = [sig for sig in (signal.SIGINT, signal.SIGTERM, AGAIN) if sig is not None]
LINE = "BACKROOM_LINE_FD"
"""The environment variable with the descriptor of a process's connection to its supervisor."""
ALIVE = b"."
"""What a process says when it is ready, and every second from then on."""
BEAT = 1.0
"""Seconds between two signs of life."""
HUNG = 5.0
"""Seconds without a sign of life after which a process is killed and replaced."""
STARTING = 300.0
"""The same for a process that is not ready yet: the first may have to migrate a large database."""
LONGEST_FOLDER = 60
"""Longest path of the system's folder for temporary files, in bytes, with which sockets below it can be opened."""
LOOK = 0.5
"""Most seconds between two checks of the processes."""
PATIENCE = 120.0
"""Most seconds for a process to stop."""
COMPILING = 900.0
"""Most seconds for which the first process serves alone, until the kernels are compiled."""
PAUSE = 1.0
"""Least seconds between two starts of one process, so that one that fails at startup does not spin."""
CAN_FORK = sys.platform == "linux"
"""Whether a process may be forked after everything was imported; libraries of macOS do not survive that."""


def restart_signal() -> int | None:
    """The signal that restarts this server; None if it has a terminal, since the end of that is the same signal."""
    return None if os.isatty(0) else AGAIN


def has_room_for_sockets() -> bool:
    """Whether there is a folder for temporary files, and its path is short enough for sockets."""
    try:
        return len(os.fsencode(tempfile.gettempdir())) <= LONGEST_FOLDER
    except FileNotFoundError:
        return False


async def stay_in_touch(line: int) -> None:
    """Tell the supervisor that this process is ready and alive. When the supervisor has gone, this process ends.

    Nobody could stop it any more; what was acknowledged is on disk.
    """
    os.set_blocking(line, False)
    asyncio.get_running_loop().add_reader(line, os._exit, 1)
    while True:
        with contextlib.suppress(OSError):  # the supervisor may be stopped, and the line full
            os.write(line, ALIVE)
        await asyncio.sleep(BEAT)


class Child:
    """A process as its supervisor sees it."""

    def __init__(self, number: int, pid: int, line: socket.socket, now: float) -> None:
        self.number, self.pid, self.line = number, pid, line
        self.begun = self.heard = now
        self.said = b""
        """What it has said before it was ready: why it cannot serve."""
        self.is_ready = False
        self.status: int | None = None
        """Its exit status, once it has ended."""

    def listen(self, now: float) -> None:
        """Take what it has said. The line ends with the process."""
        data = self.line.recv(4096)
        self.heard, self.is_ready = now, self.is_ready or data.startswith(ALIVE)
        self.said += b"" if self.is_ready else data
        if not data:
            self.line.close()
            os.kill(self.pid, signal.SIGKILL)  # to be sure that nobody waits for it; its status stays what it was
            self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def send(self, sig: int) -> None:
        if self.status is None:
            os.kill(self.pid, sig)


class Supervisor:
    """Keeps a number of processes running.

    The others follow the first once it has migrated the database and compiled the kernels. One that ends, or gives no
    sign of life, is replaced. SIGTERM and SIGINT stop them all; SIGHUP replaces them one by one by processes of the
    program that is installed then, each only when its successor is ready, or stops them if there is a terminal. If the
    supervisor itself is killed they end at once.
    """

    def __init__(self, serve: Callable[[bool], int], words: list[str], count: int, open_page: bool = False) -> None:
        self.serve = serve
        """Serves until it is stopped, in a forked process, which shares the memory of all modules with the others."""
        self.words = words
        """The command for such a process."""
        self.is_forking = CAN_FORK
        """Whether processes are forked; otherwise, and after SIGHUP, they run the command."""
        self.count, self.open_page = count, open_page
        self.restarts_at = restart_signal()
        self.folder = ""
        """The folder in which each process has a socket, for connections that others hand over to it."""
        self.children: list[Child] = []
        self.is_stopping = self.is_to_restart = False
        self.clock = 0.0
        """Seconds for which the supervisor has watched, without those for which it was itself stopped."""
        self._looked = time.monotonic()

    def run(self) -> int:
        """Returns the exit status; BadOption if the first process cannot serve."""
        self._woken, wakes = socket.socketpair()  # a signal ends the wait for what processes say
        for end in (self._woken, wakes):
            end.setblocking(False)
        signal.set_wakeup_fd(wakes.fileno(), warn_on_full_buffer=False)
        for sig in STOPS:
            signal.signal(sig, self._hear)
        with tempfile.TemporaryDirectory(prefix="backroom-", ignore_cleanup_errors=True) as self.folder:
            return self._run()

    def _run(self) -> int:
        first = self._started(0, self.open_page)
        self._wait_for(first)
        if first.status is not None and not self.is_stopping:
            if first.said:
                raise BadOption(first.said.decode(errors="replace"))
            return max(1, first.status)
        self.children = [first]
        all_compiled, alone_until = stamp(), self.clock + COMPILING
        while not self.is_stopping:
            is_compiled = all_compiled is None or all_compiled.exists() or self.clock > alone_until
            if is_compiled and len(self.children) < self.count:
                self.children += [self._started(number) for number in range(1, self.count)]
            if self.is_to_restart:
                self.is_to_restart = self.is_forking = False
                self._replace_all()
            self._look(self.children)
            self._revive()
        self._stop(self.children)
        return 0

    def _hear(self, sig: int, frame: FrameType | None) -> None:
        if sig == self.restarts_at:
            self.is_to_restart = True
        else:
            self.is_stopping = True

    # one process

    def _started(self, number: int, open_page: bool = False) -> Child:
        """Start the process with this number."""
        ours, theirs = socket.socketpair()
        signal.pthread_sigmask(signal.SIG_BLOCK, STOPS)  # until the new process handles them by itself
        try:
            with warnings.catch_warnings():  # of threads; the only other ones are OpenBLAS's, which has them forked
                warnings.simplefilter("ignore", DeprecationWarning)
                pid = os.fork()
            if pid == 0:
                self._become(number, ours, theirs, open_page)
        finally:
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
        theirs.close()
        return Child(number, pid, ours, self.clock)

    def _become(self, number: int, ours: socket.socket, theirs: socket.socket, open_page: bool) -> NoReturn:
        """Be the process with this number; it ends here."""
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            for sig in STOPS:  # Ctrl-C is for the supervisor, until the server listens to it
                signal.signal(sig, signal.SIG_IGN if sig == signal.SIGINT else signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, STOPS)
            for line in (ours, self._woken, *(child.line for child in self.children)):
                line.close()
            line_fd = theirs.detach()
            os.environ[LINE] = str(line_fd)
            os.environ[PLACE] = str(Place(number, self.count, Path(self.folder)))
            if not self.is_forking:
                os.set_inheritable(line_fd, True)
                os.execv(self.words[0], [*self.words, *(["--open"] if open_page else [])])
            try:
                status = self.serve(open_page)
            except BadOption as error:
                os.write(line_fd, str(error).encode())
        except BaseException:
            traceback.print_exc()
        finally:
            with contextlib.suppress(OSError):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(status)

    # all of them

    def _look(self, children: Iterable[Child]) -> None:
        """Wait until these processes or a signal have something to say, but not long; kill those that are hung."""
        lines = {child.line: child for child in children if child.status is None}
        found, _, _ = select.select([self._woken, *lines], [], [], LOOK)
        now = time.monotonic()
        self.clock += min(now - self._looked, 2 * LOOK)
        self._looked = now
        for line in found:
            if line is self._woken:
                line.recv(4096)
            else:
                lines[line].listen(self.clock)
        for child in lines.values():
            if child.status is None and self.clock - child.heard > (HUNG if child.is_ready else STARTING):
                log.error("a process does not answer and is killed", pid=child.pid)
                child.heard = math.inf
                child.send(signal.SIGKILL)

    def _wait_for(self, child: Child) -> None:
        """Wait until a process is ready or has ended, or everything is to stop."""
        while not (child.is_ready or child.status is not None or self.is_stopping):
            self._look([child, *self.children])
            self._revive(besides=child.number)

    def _revive(self, besides: int | None = None) -> None:
        """Start ended processes anew, besides the one with the number whose successor is starting already."""
        for at, child in enumerate(self.children):
            has_ended = child.status is not None and child.number != besides
            if has_ended and self.clock > child.begun + PAUSE and not self.is_stopping:
                why = child.said.decode(errors="replace")
                log.error("a process has ended and is started anew", pid=child.pid, status=child.status, why=why)
                self.children[at] = self._started(child.number)

    def _replace_all(self) -> None:
        for at in range(len(self.children)):
            new = self._started(at)
            self._wait_for(new)
            if self.is_stopping:
                self._stop([new])
            elif new.status is not None:
                log.error("a new process cannot be started; the old one goes on", status=new.status)
            else:
                old, self.children[at] = self.children[at], new
                self._stop([old])

    def _stop(self, children: list[Child]) -> None:
        """Stop these processes; meanwhile the others are watched."""
        for child in children:
            child.send(signal.SIGTERM)
        end = self.clock + PATIENCE
        while any(child.status is None for child in children):
            self._look({*children, *self.children})
            self._revive()
            if self.clock > end:
                for child in children:
                    child.send(signal.SIGKILL)
