"""Request bodies: one type for each message, which decodes and describes it. Unknown fields are refused."""

from typing import Annotated, Any, TypeVar
from urllib.parse import parse_qsl

import msgspec
from msgspec import Meta

from backroom.server.errors import Refused
from backroom.server.people.names import LONGEST_NAME

T = TypeVar("T")
MOST_SEATS = 14
LONGEST_KEY = 64
MOST_FIELDS = 100
JSON = b"application/json"
Seat = Annotated[int, Meta(ge=0, le=MOST_SEATS)]


class Body(msgspec.Struct, forbid_unknown_fields=True):
    """A message."""


class Move(Body):
    """A move, by its name."""

    name: Annotated[str, Meta(max_length=500)]
    ask: Annotated[int | None, Meta(description="Which question it answers; null for a claim out of turn.")] = None
    key: Annotated[
        Annotated[str, Meta(min_length=1, max_length=LONGEST_KEY)] | None,
        Meta(description="The same key is never played twice. A claim out of turn needs one."),
    ] = None


class Seating(Body):
    """A seat to sit down at."""

    seat: Annotated[Seat | None, Meta(description="Which seat; the first free one if none is said.")] = None


class BotSeat(Body):
    """A seat, one's own if none is said, and the bot that shall play it."""

    seat: Seat | None = None
    bot: Annotated[str, Meta(max_length=40)] = ""


class BotName(Body):
    """The bot that shall play wherever nobody sits."""

    bot: Annotated[str, Meta(max_length=40)] = ""


class Text(Body):
    """A line of chat, or what is chosen."""

    text: Annotated[str, Meta(max_length=4000)]


class Nothing(Body):
    """An action that needs no words."""


class Guest(Body):
    """Somebody new."""

    name: Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME, description="How others see you.")]


class NewTable(Body):
    """A table to be made."""

    game: Annotated[str, Meta(max_length=40)]
    seats: Annotated[int, Meta(ge=1, le=MOST_SEATS)] | None = None
    options: Annotated[dict[str, str], Meta(max_length=50)] = {}
    public: bool = True
    rated: bool = True
    sit: Annotated[Seat | None, Meta(description="The seat you take; null for none.")] = 0
    bots: Annotated[dict[Seat, str], Meta(max_length=MOST_SEATS, description="From a seat to the bot in it.")] = {}


def decode(kind: type[T], body: bytes, content_type: bytes = JSON) -> T:
    """Decode a body, JSON or a form; Refused says what was expected."""
    try:
        if content_type.startswith(JSON):
            return msgspec.json.decode(body, type=kind)
        pairs = {name: value for name, value in parse_qsl(body.decode(), max_num_fields=MOST_FIELDS) if value != ""}
        return msgspec.convert(pairs, kind, strict=False)
    except (msgspec.DecodeError, ValueError, RecursionError) as error:
        raise Refused(f"that could not be read: {error}", 422, "unreadable") from None


def schema(kind: type[Body]) -> dict[str, Any]:
    """The OpenAPI description of a body, made from the type that decodes it."""
    (_,), found = msgspec.json.schema_components([kind], ref_template="#/components/schemas/{name}")
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": found[kind.__name__]}}}}
