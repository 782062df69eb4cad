"""MaxSim against its definition, against values worked out by hand, and against LanceDB's own."""

from __future__ import annotations

import lancedb
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmrag.index.maxsim import maxsim, maxsim_reference, strongest

STARTS = np.array([0, 2], np.int64)
PAGES = np.array([[1, 0], [0, 1], [0.6, 0.8]], np.float32)


def test_by_hand() -> None:
    query = np.array([[1, 0], [0, 1]], np.float32)
    # Page 1 holds both tokens (1 and 1); page 2 holds 0.6 and 0.8.
    assert maxsim(query, PAGES, STARTS).tolist() == pytest.approx([1.0, 0.7])
    assert maxsim(query, PAGES, STARTS, power=2).tolist() == pytest.approx([1.0, (0.36 + 0.64) / 2])
    assert maxsim(query, PAGES, STARTS, power=4).tolist() == pytest.approx([1.0, (0.1296 + 0.4096) / 2])


def test_a_negative_best_counts_as_it_is_without_power_and_as_nothing_with_it() -> None:
    query = np.array([[-1, 0], [0, 1]], np.float32)
    page = np.array([[1, 0]], np.float32)
    start = np.zeros(1, np.int64)
    assert maxsim(query, page, start).tolist() == pytest.approx([-0.5])
    assert maxsim(query, page, start, power=4).tolist() == [0.0]
    assert maxsim_reference(query, page) == pytest.approx(-0.5)
    assert maxsim_reference(query, page, 4) == 0.0


def test_similarities_over_one_are_clipped_under_a_power() -> None:
    query, page = np.array([[2, 0]], np.float32), np.array([[1, 0]], np.float32)
    assert maxsim(query, page, np.zeros(1, np.int64), power=4).tolist() == [1.0]
    assert maxsim_reference(query, page, 4) == 1.0


def test_no_pages() -> None:
    assert maxsim(np.ones((1, 2), np.float32), np.zeros((0, 2), np.float32), np.zeros(0, np.int64)).shape == (
        0,
    )


@given(
    sizes=st.lists(st.integers(1, 7), min_size=1, max_size=6),
    tokens=st.integers(1, 5),
    power=st.sampled_from([1, 2, 4]),
    seed=st.integers(0, 10_000),
)
def test_equals_the_definition(sizes: list[int], tokens: int, power: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(sum(sizes), 5)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    query = rng.normal(size=(tokens, 5)).astype(np.float32)
    query /= np.linalg.norm(query, axis=1, keepdims=True)
    starts = np.cumsum([0, *sizes[:-1]]).astype(np.int64)
    ends = [*starts[1:].tolist(), len(vectors)]
    wanted = [
        maxsim_reference(query, vectors[start:end], power) for start, end in zip(starts, ends, strict=True)
    ]
    assert maxsim(query, vectors, starts, power).tolist() == pytest.approx(wanted, abs=1e-5)


def test_equals_lancedb_flat_search(tmp_path: object) -> None:
    rng = np.random.default_rng(5)
    pages = [rng.normal(size=(int(n), 8)).astype(np.float32) for n in rng.integers(1, 9, 40)]
    pages = [page / np.linalg.norm(page, axis=1, keepdims=True) for page in pages]
    query = rng.normal(size=(4, 8)).astype(np.float32)
    query /= np.linalg.norm(query, axis=1, keepdims=True)
    kind = pa.list_(pa.list_(pa.float32(), 8))
    rows = pa.table({"n": list(range(40)), "v": pa.array([page.tolist() for page in pages], kind)})
    table = lancedb.connect(str(tmp_path)).create_table("pages", rows)
    found = table.search(query).distance_type("cosine").limit(40).to_list()
    # LanceDB's distance is the sum over query vectors of the smallest cosine distance.
    theirs = {row["n"]: (len(query) - row["_distance"]) / len(query) for row in found}
    starts = np.cumsum([0, *(len(page) for page in pages[:-1])]).astype(np.int64)
    ours = maxsim(query, np.concatenate(pages), starts)
    assert [theirs[n] for n in range(40)] == pytest.approx(ours.tolist(), abs=1e-4)


def test_strongest_names_each_row_once_best_first() -> None:
    query = np.array([[0, 1], [1, 0], [0.9, 0.1]], np.float32)
    assert strongest(query, PAGES[:2]) == [(0, 1.0), (1, 1.0)]
    # Token by token: (0, 1) is nearest to row 2 by 0.8, (1, 0) to row 0 by 1.
    rows = strongest(np.array([[0, 1], [1, 0]], np.float32), PAGES[[0, 2]])
    assert rows == [(0, 1.0), (1, pytest.approx(0.8))]
