"""Asked of worker processes by the tests of the crew. It imports nothing of mmrag, so it changes nothing."""

from __future__ import annotations

import sys


def has(module: str) -> bool:
    return module in sys.modules


def largest_core() -> int:
    import resource

    return resource.getrlimit(resource.RLIMIT_CORE)[0]
