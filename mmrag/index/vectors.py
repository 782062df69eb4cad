"""Page vectors in memory, a document at a time, within a budget; what does not fit is read again."""

from __future__ import annotations

import itertools
import threading
from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from mmrag.records import PageVectors

if TYPE_CHECKING:
    from mmrag.index.snapshot import Scope, Snapshot

# Documents fetched by one scan: bounds what is in memory beyond the cache.
_GROUP_PAGES = 256


@dataclass(frozen=True, slots=True)
class Block:
    """One document's page vectors: float32 rows, ``starts`` the first row of each page."""

    key: str
    pages: tuple[int, ...]
    vectors: NDArray[np.float32]
    boxes: NDArray[np.float32]
    starts: NDArray[np.int64]

    @property
    def nbytes(self) -> int:
        """Bytes held."""
        return int(self.vectors.nbytes + self.boxes.nbytes)


class VectorCache:
    """Least recently used documents leave first. Keyed by document and the time it was added."""

    def __init__(self, budget_mb: int) -> None:
        self._budget = budget_mb * 1_000_000
        self._held: OrderedDict[tuple[str, str], Block] = OrderedDict()
        self._bytes = 0
        self._guard = threading.Lock()

    def blocks(self, snapshot: Snapshot, scope: Scope, only: set[str] | None = None) -> Iterator[Block]:
        """The blocks of every document in scope (or of ``only``), one at a time."""
        missing: list[str] = []
        for key in scope.documents:
            if only is not None and key not in only:
                continue
            block = self._get((key, snapshot.documents[key].added))
            if block is None:
                missing.append(key)
            else:
                yield block
        for group in _grouped(missing, snapshot):
            for block in _read(snapshot, group):
                self._put((block.key, snapshot.documents[block.key].added), block)
                yield block

    def pages(
        self, snapshot: Snapshot, scope: Scope, wanted: set[tuple[str, int]]
    ) -> dict[tuple[str, int], PageVectors]:
        """The vectors of some pages by (key, page); pages that have none are absent."""
        found: dict[tuple[str, int], PageVectors] = {}
        for block in self.blocks(snapshot, scope, {key for key, _ in wanted}):
            ends = [*block.starts[1:].tolist(), len(block.vectors)]
            for page, start, end in zip(block.pages, block.starts.tolist(), ends, strict=True):
                if (block.key, page) in wanted:
                    vectors = block.vectors[start:end].astype(np.float16)
                    found[(block.key, page)] = PageVectors(vectors, block.boxes[start:end])
        return found

    def _get(self, name: tuple[str, str]) -> Block | None:
        with self._guard:
            block = self._held.get(name)
            if block is not None:
                self._held.move_to_end(name)
            return block

    def _put(self, name: tuple[str, str], block: Block) -> None:
        with self._guard:
            if name in self._held or block.nbytes > self._budget:
                return
            self._held[name] = block
            self._bytes += block.nbytes
            while self._bytes > self._budget:
                _, gone = self._held.popitem(last=False)
                self._bytes -= gone.nbytes


def _grouped(keys: list[str], snapshot: Snapshot) -> Iterator[list[str]]:
    group: list[str] = []
    pages = 0
    for key in keys:
        group.append(key)
        pages += snapshot.documents[key].pages
        if pages >= _GROUP_PAGES:
            yield group
            group, pages = [], 0
    if group:
        yield group


def _read(snapshot: Snapshot, keys: list[str]) -> Iterator[Block]:
    listed = ", ".join(f"'{key}'" for key in keys)
    rows = snapshot.vectors.search().where(f"key IN ({listed})").limit(None).to_arrow()
    rows = rows.sort_by([("key", "ascending"), ("page", "ascending")]).combine_chunks()
    held = np.array(rows["key"].to_pylist(), dtype=object)
    edges = [0, *(np.flatnonzero(held[1:] != held[:-1]) + 1).tolist(), len(held)]
    for start, end in itertools.pairwise(edges):
        if end > start:
            part = rows.slice(start, end - start)
            vectors, starts = _flat(part["vectors"])
            boxes, _ = _flat(part["boxes"])
            yield Block(
                key=held[start],
                pages=tuple(part["page"].to_pylist()),
                vectors=vectors.astype(np.float32),
                boxes=boxes.astype(np.float32),
                starts=starts,
            )


def _flat(column: pa.ChunkedArray) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """A column of lists of fixed-size lists as one ``(n, dim)`` array and each row's first index."""
    lists = column.combine_chunks()
    if isinstance(lists, pa.ChunkedArray):
        lists = pa.concat_arrays(lists.chunks)
    offsets = lists.offsets.to_numpy().astype(np.int64)
    inner = lists.values
    width = lists.type.value_type.list_size
    values = inner.values.to_numpy(zero_copy_only=False)
    base = inner.offset * width
    flat = values[base + offsets[0] * width : base + offsets[-1] * width].reshape(-1, width)
    return flat, offsets[:-1] - offsets[0]
