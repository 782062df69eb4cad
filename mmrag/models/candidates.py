"""What on the evidence could be quoted: sentences and table rows, each with what stands over it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mmrag.models.sentences import Sentence, inside, sentences, split_text
from mmrag.records import Box, Evidence, Page, Supplement, Table, Word, WordSource

# A line whose type is larger than this many times the page's middle size is a heading. The sizes of
# words read by OCR are heights of their letters and vary by a third within a line.
HEADING_SIZE = {WordSource.TEXT_LAYER: 1.25, WordSource.OCR: 1.6}
HEADING_WORDS = 14
LABEL_WORDS = 4
# Bare numbers are the marks of an axis; they tell something with a word or a unit.
_TELLS = re.compile(r"[^\W\d_]|[%\u2030$\u20ac\u00a3\u00a5]")


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence or table row that might answer.

    ``over`` is the heading it stands under, ``heading`` a table's caption and header; ``words`` are its
    own and those of what stands over it, none for what stands beside the page's picture. ``label`` says that
    it names a matter rather than tells of it.
    """

    evidence: Evidence
    text: str
    heading: str
    over: str
    boxes: tuple[Box, ...]
    words: tuple[Word, ...]
    label: bool


def candidates_of(evidence: Sequence[Evidence]) -> list[Candidate]:
    """Everything that could be quoted, page by page.

    Headings are quoted only where nothing stands under them or they hold a number, and lines that run
    over pages (heads, feet) never.
    """
    running = _running_lines(evidence)
    return [candidate for piece in evidence for candidate in _on_page(piece, running)]


def _on_page(piece: Evidence, running: frozenset[str]) -> list[Candidate]:
    page = piece.page
    found: list[Candidate] = []
    heads: list[Candidate] = []
    over: Sentence | None = None
    for sentence in sentences(page.words, page.tables):
        if _letters(sentence.text) in running or not _TELLS.search(sentence.text):
            continue
        if _is_heading(sentence, page):
            over = sentence
            head = Candidate(piece, sentence.text, "", "", sentence.line_boxes(), sentence.words, True)
            heads.append(head)
            if any(c.isdigit() for c in sentence.text):
                found.append(head)
            continue
        found.append(
            Candidate(
                piece,
                sentence.text,
                "",
                over.text if over else "",
                sentence.line_boxes(),
                (*(over.words if over else ()), *sentence.words),
                len(sentence.words) < LABEL_WORDS,
            )
        )
    for table in page.tables:
        found += _rows(piece, table)
    for supplement in page.supplements:
        found += _beside(piece, supplement)
    return found or heads


def _beside(piece: Evidence, supplement: Supplement) -> list[Candidate]:
    """Sentences and rows of what an office file holds beside the page's picture."""
    page = piece.page
    boxes = (supplement.box or Box(0.0, 0.0, page.width, page.height),)
    heading = supplement.heading()
    found = [
        Candidate(piece, text, "", supplement.title, boxes, (), len(text.split()) < LABEL_WORDS)
        for text in split_text(supplement.text)
        if _TELLS.search(text)
    ]
    rows = [" | ".join(" ".join(cell.split()) for cell in row) for row in supplement.body() if any(row)]
    return [*found, *(Candidate(piece, row, heading, "", boxes, (), False) for row in rows)]


def _rows(piece: Evidence, table: Table) -> list[Candidate]:
    grid = table.grid()
    heading = "\n".join(part for part in (table.caption, " | ".join(table.header())) if part)
    head_boxes = [table.row_box(row) for row in range(table.header_rows)]
    head_words = [word for word in piece.page.words if any(inside(word.box, box) for box in head_boxes)]
    found = []
    for row in range(table.header_rows, table.rows):
        if not any(cell.strip() for cell in grid[row]):
            continue
        box = table.row_box(row)
        words = [word for word in piece.page.words if inside(word.box, box)]
        text = " | ".join(" ".join(cell.split()) for cell in grid[row])
        found.append(Candidate(piece, text, heading, "", (box,), (*head_words, *words), False))
    return found


def _is_heading(sentence: Sentence, page: Page) -> bool:
    words = sentence.words
    if len(words) > HEADING_WORDS:
        return False
    sizes = sorted(word.size for word in page.words)
    if words[0].size > HEADING_SIZE[words[0].source] * sizes[len(sizes) // 2]:
        return True
    bold = sum(word.bold for word in page.words)
    return all(word.bold for word in words) and 4 * bold < len(page.words) and words[-1].text[-1] not in ".!?"


def _running_lines(evidence: Sequence[Evidence]) -> frozenset[str]:
    """Lines that stand on two pages or more of a document, page numbers aside."""
    seen: Counter[tuple[str, str]] = Counter()
    for piece in evidence:
        lines: dict[int, list[str]] = {}
        for word in piece.page.words:
            lines.setdefault(word.line, []).append(word.text)
        seen.update({(piece.hit.document, _letters(" ".join(line))) for line in lines.values()})
    return frozenset(text for (_, text), count in seen.items() if count > 1 and text)


def _letters(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalpha())
