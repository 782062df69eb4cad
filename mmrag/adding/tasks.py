"""What worker processes do: look at a file, open it, read a page, embed a page.

Module-level functions over picklable values. Whatever touches a file's content is done here and never in
the process that called mmrag, which a damaged file could take with it.
"""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mmrag.records import PageStatus, PageVectors

if TYPE_CHECKING:
    from mmrag.ingest import FileInfo, Source
    from mmrag.models.protocols import Embedder
    from mmrag.records import DocumentId, Page, Supplement
    from mmrag.settings import ReadSettings

HIDDEN = "this slide is hidden in the deck"


@dataclass(frozen=True, slots=True)
class Extras:
    """What is known of a page from its file, beside what is drawn on it."""

    supplements: tuple[Supplement, ...] = ()
    hidden: bool = False
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Embedded:
    """A page's multi-vectors, its chunks' vectors ``(len(texts), text_dim)``, and the seconds it took."""

    page: PageVectors
    chunks: NDArray[np.float32]
    seconds: float


def look(path: Path) -> DocumentId:
    """The id of the bytes at ``path``, so that a file that is known need not be opened, let alone converted.

    Raises:
        OSError: they cannot be read.
        IngestError: it is no regular file or empty; :func:`open_file` says what is wrong.
    """
    from mmrag.errors import IngestError
    from mmrag.ingest import file_id

    if not path.is_file() or not path.stat().st_size:
        raise IngestError("nothing to look at", where=str(path))
    return file_id(path)


def open_file(path: Path, passwords: Sequence[str], workdir: Path, settings: ReadSettings) -> FileInfo:
    """See :func:`mmrag.ingest.open_file`."""
    from mmrag.ingest import open_file as open_it

    return open_it(path, passwords=passwords, workdir=workdir, settings=settings)


def read_page(
    source: Source, document: DocumentId, number: int, settings: ReadSettings, extras: Extras
) -> Page:
    """A page as it will come back from the library: read, completed, its numbers as they are stored."""
    from mmrag.index.content import settled
    from mmrag.ingest import read_page as read

    return settled(complete(read(source, document, number, settings), extras))


def complete(page: Page, extras: Extras) -> Page:
    """The page with what its file holds beside its picture.

    A page on which nothing is drawn is indexed all the same when there is something beside it to find.
    """
    notes = (*extras.notes, *page.notes, *((HIDDEN,) if extras.hidden else ()))
    page = replace(
        page, supplements=extras.supplements, hidden=extras.hidden, notes=tuple(dict.fromkeys(notes))
    )
    if page.status is PageStatus.BLANK and page.supplements:
        page = replace(page, status=PageStatus.INDEXED, reason="")
    return page


def embed_named(embedder: str, page: Page, texts: Sequence[str]) -> Embedded:
    """:func:`embed` with the embedder of that name, loaded once a process."""
    return embed(_embedder(embedder), page, texts)


def embed(embedder: Embedder, page: Page, texts: Sequence[str]) -> Embedded:
    """Embed one page and the texts of the chunks that ended on it."""
    start = time.perf_counter()
    vectors = embedder.embed_pages([page])[0]
    chunks = embedder.embed_texts(texts)
    return Embedded(vectors, chunks, time.perf_counter() - start)


@functools.lru_cache(maxsize=1)
def _embedder(name: str) -> Embedder:
    from mmrag.models import load_embedder

    return load_embedder(name)
