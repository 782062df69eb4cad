"""Rows whose cells are set in the middle of their height: lines of one cell above and below the label."""

from __future__ import annotations

from collections.abc import Sequence

from mmrag.ingest.tables.cells import is_figure
from mmrag.ingest.tables.unruled.pieces import Piece

_LEAST_LINES = 2  # above their row's label


def middle_rows(lines: Sequence[Sequence[Piece]], rules: Sequence[bool]) -> list[list[int]] | None:
    """Groups of lines, one a row, where cells are centred on their row; None where they aren't.

    A line that holds a piece of one column beside the labels belongs to the label above or below
    it. In a table set so, each label has as many of them above as below, from the first of each
    band to its last; any other setting breaks that somewhere.

    Args:
        lines: the body's lines.
        rules: whether a rule parts a line from the next.
    """
    groups: list[list[int]] = []
    above = 0
    start = 0
    for stop in range(1, len(lines) + 1):
        if stop < len(lines) and not rules[stop - 1]:
            continue
        found = _band(lines, start, stop)
        if found is None:
            return None
        groups.extend(group for group, _ in found)
        above += sum(count for _, count in found)
        start = stop
    return groups if above >= _LEAST_LINES else None


def _band(lines: Sequence[Sequence[Piece]], start: int, stop: int) -> list[tuple[list[int], int]] | None:
    """Rows of the lines between two rules, each with its number of lines above the label."""
    found: list[tuple[list[int], int]] = []
    number = start
    while number < stop:
        anchor = next((n for n in range(number, stop) if not _is_part(lines[n])), None)
        if anchor is None:
            return None
        above = anchor - number
        end = anchor + above + 1
        around = [*lines[number:anchor], *lines[anchor + 1 : end]]
        columns = {piece.first for line in around for piece in line}
        if end > stop or len(columns) > 1 or not all(map(_is_part, lines[anchor + 1 : end])):
            return None
        found.append((list(range(number, end)), above))
        number = end
    return found


def _is_part(line: Sequence[Piece]) -> bool:
    return len(line) == 1 and line[0].first > 0 and not is_figure(line[0].text)
