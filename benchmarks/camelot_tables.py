"""Tables of a PDF as camelot reads them, as JSON. Needs camelot alone, so that it can live elsewhere.

python benchmarks/camelot_tables.py FILE lattice|stream PAGES
"""

from __future__ import annotations

import contextlib
import json
import sys
import warnings
from typing import Any


def main(path: str, flavour: str, pages: str) -> None:
    import camelot

    found: dict[str, list[list[dict[str, Any]]]] = {page: [] for page in pages.split(",")}
    # Its own messages must not be mixed with the answer, and "no tables on this page" is no fault.
    with contextlib.redirect_stdout(sys.stderr), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for table in camelot.read_pdf(path, pages=pages, flavor=flavour):
            found[str(table.page)].append(cells_of(table))
    print(json.dumps(found))


def cells_of(table: Any) -> list[dict[str, Any]]:
    """Its cells, those without an edge between them joined when only one of them holds text."""
    grid = table.cells
    cells: list[dict[str, Any]] = []
    taken: set[tuple[int, int]] = set()
    for row, line in enumerate(grid):
        for column in range(len(line)):
            if (row, column) in taken:
                continue
            right = column
            while right + 1 < len(line) and _open(line[right].right, line[right + 1].left):
                right += 1
            below = row
            while below + 1 < len(grid) and all(
                _open(grid[below][x].bottom, grid[below + 1][x].top) for x in range(column, right + 1)
            ):
                below += 1
            area = [(y, x) for y in range(row, below + 1) for x in range(column, right + 1)]
            texts = [text for y, x in area if (text := grid[y][x].text.strip())]
            if len(texts) > 1 or taken.intersection(area):
                area, texts, right, below = [(row, column)], [grid[row][column].text], column, row
            taken.update(area)
            cells.append(
                {
                    "row": row,
                    "col": column,
                    "rowspan": below - row + 1,
                    "colspan": right - column + 1,
                    "text": "".join(texts),
                }
            )
    return cells


def _open(one: bool, other: bool) -> bool:
    return not one and not other


if __name__ == "__main__":
    main(*sys.argv[1:4])
