"""Starting the server from the command line: print its address, open the page, and stop on a signal."""

import asyncio
import contextlib
import errno
import gc
import ipaddress
import logging
import math
import os
import signal
import socket
import sys
import threading
import webbrowser
from collections.abc import Iterator
from types import FrameType
from typing import Any

import structlog
import uvicorn

from backroom.engine import registry
from backroom.engine.options import BadOption
from backroom.server.background import collect_on
from backroom.server.http.app import make
from backroom.server.http.connections import HAS_HTTPTOOLS, Caps, protocol
from backroom.server.http.handover import Handover
from backroom.server.http.pages import about
from backroom.server.http.version import version
from backroom.server.place import place_of
from backroom.server.processes import (
    CAN_FORK,
    LINE,
    STOPS,
    Supervisor,
    has_room_for_sockets,
    restart_signal,
    stay_in_touch,
)
from backroom.server.services import Services, Settings
from backroom.server.storage.database import can_be_shared, default_url, prepare, sole_user, whole_url
from backroom.server.tables.thinking import HOUSE_BOTS, BotProvider

log = structlog.get_logger()

USUAL = 8642
PLAIN = ("127.0.0.1", "localhost", "::1")


def set_up_logs() -> None:
    """Log structured lines to standard error; they contain no chat and no secrets."""
    level = os.environ.get("BACKROOM_LOG", "warning").upper()
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="iso"),
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(),
        ],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level, logging.WARNING)),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )


def listen(host: str, port: int) -> socket.socket:
    """A listening socket; BadOption if the address cannot be used."""
    if not host:  # it would be every address of this machine
        raise BadOption("--host is empty; expected an address of this machine, such as 127.0.0.1 or 0.0.0.0")
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind((host, port))
    except OSError as error:
        listener.close()
        why = error.strerror or str(error)
        if isinstance(error, socket.gaierror) or error.errno == errno.EADDRNOTAVAIL:
            expected = "expected an address of this machine as --host, such as 127.0.0.1 or 0.0.0.0"
            raise BadOption(f"cannot listen at {host} ({why}); {expected}") from None
        raise BadOption(f"cannot listen at {host} port {port} ({why}); say another with --port") from None
    listener.listen(2048)
    return listener


