"""How words are painted: on what ground, with outlines of their own, and which are painted over."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmrag.ingest._mupdf import display_matrix, mupdf
from mmrag.records import Box, Word

_LEAST_AREA = 30.0  # square points; smaller shapes cover no word
_STROKE = 1  # how MuPDF numbers letters that are drawn as outlines
_LEAST_OPACITY = 0.1
_SAME_COLOUR = 8  # levels by which text and ground may differ and still be the same colour
_MOSTLY = 0.88  # share of a word's box in the text's own colour from which it is no text but the ground
_GROUND = 0.5  # share of a word's surroundings in one colour from which that is the ground

LEAST_PIXELS = 4.0
"""Pixels of height below which print may blur away."""

_PAINTERS = frozenset({"fill-image", "fill-shade"})


def covered_words(page: Any, words: Sequence[Word]) -> frozenset[int]:
    """Indices of words whose middle lies under the box of a shape or picture painted after them.

    The box of a shape is more than the shape, and pictures may have holes: these words may be covered.
    """
    covers = _covers(page)
    if not covers or not words:
        return frozenset()
    middles = np.array([((w.box.x0 + w.box.x1) / 2, (w.box.y0 + w.box.y1) / 2) for w in words])
    latest = np.full(len(words), -1)
    for order, box in covers:
        under = (
            (middles[:, 0] >= box.x0)
            & (middles[:, 0] <= box.x1)
            & (middles[:, 1] >= box.y0)
            & (middles[:, 1] <= box.y1)
        )
        latest[under] = np.maximum(latest[under], order)
    candidates = np.flatnonzero(latest >= 0)
    if not len(candidates):
        return frozenset()
    spans = _spans(page)
    return frozenset(
        int(index)
        for index in candidates
        if 0 <= _order(words[int(index)], middles[index], spans) < latest[index]
    )


def outlined_words(page: Any, words: Sequence[Word], colours: Sequence[int]) -> frozenset[int]:
    """Indices of words whose letters have an outline in another colour than their own.

    Args:
        page: a PyMuPDF page.
        words: those of its text layer.
        colours: what each is filled with, 0xRRGGBB.
    """
    matrix = display_matrix(page)
    strokes = [
        (_box(span["bbox"], matrix), "".join(chr(char[0]) for char in span["chars"]), _packed(span["color"]))
        for span in page.get_texttrace()
        if span["type"] == _STROKE and span["opacity"] >= _LEAST_OPACITY
    ]
    found: set[int] = set()
    for index, word in enumerate(words):
        x, y = (word.box.x0 + word.box.x1) / 2, (word.box.y0 + word.box.y1) / 2
        for box, text, colour in strokes:
            inside = box.x0 - 1 <= x <= box.x1 + 1 and box.y0 - 1 <= y <= box.y1 + 1
            if inside and word.text in text and _differ(colour, colours[index]):
                found.add(index)
    return frozenset(found)


def _packed(components: Any) -> int:
    red, green, blue = (round(255 * min(1.0, max(0.0, float(part)))) for part in _rgb(components))
    return red << 16 | green << 8 | blue


def _rgb(components: Any) -> tuple[float, float, float]:
    parts = [float(part) for part in components] if isinstance(components, (tuple, list)) else [0.0]
    return (parts[0], parts[1], parts[2]) if len(parts) == 3 else (parts[0], parts[0], parts[0])


def _differ(one: int, other: int) -> bool:
    return any(abs((one >> shift & 255) - (other >> shift & 255)) > _SAME_COLOUR for shift in (16, 8, 0))


def _covers(page: Any) -> list[tuple[int, Box]]:
    matrix = display_matrix(page)
    painted = page.get_bboxlog()
    first_text = next((order for order, (kind, _) in enumerate(painted) if "text" in kind), len(painted))
    found = [(order, _box(rect, matrix)) for order, (kind, rect) in enumerate(painted) if kind in _PAINTERS]
    for path in page.get_cdrawings():
        if "f" in path["type"] and (path.get("fill_opacity") or 0) >= 0.99:
            found.append((int(path["seqno"]), _box(path["rect"], matrix)))
    # Grounds are painted before any text and cover none.
    return [(order, box) for order, box in found if order > first_text and box.area >= _LEAST_AREA]


def _box(rect: Any, matrix: Any) -> Box:
    return Box(*(mupdf.Rect(rect) * matrix)) if matrix is not None else Box(*rect)


_Span = tuple[int, Box, str]


def _spans(page: Any) -> list[_Span]:
    """Paint order, box and text of every piece of text as it is painted."""
    matrix = display_matrix(page)
    return [
        (int(span["seqno"]), _box(span["bbox"], matrix), "".join(chr(char[0]) for char in span["chars"]))
        for span in page.get_texttrace()
    ]


def _order(word: Word, middle: Any, spans: Sequence[_Span]) -> int:
    """When a word is painted: the latest piece of text at its place, of those that hold it if any do."""
    x, y = float(middle[0]), float(middle[1])
    here = [
        (order, text)
        for order, box, text in spans
        if box.x0 - 1 <= x <= box.x1 + 1 and box.y0 - 1 <= y <= box.y1 + 1
    ]
    holding = [order for order, text in here if word.text in text]
    return max(holding or [order for order, _ in here], default=-1)


def word_pixels(box: Box, pixels: NDArray[np.uint8], zoom: float) -> NDArray[np.uint8]:
    """The pixels in a box; ``zoom`` is how many there are a point."""
    height, width = pixels.shape[:2]
    x0, y0 = max(0, int(box.x0 * zoom)), max(0, int(box.y0 * zoom))
    x1, y1 = min(width, int(box.x1 * zoom) + 1), min(height, int(box.y1 * zoom) + 1)
    return pixels[y0:y1, x0:x1]


def _levels(colour: int) -> NDArray[np.int16]:
    return np.array([colour >> 16 & 255, colour >> 8 & 255, colour & 255], dtype=np.int16)


def _distance(patch: NDArray[np.uint8], colour: int) -> NDArray[np.int16]:
    distance: NDArray[np.int16] = np.abs(patch.astype(np.int16) - _levels(colour)).max(axis=-1)
    return distance


def is_ground(patch: NDArray[np.uint8], colour: int) -> bool:
    """Whether a word's box shows its own colour nearly everywhere: rules and neighbours are the rest."""
    corners = patch[:: max(1, patch.shape[0] - 1), :: max(1, patch.shape[1] - 1)]
    if (_distance(corners, colour) <= _SAME_COLOUR).sum() < 2:
        return False  # nearly every word ends here
    return bool((_distance(patch, colour) <= _SAME_COLOUR).mean() >= _MOSTLY)


