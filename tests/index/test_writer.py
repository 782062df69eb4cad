"""Writing: hidden until whole, resumed, replaced at once, removed to the last row, one writer."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import textwrap
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path

import lancedb
import numpy as np
import pyarrow as pa
import pytest
from drawn_store import MODEL, RECIPE, batch, document, put

from mmrag.errors import LibraryLocked, LibraryMismatch, LibraryNotFound, StorageError
from mmrag.index import schema
from mmrag.index.disk import storage_errors
from mmrag.index.legs import bm25_leg
from mmrag.index.store import Store
from mmrag.index.writer import Writer, open_writer
from mmrag.records import Access, PageVectors, Reader

Rows = Callable[[], dict[str, int]]
NONE = {"documents": 0, "pages": 0, "chunks": 0, "page_vectors": 0}


def seen(store: Store) -> list[str]:
    return [held.name for held in store.snapshot().documents.values()]


def found(store: Store, question: str, reader: Reader | None = None) -> list[tuple[str, int]]:
    snapshot = store.snapshot()
    ranking = bm25_leg(snapshot, snapshot.scope(reader or Reader(), None), question, 10)
    return [(snapshot.documents[key].name, page) for (key, page), _ in ranking.pages]


def test_a_document_is_hidden_until_its_commit(store: Store, writer: Writer) -> None:
    held = document("a.pdf", 2)
    writer.begin(held, RECIPE)
    writer.write(held, batch(held, ["apples", "pears"]))
    assert seen(store) == []
    assert found(store, "apples") == []
    assert [half.path for half in store.snapshot().interrupted] == ["/papers/a.pdf"]
    writer.commit(held, RECIPE)
    assert seen(store) == ["a.pdf"]
    assert found(store, "apples") == [("a.pdf", 1)]
    assert store.snapshot().interrupted == ()


def test_half_a_document_stays_hidden_beside_a_whole_one(store: Store) -> None:
    put(store, document("whole.pdf", 1), ["apples are red"])
    with open_writer(store) as writer:
        half = document("half.pdf", 2)
        writer.begin(half, RECIPE)
        writer.write(half, batch(half, ["apples are green"], seed=2))
    assert found(store, "apples") == [("whole.pdf", 1)]


def test_removal_takes_every_row_and_picture(store: Store, rows: Rows) -> None:
    put(store, document("a.pdf", 2), ["apples", "pears"])
    held = put(store, document("b.pdf", 1), ["plums"], seed=1)
    assert rows() == {"documents": 2, "pages": 3, "chunks": 3, "page_vectors": 3}
    with open_writer(store) as writer:
        writer.remove(held.id)
        assert rows() == {"documents": 1, "pages": 2, "chunks": 2, "page_vectors": 2}
        assert not (store.images / held.id).exists()
        writer.remove(document("a.pdf", 2).id)
    assert rows() == NONE
    assert found(store, "apples pears plums") == []


def test_a_new_version_takes_the_old_one_s_place(store: Store, rows: Rows) -> None:
    put(store, document("a.pdf", 1, content="old", path="/p/a.pdf"), ["apples"])
    new = put(store, document("a.pdf", 1, content="new", path="/p/a.pdf"), ["pears"], seed=3)
    assert new.version == 2
    assert rows() == {"documents": 1, "pages": 1, "chunks": 1, "page_vectors": 1}
    assert (found(store, "apples"), found(store, "pears")) == ([], [("a.pdf", 1)])


def test_the_same_path_of_another_tenant_is_another_document(store: Store) -> None:
    put(store, document("a.pdf", 1, content="x", path="/p/a.pdf"), ["apples"])
    put(store, document("a.pdf", 1, content="x", path="/p/a.pdf", access=Access("acme")), ["apples"], seed=4)
    assert len(seen(store)) == 2
    assert found(store, "apples") == [("a.pdf", 1)]
    assert found(store, "apples", Reader("acme")) == [("a.pdf", 1)]
    assert found(store, "apples", Reader("other")) == []


def test_resuming_returns_the_written_pages_in_order(store: Store) -> None:
    held = document("a.pdf", 4)
    with open_writer(store) as writer:
        assert writer.begin(held, RECIPE) == []
        writer.write(held, batch(held, ["one", "two"]))
        writer.write(held, batch(held, ["three"], first=3, seed=1))
    with open_writer(store) as writer:
        pages = writer.begin(held, RECIPE)
        assert [(page.number, page.words[0].text) for page in pages] == [(1, "one"), (2, "two"), (3, "three")]


def test_resuming_stops_at_the_first_gap_and_forgets_beyond(store: Store, rows: Rows) -> None:
    held = document("a.pdf", 4)
    with open_writer(store) as writer:
        writer.begin(held, RECIPE)
        writer.write(held, batch(held, ["one"]))
        writer.write(held, batch(held, ["three"], first=3, seed=1))
        assert [page.number for page in writer.begin(held, RECIPE)] == [1]
        writer.forget_after(held, 1, 1)
    assert rows() == {"documents": 1, "pages": 1, "chunks": 1, "page_vectors": 1}


def test_another_recipe_starts_anew(store: Store, rows: Rows) -> None:
    held = document("a.pdf", 2)
    with open_writer(store) as writer:
        writer.begin(held, RECIPE)
        writer.write(held, batch(held, ["one"]))
        assert writer.begin(held, "another") == []
    assert rows() == {"documents": 1, "pages": 0, "chunks": 0, "page_vectors": 0}


def test_a_removal_that_was_cut_off_is_finished_by_the_next_writer(store: Store, rows: Rows) -> None:
    held = put(store, document("a.pdf", 1), ["apples"])
    with open_writer(store) as writer:
        writer._put([{**writer.states()[held.id], "state": "removing"}])
    assert seen(store) == []
    assert rows()["pages"] == 1
    with open_writer(store):
        assert rows() == NONE


def test_changing_tags(store: Store) -> None:
    held = put(store, document("a.pdf", 1), ["apples"])
    with open_writer(store) as writer:
        writer.update(replace(held, tags=("fruit",)), RECIPE)
    assert [d.tags for d in store.snapshot().documents.values()] == [("fruit",)]


def test_one_writer(store: Store) -> None:
    with open_writer(store):
        with pytest.raises(LibraryLocked, match=f"process {os.getpid()} on") as caught, open_writer(store):
            pass
        assert "Wait until it is done" in str(caught.value)
    with open_writer(store):
        pass


KILLED = """
    import os, signal, sys
    from pathlib import Path
    sys.path.insert(0, sys.argv[2])
    from drawn_store import MODEL, RECIPE, batch, document
    from mmrag.index.store import Store
    from mmrag.index.writer import open_writer
    store = Store.open(Path(sys.argv[1]), MODEL, language="English", create=False)
    with open_writer(store) as writer:
        held = document("killed.pdf", 3)
        writer.begin(held, RECIPE)
        writer.write(held, batch(held, ["one", "two"], seed=9))
        if sys.argv[3] == "half-batch":
            half = batch(held, ["three"], first=3, seed=8)
            from mmrag.index.codec import vector_rows
            schema = writer._schemas["page_vectors"]
            writer._add(writer._vectors, vector_rows(held.id, [3], half.page_vectors, schema))
        os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("moment", ["between-batches", "half-batch"])
