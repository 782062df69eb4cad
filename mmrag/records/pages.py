"""What is read: words, tables, figures, pages."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from mmrag.markdown import header_line, table_markdown
from mmrag.records.chunks import ChunkKind
from mmrag.records.documents import DocumentId
from mmrag.records.geometry import Box
from mmrag.records.table_html import table_html, unique_names


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
    ``continues_on`` name the neighbouring page when one table runs over a page break; ``carried``
    is then the header of the page it began on, row by row, when it is not printed again here.
    """

    cells: tuple[Cell, ...]
    rows: int
    columns: int
    header_rows: int
    box: Box
    caption: str = ""
    continued_from: int | None = None
    continues_on: int | None = None
    carried: tuple[tuple[str, ...], ...] = ()

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
        above = len(self.carried)
        grid = (*self.carried, *self.grid())
        start = None if first is None else first + above
        stop = None if last is None else last + above
        return table_markdown(grid, above or self.header_rows, start, stop)

    def to_html(self) -> str:
        """HTML with spans: ``table``, ``caption``, ``thead`` of ``th``, ``tbody`` of ``td``, one row a line.

        A header carried over from an earlier page comes first in ``thead``, without spans. A cell that
        reaches from the header into the body is told in both, since HTML ends spans with ``thead``.
        Texts are escaped, their line ends are ``<br>``; positions without a cell are empty cells.
        """
        return table_html(self)

    def to_rows(self) -> list[dict[str, str]]:
        """Body rows for code: header text to cell text, from top to bottom.

        Keys are those of :meth:`header`, made unique: the second ``2023`` is ``2023 (2)``, the third
        column without a header is ``column 3``. Spanned positions repeat their cell's text.
        """
        names = unique_names(self.header() or ("",) * self.columns)
        return [dict(zip(names, row, strict=True)) for row in self.grid()[self.header_rows :]]

    def header(self) -> tuple[str, ...]:
        """One text a column, of this page's header rows or of those carried over; empty without any."""
        rows = self.carried or self.grid()[: self.header_rows]
        return tuple(header_line(rows, len(rows))) if rows else ()


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
class Supplement:
    """What an office file holds beside a page's picture: speaker notes, alt text, a chart's data.

    ``kind`` is the kind of chunk it becomes: notes, figure or table. ``title`` says what it is
    ("Speaker notes", a chart's title); ``rows`` is a grid of texts whose first ``header_rows`` are
    header, empty for plain ``text``. ``box`` is where on the page it belongs, in points; None: all of it.
    """

    kind: ChunkKind
    title: str = ""
    text: str = ""
    rows: tuple[tuple[str, ...], ...] = ()
    header_rows: int = 0
    box: Box | None = None

    def header(self) -> tuple[str, ...]:
        """One text a column of ``rows``; empty without header rows."""
        return tuple(header_line(self.rows, self.header_rows)) if self.header_rows else ()

    def body(self) -> tuple[tuple[str, ...], ...]:
        """The rows below the header."""
        return self.rows[self.header_rows :]

    def heading(self) -> str:
        """What stands over each row: the title and the header, a line each."""
        return "\n".join(part for part in (self.title, " | ".join(self.header())) if part)

    def plain(self) -> str:
        """Every word of it as running text: title, text, header and rows."""
        lines = (self.title, self.text, *(" ".join(cell for cell in row if cell) for row in self.rows))
        return "\n".join(line for line in lines if line)


@dataclass(frozen=True, slots=True)
class Page:
    """One page as read.

    ``context`` is the identity of its document ("Annual report 2024, Acme") which rides on
    everything that is indexed, since pages of look-alike reports don't say whose they are.
    ``invisible`` are words of the text layer that the page does not show: they are kept apart from
    ``words``, so that nothing reads, indexes or cites them. ``supplements`` come from the office file
    the page was made of; ``hidden`` marks a slide that is hidden in its deck.
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
    invisible: tuple[Word, ...] = ()
    supplements: tuple[Supplement, ...] = ()
    hidden: bool = False

    @property
    def ocr(self) -> bool:
        """Whether any word was read by OCR."""
        return any(w.source is WordSource.OCR for w in self.words)
