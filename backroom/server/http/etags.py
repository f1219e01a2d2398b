"""Responses that clients revalidate by an ETag."""

import hashlib

from starlette.requests import Request
from starlette.responses import Response

from backroom.server.http.security import PICTURE_POLICY

CACHED = "public, max-age=3600"
"""The Cache-Control of pictures that do not change while the server runs."""


def etag_of(content: bytes) -> str:
    """The ETag of a response with this content."""
    return f'"{hashlib.sha256(content).hexdigest()[:16]}"'


def is_current(request: Request, etag: str) -> bool:
    """Whether the client already has the content with this ETag, so that the response is a 304."""
    return request.headers.get("if-none-match") == etag


def fixed_picture(request: Request, svg: str) -> Response:
    """A picture that does not change while the server runs; 304 if the client already has it."""
    etag = etag_of(svg.encode())
    headers = {"content-security-policy": PICTURE_POLICY, "cache-control": CACHED, "etag": etag}
    if is_current(request, etag):
        return Response(status_code=304, headers=headers)
    return Response(svg, media_type="image/svg+xml", headers=headers)
