"""From loose cell boxes to a grid of cells with spans, text and header."""

from __future__ import annotations

import bisect
import re
from collections.abc import Sequence
from dataclasses import replace

from mmrag.ingest.text.bidi import mostly_rtl
from mmrag.ingest.text.lines import inside
from mmrag.records import Box, Cell, Word
from mmrag.unspaced import words_text

_SNAP = 2.5  # points within which edges are one edge
_LEVEL = 0.4  # of the height: words of one line are no further apart
_MOST_WORDS = 8  # in a head under a head; longer texts are body
_NUMBER = re.compile(r"[-+(]?[$€£¥]?\s*[-+(]?\d[\d.,\s]*[%)]*\s*[%$€£¥]?")
_LEADERS = re.compile(r"(?<=\S)(?:\s?[.\u2026\u00b7_]){4,}\s*$")
_PARTED = re.compile(r"(\(?[$\u20ac\u00a3]?\s?\d{1,3}(?:,\d{3})*\.) (\d{1,3}\)?%?)")
_YEAR = re.compile(r"(?:FY\s?)?(?:19|20)\d\d[A-Z]?")


def as_grid(boxes: Sequence[Box]) -> list[Cell]:
    """Number cells by row and column; a cell that passes several edges spans them."""
    columns = _edges([(box.x0, box.x1) for box in boxes])
    rows = _edges([(box.y0, box.y1) for box in boxes])
    cells: dict[tuple[int, int], Cell] = {}
    for box in sorted(boxes, key=lambda b: (b.y0, b.x0, b.area)):
        row, column = _index(rows, box.y0), _index(columns, box.x0)
        row_span = max(1, _index(rows, box.y1) - row)
        column_span = max(1, _index(columns, box.x1) - column)
        cells.setdefault((row, column), Cell("", row, column, box, row_span, column_span))
    return sorted(cells.values(), key=lambda cell: (cell.row, cell.column))


def _edges(spans: Sequence[tuple[float, float]]) -> list[float]:
    edges: list[float] = []
    for value in sorted(value for span in spans for value in span):
        if not edges or value - edges[-1] > _SNAP:
            edges.append(value)
    return edges


def _index(edges: Sequence[float], value: float) -> int:
    return max(0, bisect.bisect_right(edges, value + 1e-6) - 1)


def fill(cells: Sequence[Cell], words: Sequence[Word]) -> list[Cell]:
    """Give each cell the words whose middle lies in it, in reading order; a word goes to one cell."""
    texts: list[list[Word]] = [[] for _ in cells]
    for word in words:
        for index, cell in enumerate(cells):
            if inside(word.box, cell.box):
                texts[index].append(word)
                break
    return [
        replace(cell, text=plain_text(words_text(by_lines(text))))
        for cell, text in zip(cells, texts, strict=True)
    ]


def plain_text(text: str) -> str:
    """A cell's text without the dots that lead on to the next column, and with a figure's decimals joined."""
    parted = _PARTED.fullmatch(text)
    return parted.group(1) + parted.group(2) if parted else _LEADERS.sub("", text)


def by_lines(words: Sequence[Word]) -> list[Word]:
    """The words of one cell line by line, whatever order the file has them in.

    Text that runs from right to left or up the page comes in its own order and stays in it.
    """
    tall = sum(word.box.y1 - word.box.y0 > word.box.x1 - word.box.x0 for word in words if len(word.text) > 2)
    if len(words) < 2 or mostly_rtl(words) or 2 * tall > len(words):
        return list(words)
    lines: list[list[Word]] = []
    for word in sorted(words, key=lambda w: (_middle(w), w.box.x0)):
        last = lines[-1][-1] if lines else None
        if last is not None and _middle(word) - _middle(last) <= _LEVEL * min(_height(word), _height(last)):
            lines[-1].append(word)
        else:
            lines.append([word])
    return [word for line in lines for word in sorted(line, key=lambda w: w.box.x0)]