def test_a_killed_writer_leaves_the_lock_free_and_loses_at_most_its_batch(
    store: Store, rows: Rows, moment: str
) -> None:
    put(store, document("before.pdf", 1), ["apples"])
    tests = str(Path(__file__).parents[1])
    code = textwrap.dedent(KILLED)
    done = subprocess.run(
        [sys.executable, "-c", code, str(store.root), tests, moment], check=False, timeout=120
    )
    assert done.returncode == -signal.SIGKILL
    assert seen(store) == ["before.pdf"]
    assert found(store, "one two three apples") == [("before.pdf", 1)]
    held = document("killed.pdf", 3)
    with open_writer(store) as writer:
        assert [page.number for page in writer.begin(held, RECIPE)] == [1, 2]
        writer.forget_after(held, 2, 2)
        writer.write(held, batch(held, ["three"], first=3, seed=8))
        writer.commit(held, RECIPE)
    assert rows() == {"documents": 2, "pages": 4, "chunks": 4, "page_vectors": 4}
    assert found(store, "three") == [("killed.pdf", 3)]


def test_a_zero_or_broken_vector_is_refused(store: Store, writer: Writer) -> None:
    held = document("a.pdf", 1)
    writer.begin(held, RECIPE)
    good = batch(held, ["apples"])
    for bad in (0.0, np.nan):
        vectors = good.page_vectors[0].vectors.copy()
        vectors[1] = bad
        with pytest.raises(StorageError, match=r"zero|finite"):
            writer.write(
                held, replace(good, page_vectors=(PageVectors(vectors, good.page_vectors[0].boxes),))
            )
    with pytest.raises(StorageError, match="finite"):
        writer.write(held, replace(good, chunk_vectors=np.full((1, 6), np.nan, np.float32)))


