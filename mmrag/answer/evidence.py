"""Hits to evidence: the pages an answerer may look at, with what is stored of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from mmrag.records import Evidence, PageVectors

if TYPE_CHECKING:
    from mmrag.records import Hit, Page


def gather(
    hits: Sequence[Hit],
    pages: Mapping[tuple[str, int], Page],
    vectors: Mapping[tuple[str, int], PageVectors],
    keys: Sequence[str],
    dim: int,
) -> tuple[Evidence, ...]:
    """Evidence in the order of the hits, cited as ``E1``, ``E2`` and so on.

    Args:
        hits: best first.
        pages: what was read, by (key, page).
        vectors: by (key, page); a page may have none.
        keys: the keys of the hits' documents, one each.
        dim: dimension of the vectors.
    """
    nothing = PageVectors(np.zeros((0, dim), np.float16), np.zeros((0, 4), np.float32))
    return tuple(
        Evidence(f"E{number}", hit, pages[(key, hit.page)], vectors.get((key, hit.page), nothing))
        for number, (hit, key) in enumerate(zip(hits, keys, strict=True), start=1)
    )