def on_its_colour(box: Box, colour: int, pixels: NDArray[np.uint8], zoom: float) -> bool:
    """Whether a word's own colour is that of the ground it stands on, whose ink may be in its box.

    It is when most of the box, of a frame around it and of its middle, where small letters stand, have it.
    On a photograph no colour has most of them; a bar of another colour as high as the letters has the middle.
    """
    side = min(box.x1 - box.x0, box.y1 - box.y0)
    if side * zoom < LEAST_PIXELS:
        return False
    patch = word_pixels(box, pixels, zoom)
    if not patch.size or (_distance(patch[::2, ::2], colour) <= _SAME_COLOUR).mean() < _GROUND / 2:
        return False  # nearly every word ends here
    inner = 0.3 * side
    lying = box.x1 - box.x0 >= box.y1 - box.y0
    dx, dy = (0.0, inner) if lying else (inner, 0.0)
    middle = word_pixels(Box(box.x0 + dx, box.y0 + dy, box.x1 - dx, box.y1 - dy), pixels, zoom)
    room = 0.15 * side
    around = word_pixels(Box(box.x0 - room, box.y0 - room, box.x1 + room, box.y1 + room), pixels, zoom)
    own, wide = (int((_distance(p, colour) <= _SAME_COLOUR).sum()) for p in (patch, around))
    ring = around.shape[0] * around.shape[1] - patch.shape[0] * patch.shape[1]
    return (
        own >= _GROUND * patch.shape[0] * patch.shape[1]
        and wide - own >= _GROUND * ring
        and bool((_distance(middle, colour) <= _SAME_COLOUR).mean() >= 0.8 * _GROUND)
    )


def has_colour(box: Box, colour: int, pixels: NDArray[np.uint8], zoom: float) -> bool:
    """Whether anything in a box is roughly of a colour."""
    patch = word_pixels(box, pixels, zoom)
    return bool(patch.size and _distance(patch, colour).min() <= 100)
