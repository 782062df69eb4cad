"""Late interaction (MaxSim; Khattab and Zaharia, ColBERT, SIGIR 2020): the oracle and the fast way.

With unit vectors, a query token's similarity to a page is its largest dot product over the page's
vectors. The score is the mean over query tokens of that similarity; with ``power`` p > 1 each
similarity is first clipped to 0..1 and raised to p, which lets near-exact matches outweigh many
faint ones. With p = 1 the score is MaxSim divided by the number of query tokens.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float32]


def maxsim_reference(query: NDArray[Any], page: NDArray[Any], power: int = 1) -> float:
    """The definition, loop by loop: ``query`` is ``(q, dim)``, ``page`` is ``(n, dim)``, n > 0."""
    total = 0.0
    for token in query:
        best = -np.inf
        for vector in page:
            similarity = float(np.dot(token.astype(np.float64), vector.astype(np.float64)))
            best = max(best, similarity)
        if power > 1:
            best = min(1.0, max(0.0, best)) ** power
        total += best
    return total / len(query)


def maxsim(query: Floats, vectors: Floats, starts: NDArray[np.int64], power: int = 1) -> Floats:
    """Scores of many pages in one matrix product.

    Args:
        query: ``(q, dim)``, q > 0.
        vectors: ``(n, dim)``, the pages' vectors one page after the other.
        starts: ``(pages,)``, each page's first row, strictly rising; every page has at least one row.
        power: see the module's docstring.

    Returns:
        ``(pages,)`` float32.
    """
    if len(starts) == 0:
        return np.zeros(0, np.float32)
    best = np.maximum.reduceat(query @ vectors.T, starts, axis=1)
    if power > 1:
        best = np.clip(best, 0.0, 1.0) ** power
    scores: Floats = best.mean(axis=0, dtype=np.float64).astype(np.float32)
    return scores


def strongest(query: Floats, vectors: Floats) -> list[tuple[int, float]]:
    """For each query token the row of ``vectors`` it matches best, best match first, rows once each."""
    similarities = query @ vectors.T
    rows = similarities.argmax(axis=1)
    values = similarities[np.arange(len(query)), rows]
    found: dict[int, float] = {}
    for row, value in sorted(
        zip(rows.tolist(), values.tolist(), strict=True), key=lambda pair: (-pair[1], pair[0])
    ):
        found.setdefault(row, value)
    return list(found.items())
