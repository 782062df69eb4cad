"""The legs: filter before top k, ties, identifiers whole, nothing past the 1,000th page lost."""

from __future__ import annotations

import numpy as np
import pytest
from drawn_store import MODEL, batch, document, drawn, put

from mmrag.filters import Filter
from mmrag.index.legs import bm25_leg, code_pages, page_leg, strongest_boxes, text_leg
from mmrag.index.maxsim import maxsim_reference
from mmrag.index.store import Store
from mmrag.index.vectors import VectorCache
from mmrag.records import Access, Box, Reader

QUERY = drawn(77, 3, MODEL.dim)


def pages(
    store: Store,
    leg: str,
    question: str = "apples",
    where: str = "",
    limit: int = 10,
    reader: Reader | None = None,
    budget: int = 64,
) -> list[tuple[str, int]]:
    snapshot = store.snapshot()
    scope = snapshot.scope(reader or Reader(), Filter.parse(where) if where else None)
    if leg == "page":
        ranking = page_leg(VectorCache(budget), snapshot, scope, QUERY, 1, limit)
    elif leg == "text":
        ranking = text_leg(snapshot, scope, drawn(78, 1, MODEL.text_dim)[0], limit)
    else:
        ranking = bm25_leg(snapshot, scope, question, limit)
    return [(snapshot.documents[key].name, page) for (key, page), _ in ranking.pages]


@pytest.fixture
def crowded(store: Store) -> Store:
    """One page that may be read among 60 that match better or as well and may not."""
    put(store, document("crowd.pdf", 60, access=Access("acme")), ["apples apples apples"] * 60, seed=5)
    put(
        store,
        document("mine.pdf", 1, year=2020, tags=("fruit",)),
        ["one of many apples in a long text"],
        seed=6,
    )
    return store


@pytest.mark.parametrize("leg", ["page", "text", "bm25"])
def test_the_reader_s_rights_come_before_the_top_k(crowded: Store, leg: str) -> None:
    assert pages(crowded, leg, limit=1) == [("mine.pdf", 1)]
    assert pages(crowded, leg, limit=1, reader=Reader("nobody")) == []
    assert len(pages(crowded, leg, limit=100, reader=Reader("acme"))) == 60


@pytest.mark.parametrize("leg", ["page", "text", "bm25"])
def test_the_caller_s_filter_comes_before_the_top_k(store: Store, leg: str) -> None:
    put(store, document("crowd.pdf", 60, year=2019), ["apples apples apples"] * 60, seed=5)
    put(
        store,
        document("mine.pdf", 2, year=2020, tags=("fruit",)),
        ["apples in a long text", "apples"],
        seed=6,
    )
    assert set(pages(store, leg, where="year = 2020", limit=2)) == {("mine.pdf", 1), ("mine.pdf", 2)}
    assert pages(store, leg, where="year = 2020 and page = 2", limit=2) == [("mine.pdf", 2)]
    assert set(pages(store, leg, where="tag = fruit or page = 60", limit=9)) == {
        ("mine.pdf", 1),
        ("mine.pdf", 2),
        ("crowd.pdf", 60),
    }
    assert pages(store, leg, where="year = 1999") == []
    assert len(pages(store, leg, where="not tag = fruit", limit=99)) == 60


@pytest.mark.parametrize("leg", ["page", "text", "bm25"])
def test_groups(store: Store, leg: str) -> None:
    put(store, document("hr.pdf", 1, access=Access(groups=("hr",))), ["apples"], seed=1)
    put(store, document("all.pdf", 1), ["apples"], seed=2)
    assert pages(store, leg) == [("all.pdf", 1)]
    assert set(pages(store, leg, reader=Reader(groups=("hr", "it")))) == {("all.pdf", 1), ("hr.pdf", 1)}


@pytest.mark.parametrize("leg", ["page", "text", "bm25"])
def test_every_page_past_the_thousandth_can_be_found(store: Store, leg: str) -> None:
    put(store, document("long.pdf", 1200), [f"apples number{n}" for n in range(1200)], seed=7)
    assert len(pages(store, leg, limit=5000)) == 1200
    assert pages(store, leg, where="page = 1150", limit=1) == [("long.pdf", 1150)]
    if leg == "bm25":
        assert pages(store, leg, question="number1149") == [("long.pdf", 1150)]


def test_page_scores_are_exact_whatever_the_cache_holds(store: Store) -> None:
    held = document("a.pdf", 30)
    other = document("b.pdf", 5)
    put(store, held, ["text"] * 30, seed=3)
    put(store, other, ["text"] * 5, seed=4)
    snapshot = store.snapshot()
    scope = snapshot.scope(Reader(), None)
    drawn_pages = {
        (d.id, page.number): vectors.vectors
        for d, b in ((held, batch(held, ["text"] * 30, seed=3)), (other, batch(other, ["text"] * 5, seed=4)))
        for page, vectors in zip(b.pages, b.page_vectors, strict=True)
    }
    for budget in (0, 64):
        cache = VectorCache(budget)
        for _ in range(2):
            ranking = page_leg(cache, snapshot, scope, QUERY, 4, 100)
            assert len(ranking.pages) == 35
            for page, score in ranking.pages:
                assert score == pytest.approx(maxsim_reference(QUERY, drawn_pages[page], 4), abs=1e-4)
            scores = [score for _, score in ranking.pages]
            assert scores == sorted(scores, reverse=True)


