"""The short way for moves: they come often, and need none of what pages need."""

import time
from typing import Any

import msgspec

from backroom.server.errors import Refused
from backroom.server.http import connections
from backroom.server.http.security import MOST_BYTES, NO_DOCUMENT, Receive, Scope, Send, note, refusal_of
from backroom.server.http.table_routes import Move, make_move
from backroom.server.people.accounts import COOKIE, Person
from backroom.server.services import Services
from backroom.server.storage.store import Unkept
from backroom.server.tables.messages import encode

JSON = (b"content-type", b"application/json")
DONE = b"HTTP/1.1 200 OK\r\n" + b"".join(b"%b: %b\r\n" % header for header in (JSON, *NO_DOCUMENT))
decode = msgspec.json.Decoder(Move).decode


class FastMoves:
    """Takes moves that are sent as JSON; everything else, and what is not let in, goes to the guard behind."""

    def __init__(self, security: Any, services: Services) -> None:
        self.security = security
        self.services = services

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["method"] == "POST" and scope["path"].endswith("/moves"):
            headers = dict(scope["headers"])
            parts = scope["path"].removeprefix("/api").split("/")
            is_json = headers.get(b"content-type", b"").startswith(b"application/json")
            is_move = is_json and len(parts) == 4 and parts[1] == "tables"
            if is_move and refusal_of("POST", headers, self.services.settings.origins) is None:
                await self.answer(parts[2], headers, receive, send, scope.get(connections.CYCLE))
                return
        await self.security(scope, receive, send)

    async def answer(
        self, table: str, headers: dict[bytes, bytes], receive: Receive, send: Send, cycle: Any = None
    ) -> None:
        start, status, more = time.perf_counter(), 200, NO_DOCUMENT
        try:
            person = await self.person(headers)
            self.services.limits.take("move", person.id)
            sent = await self.sent(receive)
            state = await make_move(self.services, person, await self.services.tables.get(table), sent)
            body = encode({"ok": True, "n": state.count(state.seat_of(person.id))})
        except Unkept:
            status = 503
            body = encode({"ok": False, "code": "unkept", "why": "it could not be written down; try again"})
        except Refused as refusal:
            status = refusal.status
            body = encode({"ok": False, "code": refusal.code, "why": refusal.why})
        if status in (429, 503):
            more = [*more, (b"retry-after", b"1")]
        if status != 200 or not connections.answer(cycle, DONE, body):
            length = (b"content-length", str(len(body)).encode())
            await send({"type": "http.response.start", "status": status, "headers": [JSON, length, *more]})
            await send({"type": "http.response.body", "body": body})
        note("POST", status, start)

    async def person(self, headers: dict[bytes, bytes]) -> Person:
        """Who sends this: by a token, or by a cookie that we signed."""
        said = headers.get(b"authorization", b"").decode("latin-1")
        found = None
        if said[:7].lower() == "bearer ":
            found = await self.services.people.by_token(said[7:].strip())
        else:
            for part in headers.get(b"cookie", b"").decode("latin-1").split(";"):
                name, _, value = part.strip().partition("=")
                if name == COOKIE:
                    found = await self.services.people.by_cookie(value.strip('"'))
        if found is None:
            raise Refused("say who you are first", 401, "nobody")
        return found

    async def sent(self, receive: Receive) -> Move:
        body = b""
        while True:
            message = await receive()
            body += message.get("body", b"")
            if len(body) > MOST_BYTES:
                raise Refused("that is too long", 413, "too-long")
            if not message.get("more_body"):
                break
        try:
            return decode(body)
        except (msgspec.DecodeError, ValueError) as error:
            raise Refused(f"that could not be read: {error}", 422, "unreadable") from None
