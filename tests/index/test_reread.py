"""A document that is read again is seen as it was until its new rows are whole, then switched at once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from drawn_store import MODEL, RECIPE, batch, document, drawn, put

from mmrag.errors import StorageError
from mmrag.index.legs import bm25_leg, page_leg
from mmrag.index.passages import fetch_chunks, fetch_pages
from mmrag.index.snapshot import READY, take_snapshot
from mmrag.index.store import Store
from mmrag.index.vectors import VectorCache
from mmrag.index.writer import Writer, open_writer
from mmrag.records import Access, Reader

Rows = Callable[[], dict[str, int]]
ONE = {"documents": 1, "pages": 1, "chunks": 1, "page_vectors": 1}


def found(store: Store, question: str) -> list[tuple[str, int]]:
    snapshot = store.snapshot()
    ranking = bm25_leg(snapshot, snapshot.scope(Reader(), None), question, 10)
    return [(snapshot.documents[key].name, page) for (key, page), _ in ranking.pages]


def again(name: str = "a.pdf", **fields: object):
    return replace(document(name, 1, **fields), added="2026-02-02T00:00:00.000000+00:00")


def test_the_old_rows_are_seen_until_the_commit(store: Store, rows: Rows) -> None:
    put(store, document("a.pdf", 1), ["apples"])
    with open_writer(store) as writer:
        assert writer.begin(again(), RECIPE) == []
        writer.write(again(), batch(again(), ["pears"], seed=1))
        assert (found(store, "apples"), found(store, "pears")) == ([("a.pdf", 1)], [])
        writer.commit(again(), RECIPE)
        assert (found(store, "apples"), found(store, "pears")) == ([], [("a.pdf", 1)])
    assert rows() == ONE
    assert store.snapshot().interrupted == ()


def test_pages_chunks_vectors_and_pictures_follow_the_switch(store: Store) -> None:
    held = put(store, document("a.pdf", 1, access=Access("acme")), ["apples"])
    put(store, again(access=Access("acme")), ["pears"], seed=1)
    snapshot = store.snapshot()
    key = snapshot.key(held.id, "acme")
    assert [page.words[0].text for page in fetch_pages(snapshot, {(key, 1)}).values()] == ["pears"]
    (chunk,) = fetch_chunks(snapshot, {(key, 0)}).values()
    assert (chunk.document, chunk.text) == (held.id, "pears")
    scope = snapshot.scope(Reader("acme"), None)
    ranking = page_leg(VectorCache(64), snapshot, scope, drawn(77, 3, MODEL.dim), 1, 10)
    assert [page for page, _ in ranking.pages] == [(key, 1)]
    assert store.image_path(key, 1).read_bytes() == b"RIFF"
    assert [path.name for path in store.images.iterdir()] == [key]


def test_a_reader_s_cache_sees_the_new_vectors(store: Store) -> None:
    put(store, document("a.pdf", 1), ["apples"])
    cache, query = VectorCache(64), drawn(77, 3, MODEL.dim)

    def score() -> float:
        snapshot = store.snapshot()
        return page_leg(cache, snapshot, snapshot.scope(Reader(), None), query, 1, 10).pages[0][1]

    first = score()
    put(store, again(), ["apples"], seed=5)
    assert score() != first


def test_a_third_reading_goes_back_to_the_first_key(store: Store, rows: Rows) -> None:
    for text in ("apples", "pears", "plums"):
        put(store, again(), [text])
    assert found(store, "plums") == [("a.pdf", 1)]
    assert rows() == ONE
    snapshot = store.snapshot()
    assert list(snapshot.documents) == [again().id]


def test_a_re_reading_that_was_cut_off_resumes(store: Store, rows: Rows) -> None:
    two = replace(again(), pages=2)
    put(store, two, ["apples", "more"])
    with open_writer(store) as writer:
        writer.begin(two, RECIPE)
        writer.write(two, batch(two, ["pears"], seed=1))
    assert found(store, "apples pears") == [("a.pdf", 1)]
    assert [held.name for held in store.snapshot().interrupted] == ["a.pdf"]
    with open_writer(store) as writer:
        assert [page.words[0].text for page in writer.begin(two, RECIPE)] == ["pears"]
        writer.forget_after(two, 1, 1)
        writer.write(two, batch(two, ["plums"], first=2, seed=1))
        writer.commit(two, RECIPE)
    assert (found(store, "apples more"), found(store, "pears"), found(store, "plums")) == (
        [],
        [("a.pdf", 1)],
        [("a.pdf", 2)],
    )
    assert rows() == {"documents": 1, "pages": 2, "chunks": 2, "page_vectors": 2}


def test_a_re_reading_that_is_given_up_leaves_what_was(store: Store, rows: Rows) -> None:
    put(store, document("a.pdf", 1), ["apples"])
    with open_writer(store) as writer:
        writer.begin(again(), RECIPE)
        writer.write(again(), batch(again(), ["pears"], seed=1))
        writer.abandon(again())
    assert (found(store, "apples"), found(store, "pears"), rows()) == ([("a.pdf", 1)], [], ONE)


def test_a_first_reading_that_is_given_up_leaves_nothing(store: Store, rows: Rows) -> None:
    with open_writer(store) as writer:
        writer.begin(again(), RECIPE)
        writer.write(again(), batch(again(), ["pears"]))
        writer.abandon(again())
        writer.abandon(again())
    assert rows() == dict.fromkeys(ONE, 0)


def test_removal_takes_both_sets_of_rows(store: Store, rows: Rows) -> None:
    put(store, document("a.pdf", 1), ["apples"])
    with open_writer(store) as writer:
        writer.begin(again(), RECIPE)
        writer.write(again(), batch(again(), ["pears"], seed=1))
    with open_writer(store) as writer:
        writer.remove(again().id)
    assert rows() == dict.fromkeys(ONE, 0)
    assert list(store.images.iterdir()) == []


def test_tags_changed_after_a_re_reading_keep_its_rows(store: Store) -> None:
    put(store, document("a.pdf", 1), ["apples"])
    put(store, again(), ["pears"], seed=1)
    with open_writer(store) as writer:
        writer.update(replace(again(), tags=("fruit",)), RECIPE)
    assert found(store, "pears") == [("a.pdf", 1)]


def test_a_new_version_clears_a_re_reading_that_was_cut_off(store: Store, rows: Rows) -> None:
    put(store, document("a.pdf", 1), ["apples"])
    with open_writer(store) as writer:
        writer.begin(again(), RECIPE)
        writer.write(again(), batch(again(), ["pears"], seed=1))
    new = put(store, document("a.pdf", 1, content="new"), ["plums"], seed=2)
    assert (rows(), new.version, store.snapshot().interrupted) == (ONE, 2, ())
    assert found(store, "apples pears plums") == [("a.pdf", 1)]


def test_a_document_that_is_replaced_while_it_is_read_again_elsewhere(store: Store, rows: Rows) -> None:
    """a.pdf has new bytes, and b.pdf those that a.pdf had: the re-reading looked for rows that were gone."""
    put(store, document("a.pdf", 1), ["apples"])
    moved = replace(again(), name="b.pdf", path="/papers/b.pdf")
    new = document("a.pdf", 1, content="new")
    with open_writer(store) as writer:
        writer.begin(moved, RECIPE)
        writer.write(moved, batch(moved, ["apples"]))
        writer.begin(new, RECIPE)
        writer.write(new, batch(new, ["pears"], seed=1))
        writer.commit(new, RECIPE)
        writer.commit(moved, RECIPE)
    assert (found(store, "apples"), found(store, "pears")) == ([("b.pdf", 1)], [("a.pdf", 1)])
    assert rows() == {"documents": 2, "pages": 2, "chunks": 2, "page_vectors": 2}


@pytest.mark.parametrize("step", range(1, 6))
def test_a_stop_at_any_commit_of_a_switch_leaves_one_version_whole(
    store: Store, rows: Rows, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """A stop before the switch, the dropping of rows and the note; the next writer finishes the rest."""
    put(store, document("a.pdf", 1), ["apples"])
    done = 0

    def stop(real):
        def stepping(self, *args):
            nonlocal done
            done += 1
            if done >= step:
                raise StorageError("stopped")
            return real(self, *args)

        return stepping

    with open_writer(store) as writer:
        writer.begin(again(), RECIPE)
        writer.write(again(), batch(again(), ["pears"], seed=1))
        with monkeypatch.context() as patched:
            for name in ("_put", "_drop_rows", "_drop_document", "accept"):
                patched.setattr(Writer, name, stop(getattr(Writer, name)))
            if step <= 4:
                with pytest.raises(StorageError):
                    writer.commit(again(), RECIPE)
            else:
                writer.commit(again(), RECIPE)
    seen = (found(store, "apples"), found(store, "pears"))
    assert seen == (([("a.pdf", 1)], []) if step == 1 else ([], [("a.pdf", 1)]))
    with open_writer(store) as writer:
        if step == 1:
            writer.begin(again(), RECIPE)
            writer.abandon(again())
    assert rows() == ONE


def test_an_announcement_cut_off_never_shows_rows_of_another_recipe(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The rows went after the new announcement: a kill between left them to be resumed as its own."""
    held = document("a.pdf", 2)
    with open_writer(store) as writer:
        writer.begin(held, "old recipe")
        writer.write(held, batch(held, ["apples"]))
        with monkeypatch.context() as patched:
            patched.setattr(Writer, "_drop_rows", lambda self, key: (_ for _ in ()).throw(KeyError("kill")))
            with pytest.raises(KeyError):
                writer.begin(held, "new recipe")
    with open_writer(store) as writer:
        assert writer.begin(held, "new recipe") == []


