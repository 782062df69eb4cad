"""Pages to chunks: passages of prose, pieces of tables, figures with their labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace

from mmrag.ingest.chunks.chunk_maker import ChunkMaker
from mmrag.ingest.chunks.packing import Passage, pack
from mmrag.ingest.chunks.supplement_chunks import supplement_chunks
from mmrag.ingest.chunks.table_chunks import table_chunks
from mmrag.ingest.files.info import OutlineEntry
from mmrag.ingest.tables.continuation import link_tables
from mmrag.ingest.tables.finding import table_words
from mmrag.ingest.text.captions import FIGURE, TABLE, find_captions
from mmrag.ingest.text.lines import Line, frame, inside, page_lines
from mmrag.ingest.text.running import Running
from mmrag.ingest.text.sections import Sections
from mmrag.ingest.text.sentences import Unit, ends_sentence, units_of, vocabulary
from mmrag.records import Box, Chunk, ChunkKind, DocumentId, Figure, Identity, Page, PageStatus, Word
from mmrag.settings import ChunkSettings
from mmrag.unspaced import unspaced, words_text


class Chunker:
    """Makes the chunks of one document, page by page.

    Prose never crosses a page, so a passage's page is exact; a table that runs over a page break
    keeps its header on every piece. Every word of an indexed page is in at least one chunk, but for
    running heads, feet and page numbers; they are kept where a page has nothing else.

    Args:
        document: its id.
        identity: title, organisation and year, which ride on what is indexed.
        outline: its bookmarks, from which sections are named; headings are looked for without.
        settings: most tokens of a chunk, and of overlap.
        count_tokens: tokens of a text, as the text embedder counts them.
        running: the document's running lines as far as they are known, see
            :func:`mmrag.ingest.text.running.scan_running`; more are learnt on the way.
        limit: most tokens that the text embedder takes at once, title and section path included; 0 when it
            takes any number.
    """

    def __init__(
        self,
        document: DocumentId,
        identity: Identity,
        outline: Sequence[OutlineEntry],
        settings: ChunkSettings,
        count_tokens: Callable[[str], int],
        running: frozenset[str] = frozenset(),
        limit: int = 0,
    ) -> None:
        self._maker = ChunkMaker(document, identity.label(), settings, count_tokens, limit)
        self._sections = Sections(outline)
        self._running = Running(running)
        self.page: Page | None = None
        self.before: Page | None = None
        self._known: frozenset[str] = frozenset()

    def feed(self, page: Page) -> list[Chunk]:
        """Chunks of the next page; pages must come in order.

        A page that is not indexed has none but those of what its office file holds beside its picture.
        Afterwards ``page`` and ``before`` are this page and the one before it, a table that runs
        from one to the other being marked in both.
        """
        self.before, self.page = self.page, page
        if page.status is not PageStatus.INDEXED:
            self._sections.mark(page.number, ())
            return supplement_chunks(self._maker, page, self._sections.path())
        if self.before is not None:
            self.before, page = link_tables(self.before, page)
        self.page = replace(page, image=None)
        self._known = _bounded(self._known | vocabulary(page.words))
        lines = page_lines(page.words)
        running = self._running.find(page, lines)
        taken: set[int] = set()
        tables = list(zip(page.tables, _claim_tables(page, lines, taken), strict=True))
        running -= taken
        if len(taken) + len(running) == len(page.words) and not taken:
            running = set()
        taken |= running
        figures = _claim_figures(page, lines, taken)
        units, places = self._units(page, lines, taken)
        passages = pack(units, self._maker.tokens, self._maker.overlap, self._maker.count)
        chunks = [self._prose(page, passage) for passage in passages]
        for table, caption in tables:
            section = _section_at(table.box, places) or self._sections.path()
            chunks.extend(table_chunks(self._maker, page, table, caption, section))
        for figure, caption, labels in figures:
            section = _section_at(figure.box, places) or self._sections.path()
            chunks.extend(self._figure(page, figure, caption, labels, section))
        return chunks + supplement_chunks(self._maker, page, self._sections.path())

    def finish(self) -> list[Chunk]:
        """Chunks held back for later pages: none, since passages end with their page."""
        return []

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
            if end < len(left) and marks[end] == marks[start] and _one_paragraph(left[end - 1], left[end]):
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
        sizes: Counter[str] = Counter()
        for unit in passage.units:
            sizes[unit.section] += len(unit.text)
        section = sizes.most_common(1)[0][0]  # the first of those that are as long
        return self._maker.make(ChunkKind.PROSE, page, passage.text, section, tuple(blocks.values()))

    def _figure(
        self, page: Page, figure: Figure, caption: str, labels: Sequence[int], section: str
    ) -> list[Chunk]:
        texts = [Unit(text, (), section, row=True) for text in _labels([page.words[i] for i in labels])]
        if caption:
            texts.insert(0, Unit(caption, (), section, row=True))
        passages = pack(texts, self._maker.tokens, 0, self._maker.count)
        return [
            self._maker.make(ChunkKind.FIGURE, page, passage.text, section, (figure.box,))
            for passage in passages
        ]


def _one_paragraph(last: Line, line: Line) -> bool:
    """Whether a line belongs to the block of the one before it, or goes on with its sentence.

    A change of type within a line, or of column, can part a paragraph.
    """
    if line.block == last.block:
        return True
    alike = abs(line.size - last.size) < 0.3 and line.bold == last.bold
    near = -0.5 * line.size < line.box.y0 - last.box.y1 < 0.8 * line.size
    next_column = line.box.x0 >= last.box.x1 and line.box.y1 < last.box.y0
    goes_on = line.text[0].islower() or (unspaced(line.text[0]) and unspaced(last.text[-1]))
    return alike and goes_on and not ends_sentence(last.text) and (near or next_column)


def _claim_tables(page: Page, lines: Sequence[Line], taken: set[int]) -> list[str]:
    """The caption of each table; its words and the table's are added to those ``taken``."""
    found = find_captions([table.box for table in page.tables], lines, TABLE, below_first=False)
    captions = []
    for table, (caption, words) in zip(page.tables, found, strict=True):
        taken |= table_words(table, page.words)
        known = table.caption
        # A table found alone may have been given its neighbour's.
        if not caption and any(other and known.startswith(other) for other, _ in found):
            known = ""
        if caption in known or not known:
            taken.update(words)
        captions.append(known or caption)
    return captions


