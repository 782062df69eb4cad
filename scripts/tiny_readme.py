"""What stands beside the tiny model's weights."""

from __future__ import annotations

from typing import Any

TEXT = """---
license: apache-2.0
library_name: colpali
tags: [colpali, test-fixture]
---
# A tiny ColModernVBERT, for tests only

{parameters:,} weights, drawn at random and trained by `scripts/make_tiny_colpali.py` for {cpu_seconds}
CPU-seconds ({steps} steps, seed {seed}, drawing included) on pages that the same script draws. No weight
comes from another model, and no text or picture from anywhere else. Licence: Apache-2.0, as the project's.

It exists so that tests run the code path of a real model without a download:

```python
ColModernVBert.from_pretrained(folder)
ColModernVBertProcessor.from_pretrained(folder)
```

## What it can do

Read some 300 English words set in large Helvetica near a 16 x 16 grid on a page (titles of two words among
them), and tell six colours and four shapes apart. A page is 256 x 256 pixels to it, and 256 of its vectors
look at a cell of the grid each. On {pages} held-out pages (`tiny_pages.write_pdf`, seed {held_seed}), whose
title pairs it has never seen, by exact MaxSim over all of them, through PDF, rendering at 150 dpi and WebP
as in a library, recall@1:

| question | `process_texts` | `process_queries` |
|---|---|---|
{table}

Chance is {chance}. When seed 7 was trained, pages and pairs of two more seeds, drawn after the training, gave
1.000 for one word and 0.990 and 0.985 for two. The figures say that the fixture works, and nothing about any
model's quality.

## What it cannot do

Everything else: other words (it has letters for them, untrained), other fonts or sizes, text off the grid,
real documents, any question that needs meaning. Words that begin 4.5 points off the grid instead of the 3 it
was trained on were found 0.87 of the time, at 6 points 0.57. Never use it for anything but tests.

## How it learned

colpali_engine's `ColbertLoss` over titles, nouns, short questions and shapes; beside it a cross-entropy
that says which word stands on which cell of the grid (its box is known, since the script drew it), and one
that says which letters, whose head is thrown away. Made with {versions}.
"""


def readme(facts: dict[str, Any]) -> str:
    """The model's README, with the figures of the run that made it."""
    found: dict[str, float] = facts["recall@1"]
    kinds = dict.fromkeys(name.partition(", ")[0] for name in found)
    table = "\n".join(
        f"| {kind} | {found[f'{kind}, process_texts']:.3f} | {found[f'{kind}, process_queries']:.3f} |"
        for kind in kinds
    )
    return TEXT.format(
        **{name: facts[name] for name in ("parameters", "cpu_seconds", "steps", "seed")},
        pages=facts["held_out"]["pages"],
        held_seed=facts["held_out"]["seed"],
        chance=1 / facts["held_out"]["pages"],
        table=table,
        versions=", ".join(f"{name} {version}" for name, version in facts["versions"].items()),
    )
