"""What worker processes do: read a page, embed a page. Module-level functions over picklable values."""

from __future__ import annotations

import functools
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mmrag.records import PageVectors

if TYPE_CHECKING:
    from mmrag.ingest import Source
    from mmrag.models.protocols import Embedder
    from mmrag.records import Page
    from mmrag.settings import ReadSettings


@dataclass(frozen=True, slots=True)
class Embedded:
    """A page's multi-vectors, its chunks' vectors ``(len(texts), text_dim)``, and the seconds it took."""

    page: PageVectors
    chunks: NDArray[np.float32]
    seconds: float


def read_page(source: Source, document: str, number: int, settings: ReadSettings) -> Page:
    """See :func:`mmrag.ingest.read_page`."""
    from mmrag.ingest import read_page as read

    return read(source, document, number, settings)


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
