"""What reads tables in the benchmark: mmrag, and the libraries it is held against, each by its defaults.

Each returns a page's tables as lists of cells: ``row``, ``col``, ``rowspan``, ``colspan``, ``text``.
"""

from __future__ import annotations

import json
import subprocess
import sys
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from contextlib import redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pymupdf
from table_metrics import Cell

from mmrag.ingest import close_files, open_file, read_page
from mmrag.records import Table
from mmrag.settings import ReadSettings

Tables = list[list[Cell]]
Pages = Mapping[int, Tables]
System = Callable[[Path, Sequence[int]], Pages]

CAMELOT = Path(__file__).with_name("camelot_tables.py")


def read_tables(path: Path, pages: Sequence[int]) -> dict[int, tuple[Table, ...]]:
    """Tables of each page as mmrag reads them, through what adding a file uses."""
    info = open_file(path)
    settings = ReadSettings()
    try:
        return {page: read_page(info.source, info.id, page, settings).tables for page in pages}
    finally:
        close_files()


def ours(path: Path, pages: Sequence[int]) -> Pages:
    return {page: [as_cells(t) for t in tables] for page, tables in read_tables(path, pages).items()}


def as_cells(table: Table) -> list[Cell]:
    return [
        {
            "row": cell.row,
            "col": cell.column,
            "rowspan": cell.row_span,
            "colspan": cell.column_span,
            "text": cell.text,
        }
        for cell in table.cells
    ]


def by_pymupdf(path: Path, pages: Sequence[int]) -> Pages:
    """``find_tables()`` as it comes, without the header it names above the rules: that costs it here."""
    found: dict[int, Tables] = {}
    with pymupdf.open(path) as document:
        for number in pages:
            with redirect_stdout(sys.stderr):  # it recommends another package on stdout
                finder = document[number - 1].find_tables()
            found[number] = [from_boxes([r.cells for r in t.rows], t.extract()) for t in finder.tables]
    return found


def by_pdfplumber(path: Path, pages: Sequence[int]) -> Pages:
    import pdfplumber

    found: dict[int, Tables] = {}
    with pdfplumber.open(path) as document:
        for number in pages:
            tables = document.pages[number - 1].find_tables()
            found[number] = [from_boxes([r.cells for r in t.rows], t.extract()) for t in tables]
    return found


def from_boxes(boxes: Sequence[Sequence[Any]], texts: Sequence[Sequence[str | None]]) -> list[Cell]:
    """Cells with the spans that their boxes tell: how many of the table's edges they reach over."""
    known = [box for row in boxes for box in row if box is not None]
    lefts = _edges([box[0] for box in known])
    tops = _edges([box[1] for box in known])
    cells: list[Cell] = []
    for row, line in zip(boxes, texts, strict=True):
        for box, text in zip(row, line, strict=True):
            if box is None:
                continue
            left, top = bisect_left(lefts, box[0] - 1), bisect_left(tops, box[1] - 1)
            cells.append(
                {
                    "row": top,
                    "col": left,
                    "rowspan": max(1, bisect_left(tops, box[3] - 1) - top),
                    "colspan": max(1, bisect_left(lefts, box[2] - 1) - left),
                    "text": text or "",
                }
            )
    return cells


def _edges(values: Sequence[float]) -> list[float]:
    """Different positions in order; those within a point of the last are the same."""
    kept: list[float] = []
    for value in sorted(values):
        if not kept or value - kept[-1] > 1:
            kept.append(value)
    return kept


def by_camelot(python: str, flavour: str) -> System:
    """One flavour of camelot, run by the interpreter it is installed in."""

    def read(path: Path, pages: Sequence[int]) -> Pages:
        command = [python, str(CAMELOT), str(path), flavour, ",".join(map(str, pages))]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"camelot {flavour}: {done.stderr.strip().splitlines()[-1:]}")
        return {int(page): tables for page, tables in json.loads(done.stdout.splitlines()[-1]).items()}

    return read


def systems(camelot: str | None) -> tuple[dict[str, System], list[str]]:
    """What can be run here by name, and what is missing."""
    found: dict[str, System] = {"ours": ours, "pymupdf": by_pymupdf}
    missing = []
    if find_spec("pdfplumber"):
        found["pdfplumber"] = by_pdfplumber
    else:
        missing.append("pdfplumber is not installed: pip install pdfplumber")
    python = camelot or (sys.executable if find_spec("camelot") else None)
    if python:
        found["camelot.lattice"] = by_camelot(python, "lattice")
        found["camelot.stream"] = by_camelot(python, "stream")
    else:
        missing.append(
            "camelot is not installed here: pip install camelot-py into an environment of its own "
            "(its OpenCV clashes with ours) and name its interpreter with --camelot"
        )
    return found, missing