def test_opening(tmp_path: Path) -> None:
    with pytest.raises(LibraryNotFound, match="no library here"):
        Store.open(tmp_path / "none", MODEL, language="English", create=False)
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.pdf").write_text("x")
    with pytest.raises(LibraryNotFound, match=r"not empty \(it holds a.pdf\)"):
        Store.open(tmp_path / "papers", MODEL, language="English", create=True)
    (tmp_path / "file").write_text("x")
    with pytest.raises(LibraryNotFound, match="a file"):
        Store.open(tmp_path / "file", MODEL, language="English", create=True)
    with pytest.raises(LibraryMismatch, match="Klingon"):
        Store.open(tmp_path / "k", MODEL, language="Klingon", create=True)
    assert Store.open(tmp_path / "k", MODEL, language="German", create=True).snapshot().documents == {}


def test_a_library_of_another_embedder_is_refused(store: Store) -> None:
    put(store, document("a.pdf", 1), ["apples"])
    with pytest.raises(LibraryMismatch, match=r"made by drawn .* this run uses other") as caught:
        Store.open(store.root, replace(MODEL, embedder="other"), language="English", create=True)
    assert "new library at another path" in str(caught.value)
    assert seen(Store.open(store.root, MODEL, language="English", create=False)) == ["a.pdf"]


@pytest.mark.parametrize(
    ("made_by", "says", "remedy"),
    [
        (1, "format 1, made by an older mmrag, and this one reads format 2", "this one is left as it is"),
        (3, "format 3, made by a newer mmrag, and this one reads format 2", "Upgrade mmrag"),
    ],
)
def test_a_library_of_another_format_is_refused_and_left_alone(
    store: Store, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, made_by: int, says: str, remedy: str
) -> None:
    place = tmp_path / "other"
    with monkeypatch.context() as patched:
        patched.setattr(schema, "FORMAT", made_by)
        Store.open(place, MODEL, language="English", create=True)
    before = sorted(str(path) for path in place.rglob("*"))
    with pytest.raises(LibraryMismatch, match=says) as caught:
        Store.open(place, MODEL, language="English", create=True)
    assert remedy in str(caught.value) and str(place) in str(caught.value)
    assert sorted(str(path) for path in place.rglob("*")) == before


def test_a_library_of_the_first_format_is_refused(tmp_path: Path) -> None:
    """As the first mmrag made it: four tables, no column for the rows' key."""
    fields = [pa.field("key", pa.string()), pa.field("state", pa.string())]
    held = {"format": 1, "language": "English", "model": asdict(MODEL)}
    metadata = {b"mmrag": json.dumps(held).encode()}
    database = lancedb.connect(tmp_path / "library" / "tables")
    for name in ("pages", "chunks", "page_vectors", "documents"):
        database.create_table(name, schema=pa.schema(fields, metadata=metadata))
    with pytest.raises(LibraryMismatch, match="it has format 1") as caught:
        Store.open(tmp_path / "library", MODEL, language="English", create=True)
    assert "Add the files to a new library at another path" in caught.value.remedy


@pytest.mark.parametrize(
    ("error", "says"),
    [
        (OSError(28, "No space left on device"), "disk is full"),
        (RuntimeError("lance error: LanceError(IO): No space left on device (os error 28)"), "disk is full"),
        (OSError(30, "Read-only file system"), "not allowed"),
        (PermissionError(13, "Permission denied"), "not allowed"),
    ],
)
def test_disk_trouble_is_named(tmp_path: Path, error: Exception, says: str) -> None:
    with pytest.raises(StorageError, match=says), storage_errors(tmp_path):
        raise error


def test_other_trouble_passes_through(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="something else"), storage_errors(tmp_path):
        raise ValueError("something else")
