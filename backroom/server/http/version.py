"""The version of the program as pages know it: a page that another version has made is told to load itself again."""

import functools
import hashlib
from pathlib import Path

from starlette.requests import Request

import backroom
from backroom.server.tables.audience import event
from backroom.server.tables.messages import encode

SOURCES = (".py", ".js", ".css", ".html", ".svg")
"""The files on which pages and events depend."""


@functools.cache
def version() -> str:
    """A hash of the program. A page and its events have the same form if they were made by the same version."""
    root, digest = Path(backroom.__file__).parent, hashlib.sha256()
    for path in sorted(root.rglob("*")):
        if path.suffix in SOURCES and "tests" not in path.parts:
            digest.update(path.relative_to(root).as_posix().encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()[:16]


def stale(request: Request) -> bytes:
    """The first event of a stream for a page of another version; nothing for any other reader."""
    said = request.query_params.get("version", "")
    return b"" if said in ("", version()) else event(encode({"version": version()}), name="stale")
