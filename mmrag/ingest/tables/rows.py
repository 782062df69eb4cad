"""Rows that no rule parts: a table ruled by columns alone has all its rows in one tall row of cells."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mmrag.ingest.tables.cells import is_figure, is_year
from mmrag.ingest.text.lines import frame, inside
from mmrag.records import Box, Cell, Word

_ALIGNED = 3.0  # points within which lines of two cells stand side by side
_YEARS = re.compile(r"(?:FY\s?)?(?:19|20)\d\d\s?[-/\u2013]\s?(?:\d\d|(?:19|20)\d\d)")
_NOTHING = frozenset({"-", "\u2013", "\u2014", "--", "n/a", "na", "nil", "nr", "*"})


@dataclass(frozen=True, slots=True)
class _CellLine:
    text: str
    box: Box


def split_tall_rows(cells: Sequence[Cell], words: Sequence[Word], header_rows: int) -> list[Cell]:
    """Part body rows whose cells hold one line of figures a row.

    A row is parted where a cell holds two lines or more, most of them figures, and another cell's
    lines stand beside them; each line of the other cells goes to the figure it stands beside or
    under. Rows of prose stay whole, since their lines are one text.

    Args:
        cells: numbered and filled, without empty rows.
        words: the page's words.
        header_rows: leading rows to leave alone.

    Returns:
        Cells numbered anew; the same when nothing was parted.
    """
    rows = max(cell.row + cell.row_span for cell in cells)
    made: list[Cell] = []
    shift = 0
    for row in range(rows):
        starting = [cell for cell in cells if cell.row == row]
        covering = [cell for cell in cells if cell.row <= row < cell.row + cell.row_span]
        single = all(cell.row_span == 1 for cell in covering)
        parts = _parts(starting, words) if row >= header_rows and single else []
        if len(parts) > 1:
            for offset, part in enumerate(parts):
                made.extend(replace(cell, row=row + shift + offset) for cell in part)
            shift += len(parts) - 1
        else:
            made.extend(replace(cell, row=row + shift) for cell in starting)
    return made


def _parts(cells: Sequence[Cell], words: Sequence[Word]) -> list[list[Cell]]:
    """The cells of one row for each of its lines of figures; one or none when it has no such lines."""
    lines = [_lines(cell, words) for cell in cells]
    columns = [found for found in lines if len(found) > 1 and _are_figures(found)]
    if not columns:
        return []
    guide = [_middle(line.box) for line in max(columns, key=len)]
    for found in columns:
        if not all(min(abs(_middle(line.box) - y) for y in guide) <= _ALIGNED for line in found):
            return []
    beside = [found for found in lines if len(found) > 1 and _beside(found, guide) >= 0.5 * len(guide)]
    if len(beside) < 2:
        return []
    return [
        [_slice(cell, found, guide, number) for cell, found in zip(cells, lines, strict=True)]
        for number in range(len(guide))
    ]


def _slice(cell: Cell, lines: Sequence[_CellLine], guide: Sequence[float], number: int) -> Cell:
    """What of a cell belongs to one line of figures."""
    chosen = [line for line in lines if _place(_middle(line.box), guide) == number]
    top = cell.box.y0 if number == 0 else (guide[number - 1] + guide[number]) / 2
    bottom = cell.box.y1 if number == len(guide) - 1 else (guide[number] + guide[number + 1]) / 2
    box = Box(cell.box.x0, top, cell.box.x1, bottom)
    if chosen:
        box = box.union(frame([line.box for line in chosen]))
    return replace(cell, text=" ".join(line.text for line in chosen), box=box)


def _place(y: float, guide: Sequence[float]) -> int:
    """The last line of figures that stands no lower than ``y``."""
    return max([number for number, at in enumerate(guide) if at <= y + _ALIGNED], default=0)


def _beside(lines: Sequence[_CellLine], guide: Sequence[float]) -> int:
    return sum(any(abs(_middle(line.box) - y) <= _ALIGNED for line in lines) for y in guide)


def _are_figures(lines: Sequence[_CellLine]) -> bool:
    figures = sum(
        is_figure(line.text)
        or is_year(line.text)
        or bool(_YEARS.fullmatch(line.text))
        or line.text.casefold() in _NOTHING
        for line in lines
    )
    return 3 * figures >= 2 * len(lines)


def _lines(cell: Cell, words: Sequence[Word]) -> list[_CellLine]:
    """A cell's words by line, from top to bottom."""
    groups: list[list[Word]] = []
    members = [word for word in words if inside(word.box, cell.box)]
    for word in sorted(members, key=lambda w: (_middle(w.box), w.box.x0)):
        if groups and abs(_middle(groups[-1][0].box) - _middle(word.box)) <= _ALIGNED:
            groups[-1].append(word)
        else:
            groups.append([word])
    return [
        _CellLine(
            " ".join(word.text for word in sorted(group, key=lambda w: w.box.x0)),
            frame([word.box for word in group]),
        )
        for group in groups
    ]


def _middle(box: Box) -> float:
    return (box.y0 + box.y1) / 2
