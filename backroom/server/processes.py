"""Several server processes on one socket and one database: started, supervised, and replaced one by one."""

import contextlib
import os
import select
import signal
import subprocess
import tempfile
import time
from types import FrameType

import structlog

from backroom.server.http.handover import PLACE

log = structlog.get_logger()

AGAIN = getattr(signal, "SIGHUP", None)
"""The signal for a restart; Windows has none."""
STOPS = [sig for sig in (signal.SIGINT, signal.SIGTERM, AGAIN) if sig is not None]
READY = "BACKROOM_READY_FD"
"""The environment variable with the descriptor of the pipe on which a process reports that it is ready."""
PATIENCE = 120.0
"""Most seconds for a process to start, and to stop."""
LOOK = 0.1
"""Seconds between two checks of the processes."""
PAUSE = 1.0
"""Seconds before a dead process is restarted, so that one that fails at startup does not spin."""


class Supervisor:
    """Keeps a number of processes running.

    SIGTERM and SIGINT stop them all; SIGHUP replaces them one by one, each only when its successor is ready.
    """

    def __init__(self, words: list[str], count: int, fd: int) -> None:
        self.words, self.count, self.fd = words, count, fd
        self.folder = ""
        """The folder in which each process has a socket, for connections that others hand over to it."""
        self.children: list[subprocess.Popen[bytes]] = []
        self.is_stopping = self.is_to_restart = False

    def run(self) -> int:
        for sig in STOPS:
            signal.signal(sig, self._hear)
        with tempfile.TemporaryDirectory(prefix="backroom-", ignore_cleanup_errors=True) as self.folder:
            self._run()
        return 0

    def _run(self) -> None:
        self.children = [self._started(place) for place in range(self.count)]
        while not self.is_stopping:
            time.sleep(LOOK)
            if self.is_to_restart:
                self.is_to_restart = False
                self._replace_all()
            self._revive()
        self._stop(self.children)

    def _hear(self, sig: int, frame: FrameType | None) -> None:
        if sig == AGAIN:
            self.is_to_restart = True
        else:
            self.is_stopping = True

    def _started(self, place: int, wait: bool = False) -> subprocess.Popen[bytes]:
        """Start a process in this place; with `wait`, return when it is ready."""
        hears, says = os.pipe()
        env = {**os.environ, READY: str(says), PLACE: f"{place} {self.count} {self.folder}"}
        child = subprocess.Popen(self.words, pass_fds=(self.fd, says), env=env)
        os.close(says)
        if wait:
            select.select([hears], [], [], PATIENCE)  # readable when the process is ready, or has ended
        os.close(hears)
        return child

    def _revive(self) -> None:
        for place, child in enumerate(self.children):
            if child.poll() is not None and not self.is_stopping:
                log.error("a process has ended and is started anew", pid=child.pid, status=child.returncode)
                time.sleep(PAUSE)
                self.children[place] = self._started(place)

    def _replace_all(self) -> None:
        for place, old in enumerate(self.children):
            if self.is_stopping:
                return
            new = self._started(place, wait=True)
            if new.poll() is not None:
                log.error("a new process cannot be started; the old one goes on", status=new.returncode)
                continue
            self.children[place] = new
            self._stop([old])

    def _stop(self, children: list[subprocess.Popen[bytes]]) -> None:
        for child in children:
            child.terminate()
        for child in children:
            with contextlib.suppress(subprocess.TimeoutExpired):
                child.wait(PATIENCE)
            if child.poll() is None:
                child.kill()
