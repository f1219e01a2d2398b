"""Accounts: guests with a name only, names protected by a password, and tokens for programs."""

import asyncio
import base64
import contextlib
import hashlib
import hmac
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from cachetools import Cache, FIFOCache, TTLCache
from itsdangerous import BadSignature, URLSafeSerializer
from sqlalchemy import Connection, Row, delete, insert, select, update

from backroom.engine.table import hash_of
from backroom.server.background import background_threads
from backroom.server.clock import now_ms
from backroom.server.errors import BadName, Conflict
from backroom.server.people.names import clean, folded, skeleton
from backroom.server.storage.schema import ended_sessions, people, tokens
from backroom.server.storage.store import Store

T = TypeVar("T")
COOKIE = "backroom"
SHORTEST_PASSWORD, LONGEST_PASSWORD = 8, 200
TOKEN_ID = 12
"""The number of characters of a token's hash that are its id."""
HASHERS = 2
"""Most passwords hashed at the same time."""
MOST_REMEMBERED = 10_000
"""The size of each cache of people, tokens and cookies."""
CHANGED = "your name or password was changed meanwhile; look again"
FRESH = 15.0
"""Seconds for which people, tokens and cookies are cached with PostgreSQL, where a notification may be missed."""


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    name: str
    is_kept: bool = False
    seal: str = ""
    """A short hash of the stored password, empty for guests: sessions begun with another one are not valid."""


@dataclass(frozen=True, slots=True)
class TokenInfo:
    """A token as listed for its owner."""

    id: str
    made: int


