"""Tables of the same columns stacked without white between them: each starts with a head like the first's."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence

from mmrag.ingest.tables.cells import is_year
from mmrag.ingest.tables.unruled.build import Draft
from mmrag.ingest.tables.unruled.pieces import Piece
from mmrag.ingest.tables.unruled.runs import Row

_LEAST_ROWS = 2  # of each table
_MOST_LINES = 4  # of a head in the body
_WHITE = 1.0  # of the size: white above it, and of the size more than common
_MARK = re.compile(r"\s*\(\w\)$")


def parted(draft: Draft) -> list[Sequence[Row]]:
    """The rows of each table of a draft; all rows where it is one.

    A table starts at lines beside the labels that hold no figures, one of which repeats what the
    first head says over most columns.
    """
    starts = [n for n in range(draft.head + _LEAST_ROWS, len(draft.lines) - _LEAST_ROWS) if _starts(draft, n)]
    if draft.head == 0 or not starts:
        return [draft.rows]
    edges = [0, *starts, len(draft.rows)]
    return [draft.rows[a:b] for a, b in itertools.pairwise(edges)]


def _starts(draft: Draft, number: int) -> bool:
    rows = draft.rows
    if rows[number].box.y0 - rows[number - 1].box.y1 < _WHITE * rows[number].size:
        return False
    lines: list[Sequence[Piece]] = []
    for line in draft.lines[number:]:
        if line[0].first == 0 or any(p.is_data and not is_year(p.text) for p in line):
            break
        lines.append(line)
    if not 0 < len(lines) <= _MOST_LINES or number + len(lines) == len(rows):
        return False
    known = {(p.first, _plain(p.text)) for line in draft.lines[: draft.head] for p in line}
    repeated = max(sum((p.first, _plain(p.text)) in known for p in line) for line in lines)
    return repeated >= max(2, 0.6 * (len(draft.zones) - 1))


def _plain(text: str) -> str:
    return _MARK.sub("", text).casefold()
