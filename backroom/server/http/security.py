"""Security: checks of origin and size for requests, and security headers for responses."""

import functools
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

import structlog
from prometheus_client import Counter, Histogram

from backroom.server.errors import Refused

Scope = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]

log = structlog.get_logger()

MOST_BYTES = 64 * 1024
MOST_BYTES_OF_A_FILE = 1024 * 1024
"""Most bytes in a request to a page that accepts a file."""
FILES = ("/import", "/verify", "/tables")
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
HEADERS = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), microphone=(), geolocation=(), payment=()"),
]
NO_DOCUMENT = HEADERS[:1]
"""The headers for responses that no browser renders."""
WITH_POLICY = [*HEADERS, (b"content-security-policy", POLICY.encode())]
UNTRUSTED = "a proxy is not in BACKROOM_PROXIES: all its clients count as one, with its address"
SAFE = ("GET", "HEAD", "OPTIONS")
METHODS = (*SAFE, "POST", "PUT", "DELETE", "PATCH")

requests_seen = Counter("backroom_requests", "Requests by method and status", ["method", "status"])
time_taken = Histogram("backroom_seconds", "Seconds until an answer, streams left out", ["method"])


@functools.lru_cache(256)
def _count(method: str, status: int) -> Counter:
    return requests_seen.labels(method if method in METHODS else "other", status)


@functools.lru_cache(16)
def _clock(method: str) -> Histogram:
    return time_taken.labels(method if method in METHODS else "other")


def note(method: str, status: int, start: float | None) -> None:
    """Count a response, and its duration since `start` (None for streams)."""
    _count(method, status).inc()
    if start is not None:
        _clock(method).observe(time.perf_counter() - start)


class Security:
    """ASGI middleware around the whole application."""

    def __init__(self, app: Any, origins: frozenset[str] = frozenset(), has_proxies: bool = False) -> None:
        self.app = app
        self.origins = origins
        self.is_proxy_expected = has_proxies
        """Whether proxies are trusted, or it was logged that there is one that is not."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        start = time.perf_counter()
        headers = dict(scope["headers"])
        if not self.is_proxy_expected and b"x-forwarded-for" in headers:
            self.is_proxy_expected = True
            log.warning(UNTRUSTED, address=scope["client"] and scope["client"][0])
        method = scope["method"]
        status, is_stream = 500, False

        async def answer(message: MutableMapping[str, Any]) -> None:
            nonlocal status, is_stream
            if message["type"] == "http.response.start":
                status, own = message["status"], dict(message["headers"])
                is_stream = own.get(b"content-type", b"").startswith(b"text/event-stream")
                if own.get(b"content-type") == b"application/json":
                    more = NO_DOCUMENT
                else:
                    more = HEADERS if b"content-security-policy" in own else WITH_POLICY
                message["headers"] = [*message["headers"], *more]
            await send(message)

        refusal = refusal_of(method, headers, self.origins)
        if _host_of("//" + headers.get(b"host", b"").decode("latin-1")) is None:
            refusal = 400, "the name of the host cannot be read"
        if refusal is not None:
            await _refuse(answer, *refusal)
        else:
            most = MOST_BYTES_OF_A_FILE if scope["path"] in FILES else MOST_BYTES
            await self.app(scope, _measured(receive, most), answer)
        note(method, status, None if is_stream else start)


def refusal_of(method: str, headers: dict[bytes, bytes], origins: frozenset[str]) -> tuple[int, str] | None:
    """The status and reason if a request is refused."""
    if method in SAFE:
        return None
    if headers.get(b"authorization", b"").lower().startswith(b"bearer "):
        return None  # a browser never adds a token by itself, unlike a cookie
    if headers.get(b"sec-fetch-site", b"same-origin") not in (b"same-origin", b"none"):
        return 403, "this came from another site"
    origin = headers.get(b"origin")
    if origin is not None:
        said = origin.decode("latin-1")
        host = headers.get(b"host", b"").decode("latin-1")
        if said not in origins and _host_of(said) != host:
            return 403, f"this came from another site, {said}; this one is {host}, unless its proxy hides the name"
    return None


def _host_of(origin: str) -> str | None:
    try:
        return urlsplit(origin).netloc
    except ValueError:
        return None


def _measured(receive: Receive, most: int) -> Receive:
    """A `receive` that stops when the body is too long."""
    seen = 0

    async def measured() -> MutableMapping[str, Any]:
        nonlocal seen
        message = await receive()
        seen += len(message.get("body", b""))
        if seen > most:
            raise Refused("the request is too long", 413, "too-long")
        return message

    return measured


async def _refuse(send: Send, status: int, why: str) -> None:
    body = why.encode()
    headers = [(b"content-type", b"text/plain; charset=utf-8"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
