"""The words of mmrag: frozen records that every room shares.

Boxes are in points (1/72 inch), origin top left, of the page as displayed (after rotation).
Page numbers are 1-based, as a viewer shows them.
"""

from mmrag.records.answers import Answer, Citation, Draft, Evidence, Quote, Usage
from mmrag.records.chunks import Chunk, ChunkKind, PageVectors
from mmrag.records.documents import (
    Access,
    AddReport,
    Document,
    DocumentId,
    FileNote,
    Identity,
    Progress,
    Reader,
)
from mmrag.records.geometry import Box
from mmrag.records.pages import Cell, Figure, Page, PageImage, PageStatus, Supplement, Table, Word, WordSource
from mmrag.records.search import Hit, LegRank, Passage, SearchResult, TraceEntry

__all__ = [
    "Access",
    "AddReport",
    "Answer",
    "Box",
    "Cell",
    "Chunk",
    "ChunkKind",
    "Citation",
    "Document",
    "DocumentId",
    "Draft",
    "Evidence",
    "Figure",
    "FileNote",
    "Hit",
    "Identity",
    "LegRank",
    "Page",
    "PageImage",
    "PageStatus",
    "PageVectors",
    "Passage",
    "Progress",
    "Quote",
    "Reader",
    "SearchResult",
    "Supplement",
    "Table",
    "TraceEntry",
    "Usage",
    "Word",
    "WordSource",
]
