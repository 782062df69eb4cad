"""What is retrieved: passages and multi-vectors."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from mmrag.records.documents import DocumentId
from mmrag.records.geometry import Box

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class ChunkKind(StrEnum):
    """What a chunk holds."""

    PROSE = "prose"
    TABLE = "table"
    FIGURE = "figure"
    NOTES = "notes"


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage to retrieve.

    ``text`` is for reading; ``index_text`` is what the text legs index: the document's identity,
    the section path and the caption, then the text. ``boxes`` pairs with ``box_pages``.
    ``order`` counts the document's chunks from 0. ``rows`` are the body rows that a piece of a table
    holds, ``(first, stop)`` counted from the table's first row on its page; None when it is no such piece.
    """

    document: DocumentId
    order: int
    kind: ChunkKind
    text: str
    index_text: str
    pages: tuple[int, ...]
    boxes: tuple[Box, ...]
    box_pages: tuple[int, ...]
    tokens: int
    section: str = ""
    header_repeated: bool = False
    rows: tuple[int, int] | None = None

    @property
    def id(self) -> str:
        """``<document>:<order>``, stable for the same bytes and settings."""
        return f"{self.document}:{self.order}"


@dataclass(frozen=True, slots=True)
class PageVectors:
    """A page's multi-vectors.

    ``vectors`` is float16 ``(n, dim)``, rows of unit length, never padded. ``boxes`` is float32
    ``(n, 4)`` in page points: where each vector looks; rows of NaN look at no place (the
    document's identity).
    """

    vectors: NDArray[np.float16]
    boxes: NDArray[np.float32]
