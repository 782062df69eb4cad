"""A reader beside a writer sees whole documents only, at every moment."""

from __future__ import annotations

import threading

from drawn_store import RECIPE, batch, document, put

from mmrag.filters import Filter
from mmrag.index.legs import bm25_leg
from mmrag.index.passages import fetch_chunks, fetch_pages
from mmrag.index.store import Store
from mmrag.index.writer import open_writer
from mmrag.records import Reader

PAGES = 4


def test_adding_and_removing_beside_a_reader(store: Store) -> None:
    put(store, document("stays.pdf", PAGES), ["apples"] * PAGES, seed=99)
    stop = threading.Event()
    faults: list[str] = []
    looks = 0

    def read() -> None:
        nonlocal looks
        reader = Store(store.root, store.model)
        while not stop.is_set():
            snapshot = reader.snapshot()
            scope = snapshot.scope(Reader(), None)
            pages = [page for page, _ in bm25_leg(snapshot, scope, "apples", 1000).pages]
            for key in {key for key, _ in pages} | set(snapshot.documents):
                count = sum(1 for held, _ in pages if held == key)
                if count != PAGES:
                    faults.append(f"{key}: {count} pages")
            fetch_pages(snapshot, set(pages))
            looks += 1

    thread = threading.Thread(target=read)
    thread.start()
    try:
        with open_writer(store) as writer:
            for number in range(8):
                held = document(f"{number}.pdf", PAGES)
                writer.begin(held, RECIPE)
                writer.write(held, batch(held, ["apples"] * 2, seed=number))
                writer.write(held, batch(held, ["apples"] * 2, first=3, seed=50 + number))
                writer.commit(held, RECIPE)
                if number % 2:
                    writer.remove(held.id)
            writer.optimize()
    finally:
        stop.set()
        thread.join()
    assert faults == []
    assert looks > 3
    assert len(store.snapshot().documents) == 5


def test_the_same_snapshot_until_something_is_written(store: Store) -> None:
    put(store, document("a.pdf", 1), ["apples"])
    first = store.snapshot()
    assert store.snapshot() is first
    put(store, document("b.pdf", 1), ["apples"], seed=2)
    assert store.snapshot() is not first
    assert len(first.documents) == 1


def test_predicates_name_the_smaller_side(store: Store) -> None:
    held = [put(store, document(f"{n}.pdf", 1, year=n), ["apples"], seed=n) for n in range(4)]
    snapshot = store.snapshot()

    def predicate(where: str) -> str | None:
        return snapshot.scope(Reader(), Filter.parse(where)).predicate

    assert snapshot.scope(Reader(), None).predicate is None
    assert predicate("year >= 0") is None
    assert predicate("year = 9") == "false"
    assert predicate("year = 1") == f"key IN ('{held[1].id}')"
    assert predicate("year != 1") == f"key NOT IN ('{held[1].id}')"
    assert predicate("year = 1 and page > 2") == f"(key IN ('{held[1].id}') AND page > 2)"


def test_chunks_come_back_as_they_went_in(store: Store) -> None:
    held = put(store, document("a.pdf", 2), ["apples here", "pears there"])
    snapshot = store.snapshot()
    chunks = fetch_chunks(snapshot, {(held.id, 1)})
    assert chunks == {(held.id, 1): batch(held, ["apples here", "pears there"]).chunks[1]}
    assert fetch_chunks(snapshot, set()) == {}
