"""Fusion, by values worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmrag.retrieve.fusion import reciprocal_rank_fusion, weighted_minmax


def test_rrf_by_hand() -> None:
    fused = reciprocal_rank_fusion({"a": [("x", 9.0), ("y", 1.0)], "b": [("y", 0.2)]}, k=60)
    assert fused == [("y", pytest.approx(1 / 62 + 1 / 61)), ("x", pytest.approx(1 / 61))]


def test_rrf_k() -> None:
    assert reciprocal_rank_fusion({"a": [("x", 1.0)]}, k=1) == [("x", 0.5)]
    assert reciprocal_rank_fusion({"a": [("x", 1.0)]}) == [("x", pytest.approx(1 / 61))]


def test_ties_are_broken_by_name() -> None:
    assert [name for name, _ in reciprocal_rank_fusion({"a": [("y", 1.0)], "b": [("x", 1.0)]})] == ["x", "y"]
    assert [n for n, _ in weighted_minmax({"a": [("y", 1.0)], "b": [("x", 1.0)]}, {"a": 1, "b": 1})] == [
        "x",
        "y",
    ]


def test_minmax_by_hand() -> None:
    fused = weighted_minmax(
        {"a": [("x", 10.0), ("y", 6.0), ("z", 2.0)], "b": [("y", 0.9), ("z", 0.1)]}, {"a": 0.6, "b": 0.4}
    )
    assert fused == [
        ("y", pytest.approx(0.6 * 0.5 + 0.4 * 1.0)),
        ("x", pytest.approx(0.6)),
        ("z", pytest.approx(0.0)),
    ]


def test_minmax_gives_an_empty_leg_s_weight_to_the_others() -> None:
    assert weighted_minmax({"a": [("x", 3.0)], "b": []}, {"a": 0.2, "b": 0.8}) == [("x", 1.0)]


def test_minmax_leaves_out_a_leg_without_weight() -> None:
    assert weighted_minmax({"a": [("x", 3.0)], "b": [("y", 1.0)]}, {"a": 1.0, "b": 0.0}) == [("x", 1.0)]


def test_minmax_leaves_out_a_leg_that_has_no_weight_named() -> None:
    assert weighted_minmax({"a": [("x", 3.0)], "b": [("y", 1.0)]}, {"a": 1.0}) == [("x", 1.0)]


def test_nothing_found() -> None:
    assert reciprocal_rank_fusion({"a": [], "b": []}) == []
    assert weighted_minmax({}, {"a": 1.0}) == []


@given(st.dictionaries(st.sampled_from("abc"), st.lists(st.sampled_from("uvwxyz"), unique=True), max_size=3))
def test_rrf_equals_its_definition(order: dict[str, list[str]]) -> None:
    fused = dict(reciprocal_rank_fusion({leg: [(i, 0.0) for i in items] for leg, items in order.items()}))
    for item in {item for items in order.values() for item in items}:
        wanted = sum(1 / (60 + items.index(item) + 1) for items in order.values() if item in items)
        assert fused[item] == pytest.approx(wanted)
