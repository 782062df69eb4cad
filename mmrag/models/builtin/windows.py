"""A long run of tokens as overlapping windows, each token owned by the window where it has most context."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Window(NamedTuple):
    """Tokens ``start:stop`` are read together; the vectors of ``first:last`` are kept."""

    start: int
    stop: int
    first: int
    last: int


def windows(words: NDArray[np.int64], size: int, margin: int) -> list[Window]:
    """Even windows of at most ``size`` tokens whose kept ranges cover all tokens once, in order.

    Neighbours overlap by about two ``margin``; the cut lies in the middle of the overlap, moved to a
    word's start where one is near, so that a word's tokens are read in one window.

    Args:
        words: for each token the number of its word, rising.
        size: most tokens of a window, more than ``4 * margin``.
        margin: tokens of context kept on each side of a cut.
    """
    total = len(words)
    if total <= size:
        return [Window(0, total, 0, total)] if total else []
    # A cut may move by half a margin, so windows are planned that much smaller.
    count = -(-total // (size - 3 * margin))
    cuts = [0, *(_cut(words, total * i // count, margin // 2) for i in range(1, count)), total]
    return [
        Window(max(0, first - margin), min(total, last + margin), first, last)
        for first, last in pairwise(cuts)
    ]


def _cut(words: NDArray[np.int64], wanted: int, reach: int) -> int:
    for step in range(reach + 1):
        for place in (wanted - step, wanted + step):
            if words[place] != words[place - 1]:
                return place
    return wanted
