"""What the server refuses or fails at; `http/errors.py` turns each of these into an answer."""


class Refused(Exception):
    """A request that cannot be met: why, in words for the person, the HTTP status, and a code for programs."""

    def __init__(self, why: str, status: int = 409, code: str = "refused") -> None:
        super().__init__(why)
        self.why, self.status, self.code = why, status, code


class Stale(Refused):
    """An answer to a question that is not asked any more."""

    def __init__(self, why: str = "that was an answer to an earlier question; look again") -> None:
        super().__init__(why, 409, "stale")


class OtherRules(Refused):
    """A table of rules that this program does not have: its story can be read (`tables/archive.py`), nothing else."""

    def __init__(self, why: str) -> None:
        super().__init__(f"this table can only be read: {why}", 410, "other-rules")


class BadName(ValueError):
    """A name or password that cannot be had, and why."""


class Conflict(Exception):
    """Somebody else has written this number of the journal, or this key."""


class Unkept(Exception):
    """It could not be written; nothing has been acknowledged."""
