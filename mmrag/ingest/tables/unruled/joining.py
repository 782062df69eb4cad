"""Blocks that a blank row parts, made one where their columns stand under each other."""

from __future__ import annotations

from collections.abc import Sequence

from mmrag.ingest.tables.cells import is_year
from mmrag.ingest.tables.rulings import Rulings
from mmrag.ingest.tables.unruled.build import Draft, draft_of
from mmrag.ingest.tables.unruled.pieces import Piece, is_data
from mmrag.ingest.tables.unruled.runs import Row
from mmrag.records import Word

_BLANK = 3.2  # of the size: the white of a row left blank
_LEAST_ROWS = 3  # of a table to which a row set off belongs
_AS_DATA = 0.6  # share of figures beside the labels


def joined(
    blocks: Sequence[list[Row]], words: Sequence[Word], rulings: Rulings, space: float
) -> list[list[Row]]:
    """Blocks from top to bottom, neighbours of the same columns of figures joined."""
    found: list[list[Row]] = []
    for block in blocks:
        if found and _near(found[-1], block):
            upper, lower = _draft(found[-1], words, rulings, space), _draft(block, words, rulings, space)
            if upper is not None and lower is not None and _same_columns(upper, lower):
                found[-1] = [*found[-1], *block]
                continue
            if upper is not None and lower is None and _is_row_of(upper, block[0], words):
                found[-1] = [*found[-1], block[0]]
                if len(block) > 1:
                    found.append(list(block[1:]))
                continue
        found.append(list(block))
    return found


def _near(upper: Sequence[Row], lower: Sequence[Row]) -> bool:
    return 0 <= lower[0].box.y0 - upper[-1].box.y1 <= _BLANK * max(upper[-1].size, lower[0].size)


def _draft(rows: Sequence[Row], words: Sequence[Word], rulings: Rulings, space: float) -> Draft | None:
    if sum(len(row.runs) > 1 for row in rows) < 2:
        return None
    return draft_of(rows, words, rulings, space)


def _same_columns(upper: Draft, lower: Draft) -> bool:
    if lower.head > 0 and any(len(line) > 1 for line in lower.lines[: lower.head]):
        return False  # a head of its own
    if not _is_data(lower.lines[lower.head :]):
        return False
    size = lower.rows[0].size
    if not any(p.is_data and not is_year(p.text) for line in upper.lines for p in line):
        # A head by itself: its texts are wider than the figures, but stand over them; labels may have none.
        zones = lower.zones[len(lower.zones) - len(upper.zones) :]
        return len(lower.zones) - len(upper.zones) in (0, 1) and all(
            a.x0 < b.x1 and b.x0 < a.x1 for a, b in zip(upper.zones, zones, strict=True)
        )
    if len(upper.zones) != len(lower.zones) or not _is_data(upper.lines[upper.head :]):
        return False
    pairs = list(zip(upper.zones, lower.zones, strict=True))
    return all(abs(a.x1 - b.x1) <= size or abs(a.x0 + a.x1 - b.x0 - b.x1) <= 2 * size for a, b in pairs[1:])


def _is_row_of(upper: Draft, row: Row, words: Sequence[Word]) -> bool:
    """Whether a row that a blank one sets off holds a label and a figure in each column of those above."""
    body = upper.lines[upper.head :]
    if len(row.runs) != len(upper.zones) or len(body) < _LEAST_ROWS or not _is_data(body):
        return False
    texts = [" ".join(words[i].text for i in run.words) for run in row.runs[1:]]
    return all(map(is_data, texts)) and all(
        run.box.x0 < zone.x1 and zone.x0 < run.box.x1 for run, zone in zip(row.runs, upper.zones, strict=True)
    )


def _is_data(lines: Sequence[Sequence[Piece]]) -> bool:
    beside = [piece for line in lines for piece in line if piece.first > 0]
    return bool(beside) and sum(piece.is_data for piece in beside) >= _AS_DATA * len(beside)