def test_ties_go_by_document_and_page(store: Store) -> None:
    for name in ("y.pdf", "x.pdf"):
        put(store, document(name, 3), ["apples", "apples", "apples"], seed=1)
    for leg in ("page", "bm25"):
        snapshot = store.snapshot()
        found = pages(store, leg, limit=6)
        by_page = sorted(found, key=lambda pair: pair[1])
        ids = {d.name: d.id for d in snapshot.documents.values()}
        if leg == "bm25":
            assert found == sorted(found, key=lambda pair: (ids[pair[0]], pair[1]))
        else:
            assert [ids[n] for n, _ in by_page[:2]] == sorted(ids.values())


def test_an_identifier_is_not_found_by_its_shuffled_twin(store: Store) -> None:
    put(store, document("a.pdf", 1), ["Contract CT-2024-0178, and CT-2024-0178 again"], seed=1)
    put(
        store,
        document("b.pdf", 1),
        ["A long list in which the contract CT-2024-0187, stands among others."],
        seed=2,
    )
    put(store, document("c.pdf", 1), ["0187 CT 2024 CT 2024 0187"], seed=3)
    assert pages(store, "bm25", "Who signed CT-2024-0187?")[0] == ("b.pdf", 1)
    assert pages(store, "bm25", "Who signed CT-2024-0178?")[0] == ("a.pdf", 1)


def test_stems_accents_and_other_scripts(store: Store) -> None:
    put(store, document("a.pdf", 1), ["Les r\u00e9sum\u00e9s are carrying names"], seed=1)
    put(store, document("b.pdf", 1), ["\u5e74\u5047\u53ef\u4ee5\u7ed3\u8f6c\u5230\u660e\u5e74"], seed=2)
    assert pages(store, "bm25", "resume carried") == [("a.pdf", 1)]
    assert pages(store, "bm25", "\u5e74\u5047\u7ed3\u8f6c") == [("b.pdf", 1)]


@pytest.mark.parametrize(
    "question", ["", "???", "the of and", "'; DROP TABLE", '"unbalanced', "a AND OR ( ~"]
)
def test_odd_questions_find_nothing_or_something_but_never_fail(store: Store, question: str) -> None:
    put(store, document("a.pdf", 1), ["apples"], seed=1)
    assert pages(store, "bm25", question) in ([], [("a.pdf", 1)])


def test_where_on_the_page(store: Store) -> None:
    held = document("a.pdf", 1)
    put(store, held, ["one two three"], seed=1)
    snapshot = store.snapshot()
    scope = snapshot.scope(Reader(), None)
    vectors = batch(held, ["one two three"], seed=1).page_vectors[0].vectors.astype(np.float32)
    boxes = strongest_boxes(VectorCache(1), snapshot, scope, {(held.id, 1)}, vectors[[2, 0]])
    assert set(boxes[(held.id, 1)]) == {Box(20, 10, 29, 20), Box(0, 10, 9, 20)}


def test_rows_not_yet_in_the_index_are_found(store: Store) -> None:
    from mmrag.index.writer import open_writer

    put(store, document("a.pdf", 1), ["apples"], seed=1)
    with open_writer(store) as writer:
        writer.optimize()
    put(store, document("b.pdf", 1), ["apples"], seed=2)
    assert set(pages(store, "bm25")) == {("a.pdf", 1), ("b.pdf", 1)}


def test_pages_that_hold_every_identifier_when_they_are_few(store: Store) -> None:
    first = put(store, document("a.pdf", 3), ["CT-1 and CT-2", "CT-1 alone", "CT-2 alone"], seed=1)
    second = put(store, document("b.pdf", 2, year=2020), ["CT-2 here", "none"], seed=2)
    snapshot = store.snapshot()

    def held(question: str, where: str = "", most: int = 3) -> frozenset[tuple[str, int]]:
        scope = snapshot.scope(Reader(), Filter.parse(where) if where else None)
        return code_pages(snapshot, scope, question, most)

    assert held("Who signed CT-1 with CT-2?") == {(first.id, 1)}
    assert held("CT-2?") == {(first.id, 1), (first.id, 3), (second.id, 1)}
    assert held("CT-2?", most=2) == frozenset()
    assert held("CT-2?", where="year = 2020", most=1) == {(second.id, 1)}
    assert held("CT-2?", where="year = 1999") == frozenset()
    assert held("CT-3?") == frozenset()
    assert held("no identifier") == frozenset()
