"""Lines to rows: which lines of a table's body go on in the cells above them."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from statistics import median

from mmrag.ingest.tables.rulings import Rule
from mmrag.ingest.tables.unruled.columns import Zone
from mmrag.ingest.tables.unruled.middles import middle_rows
from mmrag.ingest.tables.unruled.pieces import Piece
from mmrag.ingest.tables.unruled.runs import Row
from mmrag.records import Word

_SAME_LINE = 0.75  # of the size: lines closer than this stand beside each other
_SET_CLOSE = 1.3  # of the size: a line in brackets stands no further from the label it is about
_CLOSER = 0.88  # of the common pitch: a line that goes on stands closer

_LABEL = re.compile(r"\(?\w{1,3}[).]\s*(?:\Z|[A-Z])")  # (b), iv.: a line that starts anew

_UNFINISHED = (",", " and", " or", " of", " for", " the", " in", " to", " &", "-", "/")


def body_rows(
    lines: Sequence[Sequence[Piece]],
    rows: Sequence[Row],
    levels: Sequence[Rule],
    zones: Sequence[Zone],
    words: Sequence[Word],
) -> list[list[int]]:
    """Groups of lines that make one table row each, from top to bottom."""
    groups: list[list[int]] = []
    pitch = _pitch(lines, rows)
    rules = [_ruled(rows[n - 1], rows[n], levels, zones) for n in range(1, len(rows))]
    middles = middle_rows(lines, rules)
    if middles is not None:
        return middles
    banded = sum(rules) >= 2 and _are_bands(lines, rules)
    for number, line in enumerate(lines):
        if groups and not rules[number - 1]:
            last = groups[-1]
            apart = rows[number].middle - rows[number - 1].middle
            if apart < _SAME_LINE * rows[number].size and not _clash(lines[last[-1]], line):
                last.append(number)
                continue
            if banded or (
                not _begins(lines, rows, number) and _goes_on(lines, rows, last, number, pitch, zones, words)
            ):
                last.append(number)
                continue
        groups.append([number])
    return groups


def _pitch(lines: Sequence[Sequence[Piece]], rows: Sequence[Row]) -> float:
    """Common distance of lines that hold figures, or of all lines where few do; 0 when there are few."""
    apart = [lower.middle - upper.middle for upper, lower in itertools.pairwise(rows)]
    data = [
        distance
        for distance, (upper, lower) in zip(apart, itertools.pairwise(lines), strict=True)
        if _has_data(upper) and _has_data(lower)
    ]
    if len(data) >= 2:
        return median(data)
    return median(apart) if len(apart) >= 4 else 0.0


def _has_data(line: Sequence[Piece]) -> bool:
    return any(piece.is_data for piece in line if piece.first > 0)


def _ruled(upper: Row, lower: Row, levels: Sequence[Rule], zones: Sequence[Zone]) -> bool:
    """Whether rules part two lines over most of the table's width."""
    width = zones[-1].x1 - zones[0].x0
    covered = sum(
        max(0.0, min(r.stop, zones[-1].x1) - max(r.start, zones[0].x0))
        for r in levels
        if upper.middle < r.at < lower.middle
    )
    return covered >= 0.7 * width


def _are_bands(lines: Sequence[Sequence[Piece]], rules: Sequence[bool]) -> bool:
    """Whether rules part every row: no column holds figures twice between two rules."""
    held: set[int] = set()
    for number, line in enumerate(lines):
        if number and rules[number - 1]:
            held = set()
        data = {piece.first for piece in line if piece.is_data and piece.first > 0}
        if data & held:
            return False
        held |= data
    return True


def _clash(upper: Sequence[Piece], lower: Sequence[Piece]) -> bool:
    return any(
        a.first <= b.last
        and b.first <= a.last
        and a.box.x1 > b.box.x0
        and b.box.x1 > a.box.x0
        and min(a.box.y1, b.box.y1) - max(a.box.y0, b.box.y0) < 0.2
        for a in upper
        for b in lower
    )


def _goes_on(
    lines: Sequence[Sequence[Piece]],
    rows: Sequence[Row],
    group: Sequence[int],
    number: int,
    pitch: float,
    zones: Sequence[Zone],
    words: Sequence[Word],
) -> bool:
    upper = [piece for n in group for piece in lines[n]]
    line = lines[number]
    apart = rows[number].middle - rows[number - 1].middle
    size = rows[number].size
    if apart > 1.75 * size or _bold(line, words) != _bold(lines[group[-1]], words):
        return False
    closer = pitch > 0 and apart < _CLOSER * pitch
    over = {c for piece in upper for c in range(piece.first, piece.last + 1)}
    under = {c for piece in line for c in range(piece.first, piece.last + 1)}
    if not _has_data(line):
        if not under <= over:
            return False
        if 0 in under:
            if len(line) > 1 or len(over) == 1:
                return closer
            return closer or _in_brackets(line[0], apart, size) or _wraps(upper, line[0], zones, words, size)
        return closer or len(zones) == 2 or len(under) < len(zones) - 1 or any(map(_starts_small, line))
    # The label began on the line above, where it stands alone.
    if over == {0} and 0 in under and len(group) == 1:
        return (
            closer
            or _in_brackets(line[0], apart, size)
            or (_starts_small(line[0]) and _wraps(upper, line[0], zones, words, size))
        )
    return False


def _begins(lines: Sequence[Sequence[Piece]], rows: Sequence[Row], number: int) -> bool:
    """Whether a label alone goes on below in brackets, beside its figures."""
    if number + 1 == len(lines) or len(lines[number]) > 1 or lines[number][0].first > 0:
        return False
    below = lines[number + 1]
    apart = rows[number + 1].middle - rows[number].middle
    return (
        not _starts_small(lines[number][0])
        and len(below) > 1
        and below[0].first == 0
        and _in_brackets(below[0], apart, rows[number].size)
    )


def _in_brackets(piece: Piece, apart: float, size: float) -> bool:
    """Whether a label under another says more of it in brackets, set close."""
    return (
        piece.text[:1] == "("
        and piece.text[-1:] == ")"
        and len(piece.words) > 1
        and apart <= _SET_CLOSE * size
    )


def _bold(line: Sequence[Piece], words: Sequence[Word]) -> bool:
    return all(words[i].bold for i in line[0].words)


def _wraps(
    upper: Sequence[Piece], piece: Piece, zones: Sequence[Zone], words: Sequence[Word], size: float
) -> bool:
    """Whether a text would not have fitted on the line above, and starts as if it went on from there."""
    above = [p for p in upper if p.first <= piece.first <= p.last]
    if not above:
        return False
    last = above[-1]
    word = words[piece.words[0]].box
    next_ = piece.first + 1
    limit = zones[next_].x0 - 0.5 * size if next_ < len(zones) else zones[piece.first].x1
    fits = last.box.x1 + 0.3 * size + word.x1 - word.x0 <= limit
    if last.text.endswith(_UNFINISHED):
        return True
    goes_on = _starts_small(piece) or piece.box.x0 - above[0].box.x0 > 0.3 * size
    return not fits and goes_on


def _starts_small(piece: Piece) -> bool:
    return (piece.text[:1].islower() or piece.text[:1] in "(&/") and not _LABEL.match(piece.text)
