"""Tasks that worker processes import by name."""

from __future__ import annotations

import os
import time


def double(number: int) -> int:
    return 2 * number


def crash(number: int) -> int:
    os.abort()


def hang(number: int) -> int:
    time.sleep(60)
    return number


def refuse(number: int) -> int:
    raise ValueError(f"no {number}")


def crash_once(marker: str) -> str:
    if not os.path.exists(marker):
        open(marker, "w").close()
        os.abort()
    return "second time"


def slow_pid(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()
