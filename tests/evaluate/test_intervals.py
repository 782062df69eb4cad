import numpy as np
import pytest

from mmrag.evaluate import intervals
from mmrag.evaluate.intervals import bootstrap


def test_the_interval_of_equal_values_is_a_point():
    interval = bootstrap([0.25] * 7)
    assert (interval.mean, interval.low, interval.high) == (0.25, 0.25, 0.25)


def test_the_same_values_give_the_same_interval_and_another_seed_another():
    values = np.random.default_rng(1).random(50).tolist()
    assert bootstrap(values) == bootstrap(values)
    assert bootstrap(values) != bootstrap(values, seed=1)


def test_the_interval_is_as_wide_as_theory_says():
    values = np.random.default_rng(2).normal(3.0, 2.0, size=400)
    interval = bootstrap(values.tolist(), resamples=4000)
    error = values.std() / np.sqrt(400)
    assert interval.mean == pytest.approx(values.mean())
    assert interval.low == pytest.approx(values.mean() - 1.96 * error, abs=0.15 * error)
    assert interval.high == pytest.approx(values.mean() + 1.96 * error, abs=0.15 * error)
    narrow = bootstrap(values.tolist(), confidence=0.5)
    assert narrow.high - narrow.low == pytest.approx(2 * 0.674 * error, rel=0.1)


def test_blocks_change_nothing_but_memory(monkeypatch):
    values = np.random.default_rng(3).random(40).tolist()
    whole = bootstrap(values, resamples=100)
    monkeypatch.setattr(intervals, "_BLOCK", 7 * 40)
    assert bootstrap(values, resamples=100) == whole


def test_no_values_and_no_confidence_are_refused():
    with pytest.raises(ValueError, match="no values"):
        bootstrap([])
    for confidence in (0.0, 1.0):
        with pytest.raises(ValueError, match="confidence"):
            bootstrap([1.0], confidence=confidence)
