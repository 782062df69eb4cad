"""Tables as Markdown, whole or row by row, and back again."""

from __future__ import annotations

import re
from collections.abc import Sequence

Grid = Sequence[Sequence[str]]

_SPECIAL = re.compile(r"[\\|]|<(?=br\b)", re.IGNORECASE)
_ESCAPED = re.compile(r"\\(.)|<br>")
_RULE = re.compile(r"\|(?: ?:?-+:? ?\|)+")


def table_markdown(grid: Grid, header_rows: int, first: int | None = None, last: int | None = None) -> str:
    """A GitHub-flavoured Markdown table: header, rule, body rows.

    White space in a cell is folded and its line ends become ``<br>``; backslashes, bars and a ``<br``
    that is text are escaped by a backslash. :func:`parse_markdown` reads all of it back.

    Args:
        grid: text of every position, row by row.
        header_rows: how many leading rows are header. Several become one line, a column's texts
            joined by " / "; none gives an empty header, which the format asks for.
        first: first body row to show, counted from the grid's first row; header rows are never
            shown as body.
        last: the row to stop before, counted alike.
    """
    start = max(first or 0, header_rows)
    stop = len(grid) if last is None else max(start, last)
    return rows_markdown(header_line(grid, header_rows), grid[start:stop])


def rows_markdown(header: Sequence[str], rows: Grid) -> str:
    """The same from one line of header texts and the body rows below it."""
    lines = [_row(header), "| " + " | ".join(["---"] * len(header)) + " |"]
    lines.extend(_row(row) for row in rows)
    return "\n".join(lines)


def rows_plain(header: Sequence[str], rows: Grid) -> str:
    """The same words without bars and rules, one row a line; empty rows are left out."""
    lines = (" ".join(text for cell in row if (text := flat_text(cell))) for row in (header, *rows))
    return "\n".join(line for line in lines if line)


def header_line(grid: Grid, header_rows: int) -> list[str]:
    """The header rows as one: a column's distinct texts from top to bottom, joined by " / "."""
    width = len(grid[0]) if grid else 0
    columns = ([flat_text(row[column]) for row in grid[:header_rows]] for column in range(width))
    return [" / ".join(dict.fromkeys(text for text in column if text)) for column in columns]


def parse_markdown(text: str) -> tuple[list[str], list[list[str]]]:
    """Read back the first table that :func:`table_markdown` wrote into a text.

    A caption or prose may stand before and after it. The reader is exact for what is written here:
    cells come back as :func:`cell_text` has them. Other writers' tables are read when each
    line begins and ends with a bar.

    Args:
        text: Markdown with a table: a line of bars, the rule below it, its rows.

    Returns:
        One header text a column ("" where there is none), and the body rows from top to bottom.

    Raises:
        ValueError: no table is in the text.
    """
    lines = text.split("\n")
    for index in range(len(lines) - 1):
        if not lines[index].startswith("|") or not _RULE.fullmatch(lines[index + 1]):
            continue
        header = _cells(lines[index])
        if len(header) != lines[index + 1].count("|") - 1:
            continue
        rows = []
        for line in lines[index + 2 :]:
            if not line.startswith("|"):
                break
            rows.append(_cells(line))
        return header, rows
    raise ValueError("no Markdown table is in this text")


def cell_text(text: str) -> str:
    """A cell's text as tables hold it: white space folded within a line, lines ended by a line feed.

    Any line end that Unicode knows is one; empty lines at both ends are dropped.
    """
    return "\n".join(" ".join(line.split()) for line in text.splitlines()).strip("\n")


def flat_text(text: str) -> str:
    """A cell's text on one line."""
    return " ".join(text.split())


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(_escape(cell) for cell in cells) + " |"


def _escape(cell: str) -> str:
    return _SPECIAL.sub(r"\\\g<0>", cell_text(cell)).replace("\n", "<br>")


def _cells(line: str) -> list[str]:
    cells = [""]
    for part in re.findall(r"\\.|[^\\|]+|\||\\", line[1:]):
        if part == "|":
            cells.append("")
        else:
            cells[-1] += part
    if not cells[-1].strip():  # what stands behind the last bar
        cells.pop()
    return [_ESCAPED.sub(lambda found: found[1] or "\n", cell.strip()) for cell in cells]
