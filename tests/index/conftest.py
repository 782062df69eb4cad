from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from drawn_store import MODEL

from mmrag.index.store import Store
from mmrag.index.writer import Writer, open_writer


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.open(tmp_path / "library", MODEL, language="English", create=True)


@pytest.fixture
def writer(store: Store) -> Iterator[Writer]:
    with open_writer(store) as held:
        yield held


@pytest.fixture
def rows(store: Store) -> Callable[[], dict[str, int]]:
    """Rows in each table, whatever their state."""
    return lambda: {
        name: store.table(name).count_rows() for name in ("documents", "pages", "chunks", "page_vectors")
    }
