"""Make the tiny ColModernVBERT of the tests, loaded as one of the hub is: draw, train, measure, save.

    python scripts/make_tiny_colpali.py FOLDER [--steps 800] [--seed 7]

Needs the ``colpali`` extra. Some seven CPU-minutes on one core; the same seed on the same machine and
versions gives the same weights. The pages it is tested on are drawn by ``tiny_pages.write_pdf``.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import time
from pathlib import Path

os.environ.setdefault("HF_HUB_OFFLINE", "1")  # nothing here is fetched

import torch
from colpali_engine.models import ColModernVBert, ColModernVBertProcessor
from tiny_evaluation import recall
from tiny_model import model, processor, save
from tiny_pages import HELD_OUT, HELD_OUT_SEED
from tiny_pool import draw_pool
from tiny_readme import readme
from tiny_training import train

TITLED, DENSE = 1000, 1000
MOST_BYTES = 5_000_000
PACKAGES = ("torch", "torchvision", "transformers", "colpali-engine", "pymupdf", "pillow")


def main() -> None:
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("folder", type=Path)
    arguments.add_argument("--steps", type=int, default=800)
    arguments.add_argument("--seed", type=int, default=7)
    given = arguments.parse_args()
    torch.set_num_threads(1)  # small products: a second thread costs more than it brings
    torch.manual_seed(given.seed)
    process = processor()
    made = model(process)
    pool = draw_pool(process, given.seed, TITLED, DENSE)
    train(made, process, pool, given.seed, given.steps, lambda line: print(line, flush=True))
    spent = time.process_time()
    size = save(given.folder, made, process)
    if size > MOST_BYTES:
        raise SystemExit(f"{given.folder} has {size:,} bytes, more than {MOST_BYTES:,}")
    loaded = ColModernVBert.from_pretrained(given.folder).eval()
    found = recall(loaded, ColModernVBertProcessor.from_pretrained(given.folder))
    facts = {
        "seed": given.seed,
        "steps": given.steps,
        "cpu_seconds": round(spent),
        "parameters": sum(value.numel() for value in made.parameters()),
        "held_out": {"pages": HELD_OUT, "seed": HELD_OUT_SEED},
        "recall@1": {kind: round(value, 3) for kind, value in found.items()},
        "versions": {name: importlib.metadata.version(name) for name in PACKAGES},
    }
    (given.folder / "made.json").write_text(json.dumps(facts, indent=2) + "\n", encoding="utf-8")
    (given.folder / "README.md").write_text(readme(facts), encoding="utf-8")
    print(json.dumps(facts, indent=2))


if __name__ == "__main__":
    main()
