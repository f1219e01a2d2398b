"""What the server refuses: each error carries a sentence for people, a code for programs and an HTTP status."""


class Refused(Exception):
    """A request that cannot be met: why, in words for the person, the HTTP status, and a code for programs."""

    def __init__(self, why: str, status: int = 409, code: str = "refused") -> None:
        super().__init__(why)
        self.why, self.status, self.code = why, status, code


class Stale(Refused):
    """An answer to a question that is not asked any more."""

    def __init__(self, why: str = "that was an answer to an earlier question; look again") -> None:
        super().__init__(why, 409, "stale")