def _claim_figures(page: Page, lines: Sequence[Line], taken: set[int]) -> list[tuple[Figure, str, list[int]]]:
    """Each figure with its caption and the words in it; both are added to those ``taken``."""
    found = find_captions([figure.box for figure in page.figures], lines, FIGURE, below_first=True)
    claimed: list[tuple[Figure, str, list[int]]] = []
    for figure, (caption, words) in zip(page.figures, found, strict=True):
        if any(index in taken for index in words):
            caption, words = "", ()
        labels = [
            index
            for index, word in enumerate(page.words)
            if index not in taken and index not in words and inside(word.box, figure.box)
        ]
        if not caption and len(labels) < 3:
            labels = []
        taken.update(labels, words)
        claimed.append((figure, caption, labels))
    return claimed


def _labels(words: Sequence[Word]) -> list[str]:
    """The lines of text in a figure, a bullet that stands apart with the line that it belongs to."""
    texts: list[str] = []
    for line in page_lines(words):
        if texts and len(texts[-1]) == 1 and not texts[-1].isalnum():
            texts[-1] += f" {line.text}"
        else:
            texts.append(line.text)
    return texts


def _without(line: Line, words: Sequence[Word], taken: set[int]) -> Line:
    """A line without the words that went to a table or figure."""
    members = tuple(index for index in line.words if index not in taken)
    if len(members) == len(line.words):
        return line
    text = words_text([words[index] for index in members])
    return replace(line, words=members, text=text, box=frame([words[index].box for index in members]))


def _section_at(box: Box, places: Sequence[tuple[Box, str]]) -> str:
    """The section of the nearest line above a region."""
    above = [(place.y1, section) for place, section in places if place.y1 <= box.y0 + 2]
    return max(above)[1] if above else ""


def _bounded(known: frozenset[str], most: int = 200_000) -> frozenset[str]:
    """Keep the vocabulary of a very long document from growing without end."""
    return known if len(known) <= most else frozenset()
