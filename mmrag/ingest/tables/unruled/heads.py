"""The head of a table without full rules: where it ends, and which heads span which columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from mmrag.ingest.tables.rulings import Rule
from mmrag.ingest.tables.unruled.columns import Solid, Zone
from mmrag.ingest.tables.unruled.pieces import Piece, is_data, stacked
from mmrag.ingest.tables.unruled.runs import Row
from mmrag.records import Word

_CLOSE = 0.75  # of the size: lines of one head are no further apart
_WORDS_APART = 1.0  # ems between words of one head
_SMALLER = 0.85  # of the height of the line above: another head
_MOST_HEAD = 9  # lines of a head


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
        top, bottom = rows[number - 1].middle, rows[number].middle
        across = any(
            top < r.at < bottom and min(r.stop, right) - max(r.start, left) >= 0.93 * (right - left)
            for r in levels
        )
        if across:
            if number > 1 and any(_are_figures(row, words) for row in solids[:number]):
                break
            return number
    for number, row in enumerate(solids[: _MOST_HEAD + 1]):
        if _are_figures(row, words):
            return number
    return 0


def _are_figures(row: Sequence[Solid], words: Sequence[Word]) -> bool:
    texts = [" ".join(words[i].text for i in solid.words) for solid in row[1:]]
    return bool(texts) and 2 * sum(is_data(t) and not _is_year(t) for t in texts) >= len(texts)


def head_lines(
    lines: Sequence[Sequence[Piece]], rows: Sequence[Row], levels: Sequence[Rule], zones: Sequence[Zone]
) -> int:
    """How many leading lines are head: those above the first rule across, or above the first figures."""
    first = next((n for n, line in enumerate(lines) if _is_data(line)), None)
    left, right = zones[0], zones[-1]
    for number in range(1, min(len(lines), _MOST_HEAD + 1)):
        top, bottom = rows[number - 1].middle, rows[number].middle
        across = [
            r
            for r in levels
            if top < r.at < bottom
            and r.start <= left.x0 + 0.3 * (left.x1 - left.x0) + 6
            and r.stop >= (right.x0 + right.x1) / 2
        ]
        if across:
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
    figures = sum(piece.is_data and not _is_year(piece.text) for piece in beside)
    return bool(beside) and 2 * figures >= len(beside) and figures > 0


def _counts(line: Sequence[Piece]) -> bool:
    """Whether a line numbers the columns: 1 2 3, or (1) (2) (3)."""
    texts = [piece.text.strip("() ") for piece in line]
    return all(text.isdigit() and len(text) <= 2 for text in texts)


def _is_year(text: str) -> bool:
    text = text.strip()
    return len(text) == 4 and text.isdigit() and text[:2] in ("19", "20")


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
        line = _over_one_rule(line, levels, zones, below, size)
        for piece in line:
            wide = _widened(piece, line, levels, zones, below, size)
            if wide is piece and number + 1 < len(lines):
                wide = _centred(piece, line, lines[number + 1 :], zones, size)
            piece = wide
            above = _above(cells, piece)
            if above is not None and _same_cell(above, piece, levels, size):
                above.append(piece)
            else:
                cells.append([piece])
    return _placed([stacked(cell) for cell in cells])


def _over_one_rule(
    line: Sequence[Piece], levels: Sequence[Rule], zones: Sequence[Zone], below: float, size: float
) -> list[Piece]:
    """Pieces of one head joined: those that stand close together over a rule that ends with them."""
    found: list[Piece] = []
    for piece in line:
        last = found[-1] if found else None
        if last is not None and piece.box.x0 - last.box.x1 <= _WORDS_APART * size:
            rules = [
                r
                for r in levels
                if last.box.y1 - 0.4 * size <= r.at <= max(below, last.box.y1 + 0.4 * size)
                and r.start - 2 <= last.box.x0
                and piece.box.x1 <= r.stop + 2
                and r.length < 0.6 * (zones[-1].x1 - zones[0].x0)
            ]
            others = [p for p in line if p is not last and p is not piece]
            if any(not any(r.start < (p.box.x0 + p.box.x1) / 2 < r.stop for p in others) for r in rules):
                found[-1] = stacked([last, piece])
                continue
        found.append(piece)
    return found


def _widened(
    piece: Piece,
    line: Sequence[Piece],
    levels: Sequence[Rule],
    zones: Sequence[Zone],
    below: float,
    size: float,
) -> Piece:
    """A head over a rule of its own spans the columns that the rule runs over."""
    middle = (piece.box.x0 + piece.box.x1) / 2
    for rule in levels:
        under = piece.box.y1 - 0.4 * size <= rule.at <= max(below, piece.box.y1 + 0.4 * size)
        if not under or not rule.start - 2 <= middle <= rule.stop + 2:
            continue
        over = [n for n, z in enumerate(zones) if rule.start - 2 <= (z.x0 + z.x1) / 2 <= rule.stop + 2]
        others = [p for p in line if p is not piece and rule.start < (p.box.x0 + p.box.x1) / 2 < rule.stop]
        if over and not others:
            return replace(piece, first=min(over[0], piece.first), last=max(over[-1], piece.last))
    return piece


def _centred(
    piece: Piece, line: Sequence[Piece], below: Sequence[Sequence[Piece]], zones: Sequence[Zone], size: float
) -> Piece:
    """A head that stands in the middle over several heads, and not over one of them, spans them."""
    first, last = piece.first, piece.last
    while first > 1 and not any(p.first <= first - 1 <= p.last for p in line):
        first -= 1
    while last + 1 < len(zones) and not any(p.first <= last + 1 <= p.last for p in line):
        last += 1
    under = [p for later in below for p in later if first <= p.first and p.last <= last]
    columns = {p.first for p in under}
    if (first == piece.first and last == piece.last) or not {first, last} <= columns:
        return piece
    middle = (piece.box.x0 + piece.box.x1) / 2
    height = piece.box.y1 - piece.box.y0
    for p in under:
        # The first line of a head of several stands over its own column, in the same type.
        if abs((p.box.x0 + p.box.x1) / 2 - middle) < 0.8 * size and p.box.y1 - p.box.y0 > 0.85 * height:
            return piece
    left, right = min(p.box.x0 for p in under), max(p.box.x1 for p in under)
    if abs((left + right) / 2 - middle) > max(1.5 * size, 0.08 * (right - left)):
        return piece
    return replace(piece, first=first, last=last)


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
