"""Pages to chunks: passages of prose, pieces of tables, figures with their labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from mmrag.ingest.captions import FIGURE, TABLE, find_caption
from mmrag.ingest.continuation import link_tables
from mmrag.ingest.files import OutlineEntry
from mmrag.ingest.lines import Line, frame, inside, page_lines
from mmrag.ingest.packing import Passage, pack
from mmrag.ingest.sections import Sections
from mmrag.ingest.sentences import Unit, units_of, vocabulary
from mmrag.ingest.tables import display_grid, table_words
from mmrag.markdown import split_table, table_markdown, table_plain
from mmrag.records import Box, Chunk, ChunkKind, DocumentId, Figure, Identity, Page, PageStatus, Table, Word
from mmrag.settings import ChunkSettings


class Chunker:
    """Makes the chunks of one document, page by page.

    Prose never crosses a page, so a passage's page is exact; a table that runs over a page break
    keeps its header on every piece. Every word of an indexed page is in at least one chunk.

    Args:
        document: its id.
        identity: title, organisation and year, which ride on what is indexed.
        outline: its bookmarks, from which sections are named; headings are looked for without.
        settings: most tokens of a chunk, and of overlap.
        count_tokens: tokens of a text, as the text embedder counts them.
    """

    def __init__(
        self,
        document: DocumentId,
        identity: Identity,
        outline: Sequence[OutlineEntry],
        settings: ChunkSettings,
        count_tokens: Callable[[str], int],
    ) -> None:
        self._document = document
        self._label = identity.label()
        self._sections = Sections(outline)
        self._settings = settings
        self._count = count_tokens
        self._order = 0
        self.page: Page | None = None
        self.before: Page | None = None
        self._known: frozenset[str] = frozenset()

    def feed(self, page: Page) -> list[Chunk]:
        """Chunks of the next page; pages must come in order. A page that is not indexed has none.

        Afterwards ``page`` and ``before`` are this page and the one before it, a table that runs
        from one to the other being marked in both.
        """
        self.before, self.page = self.page, page
        if page.status is not PageStatus.INDEXED:
            return []
        if self.before is not None:
            self.before, page = link_tables(self.before, page)
        self.page = replace(page, image=None)
        self._known = _bounded(self._known | vocabulary(page.words))
        lines = page_lines(page.words)
        taken: set[int] = set()
        chunks: list[Chunk] = []
        tables = [(table, *self._claim_table(table, page, lines, taken)) for table in page.tables]
        figures = [(figure, *self._claim_figure(figure, page, lines, taken)) for figure in page.figures]
        units, places = self._units(page, lines, taken)
        for passage in pack(units, self._settings.tokens, self._settings.overlap, self._count):
            chunks.append(self._prose(page, passage))
        for table, caption in tables:
            section = _section_at(table.box, places) or self._sections.path()
            chunks.extend(self._table(page, table, caption, section))
        for figure, caption, labels in figures:
            section = _section_at(figure.box, places) or self._sections.path()
            chunks.extend(self._figure(page, figure, caption, labels, section))
        return chunks

    def finish(self) -> list[Chunk]:
        """Chunks held back for later pages: none, since passages end with their page."""
        return []

    def _claim_table(self, table: Table, page: Page, lines: Sequence[Line], taken: set[int]) -> tuple[str]:
        caption, words = find_caption(table.box, lines, TABLE, below_first=False)
        taken |= table_words(table, page.words)
        if caption:
            taken.update(words)
        return (table.caption or caption,)

    def _claim_figure(
        self, figure: Figure, page: Page, lines: Sequence[Line], taken: set[int]
    ) -> tuple[str, list[int]]:
        caption, words = find_caption(figure.box, lines, FIGURE, below_first=True)
        if any(index in taken for index in words):
            caption, words = "", ()
        labels = [
            i
            for i, word in enumerate(page.words)
            if i not in taken and i not in words and inside(word.box, figure.box)
        ]
        if not caption and len(labels) < 3:
            return "", []
        taken.update(labels, words)
        return caption, labels

    def _units(
        self, page: Page, lines: Sequence[Line], taken: set[int]
    ) -> tuple[list[Unit], list[tuple[Box, str]]]:
        """What is left for prose, cut into units, and the section at each of its lines."""
        left = [line for line in lines if not taken.issuperset(line.words)]
        if taken:
            left = [_without(line, page.words, taken) for line in left]
        marks = self._sections.mark(page.number, left, ocr=page.ocr)
        units: list[Unit] = []
        start = 0
        for end in range(1, len(left) + 1):
            if end < len(left) and left[end].block == left[start].block and marks[end] == marks[start]:
                continue
            mark = marks[start]
            units.extend(units_of(page.words, left[start:end], mark.section, mark.heading, self._known))
            start = end
        return units, [(line.box, mark.section) for line, mark in zip(left, marks, strict=True)]

    def _prose(self, page: Page, passage: Passage) -> Chunk:
        blocks: dict[int, Box] = {}
        for unit in passage.units:
            for index in unit.words:
                word = page.words[index]
                known = blocks.get(word.block)
                blocks[word.block] = word.box if known is None else known.union(word.box)
        text = passage.text
        sizes: Counter[str] = Counter()
        for unit in passage.units:
            sizes[unit.section] += len(unit.text)
        section = sizes.most_common(1)[0][0]  # the first of those that are as long
        return self._chunk(ChunkKind.PROSE, page, text, text, section, tuple(blocks.values()))

    def _table(self, page: Page, table: Table, caption: str, section: str) -> list[Chunk]:
        # A header that stands on an earlier page comes with every piece from there.
        offset = len(table.carried)
        grid, header_rows = (*table.carried, *display_grid(table)), offset or table.header_rows
        chunks = []
        # The caption rides on every piece too, but a long one must not leave the rows without room.
        most = self._settings.tokens
        room = max(most // 2, most - self._count(caption))
        pieces = split_table(grid, header_rows, room, self._count)
        for number, (first, last) in enumerate(pieces):
            markdown = table_markdown(grid, header_rows, first, last)
            plain = table_plain(grid, header_rows, first, last)
            rows = [table.row_box(row - offset) for row in range(first, last)]
            heads = [table.row_box(row) for row in range(table.header_rows)]
            boxes = [frame(rows)] if rows else []
            if heads:
                boxes = [frame([*heads, *rows])] if number == 0 else [*boxes, frame(heads)]
            repeated = bool(header_rows) and (number > 0 or offset > 0)
            chunks.append(
                self._chunk(
                    ChunkKind.TABLE,
                    page,
                    f"{caption}\n\n{markdown}" if caption else markdown,
                    f"{caption}\n{plain}" if caption else plain,
                    section,
                    tuple(boxes) or (table.box,),
                    repeated,
                )
            )
        return chunks

    def _figure(
        self, page: Page, figure: Figure, caption: str, labels: Sequence[int], section: str
    ) -> list[Chunk]:
        lines = page_lines([page.words[i] for i in labels])
        texts = [Unit(line.text, (), section, row=True) for line in lines]
        if caption:
            texts.insert(0, Unit(caption, (), section, row=True))
        passages = pack(texts, self._settings.tokens, 0, self._count)
        return [
            self._chunk(ChunkKind.FIGURE, page, passage.text, passage.text, section, (figure.box,))
            for passage in passages
        ]

    def _chunk(
        self,
        kind: ChunkKind,
        page: Page,
        text: str,
        indexed: str,
        section: str,
        boxes: tuple[Box, ...],
        header_repeated: bool = False,
    ) -> Chunk:
        chunk = Chunk(
            document=self._document,
            order=self._order,
            kind=kind,
            text=text,
            index_text="\n".join(part for part in (self._label, section, indexed) if part),
            pages=(page.number,),
            boxes=boxes,
            box_pages=(page.number,) * len(boxes),
            tokens=self._count(indexed),
            section=section,
            header_repeated=header_repeated,
        )
        self._order += 1
        return chunk


def _without(line: Line, words: Sequence[Word], taken: set[int]) -> Line:
    """A line without the words that went to a table or figure."""
    members = tuple(index for index in line.words if index not in taken)
    if len(members) == len(line.words):
        return line
    text = " ".join(words[index].text for index in members)
    return replace(line, words=members, text=text, box=frame([words[index].box for index in members]))


def _section_at(box: Box, places: Sequence[tuple[Box, str]]) -> str:
    """The section of the nearest line above a region."""
    above = [(place.y1, section) for place, section in places if place.y1 <= box.y0 + 2]
    return max(above)[1] if above else ""


def _bounded(known: frozenset[str], most: int = 200_000) -> frozenset[str]:
    """Keep the vocabulary of a very long document from growing without end."""
    return known if len(known) <= most else frozenset()
