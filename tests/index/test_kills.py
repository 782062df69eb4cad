"""A run that stops before any one of its writes to disk, at each in turn, ends like one that never stopped.

LanceDB's commits are atomic, so the moments between them are all there are for the tables.
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from drawn_store import MODEL, RECIPE, batch, document, put
from lancedb.table import LanceTable

from mmrag.index.snapshot import READY
from mmrag.index.store import Store
from mmrag.index.writer import Writer, open_writer
from mmrag.records import Document, FileNote

TABLES = {"documents": "key", "files": "key", "pages": "page", "chunks": "order", "page_vectors": "page"}
OLD = document("a.pdf", 1, content="old a")
NEW = document("a.pdf", 3, content="new a")
AGAIN = replace(document("b.pdf", 2), added="2026-02-02T00:00:00.000000+00:00")
GONE = document("c.pdf", 1)
STAYS = document("d.pdf", 2)
LATER = FileNote("/papers/e.pdf", "e.pdf", "encrypted", "locked. Give a password.", "public", "2026")
WAS_LOCKED = replace(LATER, path=NEW.path, name="a.pdf")


class Killed(BaseException):
    """Nothing on its way out may handle it, as nothing handles a kill."""


def before(store: Store) -> None:
    for seed, held in enumerate((OLD, AGAIN, GONE, STAYS)):
        put(store, held, ["apples", "pears"][: held.pages], seed=seed)
    with open_writer(store) as writer:
        writer.refuse(WAS_LOCKED)
        writer.flush()


def add(writer: Writer, held: Document, seed: int) -> None:
    """As the pipeline does: go on where an earlier run was stopped, two pages a batch."""
    known = len(writer.begin(held, RECIPE)[: held.pages - 1])
    writer.forget_after(held, known, known)
    while known < held.pages:
        texts = ["plums", "cherries", "quinces"][known : min(known + 2, held.pages)]
        # Each page's vectors hang on the page alone, however batches are cut.
        for text in texts:
            writer.write(held, batch(held, [text], first=known + 1, seed=seed + known))
            known += 1
    writer.commit(held, RECIPE)


def run(store: Store) -> None:
    """A changed file, a file that is read again, one that is gone, one that cannot be opened."""
    with open_writer(store) as writer:
        states = writer.states()
        if states.get(NEW.id, {}).get("state") != READY:
            add(writer, NEW, 20)
        else:
            writer.accept(NEW.path, "public")
        if states[AGAIN.id]["added"] == "2026-02-02T00:00:00.000000+00:00":
            add(writer, replace(AGAIN, added="2026-03-03T00:00:00.000000+00:00"), 40)
        writer.remove(GONE.id)
        writer.refuse(LATER)
        writer.flush()
        writer.optimize()


@contextmanager
def stopping_before(step: int) -> Iterator[Counter[str]]:
    """Raise Killed before the ``step``-th write to disk (0: never) and at all that follow."""
    done: Counter[str] = Counter()

    def counted(real: Any) -> Any:
        def stepping(*args: Any, **kwargs: Any) -> Any:
            done["writes"] += 1
            if step and done["writes"] >= step:
                raise Killed
            return real(*args, **kwargs)

        return stepping

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in (
            (LanceTable, "add"),
            (LanceTable, "delete"),
            (LanceTable, "_do_merge"),
            (LanceTable, "optimize"),
            (Path, "write_bytes"),
            (shutil, "rmtree"),
        ):
            patch.setattr(owner, name, counted(getattr(owner, name)))
        yield done


def content(store: Store) -> dict[str, Any]:
    """Every row but for which of its two keys a document's rows have, and every picture."""
    owner = {row["rows"]: row["key"] for row in store.table("documents").to_arrow().to_pylist()}
    held: dict[str, Any] = {}
    for name, place in TABLES.items():
        for row in store.table(name).to_arrow().to_pylist():
            key = owner.get(row["key"], row["key"])
            found = {field: value for field, value in row.items() if field not in ("key", "rows")}
            held.setdefault((name, key, row[place]), []).append(found)
    for path in store.images.rglob("*.webp"):
        held[("image", owner.get(path.parent.name), path.name)] = path.read_bytes()
    return held


def seen(store: Store) -> dict[str, int]:
    """Visible documents by path with their rows; fails when one has not all of them, once."""
    snapshot = store.snapshot()
    found = {}
    for key, held in snapshot.documents.items():
        assert held.path not in found, "twice"
        found[held.path] = held.pages
        for table in (snapshot.pages, snapshot.chunks, snapshot.vectors):
            assert table.count_rows(f"key = '{key}'") == held.pages, held.name
        assert len(list((store.images / key).iterdir())) == held.pages
    return found


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], int, Path]:
    """What a run that is let be ends with, how often it writes, and the library it began with."""
    base = tmp_path_factory.mktemp("base") / "library"
    before(Store.open(base, MODEL, language="English", create=True))
    place = base.parent / "undisturbed"
    shutil.copytree(base, place)
    store = Store(place, MODEL)
    with stopping_before(0) as done:
        run(store)
    return content(store), done["writes"], base


def test_the_run_writes_often_enough_to_be_worth_stopping(undisturbed: tuple[Any, int, Path]) -> None:
    assert undisturbed[1] > 50


@pytest.mark.parametrize("part", range(8))
def test_stopped_before_each_write(undisturbed: tuple[Any, int, Path], tmp_path: Path, part: int) -> None:
    whole, writes, base = undisturbed
    for step in range(1 + part, writes + 1, 8):
        place = tmp_path / str(step)
        shutil.copytree(base, place)
        with stopping_before(step), pytest.raises(Killed):
            run(Store(place, MODEL))
        store = Store(place, MODEL)
        found = seen(store)
        assert found["/papers/d.pdf"] == 2 and found["/papers/b.pdf"] == 2, step
        assert found["/papers/a.pdf"] in (1, 3), step
        run(store)
        assert content(store) == whole, step
        assert seen(store) == {"/papers/a.pdf": 3, "/papers/b.pdf": 2, "/papers/d.pdf": 2}
        shutil.rmtree(place)
