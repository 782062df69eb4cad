"""Tables as Markdown, whole or in pieces that each carry the header."""

from __future__ import annotations

from collections.abc import Callable, Sequence

Grid = Sequence[Sequence[str]]


def table_markdown(grid: Grid, header_rows: int, first: int | None = None, last: int | None = None) -> str:
    """A GitHub-flavoured Markdown table: header, rule, body rows.

    Args:
        grid: text of every position, row by row.
        header_rows: how many leading rows are header. Several become one line, a column's texts
            joined by " / "; none gives an empty header, which the format asks for.
        first: first body row to show, counted from the grid's first row; header rows are never
            shown as body.
        last: the row to stop before, counted alike.
    """
    header = header_line(grid, header_rows)
    start, stop = _body(grid, header_rows, first, last)
    lines = [_row(header), _row(["---"] * len(header))]
    lines.extend(_row([_escape(cell) for cell in row]) for row in grid[start:stop])
    return "\n".join(lines)


def table_plain(grid: Grid, header_rows: int, first: int | None = None, last: int | None = None) -> str:
    """The same words as :func:`table_markdown` without bars and rules, one row a line."""
    start, stop = _body(grid, header_rows, first, last)
    rows = [header_line(grid, header_rows)] if header_rows else []
    rows.extend([_flat(cell) for cell in row] for row in grid[start:stop])
    lines = (" ".join(cell for cell in row if cell) for row in rows)
    return "\n".join(line for line in lines if line)


def header_line(grid: Grid, header_rows: int) -> list[str]:
    """The header rows as one: a column's distinct texts from top to bottom, joined by " / "."""
    width = len(grid[0]) if grid else 0
    columns = ([_escape(row[column]) for row in grid[:header_rows]] for column in range(width))
    return [" / ".join(dict.fromkeys(text for text in column if text)) for column in columns]


def plan_pieces(header_cost: int, row_costs: Sequence[int], limit: int) -> list[tuple[int, int]]:
    """Cut rows into consecutive ranges such that header and rows of each cost at most ``limit``.

    A row that is over the limit with the header alone makes a range of its own.

    Args:
        header_cost: what the header costs in every piece.
        row_costs: what each row costs.
        limit: most a piece may cost.

    Returns:
        ``(start, stop)`` ranges into ``row_costs``, together all of it, each as long as possible.
    """
    pieces: list[tuple[int, int]] = []
    start, spent = 0, header_cost
    for index, cost in enumerate(row_costs):
        if index > start and spent + cost > limit:
            pieces.append((start, index))
            start, spent = index, header_cost
        spent += cost
    if start < len(row_costs):
        pieces.append((start, len(row_costs)))
    return pieces


def plan_pieces_simply(header_cost: int, row_costs: Sequence[int], limit: int) -> list[tuple[int, int]]:
    """What :func:`plan_pieces` must return, by trying every length: its oracle in the tests."""
    pieces: list[tuple[int, int]] = []
    start = 0
    while start < len(row_costs):
        fitting = [
            stop
            for stop in range(start + 1, len(row_costs) + 1)
            if stop == start + 1 or header_cost + sum(row_costs[start:stop]) <= limit
        ]
        pieces.append((start, max(fitting)))
        start = max(fitting)
    return pieces


def split_table(
    grid: Grid, header_rows: int, limit: int, count: Callable[[str], int]
) -> list[tuple[int, int]]:
    """Body rows of each piece of a table, counted from the grid's first row.

    Args:
        grid: text of every position.
        header_rows: how many leading rows are header.
        limit: most tokens a piece may hold, its header included.
        count: tokens of a text.

    Returns:
        ``(first, last)`` for :func:`table_markdown`; one piece without body rows when there are none.
    """
    header_cost = count(" ".join(header_line(grid, header_rows))) if header_rows else 0
    costs = [count(" ".join(_flat(cell) for cell in row if cell)) for row in grid[header_rows:]]
    pieces = plan_pieces(header_cost, costs, limit)
    if not pieces:
        return [(header_rows, header_rows)]
    return [(start + header_rows, stop + header_rows) for start, stop in pieces]


def _body(grid: Grid, header_rows: int, first: int | None, last: int | None) -> tuple[int, int]:
    start = header_rows if first is None else max(first, header_rows)
    stop = len(grid) if last is None else min(last, len(grid))
    return start, max(start, stop)


def _row(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _flat(cell: str) -> str:
    return " ".join(cell.split())


def _escape(cell: str) -> str:
    return _flat(cell).replace("|", "\\|")
