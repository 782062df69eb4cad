"""Tables that lie on their side on an upright page: found by turning words and rules, and turned back."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mmrag.ingest.tables.rulings import Rule, Rulings
from mmrag.ingest.text.lines import frame, inside
from mmrag.records import Box, Table, Word

_TALLER = 1.5  # a word's height to its width, from which it stands on its side
_TALL = 1.15  # the same, where other words surely lie
_WIDER = 1.25  # a word's width to its height, from which it surely stands upright
_MARGIN = 3.0  # ems around lying words within which a short word may be one of them
_LEAST_LETTERS = 3  # shorter words say nothing of their direction


@dataclass(frozen=True, slots=True)
class Turn:
    """A quarter turn that makes text upright; ``clockwise`` for text that is read from bottom to top.

    ``extent`` is where the turned axis starts: an upper bound of y (clockwise) or of x.
    """

    clockwise: bool
    extent: float

    def box(self, box: Box) -> Box:
        """A box of the page, turned."""
        if self.clockwise:
            return Box(self.extent - box.y1, box.x0, self.extent - box.y0, box.x1)
        return Box(box.y0, self.extent - box.x1, box.y1, self.extent - box.x0)

    def back(self, box: Box) -> Box:
        """A turned box, as it stands on the page."""
        if self.clockwise:
            return Box(box.y0, self.extent - box.x1, box.y1, self.extent - box.x0)
        return Box(self.extent - box.y1, box.x0, self.extent - box.y0, box.x1)

    def words(self, words: Sequence[Word]) -> list[Word]:
        """Words, turned."""
        return [replace(word, box=self.box(word.box)) for word in words]

    def rulings(self, rulings: Rulings) -> Rulings:
        """Rules, turned: what was horizontal is upright."""
        end = self.extent
        if self.clockwise:
            levels = [Rule(r.at, end - r.stop, end - r.start) for r in rulings.uprights]
            uprights = [Rule(end - r.at, r.start, r.stop) for r in rulings.levels]
        else:
            levels = [Rule(end - r.at, r.start, r.stop) for r in rulings.uprights]
            uprights = [Rule(r.at, end - r.stop, end - r.start) for r in rulings.levels]
        return Rulings(
            tuple(sorted(levels, key=lambda r: (r.at, r.start))),
            tuple(sorted(uprights, key=lambda r: (r.at, r.start))),
        )

    def table_back(self, table: Table) -> Table:
        """A table found among turned words, with its boxes as they stand on the page."""
        cells = tuple(replace(cell, box=self.back(cell.box)) for cell in table.cells)
        return replace(table, cells=cells, box=self.back(table.box))


def lying_words(words: Sequence[Word]) -> frozenset[int]:
    """Indices of words in lines that run up or down the page."""
    lines: dict[int, list[int]] = {}
    for index, word in enumerate(words):
        lines.setdefault(word.line, []).append(index)
    found: set[int] = set()
    likely: list[int] = []
    unsure: list[int] = []
    for members in lines.values():
        told = [words[i].box for i in members if len(words[i].text) >= _LEAST_LETTERS]
        tall, wide = sum(b.y1 - b.y0 for b in told), sum(b.x1 - b.x0 for b in told)
        if tall > _TALLER * wide:
            found.update(members)
        elif tall > _TALL * wide:
            likely.extend(members)
        elif wide <= _WIDER * tall:
            unsure.extend(members)
    if found:
        found.update(likely)
        found.update(_among(unsure, found, words))
    return frozenset(found)


def _among(unsure: Sequence[int], found: set[int], words: Sequence[Word]) -> list[int]:
    """Short words alone on their lines that stand among lying words rather than among others."""
    inner = frame([words[i].box for i in found])
    margin = _MARGIN * max(words[i].size for i in found)
    around = Box(inner.x0 - margin, inner.y0 - margin, inner.x1 + margin, inner.y1 + margin)
    within = [i for i, word in enumerate(words) if inside(word.box, around)]
    upright = len(within) - len(found) - sum(inside(words[i].box, around) for i in unsure)
    return [i for i in unsure if inside(words[i].box, around)] if upright < len(found) else []


def turn_of(words: Sequence[Word], lying: frozenset[int]) -> Turn:
    """The turn that makes lying words upright, told by how words of one line follow each other."""
    up = down = 0
    for last, index in itertools.pairwise(sorted(lying)):
        one, other = words[last], words[index]
        if one.line == other.line or (one.box.x0 < other.box.x1 and other.box.x0 < one.box.x1):
            # Words of one line tell more than cells beside each other, which a file may hold in any order.
            weight = 10 if one.line == other.line else 1
            if other.box.y0 < one.box.y0:
                up += weight
            else:
                down += weight
    boxes = [words[i].box for i in lying]
    clockwise = up >= down
    return Turn(clockwise, max(b.y1 for b in boxes) if clockwise else max(b.x1 for b in boxes))
