"""How near a table that was read is to the true one: cell adjacency relations, and TEDS.

Both take tables as cells: dictionaries with ``row``, ``col``, ``rowspan``, ``colspan`` and ``text``.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from html.parser import HTMLParser
from itertools import pairwise
from typing import Any

Cell = dict[str, Any]
Relation = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Score:
    """Counts of relations: those in both, those found, those that are true."""

    correct: int = 0
    found: int = 0
    true: int = 0

    def __add__(self, other: Score) -> Score:
        return Score(self.correct + other.correct, self.found + other.found, self.true + other.true)

    @property
    def precision(self) -> float:
        return self.correct / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        return self.correct / self.true if self.true else 0.0

    @property
    def f1(self) -> float:
        both = self.found + self.true
        return 2 * self.correct / both if both else 0.0


def normalised(text: str) -> str:
    """A cell's text as it is compared: no white space, no case, signs all alike; "" when blank.

    As in the competition (white space removed, special characters become underscores, capital
    letters), after NFKC, which makes ligatures and full-width forms plain for every system alike.
    """
    folded = re.sub(r"\s+", "", unicodedata.normalize("NFKC", text)).casefold()
    return re.sub(r"[^\w]", "_", folded)


def relations(cells: Iterable[Cell]) -> Counter[Relation]:
    """The adjacency relations of one table (Göbel et al., A Methodology for Evaluating Algorithms for
    Table Understanding in PDF Documents, DocEng 2012; ICDAR 2013 Table Competition).

    Each cell with text is related to the nearest cell with text to its right and below; blank cells
    between them are passed over. A cell that spans rows has a right neighbour in each of them, and no
    pair of cells is related twice in one direction.
    """
    full = [(cell, normalised(cell["text"])) for cell in cells]
    full = [(cell, text) for cell, text in full if text]
    owner: dict[tuple[int, int], int] = {}
    for index, (cell, _) in enumerate(full):
        for row in range(cell["row"], cell["row"] + cell["rowspan"]):
            for column in range(cell["col"], cell["col"] + cell["colspan"]):
                owner.setdefault((row, column), index)
    pairs: set[tuple[int, int, str]] = set()
    by_row: dict[int, list[int]] = {}
    by_column: dict[int, list[int]] = {}
    for row, column in sorted(owner):
        by_row.setdefault(row, []).append(owner[row, column])
        by_column.setdefault(column, []).append(owner[row, column])
    for lanes, direction in ((by_row, "right"), (by_column, "below")):
        for lane in lanes.values():
            pairs.update((a, b, direction) for a, b in pairwise(lane) if a != b)
    return Counter((full[a][1], full[b][1], direction) for a, b, direction in pairs)


def compare(found: Sequence[Sequence[Cell]], true: Sequence[Sequence[Cell]]) -> Score:
    """Relations of the tables of one page against the true ones, each as one multiset."""
    here = sum((relations(table) for table in found), Counter())
    there = sum((relations(table) for table in true), Counter())
    return Score((here & there).total(), here.total(), there.total())


# ---------------------------------------------------------------------------- TEDS


@dataclass(slots=True, eq=False)
class Node:
    """An element of a table: its tag, its spans, and the text of a cell."""

    tag: str
    spans: tuple[int, int]
    text: str
    children: list[Node]


def teds(found: str, true: str, *, structure: bool = False) -> float:
    """Tree-edit-distance similarity of two HTML tables, from 0 to 1 (Zhong et al., Image-based Table
    Recognition: Data, Model, and Evaluation, ECCV 2020).

    One minus the distance over the larger number of elements below ``table``. To insert or delete
    an element costs 1, to rename it 1 when tag or spans differ, else the normalised Levenshtein distance
    of the texts of two cells; with ``structure`` texts don't count. ``th`` is taken for ``td`` (which
    rows are header is said by ``thead``), marks inside a cell (b, i, sup) are left out, white space
    is folded, and captions are no part of it. An empty ``found`` gives 0.
    """
    from apted import APTED
    from apted import Config as Costs

    class Rules(Costs):  # type: ignore[misc]
        def rename(self, one: Node, other: Node) -> float:
            if one.tag != other.tag or one.spans != other.spans:
                return 1.0
            return 0.0 if structure or one.tag != "td" else distance(one.text, other.text)

    first, second = _tree(found), _tree(true)
    if first is None or second is None:
        return 0.0
    most = max(_size(first), _size(second))
    if not most:
        return 1.0
    return float(1 - APTED(first, second, Rules()).compute_edit_distance() / most)


@lru_cache(maxsize=200_000)
def distance(one: str, other: str) -> float:
    """Levenshtein's distance over the longer length; 0 for two empty texts."""
    if one == other:
        return 0.0
    line = list(range(len(other) + 1))
    for row, a in enumerate(one, 1):
        diagonal, line[0] = line[0], row
        for column, b in enumerate(other, 1):
            diagonal, line[column] = (
                line[column],
                min(line[column] + 1, line[column - 1] + 1, diagonal + (a != b)),
            )
    return line[-1] / max(len(one), len(other))


def _size(node: Node) -> int:
    return sum(1 + _size(child) for child in node.children)


def _tree(html: str) -> Node | None:
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.table


class _Reader(HTMLParser):
    """The first table of a page as a tree of table, thead, tbody, tfoot, tr and td."""

    TAGS = frozenset({"table", "thead", "tbody", "tfoot", "tr", "td", "th"})

    def __init__(self) -> None:
        super().__init__()
        self.table: Node | None = None
        self._open: list[Node] = []
        self._caption = False

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag == "caption":
            self._caption = True
        if tag == "br" and self._open:
            self._open[-1].text += " "
        if tag not in self.TAGS or (self.table is not None and not self._open):
            return
        values = {name: value or "1" for name, value in attributes}
        spans = (int(values.get("rowspan", "1")), int(values.get("colspan", "1")))
        cell = tag in ("td", "th")
        node = Node("td" if cell else tag, spans if cell else (1, 1), "", [])
        if self._open:
            self._open[-1].children.append(node)
        else:
            self.table = node
        self._open.append(node)

    def handle_endtag(self, tag: str) -> None:
        if tag == "caption":
            self._caption = False
        if tag in self.TAGS and self._open:
            node = self._open.pop()
            node.text = " ".join(node.text.split())

    def handle_data(self, data: str) -> None:
        if self._open and self._open[-1].tag == "td" and not self._caption:
            self._open[-1].text += data
