"""Ranking metrics over pages with binary truth, equal to ir-measures' on the same run.

A ranking is a sequence of page keys, ``<document>#<page>``, best first; the truth is a non-empty set
of them. :func:`strict_order` makes a scored list into a ranking with no ties left.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence, Set
from functools import partial
from types import MappingProxyType


def page_key(document: str, page: int) -> str:
    """The name of a page in rankings and traces: ``<document>#<page>``."""
    return f"{document}#{page}"


def split_key(key: str) -> tuple[str, int]:
    """The document and page of a key.

    Raises:
        ValueError: the key has no page number after its last ``#``.
    """
    document, _, page = key.rpartition("#")
    return document, int(page)


def strict_order(scored: Iterable[tuple[str, float]]) -> list[str]:
    """Page keys by score, highest first; ties by document, then by page number (2 before 10)."""

    def place(item: tuple[str, float]) -> tuple[float, str, int]:
        return (-item[1], *split_key(item[0]))

    return [key for key, _ in sorted(scored, key=place)]


def recall(ranked: Sequence[str], gold: Set[str], k: int) -> float:
    """The share of the gold pages among the first ``k`` (ir-measures ``R@k``)."""
    _check(gold)
    return sum(key in gold for key in ranked[:k]) / len(gold)


def reciprocal_rank(ranked: Sequence[str], gold: Set[str], k: int = 10) -> float:
    """One over the rank of the first gold page among the first ``k``, or 0 (``RR@k``)."""
    _check(gold)
    for rank, key in enumerate(ranked[:k], start=1):
        if key in gold:
            return 1.0 / rank
    return 0.0


def ndcg(ranked: Sequence[str], gold: Set[str], k: int = 5) -> float:
    """Discounted gain of the first ``k`` over that of a perfect ranking (``nDCG@k``).

    A gold page at rank r gains ``1 / log2(r + 1)``; the perfect ranking has all gold pages first.
    """
    _check(gold)
    gained = sum(1.0 / math.log2(rank + 1) for rank, key in enumerate(ranked[:k], start=1) if key in gold)
    perfect = sum(1.0 / math.log2(rank + 1) for rank in range(1, min(k, len(gold)) + 1))
    return gained / perfect


def _check(gold: Set[str]) -> None:
    if not gold:
        raise ValueError("a question without gold pages has no retrieval metric")


Metric = Callable[[Sequence[str], Set[str]], float]

METRICS: Mapping[str, Metric] = MappingProxyType(
    {
        "recall@1": partial(recall, k=1),
        "recall@5": partial(recall, k=5),
        "recall@10": partial(recall, k=10),
        "mrr@10": partial(reciprocal_rank, k=10),
        "ndcg@5": partial(ndcg, k=5),
    }
)
"""Every metric by the name reports use; averaged over questions, ``mrr@10`` is the mean of RR@10."""
