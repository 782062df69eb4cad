"""The head of a table without full rules: where it ends, and which heads span which columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mmrag.ingest.tables.rulings import Rule
from mmrag.ingest.tables.unruled.columns import Solid, Zone
from mmrag.ingest.tables.unruled.pieces import Piece, is_data, stacked
from mmrag.ingest.tables.unruled.runs import Row
from mmrag.ingest.tables.unruled.spans import centred, over_one_rule, unit_of_all, widened
from mmrag.records import Word

_CLOSE = 0.75  # of the size: lines of one head are no further apart
_SMALLER = 0.85  # of the height of the line above: another head
_MOST_HEAD = 9  # lines of a head
_ACROSS = 0.93  # of the width: rules that part the head from the body
_YEARS = re.compile(r"(?:19|20)\d\d(?:\s?[-\u2013/]\s?(?:(?:19|20)\d)?\d{1,2})?")
_SIGN = re.compile(r"[$\u20ac\u00a3\u00a5%]")
_MARK = re.compile(r"\([1-9]\)")  # of a footnote


@dataclass(frozen=True, slots=True)
class Head:
    """A head's cell: ``row`` and ``rows`` it spans, counted from the head's top."""

    piece: Piece
    row: int
    rows: int


def first_body_row(
    solids: Sequence[Sequence[Solid]], rows: Sequence[Row], levels: Sequence[Rule], words: Sequence[Word]
) -> int:
    """The row that the body starts with, before the columns are known: below a rule, or with figures."""
    left, right = min(row.box.x0 for row in rows), max(row.box.x1 for row in rows)
    for number in range(1, min(len(rows), _MOST_HEAD + 1)):
        if covered(levels, rows[number - 1].middle, rows[number].middle, left, right) >= _ACROSS:
            if number > 1 and any(_are_figures(row, words) for row in solids[:number]):
                break
            return number
    for number, row in enumerate(solids[: _MOST_HEAD + 1]):
        if _are_figures(row, words):
            return number
    return 0


def covered(levels: Sequence[Rule], top: float, bottom: float, left: float, right: float) -> float:
    """Share of the width from ``left`` to ``right`` that rules of one height between two lines run over."""
    heights: dict[int, float] = {}
    for rule in levels:
        if top < rule.at < bottom:
            place = round(rule.at)
            heights[place] = heights.get(place, 0.0) + max(0.0, min(rule.stop, right) - max(rule.start, left))
    return max(heights.values(), default=0.0) / max(0.1, right - left)


def _are_figures(row: Sequence[Solid], words: Sequence[Word]) -> bool:
    texts = [" ".join(words[i].text for i in solid.words) for solid in row[1:]]
    texts = [text for text in texts if not _SIGN.fullmatch(text)]
    return bool(texts) and 2 * sum(map(_is_amount, texts)) >= len(texts)


def _is_amount(text: str) -> bool:
    return is_data(text) and not _is_year(text) and not _MARK.fullmatch(text)


def head_lines(
    lines: Sequence[Sequence[Piece]], rows: Sequence[Row], levels: Sequence[Rule], zones: Sequence[Zone]
) -> int:
    """How many leading lines are head: those above the first rule across, or above the first figures."""
    first = next((n for n, line in enumerate(lines) if _is_data(line)), None)
    left, right = zones[0], zones[-1]
    for number in range(1, min(len(lines), _MOST_HEAD + 1)):
        top, bottom = rows[number - 1].middle, rows[number].middle
        across = any(
            top < r.at < bottom
            and r.start <= left.x0 + 0.3 * (left.x1 - left.x0) + 6
            and r.stop >= (right.x0 + right.x1) / 2
            for r in levels
        )
        if across or covered(levels, top, bottom, left.x0, right.x1) >= _ACROSS:
            if number > 1 and any(_is_data(line) and not _counts(line) for line in lines[:number]):
                break  # a rule under a group of figures
            return number
    if first is None:
        # Words alone: the first line is the head, with the lines that go on in it.
        return 1
    end = first
    # Labels of groups stand by themselves above the figures, at the left.
    while end > 1 and len(lines[end - 1]) == 1 and lines[end - 1][0].first == 0 == lines[end - 1][0].last:
        end -= 1
    return min(end, _MOST_HEAD) if end <= _MOST_HEAD else 0


def _is_data(line: Sequence[Piece]) -> bool:
    beside = [piece for piece in line if piece.first > 0]
    figures = sum(_is_amount(piece.text) for piece in beside)
    return bool(beside) and 2 * figures >= len(beside) and figures > 0


def _counts(line: Sequence[Piece]) -> bool:
    """Whether a line numbers the columns: 1 2 3, or (1) (2) (3)."""
    texts = [piece.text.strip("() ") for piece in line]
    return all(text.isdigit() and len(text) <= 2 for text in texts)


def _is_year(text: str) -> bool:
    return bool(_YEARS.fullmatch(text.strip()))


def heads_of(
    lines: Sequence[Sequence[Piece]],
    rows: Sequence[Row],
    levels: Sequence[Rule],
    zones: Sequence[Zone],
    floor: float,
) -> tuple[list[Head], int]:
    """Cells of the head and how many rows they make.

    Lines of one cell are joined; a rule under a head says which columns it spans, and parts it
    from what stands below; cells reach down to the next cell or the head's end.

    Args:
        lines: the head's lines.
        rows: where they stand.
        levels: horizontal rules.
        zones: the columns.
        floor: height at which the head ends.
    """
    cells: list[list[Piece]] = []
    for number, line in enumerate(lines):
        size = rows[number].size
        below = rows[number + 1].middle if number + 1 < len(rows) else floor
        line = over_one_rule(line, levels, zones, below, size)
        for place, piece in enumerate(line):
            above = _above(cells, piece)
            if above is not None and _same_cell(above, piece, levels, size):
                above.append(piece)  # goes on in its cell, whatever rule is under it
                continue
            wide = widened(piece, line, levels, zones, below, size)
            if wide is piece and number + 1 < len(lines):
                beside = [p for other in lines for p in other if other is not lines[number]]
                wide = centred(piece, line, lines[number + 1 :], zones, size, levels, beside)
                line[place] = wide
            elif wide is piece:
                wide = unit_of_all(piece, line, zones, size)
            piece = wide
            above = _above(cells, piece)
            if above is not None and _same_cell(above, piece, levels, size):
                above.append(piece)
            else:
                cells.append([piece])
    return _placed([stacked(cell) for cell in cells])


def _above(cells: Sequence[list[Piece]], piece: Piece) -> list[Piece] | None:
    """The lowest cell so far that stands in one of a piece's columns."""
    over = [c for c in cells if any(p.first <= piece.last and piece.first <= p.last for p in c)]
    return max(over, key=lambda c: c[-1].box.y1, default=None)


