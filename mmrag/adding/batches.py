"""Pages that are read and embedded become a batch of rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mmrag.adding.jobs import Done, failed
from mmrag.crew.crew import CrewBroken, CrewStopped
from mmrag.errors import MmragError
from mmrag.index.writer import Batch
from mmrag.records import Page, PageStatus, PageVectors

if TYPE_CHECKING:
    from mmrag.models.protocols import Embedder
    from mmrag.records import Chunk


def assemble(batch: Sequence[Done], embedder: Embedder) -> Batch:
    """Wait for the pages' embeddings; a page that cannot be embedded has failed, and its job knows.

    Raises:
        MmragError: the model cannot be used at all.
        CrewStopped, CrewBroken: the crew did not finish.
    """
    pages: list[Page] = []
    vectors: list[PageVectors] = []
    chunks: list[Chunk] = []
    chunk_vectors: list[NDArray[np.float32]] = [np.zeros((0, embedder.text_dim), np.float32)]
    for done in batch:
        page = done.page
        try:
            embedded = done.embedding.result()
        except (MmragError, CrewStopped, CrewBroken):
            raise
        except Exception as error:  # whatever a model throws at one page is that page's status
            page = failed(page, f"it could not be embedded: {error or type(error).__name__}")
            vectors.append(PageVectors(np.zeros((0, embedder.dim), np.float16), np.zeros((0, 4), np.float32)))
        else:
            page = replace(page, seconds=page.seconds + embedded.seconds)
            vectors.append(embedded.page)
            chunks += done.chunks
            chunk_vectors.append(embedded.chunks)
        pages.append(page)
        if page.status is PageStatus.FAILED:
            done.job.trouble = done.job.trouble or page.reason
    return Batch(tuple(pages), tuple(vectors), tuple(chunks), np.concatenate(chunk_vectors))
