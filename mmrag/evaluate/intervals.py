"""Bootstrap intervals of a mean: how far a figure may be chance of the questions drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

SEED = 20_240_229
"""Fixed, so that the same values always give the same interval."""

_BLOCK = 4_000_000


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with the bounds of its percentile interval."""

    mean: float
    low: float
    high: float


def bootstrap(
    values: Sequence[float], *, confidence: float = 0.95, resamples: int = 2000, seed: int = SEED
) -> Interval:
    """The mean of ``values`` with its bootstrap percentile interval.

    Questions are drawn with replacement ``resamples`` times; the interval runs between the
    percentiles of the drawn means that leave ``confidence`` between them. Give differences per
    question to compare two systems in pairs.

    Raises:
        ValueError: ``values`` is empty, or ``confidence`` is not between 0 and 1.
    """
    if not values:
        raise ValueError("the mean of no values is not defined")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence}")
    sample = np.asarray(values, dtype=np.float64)
    generator = np.random.default_rng(seed)
    # A block of draws at a time keeps memory at 32 MB however many questions there are.
    block = max(1, _BLOCK // len(sample))
    means = np.concatenate(
        [
            sample[
                generator.integers(0, len(sample), size=(min(block, resamples - start), len(sample)))
            ].mean(axis=1)
            for start in range(0, resamples, block)
        ]
    )
    tail = (1.0 - confidence) / 2.0
    low, high = np.quantile(means, [tail, 1.0 - tail])
    return Interval(mean=float(sample.mean()), low=float(low), high=float(high))
