"""A library's tables on disk: made whole or not at all, opened for one model."""

from __future__ import annotations

import shutil
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import lancedb
from lancedb.index import FTS

from mmrag.errors import LibraryMismatch, LibraryNotFound
from mmrag.index.disk import storage_errors
from mmrag.index.lock import write_lock
from mmrag.index.schema import CHUNKS, DOCUMENTS, PAGES, VECTORS, ModelIdentity, decode_metadata, schemas
from mmrag.index.snapshot import Snapshot, take_snapshot

if TYPE_CHECKING:
    from lancedb.table import Table

_INDEX_CACHE = 256 << 20
_METADATA_CACHE = 64 << 20
_OWN = {"tables", "images", "work", "write.lock", "write.owner"}


class Store:
    """The folder of a library: ``tables/`` for LanceDB, ``images/`` for page images, the write lock."""

    def __init__(self, root: Path, model: ModelIdentity) -> None:
        self.root = root
        self.model = model
        self.images = root / "images"
        self._database = _connect(root)
        self._documents = self._database.open_table(DOCUMENTS)
        self._snapshot: Snapshot | None = None
        self._guard = threading.Lock()

    @classmethod
    def open(cls, root: Path, model: ModelIdentity, *, language: str, create: bool) -> Store:
        """Open the library at ``root``, or make an empty one there.

        Raises:
            LibraryNotFound: there is none and ``create`` is false, or the folder holds other things.
            LibraryMismatch: its vectors are another model's.
            StorageError: the disk refuses.
        """
        with storage_errors(root):
            exists = _exists(root)
        if not exists:
            if not create:
                raise LibraryNotFound(
                    "there is no library here", where=str(root), remedy="Make one with `mmrag add FILES`."
                )
            _create(root, model, language)
        store = cls(root, model)
        held, spoken = decode_metadata(store._documents.schema, str(root))
        held.check(model, str(root))
        if spoken != language:
            raise LibraryMismatch(
                f"its full-text index is made for {spoken} and search.language is {language}",
                where=str(root),
                remedy=f"Set search.language = {spoken!r}, or add the files to a new library.",
            )
        return store

    def table(self, name: str) -> Table:
        """A fresh handle on a table's latest version."""
        return self._database.open_table(name)

    def image_path(self, key: str, page: int) -> Path:
        """Where a page's image is kept."""
        return self.images / key / f"{page:06d}.webp"

    def snapshot(self) -> Snapshot:
        """The library as it stands now; the same object as before when nothing was written since."""
        with self._guard:
            self._snapshot = take_snapshot(self._database, self._documents, self._snapshot)
            return self._snapshot


def _connect(root: Path) -> lancedb.DBConnection:
    # LanceDB's own limits are gigabytes: a process that adds thousands of documents grew 0.34 MB with each.
    session = lancedb.Session(index_cache_size_bytes=_INDEX_CACHE, metadata_cache_size_bytes=_METADATA_CACHE)
    return lancedb.connect(root / "tables", session=session)


def _exists(root: Path) -> bool:
    if root.exists() and not root.is_dir():
        raise LibraryNotFound(
            "this is a file, and a library is a folder",
            where=str(root),
            remedy="Choose another library path.",
        )
    if _whole(root):
        return True
    strangers = sorted(p.name for p in root.iterdir() if p.name not in _OWN) if root.is_dir() else []
    if strangers:
        raise LibraryNotFound(
            f"this folder is not a library and not empty (it holds {strangers[0]})",
            where=str(root),
            remedy="Choose another library path with --library.",
        )
    return False


def _whole(root: Path) -> bool:
    """Whether the last of the tables has a version."""
    return any((root / "tables" / f"{DOCUMENTS}.lance" / "_versions").glob("*.manifest"))


def _create(root: Path, model: ModelIdentity, language: str) -> None:
    with storage_errors(root):
        root.mkdir(parents=True, exist_ok=True)
    with write_lock(root), storage_errors(root):
        if _whole(root):
            return  # another process made it while this one waited for the folder
        # The documents table is made last and marks a whole library; what a kill left before it goes.
        shutil.rmtree(root / "tables", ignore_errors=True)
        database = _connect(root)
        for name, schema in schemas(model, language).items():
            table = database.create_table(name, schema=schema)
            if name == CHUNKS:
                _index_text(table, language)
            if name in (PAGES, CHUNKS, VECTORS):
                table.create_index("key", config=lancedb.index.BTree())


def _index_text(table: Table, language: str) -> None:
    try:
        table.create_index(
            "index_text",
            config=FTS(
                base_tokenizer="simple",
                language=language,
                stem=True,
                remove_stop_words=True,
                ascii_folding=True,
            ),
        )
    except (ValueError, RuntimeError) as error:
        raise LibraryMismatch(
            f"the full-text index knows no language {language!r}",
            where="setting search.language",
            remedy="Use an English name such as English, German, Portuguese or Spanish.",
        ) from error
    table.create_index("codes", config=FTS(base_tokenizer="whitespace", stem=False, remove_stop_words=False))
