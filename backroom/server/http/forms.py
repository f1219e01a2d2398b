"""Forms as browsers send them, decoded without holding up anybody else."""

import contextlib
from collections.abc import AsyncIterator
from functools import partial
from urllib.parse import parse_qsl

from python_multipart.multipart import parse_options_header
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request

from backroom.server.errors import Refused
from backroom.server.http.security import MOST_BYTES
from backroom.server.services import address, services_of

MOST_FIELDS = 200
URLENCODED = b"application/x-www-form-urlencoded"
UTF_8 = (b"utf-8", b"utf8")


@contextlib.asynccontextmanager
async def form_of(request: Request, files: int = 0) -> AsyncIterator[FormData]:
    """The form in a request; Refused if it cannot be read.

    A multipart form may name any of Python's codecs, of which some take minutes for a megabyte and others make text
    that cannot be stored, so only UTF-8 is accepted. A form in the URL's encoding is decoded in a worker thread,
    because a megabyte of signs that have to be decoded takes a second; one of that length waits with other logs.
    """
    services = services_of(request)
    services.limits.take("act", address(request))
    kind, parameters = parse_options_header(request.headers.get("content-type"))
    if kind == URLENCODED:
        text = (await request.body()).decode("utf-8", "replace")
        beside = services.work if len(text) <= MOST_BYTES else services.take_in
        parse = partial(parse_qsl, text, keep_blank_values=True, max_num_fields=MOST_FIELDS)
        try:
            pairs: list[tuple[str, str | UploadFile]] = [*await beside(parse)]
        except ValueError as error:
            raise Refused(f"this form cannot be read: {error}", 400, "unreadable") from None
        yield FormData(pairs)
        return
    if parameters.get(b"charset", UTF_8[0]).lower() not in UTF_8:
        raise Refused("a form has to be in UTF-8", 415, "unreadable")
    async with request.form(max_files=files, max_fields=MOST_FIELDS) as form:
        yield form
