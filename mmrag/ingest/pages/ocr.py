"""Optical character recognition of pages: lines found, turned upright, read and put in order."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmrag.ingest.pages.recogniser import DETECTOR_SIDE, find_lines, recognise
from mmrag.ingest.pages.tiles import cut
from mmrag.ingest.text.order import arrange
from mmrag.records import Box, Word, WordSource

KEEP_SCORE = 0.5
"""Lines of a page the recogniser is less sure of are left out."""

SUSPECT_SCORE = 0.8
"""Lines below this may stand on their head: they are read again turned by 180 degrees. Upright lines score
above 0.95, wrong-way lines 0.55 to 0.65."""

MOST_ENLARGED = 2.0
"""Most that a small picture is enlarged before it is read. On 8 PubTabNet pictures, whose letters are 8 to 10
pixels tall, 0.88 of the cells' words come out exact as they are, 0.94 at 1.5 times, 0.93 at 2, 0.94 at 2.5
and 0.91 at 3 times, in about the same time."""

SMALL_PICTURE = 700
"""Pixels of the long side below which a picture is enlarged; boxes come out tighter than the ink by it."""

LARGEST_PIECE = 2000
"""Pixels of the long side up to which a picture is read whole; rapidocr itself shrinks larger ones."""

_FEW_CHARACTERS = 8  # fewer tell nothing of how a page lies


@dataclass(frozen=True, slots=True)
class _Line:
    words: tuple[tuple[str, Box], ...]
    box: Box
    score: float
    quad: NDArray[np.float32]


def read(pixels: NDArray[np.uint8], zoom: float, keep: float = KEEP_SCORE) -> tuple[Word, ...]:
    """Read a rendered page or a part of one.

    A picture under :data:`SMALL_PICTURE` is read enlarged, up to twice; one over
    :data:`LARGEST_PIECE` is cut at its white gaps and read piece by piece.

    Args:
        pixels: RGB, ``(height, width, 3)``.
        zoom: pixels a point.
        keep: lines the recogniser is less sure of are left out.

    Returns:
        Words in reading order, boxes in points.

    Raises:
        ModelFileError: rapidocr's model files are missing.
    """
    bgr = np.ascontiguousarray(pixels[:, :, ::-1])
    if max(bgr.shape[:2]) < SMALL_PICTURE:
        enlarged = min(MOST_ENLARGED, DETECTOR_SIDE / max(bgr.shape[:2]))
        bgr = _resized(bgr, enlarged)
        zoom *= enlarged
    turned, lines = _upright_lines(bgr)
    lines = [line for line in lines if line.score >= keep]
    height, width = bgr.shape[:2]
    words: list[Word] = []
    for place, number, block in arrange([line.box for line in lines]):
        line = lines[place]
        size = (line.box.y1 - line.box.y0) / zoom
        for text, box in line.words:
            box = _turn_box(box, turned, width, height)
            scaled = Box(*(round(value / zoom, 2) for value in box))
            words.append(Word(text, scaled, WordSource.OCR, number, block, round(size, 2)))
    return tuple(words)


def _resized(bgr: NDArray[np.uint8], scale: float) -> NDArray[np.uint8]:
    import cv2

    return np.asarray(
        cv2.resize(bgr, None, fx=scale, fy=scale, interpolation=cv2.INTER_CUBIC), dtype=np.uint8
    )


def _upright_lines(bgr: NDArray[np.uint8]) -> tuple[int, list[_Line]]:
    """Lines of a picture turned upright, in its frame then, and by how many quarters it was turned."""
    pieces = cut(bgr, LARGEST_PIECE)
    if not pieces:
        return 0, []
    if len(pieces) == 1:
        left, top, right, bottom = pieces[0]
        turned, lines = _best_turn(np.ascontiguousarray(bgr[top:bottom, left:right]))
        if not turned or (right - left, bottom - top) == (bgr.shape[1], bgr.shape[0]):
            return turned, [_moved(line, left, top) for line in lines]
    # All pieces lie the way the largest does.
    left, top, right, bottom = max(pieces, key=lambda piece: (piece[2] - piece[0]) * (piece[3] - piece[1]))
    turned, _ = _turn(np.ascontiguousarray(bgr[top:bottom, left:right]))
    upright = np.ascontiguousarray(np.rot90(bgr, turned))
    lines = []
    for left, top, right, bottom in cut(upright, LARGEST_PIECE):
        part = np.ascontiguousarray(upright[top:bottom, left:right])
        lines.extend(_moved(line, left, top) for line in _mended(part, _read_lines(part)))
    return turned, lines


def _moved(line: _Line, left: int, top: int) -> _Line:
    words = tuple((text, _shifted(box, left, top)) for text, box in line.words)
    return replace(line, words=words, box=_shifted(line.box, left, top))


def _shifted(box: Box, left: int, top: int) -> Box:
    return Box(box.x0 + left, box.y0 + top, box.x1 + left, box.y1 + top)


def _best_turn(bgr: NDArray[np.uint8]) -> tuple[int, list[_Line]]:
    """Read the page, turned upright first when its lines stand or hardly one of them is sure.

    Returns:
        By how many quarters counter-clockwise it had to be turned, and its lines as read then.
    """
    quarters, lines = _turn(bgr)
    return quarters, _mended(np.ascontiguousarray(np.rot90(bgr, quarters)), lines)


def _turn(bgr: NDArray[np.uint8]) -> tuple[int, list[_Line]]:
    lines = _read_lines(bgr)
    best, quarters = _sureness(lines), 0
    if _count(lines) >= _FEW_CHARACTERS:
        standing = _standing_share(lines) > 0.5
        turns: tuple[int, ...] = (1, 3) if standing else (2,) if best < SUSPECT_SCORE else ()
        if standing:
            best = min(best, SUSPECT_SCORE)  # standing lines can be read, but not put in order
        for turn in turns:
            turned = _read_lines(np.ascontiguousarray(np.rot90(bgr, turn)))
            if 2 * _count(turned) >= _count(lines) and _sureness(turned) > best:
                lines, best, quarters = turned, _sureness(turned), turn
    return quarters, lines


def _mended(upright: NDArray[np.uint8], lines: list[_Line]) -> list[_Line]:
    """Lines read again the other way up where they are not sure, without those that stay unsure."""
    lines = [_reread(upright, line) if line.score < SUSPECT_SCORE else line for line in lines]
    return [line for line in lines if line.score >= KEEP_SCORE and line.words]


def _standing_share(lines: list[_Line]) -> float:
    """Share of characters in lines taller than wide."""
    sizes = [(sum(len(text) for text, _ in line.words), _stands(line.box)) for line in lines]
    total = sum(size for size, _ in sizes)
    return sum(size for size, stands in sizes if stands) / total if total else 0.0


def _count(lines: list[_Line]) -> int:
    return sum(len(text) for line in lines for text, _ in line.words)


def _stands(box: Box) -> bool:
    return box.y1 - box.y0 > 1.5 * (box.x1 - box.x0)


def _sureness(lines: list[_Line]) -> float:
    """Mean score, weighted by characters."""
    weights = [sum(len(text) for text, _ in line.words) for line in lines]
    total = sum(weights)
    return sum(w * line.score for w, line in zip(weights, lines, strict=True)) / total if total else 0.0


def _turn_box(box: Box, quarters: int, width: int, height: int) -> Box:
    """Map a box found on the page turned by ``quarters`` counter-clockwise back to the page."""
    if quarters == 1:
        return Box(width - box.y1, box.x0, width - box.y0, box.x1)
    if quarters == 2:
        return Box(width - box.x1, height - box.y1, width - box.x0, height - box.y0)
    if quarters == 3:
        return Box(box.y0, height - box.x1, box.y1, height - box.x0)
    return box


def _read_lines(bgr: NDArray[np.uint8]) -> list[_Line]:
    found = find_lines(bgr)
    if found.boxes is None or not found.txts:
        return []
    parts = found.word_results or ()
    aligned = len(parts) == len(found.txts)
    lines = []
    for index, (text, score, quad) in enumerate(zip(found.txts, found.scores, found.boxes, strict=True)):
        box = _bounds(quad)
        words = _line_words(parts[index]) if aligned else spread(text, box)
        lines.append(_Line(words, box, float(score), np.array(quad, dtype=np.float32)))
    return lines


def _line_words(parts: Any) -> tuple[tuple[str, Box], ...]:
    return tuple((str(text).strip(), _bounds(quad)) for text, _, quad in parts if str(text).strip())


def _reread(bgr: NDArray[np.uint8], line: _Line) -> _Line:
    """Read one line turned by 180 degrees and keep the surer reading."""
    from rapidocr.utils.process_img import get_rotate_crop_image

    crop = get_rotate_crop_image(bgr, line.quad.copy())
    text, score = recognise(np.ascontiguousarray(np.rot90(crop, 2)))
    if not text or score <= line.score + 0.1:
        return line
    return replace(line, words=spread(text, line.box, backwards=True), score=score)


def spread(text: str, box: Box, *, backwards: bool = False) -> tuple[tuple[str, Box], ...]:
    """Share a line's box among its words by their number of characters, along its longer side.

    Args:
        text: the line.
        box: its box.
        backwards: the line runs from right to left or from bottom to top.
    """
    total = max(1, len(text))
    upright = _stands(box)
    # get_rotate_crop_image turns tall lines counter-clockwise: their text runs downwards.
    start, end = (box.y0, box.y1) if upright else (box.x0, box.x1)
    if backwards:
        start, end = end, start
    words = []
    position = 0
    for word in text.split():
        position = text.index(word, position)
        first = start + (end - start) * position / total
        position += len(word)
        last = start + (end - start) * position / total
        low, high = min(first, last), max(first, last)
        place = Box(box.x0, low, box.x1, high) if upright else Box(low, box.y0, high, box.y1)
        words.append((word, place))
    return tuple(words)


def _bounds(quad: Any) -> Box:
    points = np.asarray(quad, dtype=float).reshape(-1, 2)
    (x0, y0), (x1, y1) = points.min(axis=0), points.max(axis=0)
    return Box(float(x0), float(y0), float(x1), float(y1))
