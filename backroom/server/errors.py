"""The server's exceptions; `http/errors.py` turns each of them into a response."""


class Refused(Exception):
    """A request is refused: the reason in words for people, the HTTP status, and a code for programs."""

    def __init__(self, why: str, status: int = 409, code: str = "refused") -> None:
        super().__init__(why)
        self.why, self.status, self.code = why, status, code


class Stale(Refused):
    """An answer to a question that is no longer asked."""

    def __init__(self, why: str = "that was an answer to an earlier question; look again") -> None:
        super().__init__(why, 409, "stale")


class OtherRules(Refused):
    """A table with rules that this program does not have: its story can only be read (`tables/archive.py`)."""

    def __init__(self, why: str) -> None:
        super().__init__(f"this table can only be read: {why}", 410, "other-rules")


class BadName(ValueError):
    """A name or password that is not acceptable, and why."""


class Conflict(Exception):
    """Another writer has written an entry with this number."""


class Unkept(Exception):
    """A write failed; nothing has been acknowledged."""
