"""Starting the server from the command line: say where it is, open the page, and stop when told to."""

import contextlib
import gc
import logging
import os
import socket
import sys
import threading
import webbrowser

import structlog
import uvicorn

from backroom.engine.options import BadOption
from backroom.server.http.app import make
from backroom.server.http.connections import Caps, protocol
from backroom.server.services import Services, Settings
from backroom.server.storage.store import default_url
from backroom.server.tables.thinking import HOUSE_BOTS, BotProvider

USUAL = 8642
PLAIN = ("127.0.0.1", "localhost", "::1")


def set_up_logs() -> None:
    """Structured lines on standard error; what people say and hold secret is not in them."""
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
    """A socket that listens; BadOption says why it cannot be had."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    door = socket.socket(family, socket.SOCK_STREAM)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind((host, port))
    except OSError as error:
        door.close()
        why = error.strerror or str(error)
        raise BadOption(f"cannot listen at {host} port {port} ({why}); say another with --port") from None
    door.listen(2048)
    return door


def open_more_files() -> None:
    """As many connections at once as the system allows this process, where it can be asked."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))


def launch(host: str, port: int | None, db: str | None, open_page: bool, bots: BotProvider = HOUSE_BOTS) -> int:
    """Run until somebody stops it; says the exit code."""
    set_up_logs()
    try:
        door = listen(host, USUAL if port is None else port)
    except BadOption:
        if port is not None:
            raise
        door = listen(host, 0)
    port = door.getsockname()[1]
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else f"[{host}]" if ":" in host else host
    address = f"http://{shown}:{port}/"
    settings = Settings(
        db or default_url(),
        bots=bots,
        bot_pace=float(os.environ.get("BACKROOM_BOT_PACE", "0.6")),
        bot_seconds=float(os.environ.get("BACKROOM_BOT_SECONDS", "1")),
        limits=float(os.environ.get("BACKROOM_LIMITS", "1")),
        proxies=os.environ.get("BACKROOM_PROXIES", ""),
        is_direct=os.environ.get("BACKROOM_HTTP", "direct") == "direct",
    )
    open_more_files()
    config = uvicorn.Config(
        make(Services(settings)),
        http=protocol(Caps(proxies=frozenset(settings.proxies.split(","))), settings.is_direct),
        h11_max_incomplete_event_size=Caps.head_bytes,  # where there is no httptools
        log_level="warning",
        access_log=False,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=3,
        server_header=False,
        proxy_headers=False,  # the application does it, for the proxies of its settings
    )
    gc.freeze()  # what is there now stays; the collector need not look at it again and again
    gc.set_threshold(20_000, 20, 50)
    sys.setswitchinterval(0.0005)  # the writer must not wait long for a busy loop
    server = uvicorn.Server(config)
    print(f"Backroom is open at {address}", flush=True)
    if host not in PLAIN:
        print("Everybody who can reach this address can come in.", flush=True)
    print("Stop with Ctrl-C.", flush=True)
    if open_page:
        threading.Timer(0.3, webbrowser.open, [address]).start()
    server.run(sockets=[door])
    return 0
