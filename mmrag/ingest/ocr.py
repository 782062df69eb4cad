"""Optical character recognition with the PP-OCRv6 models that the rapidocr wheel carries.

Nothing is downloaded: the model files are named by path, and a missing one is an error.
"""

from __future__ import annotations

import functools
import logging
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmrag.errors import ModelFileError
from mmrag.ingest.order import arrange
from mmrag.records import Box, Word, WordSource

DETECTOR_SIDE = 1120
"""Long side in pixels at which text is looked for. On 7 dense pages with known text the F1 of words is 0.92
at 1600, 1440, 1280 and 1120 and 0.93 at 960, in 6.6, 5.8, 5.0, 4.6 and 4.0 s of one core a page; but at 960
print of 5 points falls from 0.95 to 0.79."""

KEEP_SCORE = 0.5
"""Lines the recogniser is less sure of are left out."""

SUSPECT_SCORE = 0.8
"""Lines below this may stand on their head: they are read again turned by 180 degrees. Upright lines score
above 0.95, wrong-way lines 0.55 to 0.65."""

_FEW_LINES = 3  # fewer lines tell nothing of how a page lies
_MODELS = ("PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx")


@dataclass(frozen=True, slots=True)
class _Line:
    words: tuple[tuple[str, Box], ...]
    box: Box
    score: float
    quad: NDArray[np.float32]


def read(pixels: NDArray[np.uint8], zoom: float) -> tuple[Word, ...]:
    """Read a rendered page.

    Args:
        pixels: RGB, ``(height, width, 3)``.
        zoom: pixels a point.

    Returns:
        Words in reading order, boxes in points.

    Raises:
        ModelFileError: rapidocr's model files are missing.
    """
    turned, lines = _best_turn(np.ascontiguousarray(pixels[:, :, ::-1]))
    height, width = pixels.shape[:2]
    words: list[Word] = []
    for place, number, block in arrange([line.box for line in lines]):
        line = lines[place]
        size = (line.box.y1 - line.box.y0) / zoom
        for text, box in line.words:
            box = _turn_box(box, turned, width, height)
            scaled = Box(*(round(value / zoom, 2) for value in box))
            words.append(Word(text, scaled, WordSource.OCR, number, block, round(size, 2)))
    return tuple(words)


def _best_turn(bgr: NDArray[np.uint8]) -> tuple[int, list[_Line]]:
    """Read the page, turned upright first when its lines stand or hardly one of them is sure.

    Returns:
        By how many quarters counter-clockwise it had to be turned, and its lines as read then.
    """
    lines = _read_lines(bgr)
    best, quarters = _sureness(lines), 0
    if len(lines) >= _FEW_LINES:
        standing = _standing_share(lines) > 0.5
        turns: tuple[int, ...] = (1, 3) if standing else (2,) if best < SUSPECT_SCORE else ()
        if standing:
            best = min(best, SUSPECT_SCORE)  # standing lines can be read, but not put in order
        for turn in turns:
            turned = _read_lines(np.ascontiguousarray(np.rot90(bgr, turn)))
            if len(turned) >= _FEW_LINES and _sureness(turned) > best:
                lines, best, quarters = turned, _sureness(turned), turn
    upright = np.ascontiguousarray(np.rot90(bgr, quarters))
    lines = [_reread(upright, line) if line.score < SUSPECT_SCORE else line for line in lines]
    return quarters, [line for line in lines if line.score >= KEEP_SCORE and line.words]


def _standing_share(lines: list[_Line]) -> float:
    """Share of characters in lines taller than wide."""
    sizes = [(sum(len(text) for text, _ in line.words), _stands(line.box)) for line in lines]
    total = sum(size for size, _ in sizes)
    return sum(size for size, stands in sizes if stands) / total if total else 0.0


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
    # Every flag is given in every call: the engine remembers what it was last told.
    found = _engine()(bgr, use_det=True, use_cls=False, use_rec=True, return_word_box=True, text_score=0.0)
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
    upside_down = np.ascontiguousarray(np.rot90(crop, 2))
    result = _engine()(
        upside_down, use_det=False, use_cls=False, use_rec=True, return_word_box=False, text_score=0.0
    )
    if not result.txts or float(result.scores[0]) <= line.score + 0.1:
        return line
    words = spread(result.txts[0], line.box, backwards=True)
    return replace(line, words=words, score=float(result.scores[0]))


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


@functools.cache
def _engine() -> Any:
    """The engine, made once a process: 31 MB of models, one thread (mmrag runs one process a core)."""
    import rapidocr

    logging.getLogger("RapidOCR").setLevel(logging.CRITICAL)
    folder = Path(rapidocr.__file__).parent / "models"
    detector, recogniser = (folder / name for name in _MODELS)
    for model in (detector, recogniser):
        if not model.is_file():
            raise ModelFileError(
                "a model file of rapidocr is missing",
                where=str(model),
                remedy="Reinstall it: pip install --force-reinstall rapidocr==3.10.0",
            )
    return rapidocr.RapidOCR(
        params={
            "Global.use_cls": False,  # the line classifier turned upright lines over (10 of 61)
            "Global.return_word_box": True,
            "Global.text_score": 0.0,
            "Global.log_level": "critical",
            "Det.model_path": str(detector),
            "Det.limit_type": "max",
            "Det.limit_side_len": DETECTOR_SIDE,
            "Rec.model_path": str(recogniser),
            "Rec.rec_batch_num": 1,  # lines of a batch are padded to the longest: one a batch saves a tenth
            "EngineConfig.onnxruntime.intra_op_num_threads": 1,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )
