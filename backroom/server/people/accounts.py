"""People: a guest by name at once, a name kept with a password, and programs that come with a token."""

import asyncio
import hashlib
import secrets
import time
import unicodedata
from dataclasses import dataclass
from typing import Any

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError
from itsdangerous import BadSignature, URLSafeSerializer
from sqlalchemy import Connection, insert, select, update

from backroom.bots import BOTS
from backroom.server.storage.store import Conflict, Store, people, tokens

COOKIE = "backroom"
LONGEST_NAME = 24
SHORTEST_PASSWORD, LONGEST_PASSWORD = 8, 200


class BadName(ValueError):
    """A name or password that cannot be had, and why."""


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    name: str
    is_kept: bool = False


def clean(name: str) -> str:
    """A name as others will see it; BadName if it cannot be shown."""
    found = " ".join(unicodedata.normalize("NFKC", name).split())
    if not found or len(found) > LONGEST_NAME or not found.isprintable():
        raise BadName(f"a name has 1 to {LONGEST_NAME} letters, digits and signs")
    if not any(c.isalnum() for c in found):
        raise BadName("a name has at least one letter or digit")
    if folded(found) in BOTS:
        raise BadName(f"{found} is the name of a bot")
    return found


def folded(name: str) -> str:
    """Names that look alike are the same."""
    bare = "".join(c for c in unicodedata.normalize("NFKD", name) if not unicodedata.combining(c))
    return " ".join(bare.casefold().split())


def hash_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


class People:
    """Who there is."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.hasher = PasswordHasher()
        secret = store.fact("secret", lambda: secrets.token_hex(32))
        self.signer = URLSafeSerializer(secret, salt="who", signer_kwargs={"digest_method": hashlib.sha256})
        self._known: dict[str, Person] = {}
        self._tokens: dict[str, str] = {}
        self._cookies: dict[str, str] = {}

    # cookies and tokens

    def cookie(self, person: Person) -> str:
        return str(self.signer.dumps(person.id))

    async def by_cookie(self, value: str) -> Person | None:
        """Whose cookie it is; nobody's if we did not sign it."""
        found = self._cookies.get(value)
        if found is None:
            try:
                found = str(self.signer.loads(value))
            except BadSignature:
                return None
            _remember(self._cookies, value, found)
        return await self.by_id(found)

    async def by_token(self, token: str) -> Person | None:
        """Whose token it is."""
        digest = hash_of(token)
        found = self._tokens.get(digest)
        if found is None:
            found = await self.store.read(
                lambda conn: conn.scalar(select(tokens.c.person).where(tokens.c.hash == digest))
            )
            if found is None:
                return None
            _remember(self._tokens, digest, found)
        return await self.by_id(found)

    async def by_id(self, person: str) -> Person | None:
        known = self._known.get(person)
        if known is None:
            row = await self.store.read(lambda conn: conn.execute(select(people).where(people.c.id == person)).first())
            if row is None:
                return None
            known = Person(row.id, row.name, row.kept is not None)
            _remember(self._known, person, known)
        return known

    # coming in

    async def welcome(self, name: str) -> Person:
        """A new guest; BadName if somebody keeps that name."""
        name = clean(name)
        person = Person(secrets.token_hex(12), name)

        def work(conn: Connection) -> None:
            if conn.scalar(select(people.c.id).where(people.c.kept == folded(name))) is not None:
                raise BadName(f"{name} is kept by somebody with a password; log in, or take another name")
            conn.execute(insert(people).values(id=person.id, name=name, made=_now()))

        await self.store.write(work)
        _remember(self._known, person.id, person)
        return person

    async def keep(self, person: Person, password: str) -> Person:
        """Keep one's name with a password."""
        digest = self.hasher.hash(_good(password))

        def work(conn: Connection) -> None:
            conn.execute(
                update(people).where(people.c.id == person.id).values(kept=folded(person.name), password=digest)
            )

        try:
            await self.store.write(work)
        except Conflict:
            raise BadName(f"{person.name} is kept by somebody else") from None
        found = Person(person.id, person.name, True)
        _remember(self._known, person.id, found)
        return found

    async def log_in(self, name: str, password: str) -> Person:
        """Who keeps this name with this password; BadName does not say which of the two is wrong."""
        row = await self.store.read(
            lambda conn: conn.execute(select(people).where(people.c.kept == folded(name))).first()
        )
        wrong = BadName("no such name and password")
        if len(password) > LONGEST_PASSWORD:
            raise wrong
        known = row.password if row is not None else self._of_nobody
        try:
            await asyncio.to_thread(self.hasher.verify, known, password)
        except (VerifyMismatchError, InvalidHashError):
            raise wrong from None
        if row is None:
            raise wrong
        return Person(row.id, row.name, True)

    @property
    def _of_nobody(self) -> str:
        """A password that nobody has: looking it up takes as long for names that there are not."""
        return "$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHRzb21lc2FsdA$Z3WqvA5w2ZPXBHBqf5rn0Q4ohuFAsm3xwO3qWxWKj3o"

    async def new_token(self, person: Person) -> str:
        """A token for a program that plays for this person; only its hash is kept."""
        token = secrets.token_urlsafe(24)
        await self.store.write(
            lambda conn: conn.execute(insert(tokens).values(hash=hash_of(token), person=person.id, made=_now()))
        )
        return token


def _good(password: str) -> str:
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise BadName(f"a password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} letters")
    return password


def _remember(known: dict[str, Any], key: str, thing: Any, most: int = 20_000) -> None:
    if len(known) >= most:
        known.clear()
    known[key] = thing


def _now() -> int:
    return time.time_ns() // 1_000_000
