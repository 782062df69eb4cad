"""Text to WordPiece tokens to last-layer vectors, by the ONNX file beside this module."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from mmrag.errors import ModelFileError

if TYPE_CHECKING:
    from numpy.typing import NDArray

FOLDER = Path(__file__).parent
FILES = ("encoder.onnx", "tokenizer.json")
WIDTH = 384
CLS, SEP = 101, 102
LIMIT = 510
"""Most tokens of one sequence besides [CLS] and [SEP]: the model has 512 learned positions."""
SENTENCE = 254
"""Most tokens of one sequence in sentence vectors: the model was trained on 256 with [CLS] and [SEP]."""


# Each mark is a token of its own: one line of a table of contents would fill half a window.
_LEADER = re.compile(r"([^\w\s]|_)\1{3,}")
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Pieces:
    """WordPiece tokens: ``ids`` ``(n,)``; ``spans`` ``(n, 2)`` in characters of :func:`readable` text."""

    ids: NDArray[np.int64]
    spans: NDArray[np.int64]


class Encoder:
    """One onnxruntime session and its tokenizer.

    Sequences run one at a time and are never padded: on one thread a batch is no faster, and the scale
    that onnxruntime gives activations is shared by all that runs together, so that a batch would let a
    text's vectors depend on its neighbours.

    Args:
        folder: where ``encoder.onnx``, ``tokenizer.json`` and ``manifest.json`` lie.
        threads: threads of one product. 1 is right when processes share the cores.

    Raises:
        ModelFileError: a file is missing or is not the one the manifest names.
    """

    def __init__(self, folder: Path = FOLDER, threads: int = 1) -> None:
        files = _verified(folder)
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        options.inter_op_num_threads = 1
        # The extended level would fuse Add + LayerNormalization into an operator five times slower.
        options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
        options.log_severity_level = 3
        self.sha256 = hashlib.sha256("".join(_hash(files[name]) for name in FILES).encode()).hexdigest()
        self._session = onnxruntime.InferenceSession(
            files["encoder.onnx"], options, providers=["CPUExecutionProvider"]
        )
        self._tokenizer = Tokenizer.from_str(files["tokenizer.json"].decode())
        # "[SEP]" in a document is text, not the end of the sequence.
        self._tokenizer.encode_special_tokens = True

    def tokenize(self, text: str) -> Pieces:
        """The tokens of a text of any length, without [CLS] and [SEP]."""
        encoding = self._tokenizer.encode(readable(text), add_special_tokens=False)
        spans = np.array(encoding.offsets, dtype=np.int64).reshape(-1, 2)
        return Pieces(np.array(encoding.ids, dtype=np.int64), spans)

    def count(self, text: str) -> int:
        """How many tokens a text has, without [CLS] and [SEP]."""
        return len(self._tokenizer.encode(readable(text), add_special_tokens=False).ids)

    def vectors(self, ids: NDArray[np.int64]) -> NDArray[np.float32]:
        """Last-layer vectors ``(len(ids) + 2, 384)`` of [CLS], the tokens and [SEP], not normalised.

        Raises:
            ValueError: more than :data:`LIMIT` tokens.
        """
        if len(ids) > LIMIT:
            raise ValueError(f"{len(ids)} tokens in one sequence; the encoder takes {LIMIT}")
        sequence = np.empty((1, len(ids) + 2), dtype=np.int64)
        sequence[0, 0] = CLS
        sequence[0, 1:-1] = ids
        sequence[0, -1] = SEP
        vectors: NDArray[np.float32] = self._session.run(["vectors"], {"ids": sequence})[0][0]
        return vectors

    def sentences(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector a text, rows of unit length ``(len(texts), 384)``: the mean over its tokens.

        A text beyond the trained length is cut into even parts and the mean runs over the tokens of all
        of them, so that no text is lost.
        """
        rows = np.empty((len(texts), WIDTH), dtype=np.float32)
        for row, text in zip(rows, texts, strict=True):
            ids = self.tokenize(text).ids
            parts = np.array_split(ids, max(1, -(-len(ids) // SENTENCE)))
            row[:] = np.concatenate([self.vectors(part) for part in parts]).mean(axis=0)
        return unit(rows)


def unit(rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """Rows brought to unit length; a row of zeros, which has no direction, becomes the first axis."""
    lengths: NDArray[np.float32] = np.sqrt((rows * rows).sum(axis=-1, keepdims=True))
    if not lengths.all():
        first = np.eye(1, rows.shape[-1], dtype=np.float32)
        return unit(np.where(lengths > 0, rows, first))
    return rows / lengths


def readable(text: str) -> str:
    """The text as it's encoded: leaders ("......") cut to three, lone surrogates of broken files replaced."""
    return _LEADER.sub(r"\1\1\1", _SURROGATE.sub("\ufffd", text))


def _hash(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _verified(folder: Path) -> dict[str, bytes]:
    remedy = "Install mmrag again, or make the files with scripts/export_encoder.py."
    try:
        published = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))["files"]
        files = {name: (folder / name).read_bytes() for name in FILES}
    except (OSError, ValueError, KeyError, TypeError) as error:
        what = f"a file of the built-in encoder cannot be read ({error})"
        raise ModelFileError(what, where=str(folder), remedy=remedy) from error
    for name, data in files.items():
        if published.get(name) != _hash(data):
            what = "not the published file of the built-in encoder (its sha256 differs from the manifest's)"
            raise ModelFileError(what, where=str(folder / name), remedy=remedy)
    return files