def open_more_files() -> None:
    """Raise this process's limit of open files to the most that the system allows, if it has such a limit."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def most_files() -> float:
    """How many files this process may have open; inf if the system has no such limit."""
    with contextlib.suppress(ImportError):
        import resource

        found, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
        return math.inf if found == resource.RLIM_INFINITY else found
    return math.inf


CAN_BE_SEVERAL = hasattr(socket, "recv_fds") and HAS_HTTPTOOLS
"""Whether processes can hand connections to each other."""
GRACE = 0.3
"""Seconds for which new connections may still send a request before they are closed."""


class Server(uvicorn.Server):
    """uvicorn with our signals: SIGTERM and SIGINT stop it with status 0, SIGHUP restarts it on the same socket.

    If it has a terminal, SIGHUP stops it, because that is how the terminal's end is told. Streams are closed first,
    since their clients reconnect by themselves; requests that have begun are answered.
    """

    def __init__(self, config: uvicorn.Config, services: Services, handover: Handover | None = None) -> None:
        super().__init__(config)
        self.services = services
        self.handover = handover
        self.is_to_restart = False
        self.restarts_at = restart_signal()

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        known = {name: signal.signal(name, self.handle_exit) for name in STOPS}
        try:
            yield
        finally:
            for name, handler in known.items():
                signal.signal(name, handler)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        self.force_exit = self.should_exit and sig == signal.SIGINT
        self.should_exit = self.services.is_draining = True
        self.is_to_restart = self.is_to_restart or sig == self.restarts_at

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.services.tables.start(collect_on())
        if self.handover is not None:
            self.handover.open(self._protocol_for)
        if LINE in os.environ:
            self._line = asyncio.create_task(stay_in_touch(int(os.environ.pop(LINE))))

    def _protocol_for(self, read_before: bytes) -> asyncio.Protocol:
        """The protocol for a connection of which another process has read these bytes."""
        kind: Any = self.config.http_protocol_class
        made = kind(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)
        made.read_before = read_before
        return made  # type: ignore[no-any-return]

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        for server in self.servers:
            server.close()
        self.services.tables.close_streams()
        await asyncio.sleep(GRACE)
        if self.handover is not None:
            self.handover.close()
        await super().shutdown(sockets)


def settings_from(db: str | None, bots: BotProvider) -> Settings:
    """The settings from the command line and the environment."""
    return Settings(
        db or default_url(),
        bots=bots,
        bot_pace=_number("BACKROOM_BOT_PACE", 0.6),
        bot_seconds=_number("BACKROOM_BOT_SECONDS", 1.0),
        limits=_number("BACKROOM_LIMITS", 1.0, may_be_zero=False),
        proxies=_proxies(),
        place=place_of(),
        is_direct=os.environ.get("BACKROOM_HTTP", "direct") == "direct",
    )


def _number(name: str, default: float, may_be_zero: bool = True) -> float:
    """The number in an environment variable; BadOption if it is none that can be used."""
    said = os.environ.get(name, str(default))
    with contextlib.suppress(ValueError):
        found = float(said)
        if 0 < found < math.inf or (found == 0 and may_be_zero):
            return found
    raise BadOption(f"{name} is a number {'from 0 on' if may_be_zero else 'above 0'}, not {said!r}")


def _proxies() -> str:
    """The trusted proxies; BadOption if one of them is a name, for which nobody would be trusted."""
    said = os.environ.get("BACKROOM_PROXIES", "")
    for proxy in said.split(",") if said not in ("", "*") else ():
        try:
            ipaddress.ip_network(proxy.strip())
        except ValueError as error:
            kinds = "addresses or networks, separated by commas, or `*`"
            raise BadOption(f"BACKROOM_PROXIES is {kinds}, not {said!r}: {error}") from None
    return said


def server_of(services: Services) -> Server:
    """A server for these services."""
    settings = services.settings
    handover = None if settings.place is None else Handover(settings.place)
    app, caps = make(services), Caps.within(most_files(), proxies=settings.proxies)
    config = uvicorn.Config(
        app,
        http=protocol(caps, settings.is_direct, handover, services),
        h11_max_incomplete_event_size=Caps.head_bytes,  # used without httptools
        log_level="warning",
        access_log=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=3,
        server_header=False,
        proxy_headers=False,  # the application handles them, for the proxies in its settings
    )
    return Server(config, services, handover)


def usual_processes(db: str | None) -> int:
    """One process for each core, at most two: more gain little on one SQLite file.

    One where a second one cannot be forked, share the socket or the database, or be talked to; and on a single core.
    """
    url = whole_url(db or default_url())
    if not CAN_FORK or not CAN_BE_SEVERAL or not can_be_shared(url) or not has_room_for_sockets():
        return 1
    return min(2, len(os.sched_getaffinity(0)))


def launch(
    host: str,
    port: int | None,
    db: str | None,
    open_page: bool,
    bots: BotProvider = HOUSE_BOTS,
    processes: int | None = None,
    fd: int | None = None,
) -> int:
    """Run the server until it is stopped; ends the process, or returns its exit code.

    `fd` is a socket that is already listening. Without `processes`, there are `usual_processes`.
    """
    count = processes or usual_processes(db)
    if count > 1 and not CAN_BE_SEVERAL:
        raise BadOption("this system cannot have several processes (it needs Unix sockets, and httptools)")
    if count > 1 and not has_room_for_sockets():
        raise BadOption("several processes need a folder for their sockets; set TMPDIR to an existing, short one")
    set_up_logs()
    for why in registry.drop_left_out():
        log.warning("a game is left out", why=why)
    listener = _listener(host, port, fd)
    words = [sys.executable, "-m", "backroom", "serve", "--fd", str(listener.fileno()), "--host", host]
    words += ["--processes", "1", *(["--db", db] if db else [])]
    os.set_inheritable(listener.fileno(), True)
    address = _address(host, listener.getsockname()[1])
    settings = settings_from(db, bots)
    if count == 1:
        _prepare()
        services = Services(settings)  # refuses what it cannot use, before the address is printed
        if fd is None:
            _announce(host, address)
        status = _serve(listener, words, services, address if open_page else "")
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)  # a thread may still be thinking, which nobody waits for
    url = whole_url(settings.db)
    lock = sole_user(url)
    try:
        prepare(url)  # likewise
        if fd is None:
            _announce(host, address)
        if CAN_FORK:
            _prepare()  # processes share the memory of what exists before they are forked

        def serve_in_a_process(is_to_open: bool) -> int:
            return _serve(listener, words, Services(settings_from(db, bots)), address if is_to_open else "")

        return Supervisor(serve_in_a_process, words, count, open_page).run()
    finally:
        if lock is not None:
            lock.release()


def _prepare() -> None:
    """Load what pages need, because the first request for the lobby would hold up all others."""
    open_more_files()
    for name in registry.names():
        about(registry.game(name))
    version()
    gc.freeze()  # what exists now is permanent; the collector need not scan it


def _serve(listener: socket.socket, words: list[str], services: Services, address: str) -> int:
    """Serve until stopped, and open the page at this address if there is one; returns the exit code."""
    server = server_of(services)
    if address:
        threading.Timer(0.3, webbrowser.open, [address]).start()
    gc.freeze()
    gc.set_threshold(50_000, 20, 50)  # rarely reached, because of `collect_on`
    sys.setswitchinterval(0.0005)  # the writer must not wait long for a busy loop, nor the loop for bots
    server.run(sockets=[listener.dup()])
    if server.is_to_restart and services.settings.place is None:  # otherwise the supervisor starts another process
        os.execv(words[0], words)  # connections that arrive meanwhile wait at the socket
    return 0


def _listener(host: str, port: int | None, fd: int | None) -> socket.socket:
    if fd is not None:
        return socket.socket(fileno=fd)
    try:
        return listen(host, USUAL if port is None else port)
    except BadOption:
        if port is not None:
            raise
        return listen(host, 0)


def _address(host: str, port: int) -> str:
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    return f"http://{shown}:{port}/"


def _announce(host: str, address: str) -> None:
    print(f"Backroom is open at {address}", flush=True)
    if host not in PLAIN:
        print("Everybody who can reach this address can come in.", flush=True)
    print("Stop with Ctrl-C.", flush=True)
