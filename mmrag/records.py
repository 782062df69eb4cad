"""The words of mmrag: frozen records that every room shares.

Boxes are in points (1/72 inch), origin top left, of the page as displayed (after rotation).
Page numbers are 1-based, as a viewer shows them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DocumentId = str
"""First 32 hexadecimal digits of the SHA-256 of the file's bytes: same bytes, same document."""


class Box(NamedTuple):
    """A rectangle in page points, origin top left: ``x0 <= x1``, ``y0 <= y1``."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def area(self) -> float:
        """Square points."""
        return max(0.0, self.x1 - self.x0) * max(0.0, self.y1 - self.y0)

    def union(self, other: Box) -> Box:
        """The smallest box that holds both."""
        return Box(
            min(self.x0, other.x0),
            min(self.y0, other.y0),
            max(self.x1, other.x1),
            max(self.y1, other.y1),
        )

    def overlap(self, other: Box) -> float:
        """Shared area in square points."""
        width = min(self.x1, other.x1) - max(self.x0, other.x0)
        height = min(self.y1, other.y1) - max(self.y0, other.y0)
        return max(0.0, width) * max(0.0, height)


class WordSource(StrEnum):
    """Where a word was read."""

    TEXT_LAYER = "text"
    OCR = "ocr"


class PageStatus(StrEnum):
    """What became of a page; everything but ``INDEXED`` comes with a reason."""

    INDEXED = "indexed"
    BLANK = "blank"
    ENCRYPTED = "encrypted"
    CORRUPT = "corrupt"
    TOO_LARGE = "too_large"
    UNSUPPORTED = "unsupported"
    FAILED = "failed"


class ChunkKind(StrEnum):
    """What a chunk holds."""

    PROSE = "prose"
    TABLE = "table"
    FIGURE = "figure"
    NOTES = "notes"


@dataclass(frozen=True, slots=True)
class Word:
    """One word as it stands on the page, in reading order.

    ``line`` counts the page's lines from 0 in reading order and ``block`` its paragraphs or
    columns; ``size`` is the font size in points (for OCR, the height of its line).
    """

    text: str
    box: Box
    source: WordSource
    line: int
    block: int
    size: float
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Cell:
    """One table cell; ``row`` and ``column`` count from 0."""

    text: str
    row: int
    column: int
    box: Box
    row_span: int = 1
    column_span: int = 1


@dataclass(frozen=True, slots=True)
class Table:
    """A table on one page.

    ``header_rows`` is how many leading rows are header. ``continued_from`` and
    ``continues_on`` name the neighbouring page when one table runs over a page break.
    """

    cells: tuple[Cell, ...]
    rows: int
    columns: int
    header_rows: int
    box: Box
    caption: str = ""
    continued_from: int | None = None
    continues_on: int | None = None

    def grid(self) -> tuple[tuple[str, ...], ...]:
        """The text of every position, ``rows`` by ``columns``; a spanned position repeats its cell."""
        filled = [[""] * self.columns for _ in range(self.rows)]
        for cell in self.cells:
            for row in range(cell.row, min(self.rows, cell.row + cell.row_span)):
                for column in range(cell.column, min(self.columns, cell.column + cell.column_span)):
                    filled[row][column] = cell.text
        return tuple(tuple(row) for row in filled)

    def row_box(self, row: int) -> Box:
        """The box of one row (the table's own box when the row has no cells)."""
        boxes = [c.box for c in self.cells if c.row <= row < c.row + c.row_span]
        if not boxes:
            return self.box
        merged = boxes[0]
        for box in boxes[1:]:
            merged = merged.union(box)
        return merged

    def to_markdown(self, first: int | None = None, last: int | None = None) -> str:
        """A GitHub-flavoured Markdown table with the header on top.

        Args:
            first: first body row to show, counted from the table's first row; all when None.
            last: row to stop before; the header is repeated whatever they are.
        """
        from mmrag.ingest.markdown import table_markdown

        return table_markdown(self.grid(), self.header_rows, first, last)


@dataclass(frozen=True, slots=True)
class Figure:
    """A picture or drawing that takes a notable part of the page."""

    box: Box
    caption: str = ""


@dataclass(frozen=True, slots=True)
class PageImage:
    """The page as a picture: WebP bytes, width and height in pixels."""

    data: bytes
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Page:
    """One page as read.

    ``context`` is the identity of its document ("Annual report 2024, Acme") which rides on
    everything that is indexed, since pages of look-alike reports don't say whose they are.
    ``seconds`` is the time spent reading it; ``notes`` say what a reader should know.
    """

    document: DocumentId
    number: int
    width: float
    height: float
    status: PageStatus
    reason: str = ""
    label: str = ""
    rotation: int = 0
    words: tuple[Word, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    image: PageImage | None = None
    context: str = ""
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def ocr(self) -> bool:
        """Whether any word was read by OCR."""
        return any(w.source is WordSource.OCR for w in self.words)


@dataclass(frozen=True, slots=True)
class Chunk:
    """A passage to retrieve.

    ``text`` is for reading; ``index_text`` is what the text legs index: the document's identity,
    the section path and the caption, then the text. ``boxes`` pairs with ``box_pages``.
    ``order`` counts the document's chunks from 0.
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


@dataclass(frozen=True, slots=True)
class Identity:
    """Whose document it is: title, organisation and year, each empty or None when unknown."""

    title: str
    organisation: str = ""
    year: int | None = None

    def label(self) -> str:
        """One line that rides on everything indexed, e.g. ``Annual report, Acme, 2024``."""
        parts = [self.title]
        if self.organisation and self.organisation.casefold() not in self.title.casefold():
            parts.append(self.organisation)
        if self.year is not None and str(self.year) not in self.title:
            parts.append(str(self.year))
        return ", ".join(part for part in parts if part)


@dataclass(frozen=True, slots=True)
class Access:
    """Who may read a document: readers of ``tenant``, and of one of ``groups`` when any is named."""

    tenant: str = "public"
    groups: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reader:
    """Who asks. The default reader sees what is public and open to all groups."""

    tenant: str = "public"
    groups: tuple[str, ...] = ()

    def may_read(self, access: Access) -> bool:
        """Whether a document with this access is visible to the reader."""
        if access.tenant != self.tenant:
            return False
        return not access.groups or bool(set(access.groups) & set(self.groups))


@dataclass(frozen=True, slots=True)
class Document:
    """A document in a library.

    ``pages`` counts the pages of the file and ``statuses`` how many ended with each status.
    ``added`` is an ISO 8601 UTC time. ``version`` counts the files seen at ``path`` from 1.
    """

    id: DocumentId
    name: str
    path: str
    identity: Identity
    pages: int
    statuses: Mapping[str, int]
    access: Access
    tags: tuple[str, ...]
    added: str
    version: int
    size: int

    @property
    def title(self) -> str:
        """The identity's title."""
        return self.identity.title


@dataclass(frozen=True, slots=True)
class LegRank:
    """Where one leg of the search put a page: rank from 1, and the leg's own score."""

    leg: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that speaks for a page, with its score in the leg that found it."""

    chunk: Chunk
    leg: str
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that was found.

    ``score`` is the fused score, ``legs`` the page's rank in each leg that found it, ``passages``
    its best chunks, ``boxes`` the places on the page that matched, best first.
    """

    document: DocumentId
    name: str
    title: str
    page: int
    score: float
    legs: tuple[LegRank, ...]
    passages: tuple[Passage, ...]
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """One stage of a question: what went in, what came out with which scores, and how long it took."""

    stage: str
    inputs: tuple[str, ...]
    outputs: tuple[tuple[str, float], ...]
    ms: float
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The pages found, best first, and the trace of how."""

    question: str
    hits: tuple[Hit, ...]
    trace: tuple[TraceEntry, ...]


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an answerer may look at: one page with its passages, words and tables.

    ``id`` is what answers cite it by (``E1``, ``E2``, best first); ``vectors`` are the page's stored
    multi-vectors, for answerers that score places on it.
    """

    id: str
    hit: Hit
    page: Page
    vectors: PageVectors


@dataclass(frozen=True, slots=True)
class Citation:
    """What a sentence of the answer rests on; ``reason`` says why it is not verified when it is not."""

    document: DocumentId
    name: str
    page: int
    boxes: tuple[Box, ...]
    quote: str
    verified: bool
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens a model was charged for; zero for answerers that run no language model."""

    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Quote:
    """Words an answerer says stand on a piece of evidence; ``heading`` is a table row's header."""

    evidence: str
    text: str
    boxes: tuple[Box, ...]
    score: float
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """What an answerer says before its citations are checked.

    ``confidence`` is 0..1: how sure the answerer is that the evidence answers the question.
    """

    text: str
    quotes: tuple[Quote, ...]
    confidence: float
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer and what it rests on, or an abstention that says where to look."""

    question: str
    text: str
    citations: tuple[Citation, ...]
    abstained: bool
    reason: str
    answerer: str
    hits: tuple[Hit, ...]
    trace: tuple[TraceEntry, ...]
    usage: Usage = Usage()
    confidence: float = 0.0


@dataclass(frozen=True, slots=True)
class Progress:
    """One step of adding files.

    ``kind`` is ``file_started | page_done | file_done | file_skipped | file_failed | finished``.
    ``page`` and ``pages`` count within the file; ``status`` and ``reason`` are the page's or the
    file's; ``seconds`` is the work of the page, or the wall time of the file.
    """

    kind: str
    path: str
    document: DocumentId = ""
    page: int = 0
    pages: int = 0
    status: str = ""
    reason: str = ""
    seconds: float = 0.0
    ocr: bool = False


@dataclass(frozen=True, slots=True)
class AddReport:
    """What adding came to: documents added, skipped as known, and files that failed with reasons."""

    added: tuple[DocumentId, ...] = ()
    skipped: tuple[DocumentId, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    pages: int = 0
    statuses: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
