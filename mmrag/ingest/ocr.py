"""Optical character recognition with the PP-OCRv6 models that the rapidocr wheel carries.

Nothing is downloaded: the model files are named by path, and a missing one is an error.
"""

from __future__ import annotations

import functools
import logging
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmrag.errors import ModelFileError
from mmrag.ingest.order import arrange
from mmrag.records import Box, Word, WordSource

DETECTOR_SIDE = 1120
"""Long side in pixels at which text is looked for. On 7 dense pages with known text the F1 of words is 0.92 at
1600, 1440, 1280 and 1120 and 0.93 at 960, in 6.6, 5.8, 5.0, 4.6 and 4.0 s of one core a page; but at 960 print
of 5 points falls from 0.95 to 0.79."""

KEEP_SCORE = 0.5
"""Lines the recogniser is less sure of are left out."""

SUSPECT_SCORE = 0.8
"""Lines below this may stand on their head: they are read again turned by 180 degrees. Upright lines score
above 0.95, wrong-way lines 0.55 to 0.65."""

_MODELS = ("PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx")


@dataclass(frozen=True, slots=True)
class _Line:
    words: tuple[tuple[str, Box], ...]
    box: Box
    score: float


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
    places = [_turn_box(line.box, turned, width, height) for line in lines]
    words: list[Word] = []
    for place, number, block in arrange(places if not turned else [line.box for line in lines]):
        line = lines[place]
        size = (line.box.y1 - line.box.y0) / zoom
        for text, box in line.words:
            box = _turn_box(box, turned, width, height)
            scaled = Box(*(round(value / zoom, 2) for value in box))
            words.append(Word(text, scaled, WordSource.OCR, number, block, round(size, 2)))
    return tuple(words)


def _best_turn(bgr: NDArray[np.uint8]) -> tuple[int, list[_Line]]:
    """Read the page; when hardly a line is sure, read it turned by 180, 90 and 270 degrees too."""
    lines = _read_lines(bgr)
    if len(lines) < 3 or _sureness(lines) >= SUSPECT_SCORE:
        return 0, _kept(lines)
    best, turned = lines, 0
    for quarter in (2, 1, 3):
        other = _read_lines(np.ascontiguousarray(np.rot90(bgr, quarter)))
        if len(other) >= 3 and _sureness(other) > _sureness(best):
            best, turned = other, quarter
        if _sureness(best) >= 0.9:
            break
    return turned, _kept(best)


def _sureness(lines: list[_Line]) -> float:
    """Mean score, weighted by characters."""
    weights = [sum(len(text) for text, _ in line.words) for line in lines]
    total = sum(weights)
    return sum(w * line.score for w, line in zip(weights, lines, strict=True)) / total if total else 0.0


def _kept(lines: list[_Line]) -> list[_Line]:
    return [line for line in lines if line.score >= KEEP_SCORE and line.words]


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
        line = _Line(words, box, float(score))
        lines.append(_reread(bgr, quad, line) if line.score < SUSPECT_SCORE else line)
    return lines


def _line_words(parts: Any) -> tuple[tuple[str, Box], ...]:
    return tuple((str(text).strip(), _bounds(quad)) for text, _, quad in parts if str(text).strip())


def _reread(bgr: NDArray[np.uint8], quad: Any, line: _Line) -> _Line:
    """Read one line turned by 180 degrees and keep the surer reading."""
    from rapidocr.utils.process_img import get_rotate_crop_image

    crop = get_rotate_crop_image(bgr, np.array(quad, dtype=np.float32))
    upside_down = np.ascontiguousarray(np.rot90(crop, 2))
    result = _engine()(
        upside_down, use_det=False, use_cls=False, use_rec=True, return_word_box=False, text_score=0.0
    )
    if not result.txts or float(result.scores[0]) <= line.score + 0.1:
        return line
    return _Line(spread(result.txts[0], line.box, backwards=True), line.box, float(result.scores[0]))


def spread(text: str, box: Box, *, backwards: bool = False) -> tuple[tuple[str, Box], ...]:
    """Share a line's box among its words by their number of characters, along its longer side.

    Args:
        text: the line.
        box: its box.
        backwards: the line runs from right to left or from bottom to top.
    """
    total = max(1, len(text))
    upright = box.y1 - box.y0 > 1.5 * (box.x1 - box.x0)
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