def _middle(word: Word) -> float:
    return (word.box.y0 + word.box.y1) / 2


def _height(word: Word) -> float:
    return word.box.y1 - word.box.y0


def without_empty(cells: Sequence[Cell]) -> list[Cell]:
    """Drop rows and columns without a word (spacers) and number the rest anew."""
    rows = sorted({cell.row for cell in cells if cell.text})
    columns = sorted({cell.column for cell in cells if cell.text})
    kept = []
    for cell in cells:
        row_span = _count(rows, cell.row, cell.row + cell.row_span)
        column_span = _count(columns, cell.column, cell.column + cell.column_span)
        if row_span and column_span:
            row, column = bisect.bisect_left(rows, cell.row), bisect.bisect_left(columns, cell.column)
            kept.append(replace(cell, row=row, column=column, row_span=row_span, column_span=column_span))
    return kept


def _count(kept: Sequence[int], start: int, stop: int) -> int:
    return bisect.bisect_left(kept, stop) - bisect.bisect_left(kept, start)


def is_table(cells: Sequence[Cell]) -> bool:
    """Whether cells make a table and not a frame around prose, a chart's grid or a form's box.

    At least two rows and two columns hold text, enough of the cells do, and no single cell is a
    passage that outweighs the rest (unless the rest is a full grid).

    Args:
        cells: as drawn, empty rows and columns included (wide tables have spacers).
    """
    filled = [cell for cell in cells if cell.text]
    if (
        len(filled) < 0.15 * len(cells)
        or len({cell.row for cell in filled}) < 2
        or len({cell.column for cell in filled}) < 2
    ):
        return False
    counts = [len(cell.text.split()) for cell in filled]
    full = len(filled) >= 6 and len(filled) >= 0.8 * len(cells)
    if not full and max(counts) >= 40 and max(counts) >= 0.6 * sum(counts):
        return False
    return sum(counts) <= 60 * len(filled)


def split_title(cells: Sequence[Cell]) -> tuple[str, list[Cell]]:
    """Part leading rows that are one cell across the whole width from the table: they name it."""
    columns = max(cell.column + cell.column_span for cell in cells)
    rows = max(cell.row + cell.row_span for cell in cells)
    titles: list[str] = []
    for row in range(rows - 2):
        members = [cell for cell in cells if cell.row <= row < cell.row + cell.row_span]
        if len(members) != 1 or members[0].column_span < columns or members[0].row_span > 1:
            break
        titles.append(members[0].text)
    kept = [replace(cell, row=cell.row - len(titles)) for cell in cells if cell.row >= len(titles)]
    return " ".join(titles), kept


def number_of_header_rows(cells: Sequence[Cell]) -> int:
    """How many leading rows are header.

    None when the first row is figures. Otherwise the first row and those its cells reach into,
    and one more under spanning heads when no figure stands in it; one row always stays body.
    """
    rows = max(cell.row + cell.row_span for cell in cells)
    top = [cell for cell in cells if cell.row == 0 and cell.text]
    if 2 * sum(is_figure(cell.text) for cell in top) > len(top):
        return 0
    end = 1
    while True:
        reach = max((cell.row + cell.row_span for cell in cells if cell.row < end), default=end)
        if reach <= end:
            break
        end = reach
    second = [cell for cell in cells if cell.row == 1 and cell.text]
    plain = len(second) > 1 and not any(
        is_figure(cell.text) or len(cell.text.split()) > _MOST_WORDS for cell in second
    )
    if end == 1 and plain and any(cell.column_span > 1 for cell in top):
        end = 2
    return end if end < rows else min(1, rows - 1)


def is_figure(text: str) -> bool:
    """Whether a cell is a number, an amount or a percentage; years are heads as often, so not."""
    text = text.strip()
    return bool(_NUMBER.fullmatch(text)) and not is_year(text)


def is_year(text: str) -> bool:
    """Whether a cell is a year such as ``2023`` or ``FY2023``."""
    return bool(_YEAR.fullmatch(text.strip()))
