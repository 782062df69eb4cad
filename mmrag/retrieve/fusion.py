"""From several rankings to one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeVar

Item = TypeVar("Item", str, tuple[str, int])


def reciprocal_rank_fusion(
    rankings: Mapping[str, Sequence[tuple[Item, float]]], k: int = 60
) -> list[tuple[Item, float]]:
    """Sum of ``1 / (k + rank)`` over the rankings an item stands in (Cormack, Clarke, Buettcher, SIGIR 2009).

    Args:
        rankings: leg to its items with scores, best first; only the order counts.
        k: dampens the lead of first places.

    Returns:
        Items with fused scores, best first, ties in the items' own order.
    """
    fused: dict[Item, float] = {}
    for leg in sorted(rankings):
        for rank, (item, _) in enumerate(rankings[leg], start=1):
            fused[item] = fused.get(item, 0.0) + 1.0 / (k + rank)
    return _ordered(fused)


def weighted_minmax(
    rankings: Mapping[str, Sequence[tuple[Item, float]]], weights: Mapping[str, float]
) -> list[tuple[Item, float]]:
    """Weighted sum of each leg's scores brought to 0..1 by its smallest and largest.

    Args:
        rankings: leg to its items with scores, best first.
        weights: leg to its weight; a leg that is absent or empty gives its weight to the others.

    Returns:
        Items with scores in 0..1, best first, ties in the items' own order. An item a leg did not
        find scores 0 there; a leg whose scores are all alike gives 1 to each.
    """
    present = {leg: items for leg, items in rankings.items() if items and weights.get(leg, 0.0) > 0.0}
    total = sum(weights[leg] for leg in present)
    fused: dict[Item, float] = {}
    for leg in sorted(present):
        scores = [score for _, score in present[leg]]
        low, high = min(scores), max(scores)
        for item, score in present[leg]:
            share = (score - low) / (high - low) if high > low else 1.0
            fused[item] = fused.get(item, 0.0) + weights[leg] / total * share
    return _ordered(fused)


def _ordered(fused: Mapping[Item, float]) -> list[tuple[Item, float]]:
    return sorted(fused.items(), key=lambda pair: (-pair[1], pair[0]))
