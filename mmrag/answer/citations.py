"""Whether a quote stands where it says it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mmrag.answer.quotes import find, normalise
from mmrag.answer.supplements import find_beside
from mmrag.records import Box, Citation, Evidence, Quote, Table, Word


def check(quote: Quote, evidence: Mapping[str, Evidence]) -> Citation:
    """Hold a quote against the page it names.

    The evidence must have been supplied. A sentence's words must stand on the page one after the
    other. A table row (a text with `` | ``, or under a heading) must be a row of a table on the page,
    cell by cell and under that table's header, and each cell's words must stand in that cell; without
    a heading it may also stand beside each other from left to right. Boxes are the page's own. What the
    page's picture does not say may stand in what its office file holds beside it; the citation says so.
    """
    piece = evidence.get(quote.evidence)
    if piece is None:
        return Citation("", "", 0, (), quote.text, False, f"{quote.evidence} was not among the evidence")
    boxes, reason = _placed(quote, piece)
    part = ""
    if reason:
        beside, part = find_beside(quote, piece.page)
        boxes, reason = (beside, "") if part else (boxes, reason)
    if piece.page.hidden and not reason:
        part = f"{part} of a hidden slide" if part else "hidden slide"
    hit = piece.hit
    return Citation(
        hit.document,
        hit.name,
        hit.page,
        tuple(dict.fromkeys(boxes)) or quote.boxes,
        quote.text,
        not reason,
        reason,
        part,
    )


def _placed(quote: Quote, piece: Evidence) -> tuple[Sequence[Box], str]:
    """Where a quote stands, or why it is not verified."""
    cells = quote.text.split(" | ")
    parts = [cell for cell in cells if normalise(cell)]
    if not parts:
        return (), "the quote is empty"
    words = piece.page.words
    if quote.heading:
        return _row(quote, piece)
    if len(cells) == 1:
        run = find(quote.text, _near(words, quote.boxes)) or find(quote.text, words)
        return _lines(run), "" if run else f"{quote.text!r} does not stand on the page"
    boxes, reason = _row(quote, piece)
    if not reason:
        return boxes, ""
    for beside in (_near(words, quote.boxes), _band(parts[0], words)):
        found = _in_turn(parts, beside)
        if all(found):
            return [_around([word for run in found for word in run])], ""
    return (), f"{quote.text!r} does not stand in a row of the page"


def _row(quote: Quote, piece: Evidence) -> tuple[Sequence[Box], str]:
    """The row of a table on the page that says what a quote says, under the same header."""
    wanted = [normalise(cell) for cell in quote.text.split(" | ")]
    heading = normalise(quote.heading)
    tables = [table for table in piece.page.tables if not heading or heading in _headings(table)]
    if not tables:
        return (), f"{quote.heading!r} is the header of no table on the page"
    for table in tables:
        grid = table.grid()
        for row in range(table.header_rows, table.rows):
            if [normalise(cell) for cell in grid[row]] == wanted and _cells_stand(table, row, piece):
                return [table.row_box(row)], ""
    return (), f"{quote.text!r} is no row of that table"


def _headings(table: Table) -> set[str]:
    """What may stand over a row of a table: its caption, its header, or both."""
    header = normalise(" ".join(table.header()))
    return {text for text in (normalise(table.caption), header, normalise(table.caption) + header) if text}


def _cells_stand(table: Table, row: int, piece: Evidence) -> bool:
    return all(
        find(cell.text, [word for word in piece.page.words if _inside(word.box, cell.box)])
        for cell in table.cells
        if cell.row <= row < cell.row + cell.row_span and normalise(cell.text)
    )


def _inside(box: Box, region: Box) -> bool:
    x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    return region.x0 <= x <= region.x1 and region.y0 <= y <= region.y1


def _in_turn(parts: Sequence[str], words: Sequence[Word]) -> list[tuple[Word, ...]]:
    """Where each part stands, each to the right of the one before; empty for a part that does not."""
    found: list[tuple[Word, ...]] = []
    edge = float("-inf")
    for part in parts:
        run = find(part, [word for word in words if word.box.x0 >= edge])
        found.append(run)
        edge = max((word.box.x1 for word in run), default=edge) - 1.0
    return found


def _band(first: str, words: Sequence[Word]) -> Sequence[Word]:
    """The words beside a row's first cell, wherever that stands."""
    run = find(first, words)
    if not run:
        return ()
    top, bottom = min(word.box.y0 for word in run), max(word.box.y1 for word in run)
    beside = [word for word in words if top <= (word.box.y0 + word.box.y1) / 2 <= bottom]
    return [*run, *(word for word in beside if word not in run)]


def _near(words: Sequence[Word], boxes: Sequence[Box]) -> list[Word]:
    return [word for word in words if any(word.box.overlap(box) > 0.5 * word.box.area for box in boxes)]


def _around(words: Sequence[Word]) -> Box:
    box = words[0].box
    for word in words[1:]:
        box = box.union(word.box)
    return box


def _lines(words: Sequence[Word]) -> list[Box]:
    lines: dict[int, Box] = {}
    for word in words:
        held = lines.get(word.line)
        lines[word.line] = word.box if held is None else held.union(word.box)
    return list(lines.values())
