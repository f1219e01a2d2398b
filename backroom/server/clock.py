"""The server's clock: Unix time in milliseconds. Tests replace it."""

import time


def now_ms() -> int:
    return time.time_ns() // 1_000_000
