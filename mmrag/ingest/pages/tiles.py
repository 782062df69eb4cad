"""Large pictures cut into pieces that a text detector can take, at white gaps so that no line is cut."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_STEP = 12  # grey levels between neighbours that tell of something drawn
_MARGIN = 8  # pixels kept around what is drawn

Piece = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels; right and bottom are outside."""


def cut(pixels: NDArray[np.uint8], largest: int) -> list[Piece]:
    """Pieces of a picture with no side over ``largest``, top left first; what is blank is in none.

    A picture that is small enough is one piece, whole.

    Args:
        pixels: ``(height, width, 3)``.
        largest: pixels.
    """
    height, width = pixels.shape[:2]
    if max(height, width) <= largest:
        return [(0, 0, width, height)]
    grey = pixels[:, :, 1].astype(np.int16)
    drawn = np.zeros((height, width), dtype=bool)
    drawn[:, 1:] |= np.abs(np.diff(grey, axis=1)) > _STEP
    drawn[1:, :] |= np.abs(np.diff(grey, axis=0)) > _STEP
    return sorted(_pieces(drawn, (0, 0, width, height), largest), key=lambda piece: (piece[1], piece[0]))


def _pieces(drawn: NDArray[np.bool_], area: Piece, largest: int) -> list[Piece]:
    trimmed = _trimmed(drawn, area)
    if trimmed is None:
        return []
    left, top, right, bottom = trimmed
    if max(right - left, bottom - top) <= largest:
        return [trimmed]
    part = drawn[top:bottom, left:right]
    if bottom - top >= right - left:
        at = top + _gap(part.sum(axis=1))
        halves = ((left, top, right, at), (left, at, right, bottom))
    else:
        at = left + _gap(part.sum(axis=0))
        halves = ((left, top, at, bottom), (at, top, right, bottom))
    return [piece for half in halves for piece in _pieces(drawn, half, largest)]


def _trimmed(drawn: NDArray[np.bool_], area: Piece) -> Piece | None:
    left, top, right, bottom = area
    part = drawn[top:bottom, left:right]
    rows, columns = np.flatnonzero(part.any(axis=1)), np.flatnonzero(part.any(axis=0))
    if not len(rows):
        return None
    return (
        max(left, left + int(columns[0]) - _MARGIN),
        max(top, top + int(rows[0]) - _MARGIN),
        min(right, left + int(columns[-1]) + 1 + _MARGIN),
        min(bottom, top + int(rows[-1]) + 1 + _MARGIN),
    )


def _gap(counts: NDArray[np.int64]) -> int:
    """Where to cut: the emptiest place in the middle third, in the midst of the widest such gap."""
    length = len(counts)
    first, last = length // 3, length - length // 3
    middle = counts[first:last]
    empty = middle <= middle.min()
    edges = np.flatnonzero(np.diff(np.concatenate(([0], empty.view(np.int8), [0]))))
    starts, ends = edges[::2], edges[1::2]
    widest = int(np.argmax(ends - starts))
    return first + int(starts[widest] + ends[widest]) // 2
