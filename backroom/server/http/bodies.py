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
LONGEST_FORM = 5000
"""Most bytes of a form that is decoded here, on the event loop: the longest line of chat has 4,800."""
JSON = b"application/json"
Seat = Annotated[int, Meta(ge=0, le=MOST_SEATS)]


class Body(msgspec.Struct, forbid_unknown_fields=True):
    """A request body. Unknown fields are refused."""


class Move(Body):
    """A move to play."""

    name: Annotated[str, Meta(max_length=500, description="The move in the game's notation.")]
    ask: Annotated[
        int | None, Meta(description="The number of the question that it answers; null for a move out of turn.")
    ] = None
    key: Annotated[
        Annotated[str, Meta(min_length=1, max_length=LONGEST_KEY)] | None,
        Meta(description="Any text that you use once. It is played at most once. Required for a move out of turn."),
    ] = None


class Seating(Body):
    """The seat to take."""

    seat: Annotated[Seat | None, Meta(description="The seat, counted from 0; null for the first free one.")] = None


class BotSeat(Body):
    """A bot to play a seat."""

    seat: Annotated[Seat | None, Meta(description="The seat, counted from 0; null for your own.")] = None
    bot: Annotated[str, Meta(max_length=40, description="The bot's name; empty for the default level.")] = ""


class BotName(Body):
    """A bot to play all free seats."""

    bot: Annotated[str, Meta(max_length=40, description="The bot's name; empty for the default level.")] = ""


class Text(Body):
    """A line of chat, or the name of a choice."""

    text: Annotated[str, Meta(max_length=4000)]


class Nothing(Body):
    """The empty body of an action that has no parameters."""


class Guest(Body):
    """A guest to create."""

    name: Annotated[str, Meta(min_length=1, max_length=LONGEST_NAME, description="The name that others see.")]


class NewTable(Body):
    """A table to create."""

    game: Annotated[str, Meta(max_length=40, description="The game's `name`.")]
    seats: Annotated[
        Annotated[int, Meta(ge=1, le=MOST_SEATS)] | None,
        Meta(description="The number of seats; null for the game's smallest number."),
    ] = None
    options: Annotated[dict[str, str], Meta(max_length=50, description="Options whose value is not the default.")] = {}
    public: Annotated[bool, Meta(description="Whether the lobby lists it; otherwise it is reached by its link.")] = True
    rated: Annotated[bool, Meta(description="Whether the game counts on the ladder.")] = True
    sit: Annotated[Seat | None, Meta(description="The seat that you take; null for none.")] = 0
    bots: Annotated[
        dict[Seat, str], Meta(max_length=MOST_SEATS, description='The bots by seat, such as `{"1": "medium"}`.')
    ] = {}


def decode(kind: type[T], body: bytes, content_type: bytes = JSON) -> T:
    """Decode a body, JSON or a form; Refused says what was expected."""
    try:
        if content_type.startswith(JSON):
            return msgspec.json.decode(body, type=kind)
        if len(body) > LONGEST_FORM:
            raise Refused("this form is too long; programs send JSON", 413, "too-long")
        pairs = {name: value for name, value in parse_qsl(body.decode(), max_num_fields=MOST_FIELDS) if value != ""}
        return msgspec.convert(pairs, kind, strict=False)
    except (msgspec.DecodeError, ValueError) as error:
        raise Refused(f"that could not be read: {error}", 422, "unreadable") from None


def schema(kind: type[Body]) -> dict[str, Any]:
    """The OpenAPI description of a body, made from the type that decodes it."""
    (_,), found = msgspec.json.schema_components([kind], ref_template="#/components/schemas/{name}")
    return {"requestBody": {"required": True, "content": {"application/json": {"schema": found[kind.__name__]}}}}
