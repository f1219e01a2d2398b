"""The sender of a request: the only place where tokens and cookies are read."""

from collections.abc import Mapping

from backroom.server.people.accounts import COOKIE, People, Person

BEARER = b"bearer "


async def identify(people: People, headers: Mapping[bytes, bytes]) -> Person | None:
    """The person identified by the token or the signed cookie in a request's headers."""
    said = headers.get(b"authorization", b"")
    if said[:7].lower() == BEARER:
        return await people.by_token(said[7:].strip().decode("latin-1"))
    cookie = session_of(headers)
    return await people.by_cookie(cookie) if cookie else None


def session_of(headers: Mapping[bytes, bytes]) -> str | None:
    """The session cookie in a request's headers.

    `http.cookies` needs seconds for quoted values that are long (CVE-2024-7592, in Python before 3.11.10 and 3.12.6).
    Ours have no quotes.
    """
    pairs = [pair.strip().partition("=") for pair in headers.get(b"cookie", b"").decode("latin-1").split(";")]
    return {name: value for name, _, value in pairs}.get(COOKIE)
