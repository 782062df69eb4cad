"""A table as HTML and as rows for code."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import TYPE_CHECKING

from mmrag.markdown import cell_text

if TYPE_CHECKING:
    from mmrag.records.pages import Cell, Table


def table_html(table: Table) -> str:
    """See :meth:`mmrag.records.Table.to_html`."""
    owners = _owners(table)
    parts = ["<table>"]
    if table.caption:
        parts.append(f"<caption>{_text(table.caption)}</caption>")
    carried = [_line(row) for row in table.carried]
    head = min(table.header_rows, table.rows)
    if carried or head:
        parts += ["<thead>", *carried, *_section(owners[:head], "th"), "</thead>"]
    if head < table.rows:
        parts += ["<tbody>", *_section(owners[head:], "td"), "</tbody>"]
    return "\n".join([*parts, "</table>"])


def unique_names(header: Sequence[str]) -> list[str]:
    """The header's texts, ``column 3`` for an empty one, ``2023 (2)`` for the second 2023."""
    names: list[str] = []
    taken = {text for text in header if text}
    for number, text in enumerate(header, 1):
        name = wanted = text or f"column {number}"
        again = 2
        while name in names or (name != text and name in taken):
            name = f"{wanted} ({again})"
            again += 1
        names.append(name)
    return names


def _owners(table: Table) -> list[list[Cell | None]]:
    """The cell at every position; where cells lie over one another the later one, as in ``grid()``."""
    owners: list[list[Cell | None]] = [[None] * table.columns for _ in range(table.rows)]
    for cell in table.cells:
        for row in range(cell.row, min(table.rows, cell.row + cell.row_span)):
            for column in range(cell.column, min(table.columns, cell.column + cell.column_span)):
                owners[row][column] = cell
    return owners


def _section(owners: Sequence[Sequence[Cell | None]], tag: str) -> Iterator[str]:
    """Rows of ``thead`` or ``tbody``: spans end with the section, as HTML wants it."""
    done: set[tuple[int, int]] = set()
    for row, line in enumerate(owners):
        written = []
        for column, cell in enumerate(line):
            if (row, column) in done:
                continue
            wide, tall = 1, 1
            if cell is not None:
                while column + wide < len(line) and line[column + wide] is cell:
                    wide += 1
                area = range(column, column + wide)
                while row + tall < len(owners) and all(owners[row + tall][x] is cell for x in area):
                    tall += 1
            done.update((row + y, column + x) for y in range(tall) for x in range(wide))
            spans = f' colspan="{wide}"' * (wide > 1) + f' rowspan="{tall}"' * (tall > 1)
            written.append(f"<{tag}{spans}>{_text(cell.text if cell else '')}</{tag}>")
        yield f"<tr>{''.join(written)}</tr>"


def _line(texts: Sequence[str]) -> str:
    return "<tr>" + "".join(f"<th>{_text(text)}</th>" for text in texts) + "</tr>"


def _text(text: str) -> str:
    return escape(cell_text(text)).replace("\n", "<br>")