def test_another_count_of_pages_is_not_resumed(store: Store) -> None:
    """An office file may be laid out anew by another version of the office suite."""
    held = document("a.pptx", 3)
    with open_writer(store) as writer:
        writer.begin(held, RECIPE)
        writer.write(held, batch(held, ["apples"]))
        assert writer.begin(replace(held, pages=4), RECIPE) == []


def test_a_page_without_a_picture_keeps_none_of_a_batch_that_was_cut_off(store: Store) -> None:
    held = document("a.pdf", 1)
    with open_writer(store) as writer:
        writer.begin(held, RECIPE)
        path = store.image_path(held.id, 1)
        path.parent.mkdir(parents=True)
        path.write_bytes(b"half a pict")
        whole = batch(held, ["apples"])
        writer.write(held, replace(whole, pages=(replace(whole.pages[0], image=None),)))
        assert not path.exists()


@pytest.mark.parametrize("kind", ["new version", "read again"])
def test_a_switch_while_a_reader_looks_leaves_a_version_to_be_seen(store: Store, kind: str) -> None:
    """The reader kept what was ready before and after its look: neither version was."""
    put(store, document("a.pdf", 1), ["apples"])
    new = document("a.pdf", 1, content="new") if kind == "new version" else again()

    class Switching:
        """Opens tables, and switches the version while the first look is under way."""

        def __init__(self) -> None:
            self.switched = False

        def open_table(self, name: str):
            if not self.switched:
                self.switched = True
                put(store, new, ["pears"], seed=1)
            return store._database.open_table(name)

    snapshot = take_snapshot(Switching(), store.table("documents"), None)
    assert [held.name for held in snapshot.documents.values()] == ["a.pdf"]
    (key,) = snapshot.documents
    assert snapshot.pages.count_rows(f"key = '{key}'") == 1


def test_staging_rows_are_never_ready(store: Store) -> None:
    put(store, document("a.pdf", 1), ["apples"])
    with open_writer(store) as writer:
        writer.begin(again(), RECIPE)
        states = writer.states()
    assert [key for key, row in states.items() if row["state"] == READY] == [again().id]