def _same_cell(cell: Sequence[Piece], piece: Piece, levels: Sequence[Rule], size: float) -> bool:
    last = cell[-1]
    whole = stacked(cell)
    if piece.box.y0 - last.box.y1 > _CLOSE * size:
        return False
    if piece.box.y1 - piece.box.y0 < _SMALLER * (last.box.y1 - last.box.y0) and whole.last > whole.first:
        return False
    middle = (max(last.box.x0, piece.box.x0) + min(last.box.x1, piece.box.x1)) / 2
    top, bottom = (last.box.y0 + last.box.y1) / 2, (piece.box.y0 + piece.box.y1) / 2
    if any(top < r.at < bottom and r.start <= middle <= r.stop for r in levels):
        return False
    return (whole.first, whole.last) == (piece.first, piece.last)


def _placed(pieces: Sequence[Piece]) -> tuple[list[Head], int]:
    ordered = sorted(pieces, key=lambda p: (p.box.y0, p.first))
    tops: list[int] = []
    for number, piece in enumerate(ordered):
        above = [
            tops[n]
            for n in range(number)
            if ordered[n].first <= piece.last and piece.first <= ordered[n].last
        ]
        tops.append(max(above) + 1 if above else 0)
    total = max(tops, default=-1) + 1
    found = []
    for number, piece in enumerate(ordered):
        under = [
            tops[n]
            for n in range(len(ordered))
            if tops[n] > tops[number] and ordered[n].first <= piece.last and piece.first <= ordered[n].last
        ]
        found.append(Head(piece, tops[number], (min(under) if under else total) - tops[number]))
    return found, total