class People:
    """All accounts."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.hasher = PasswordHasher()
        self.pool = background_threads(HASHERS, "passwords")
        secret = store.fact("secret", lambda: secrets.token_hex(32))
        self._secret = secret.encode()
        self.signer = URLSafeSerializer(secret, salt="who", signer_kwargs={"digest_method": hashlib.sha256})
        self._known: Cache[str, Person] = self._cache()
        self._tokens: Cache[str, str] = self._cache()
        self._cookies: Cache[str, tuple[str, str | None]] = self._cache()
        """The person's id and seal in each cookie; cookies of earlier versions have no seal."""
        self._changes = 0
        """How often something cached has changed: what was read before a change is not cached after it."""
        self.tell: Callable[[str], None] = lambda person: None
        """Tells other processes that something about the person with this id has changed."""

    def _cache(self) -> Cache[str, Any]:
        return TTLCache(MOST_REMEMBERED, FRESH) if self.store.is_postgres else FIFOCache(MOST_REMEMBERED)

    # cookies and tokens

    def cookie(self, person: Person) -> str:
        """The cookie of a new session. Each browser has its own session, which can be ended separately."""
        return str(self.signer.dumps([person.id, secrets.token_urlsafe(9), person.seal]))

    async def by_cookie(self, value: str) -> Person | None:
        """The person of a session; None if its signature is wrong, or it was ended, if only by a new password."""
        found = self._cookies.get(value)
        if found is None:
            changes, found = self._changes, self._signed(value)
            if found is None or await self._is_ended(value):
                return None
            if found[1] is None and await self._is_ended(_unsealed(found[0])):
                return None
            if changes == self._changes:
                self._cookies[value] = found
        who, seal = found
        person = await self.by_id(who)
        if seal is None:
            return person
        if person is not None and person.seal != seal:  # another process may have stored a new password just now
            self._known.pop(who, None)
            person = await self.by_id(who)
        return person if person is not None and person.seal == seal else None

    def _signed(self, value: str) -> tuple[str, str | None] | None:
        """The person's id and seal in a cookie; None if its signature is wrong."""
        try:
            found = self.signer.loads(value)
        except BadSignature:
            return None
        if not isinstance(found, list):  # a cookie of version 0.1
            return str(found), None
        return str(found[0]), str(found[2]) if len(found) > 2 else None

    async def _is_ended(self, value: str) -> bool:
        mine = ended_sessions.c.hash == hash_of(value)
        found = await self.store.read(lambda conn: conn.scalar(select(ended_sessions.c.at).where(mine)))
        return found is not None

    async def end_session(self, value: str) -> None:
        """Log out: end a session, so that no copy of its cookie is valid."""
        found = self._signed(value)
        if found is None:
            return
        with contextlib.suppress(Conflict):
            await self.store.write(
                lambda conn: conn.execute(insert(ended_sessions).values(hash=hash_of(value), at=now_ms()))
            )
        self._cookies.pop(value, None)
        self._changes += 1
        self.tell(found[0])

    async def by_token(self, token: str) -> Person | None:
        """The person of a token; None if it is unknown."""
        found = self._tokens.get(token)
        if found is not None:
            return await self.by_id(found)
        changes = self._changes
        theirs = select(people).join(tokens, tokens.c.person == people.c.id).where(tokens.c.hash == hash_of(token))
        row = await self.store.read(lambda conn: conn.execute(theirs).first())
        if row is not None and changes == self._changes:
            self._tokens[token] = row.id
        return self._person(row, changes)

    async def by_id(self, person: str) -> Person | None:
        known = self._known.get(person)
        if known is None:
            changes = self._changes
            row = await self.store.read(lambda conn: conn.execute(select(people).where(people.c.id == person)).first())
            return self._person(row, changes)
        return known

    def _person(self, row: Row[Any] | None, changes: int) -> Person | None:
        """The person in a row of the database, cached if nothing has changed since it was read."""
        if row is None:
            return None
        person = _person_in(row)
        if changes == self._changes:
            self._known[person.id] = person
        return person

    def _changed(self, person: Person) -> Person:
        """Cache a person who has a new name or password, and tell other processes."""
        self.reread(person.id)
        self._known[person.id] = person
        self.tell(person.id)
        return person

    def keyed(self, words: str) -> str:
        """A keyed hash of these words: the same every time, and only this server can compute it."""
        digest = hmac.digest(self._secret, words.encode(), "sha256")
        return base64.b32encode(digest).decode().lower()[:16]

    # guests, names and passwords

    async def welcome(self, name: str) -> Person:
        """Create a guest; BadName if the name is protected by somebody else."""
        name = clean(name)
        person = Person(secrets.token_hex(12), name)

        def work(conn: Connection) -> None:
            _must_be_free(conn, name)
            conn.execute(insert(people).values(id=person.id, name=name, made=now_ms()))

        await self.store.write(work)
        self._known[person.id] = person
        return person

    async def rename(self, person: Person, name: str) -> Person:
        """Change a guest's name; tables that the guest has joined keep the old one."""
        if person.is_kept:
            raise BadName(f"{person.name} is protected with a password and cannot be changed")
        name = clean(name)

        def work(conn: Connection) -> None:
            _must_be_free(conn, name)
            mine = update(people).where(people.c.id == person.id, people.c.kept.is_(None))
            if conn.execute(mine.values(name=name)).rowcount == 0:
                raise BadName(CHANGED)

        await self.store.write(work)
        return self._changed(Person(person.id, name))

    async def keep(self, person: Person, password: str, old: str = "") -> Person:
        """Protect one's name with a password, or change the password, which needs the old one.

        All sessions end: this one needs the cookie of the person that is returned.
        """
        if person.is_kept:
            await self.log_in(person.name, old)
        digest = await self._in_thread(self.hasher.hash, _good(password))
        look = skeleton(person.name)

        def work(conn: Connection) -> None:
            others = people.c.kept.is_not(None) & (people.c.look == look) & (people.c.id != person.id)
            if conn.scalar(select(people.c.id).where(others)) is not None:
                raise Conflict
            is_kept = people.c.kept.is_not(None) == person.is_kept
            mine = update(people).where(people.c.id == person.id, people.c.name == person.name, is_kept)
            if conn.execute(mine.values(kept=folded(person.name), look=look, password=digest)).rowcount == 0:
                raise BadName(CHANGED)
            unsealed = hash_of(_unsealed(person.id))
            if conn.scalar(select(ended_sessions.c.at).where(ended_sessions.c.hash == unsealed)) is None:
                conn.execute(insert(ended_sessions).values(hash=unsealed, at=now_ms()))

        try:
            await self.store.write(work)
        except Conflict:
            raise BadName(f"{person.name} is kept by somebody else") from None
        return self._changed(Person(person.id, person.name, True, _seal(digest)))

    async def log_in(self, name: str, password: str) -> Person:
        """The person with this name and password; BadName does not say which of the two is wrong."""
        row = await self.store.read(
            lambda conn: conn.execute(select(people).where(people.c.kept == folded(name))).first()
        )
        wrong = BadName("no such name and password")
        if len(password) > LONGEST_PASSWORD:
            raise wrong
        known = row.password if row is not None else self._of_nobody
        try:
            await self._in_thread(self.hasher.verify, known, password)
        except (VerifyMismatchError, InvalidHashError):
            raise wrong from None
        if row is None:
            raise wrong
        return _person_in(row)

    async def _in_thread(self, work: Callable[..., T], *arguments: str) -> T:
        """Run a function in the few threads for hashing, because hashing a password takes a core and 64 MB."""
        return await asyncio.get_running_loop().run_in_executor(self.pool, work, *arguments)

    @property
    def _of_nobody(self) -> str:
        """A dummy hash, checked for unknown names so that logging in takes as long for them."""
        return "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$Z3WqvA5w2ZPXBHBqf5rn0Q4ohuFAsm3xwO3qWxWKj3o"

    async def new_token(self, person: Person) -> str:
        """Create a token for a program that plays for this person; only its hash is stored."""
        token = secrets.token_urlsafe(24)
        await self.store.write(
            lambda conn: conn.execute(insert(tokens).values(hash=hash_of(token), person=person.id, made=now_ms()))
        )
        return token

    def forget(self, person: Person) -> None:
        """Remove a deleted person from the caches, with the person's cookies and tokens."""
        self.reread(person.id)
        self.tell(person.id)

    def reread(self, person: str) -> None:
        """Remove a person from the caches, because the database has something else now."""
        self._changes += 1
        self._known.pop(person, None)
        for token in [token for token, owner in self._tokens.items() if owner == person]:
            self._tokens.pop(token, None)
        for cookie in [cookie for cookie, (owner, _) in self._cookies.items() if owner == person]:
            self._cookies.pop(cookie, None)

    async def tokens_of(self, person: Person) -> list[TokenInfo]:
        """The tokens that play for this person, newest first."""
        mine = select(tokens.c.hash, tokens.c.made).where(tokens.c.person == person.id).order_by(tokens.c.made.desc())
        rows = await self.store.read(lambda conn: conn.execute(mine).all())
        return [TokenInfo(row.hash[:TOKEN_ID], row.made) for row in rows]

    async def revoke(self, person: Person, token: str) -> bool:
        """Revoke a token by its id; returns whether there was one."""
        mine = (tokens.c.person == person.id) & tokens.c.hash.startswith(token, autoescape=True)
        gone = await self.store.write(
            lambda conn: list(conn.scalars(delete(tokens).where(mine).returning(tokens.c.hash)))
        )
        self.reread(person.id)
        self.tell(person.id)
        return bool(gone)


def _person_in(row: Row[Any]) -> Person:
    """The person in a row of the database."""
    return Person(row.id, row.name, row.kept is not None, _seal(row.password))


def _unsealed(person: str) -> str:
    """Stands for all sessions of a person that are older than seals; they end with the next new password."""
    return f"unsealed {person}"


def _seal(digest: str | None) -> str:
    return hash_of(digest)[:12] if digest else ""


def _must_be_free(conn: Connection, name: str) -> None:
    """Raise BadName if this name, or one that looks like it, is protected."""
    alike = (people.c.kept == folded(name)) | (people.c.look == skeleton(name))
    if conn.scalar(select(people.c.id).where(people.c.kept.is_not(None), alike)) is not None:
        raise BadName(f"{name} is kept by somebody with a password; log in, or take another name")


def _good(password: str) -> str:
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise BadName(f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} letters")
    return password
