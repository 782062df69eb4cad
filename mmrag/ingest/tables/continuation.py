"""Tables that run over a page break."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mmrag.ingest.tables.cells import is_figure
from mmrag.ingest.tables.finding import plain_grid
from mmrag.ingest.tables.ruled import is_spaced
from mmrag.ingest.text.captions import TABLE
from mmrag.records import Page, Table

_BETWEEN = 25
"""Words that may stand between a table and the page's edge: running heads, page numbers, "continued"."""

_CONTINUED = re.compile(
    r"\b(?:continued|cont(?:inu\u00e9)?[.'\u2019]?d?|continuaci\u00f3n|fortsetzung|suite)\b", re.IGNORECASE
)
_MARGINS = 36.0  # points by which the margins of left and right pages differ
_SHIFT = 6.0  # points a column may move from one page to the next


def link_tables(previous: Page, page: Page) -> tuple[Page, Page]:
    """Join the last table of a page to the first of the next where they are one.

    They are when nothing but a running line or two stands between them, the columns are as many
    and stand in the same places, and the second does not start with a head or a caption of its own; a
    caption that says "continued", or has the label of the first, is none. A single row at the top of
    a page is a table for the sake of the one it continues, and goes when there is no such.

    Args:
        previous: the page before.
        page: the page after.

    Returns:
        Both pages: in ``previous`` the table's ``continues_on`` is set, in ``page`` its
        ``continued_from``; there ``header_rows`` is 0 and the header is in ``carried`` when it was
        not printed again, and the caption is carried over when it has none.
    """
    if page.number != previous.number + 1 or not page.tables:
        return previous, page
    if not previous.tables:
        return previous, _without_rest(page)
    upper, lower = previous.tables[-1], page.tables[0]
    if not _touch(previous, upper, page, lower) or not _same_columns(upper, lower):
        return previous, _without_rest(page)
    header = upper.carried or header_of(upper)
    repeats = repeats_header(header, lower)
    own = bool(lower.caption) and not _goes_on(upper.caption, lower.caption)
    if not repeats and (own or _has_own_header(upper, lower)):
        return previous, _without_rest(page)
    lower = replace(
        lower,
        continued_from=previous.number,
        header_rows=len(header) if repeats else 0,
        carried=() if repeats else header,
        caption=lower.caption or upper.caption,
    )
    upper = replace(upper, continues_on=page.number)
    return (
        replace(previous, tables=(*previous.tables[:-1], upper)),
        replace(page, tables=(lower, *page.tables[1:])),
    )


def _without_rest(page: Page) -> Page:
    """A page without the single row at its top that continues no table."""
    return replace(page, tables=page.tables[1:]) if is_rest(page.tables[0]) else page


def is_rest(table: Table) -> bool:
    """Whether a table is a single row without a head: what is left of one that began on the page before."""
    return table.rows == 1 and table.header_rows == 0 and table.continued_from is None


def _goes_on(upper: str, lower: str) -> bool:
    """Whether the lower caption says that it continues, or has the label of the upper one."""
    labels = [TABLE.match(caption) for caption in (upper, lower)]
    one, other = ("".join(label.group().split()).casefold() if label else "" for label in labels)
    if _CONTINUED.search(lower):
        return not one or not other or one == other
    return bool(one) and one == other


def header_of(table: Table) -> tuple[tuple[str, ...], ...]:
    """A table's header rows, each with its text per column."""
    return plain_grid(table)[: table.header_rows]


def repeats_header(header: Sequence[Sequence[str]], lower: Table) -> bool:
    """Whether a table starts with the rows of a header, spaces and case aside."""
    wanted = [_folded(row) for row in header]
    return bool(wanted) and [_folded(row) for row in plain_grid(lower)[: len(wanted)]] == wanted


def _folded(row: Sequence[str]) -> list[str]:
    return ["".join(cell.split()).casefold() for cell in row]


def _touch(previous: Page, upper: Table, page: Page, lower: Table) -> bool:
    below = sum(word.box.y0 >= upper.box.y1 and not is_spaced(word) for word in previous.words)
    above = sum(word.box.y1 <= lower.box.y0 and not is_spaced(word) for word in page.words)
    return below <= _BETWEEN and above <= _BETWEEN


def _same_columns(upper: Table, lower: Table) -> bool:
    """Whether two tables have as many columns in the same places.

    Drawn cells are as wide as their column and must start and end alike. Cells of unruled tables are
    as wide as their text, so it is enough that a column is flush with the other's at one side, or centred.
    """
    if upper.columns != lower.columns:
        return False
    one, other = _sides(upper), _sides(lower)
    shared = [column for column in one if column in other]
    if 2 * len(shared) < upper.columns:
        return False
    if _is_ragged(upper) and _is_ragged(lower):
        return all(_drift(one[column], other[column]) <= _SHIFT for column in shared)
    if is_rest(lower):
        shifts = [one[column][0] - other[column][0] for column in shared]
        shifts.append(upper.box.x1 - lower.box.x1)
        return max(map(abs, shifts)) <= _MARGINS and max(shifts) - min(shifts) <= _SHIFT
    lefts = [abs(one[column][0] - other[column][0]) for column in shared]
    return max(*lefts, abs(upper.box.x1 - lower.box.x1), 0.0) <= _SHIFT


def _sides(table: Table) -> dict[int, tuple[float, float]]:
    """Left and right edge of each column; the right one of cells in it alone."""
    edges: dict[int, tuple[float, float]] = {}
    for cell in table.cells:
        left, right = edges.get(cell.column, (cell.box.x0, cell.box.x0))
        right = max(right, cell.box.x1) if cell.column_span == 1 else right
        edges[cell.column] = min(left, cell.box.x0), right
    return edges


def _is_ragged(table: Table) -> bool:
    """Whether most cells are as wide as their text: they differ in width within their column."""
    widths: dict[int, set[int]] = {}
    for cell in table.cells:
        if cell.column_span == 1 and cell.text:
            widths.setdefault(cell.column, set()).add(round(cell.box.x1 - cell.box.x0))
    return 2 * sum(len(held) > 1 for held in widths.values()) > len(widths)


def _drift(one: tuple[float, float], other: tuple[float, float]) -> float:
    """Points by which a column moved, seen from the side that it is flush with."""
    left, right = one[0] - other[0], one[1] - other[1]
    return min(abs(left), abs(right), abs(left + right) / 2)


def _has_own_header(upper: Table, lower: Table) -> bool:
    """Whether the first row reads as a head: words alone in columns that hold figures below and before."""
    first, *rest = plain_grid(lower)
    before = plain_grid(upper)[upper.header_rows :]
    numeric = [
        column
        for column in range(upper.columns)
        if _mostly_figures([row[column] for row in rest]) and _mostly_figures([row[column] for row in before])
    ]
    return bool(numeric) and all(first[column] and not is_figure(first[column]) for column in numeric)


def _mostly_figures(texts: Sequence[str]) -> bool:
    filled = [text for text in texts if text]
    return bool(filled) and 2 * sum(map(is_figure, filled)) > len(filled)
