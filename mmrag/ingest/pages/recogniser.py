"""The PP-OCRv6 models that the rapidocr wheel carries: found by path, loaded once, nothing downloaded."""

from __future__ import annotations

import functools
import logging
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmrag.errors import ModelFileError

DETECTOR_SIDE = 1120
"""Long side in pixels at which text is looked for. On 7 dense pages with known text the F1 of words is 0.92
at 1600, 1440, 1280 and 1120 and 0.93 at 960, in 6.6, 5.8, 5.0, 4.6 and 4.0 s of one core a page; but at 960
print of 5 points falls from 0.95 to 0.79."""

_SURE = 0.8  # lines the right way up score above 0.95, others 0.55 to 0.65

_MODELS = ("PP-OCRv6_det_small.onnx", "PP-OCRv6_rec_small.onnx")


def find_lines(bgr: NDArray[np.uint8]) -> Any:
    """Find and recognise lines: rapidocr's output with ``boxes``, ``txts``, ``scores``, ``word_results``."""
    # Every flag is given in every call: the engine remembers what it was last told.
    return engine()(bgr, use_det=True, use_cls=False, use_rec=True, return_word_box=True, text_score=0.0)


def recognise(bgr: NDArray[np.uint8]) -> tuple[str, float]:
    """Text of a picture of one upright line ("" when nothing is read), and how sure it is, 0 to 1."""
    if min(bgr.shape[:2]) < 2:
        return "", 0.0
    found = engine()(bgr, use_det=False, use_cls=False, use_rec=True, return_word_box=False, text_score=0.0)
    return (str(found.txts[0]), float(found.scores[0])) if found.txts else ("", 0.0)


def read_line(pixels: NDArray[np.uint8]) -> tuple[str, float]:
    """Recognise one line of text without looking for it: some 20 ms.

    Args:
        pixels: RGB, ``(height, width, 3)``; tried the other way up when it is not sure, and running
            down and up when taller than wide.

    Returns:
        The text, "" when nothing is read, and how sure the recogniser is, 0 to 1.
    """
    bgr = np.ascontiguousarray(pixels[:, :, ::-1])
    best = ("", 0.0)
    for turn in (1, 3) if bgr.shape[0] > 1.5 * bgr.shape[1] else (0, 2):
        reading = recognise(np.ascontiguousarray(np.rot90(bgr, turn)))
        best = max(best, reading, key=lambda candidate: candidate[1])
        if best[1] >= _SURE:
            break
    return best


def is_known(character: str) -> bool:
    """Whether the recogniser can write a character: Latin, Greek, Chinese and Japanese ones, mostly."""
    return character in _alphabet()


@functools.cache
def _alphabet() -> frozenset[str]:
    loaded = engine()
    loaded._load_rec_model()  # else at its first use
    return frozenset(loaded.text_rec.postprocess_op.character)


@functools.cache
def engine() -> Any:
    """The engine, made once a process: 31 MB of models, one thread (mmrag runs one process a core).

    Raises:
        ModelFileError: rapidocr's model files are missing.
    """
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
