"""Grids of cells closed in by drawn edges.

The way of Nurminen's thesis (2013) and pdfplumber: edges that nearly meet are made to meet, places where
they cross are listed, and a cell is the smallest box whose four corners are such places with edges all
along between them. Cells with common corners are one grid.
"""

from __future__ import annotations

import bisect
from collections.abc import Sequence
from itertools import groupby
from statistics import fmean

from mmrag.ingest.tables.rulings import Rule
from mmrag.ingest.text.lines import frame, inside
from mmrag.records import Box

_SNAP = 3.0  # points within which edges are one edge, meet, or go on after a gap
_LEAST = 3.0  # points: shorter edges are none
_MOST_CROSSINGS = 20_000  # with more, it is a drawing
_Point = tuple[float, float]


def grids_of(levels: Sequence[Rule], uprights: Sequence[Rule], words: Sequence[Box]) -> list[list[Box]]:
    """Cells of each grid of two columns or more, from top to bottom.

    Shapes that touch each other and hold words are taken to be framed, so that a grid may be open at its
    outer sides.

    Args:
        levels: horizontal edges.
        uprights: upright edges.
        words: boxes of the page's words.
    """
    # A grid has edges of both kinds within its frame; others are spared.
    if len({round(r.at) for r in levels}) < 2 or len({round(r.at) for r in uprights}) < 1:
        return []
    frames = [box for box in clusters_of(levels, uprights) if any(inside(word, box) for word in words)]
    flat = _merged([*levels, *(Rule(y, box.x0, box.x1) for box in frames for y in (box.y0, box.y1))])
    upright = _merged([*uprights, *(Rule(x, box.y0, box.y1) for box in frames for x in (box.x0, box.x1))])
    grids = [group for group in _groups(_cells(flat, upright)) if _is_grid(group, words)]
    return sorted(grids, key=lambda group: min((box.y0, box.x0) for box in group))


def _is_grid(boxes: Sequence[Box], words: Sequence[Box]) -> bool:
    around = frame(boxes)
    columns = min(len({box.x0 for box in boxes}), len({box.x1 for box in boxes}))
    return columns > 1 and any(inside(word, around) for word in words)


def clusters_of(levels: Sequence[Rule], uprights: Sequence[Rule]) -> list[Box]:
    """Boxes around edges that touch each other or lie in one another's boxes."""
    boxes = sorted(
        {Box(r.start, r.at, r.stop, r.at) for r in levels}
        | {Box(r.at, r.start, r.at, r.stop) for r in uprights},
        key=lambda box: (box.y0, box.x0, box.y1, box.x1),
    )
    found: list[Box] = []
    for box in boxes:
        # Those above are done with once their bottom is passed, but a box that grows may reach any other.
        whole = box
        grown = True
        while grown:
            grown = False
            for other in found:
                if _touch(whole, other):
                    whole = whole.union(other)
                    found.remove(other)
                    grown = True
                    break
        found.append(whole)
    return found


def _touch(one: Box, other: Box) -> bool:
    return (
        one.x0 - _SNAP <= other.x1
        and other.x0 - _SNAP <= one.x1
        and one.y0 - _SNAP <= other.y1
        and other.y0 - _SNAP <= one.y1
    )


def _merged(rules: Sequence[Rule]) -> list[Rule]:
    """Edges of one place made one, and pieces with little white between them joined."""
    placed: list[Rule] = []
    group: list[Rule] = []
    for rule in sorted(rules, key=lambda r: (r.at, r.start, r.stop)):
        if group and rule.at - group[-1].at > _SNAP:
            placed.extend(_at_one_place(group))
            group = []
        group.append(rule)
    if group:
        placed.extend(_at_one_place(group))
    return [rule for rule in placed if rule.length >= _LEAST]


def _at_one_place(group: Sequence[Rule]) -> list[Rule]:
    at = fmean(rule.at for rule in group)
    pieces: list[Rule] = []
    for rule in sorted(group, key=lambda r: (r.start, r.stop)):
        if pieces and rule.start <= pieces[-1].stop + _SNAP:
            pieces[-1] = Rule(at, pieces[-1].start, max(pieces[-1].stop, rule.stop))
        else:
            pieces.append(Rule(at, rule.start, rule.stop))
    return pieces


def _cells(levels: Sequence[Rule], uprights: Sequence[Rule]) -> list[Box]:
    """The smallest boxes closed in by edges, from the top left corner of each."""
    crossings: dict[_Point, tuple[int, int]] = {}
    heights = [rule.at for rule in levels]
    for i, upright in enumerate(uprights):
        first = bisect.bisect_left(heights, upright.start - _SNAP)
        last = bisect.bisect_right(heights, upright.stop + _SNAP)
        for j in range(first, last):
            level = levels[j]
            if level.start - _SNAP <= upright.at <= level.stop + _SNAP:
                crossings.setdefault((upright.at, level.at), (j, i))
        if len(crossings) > _MOST_CROSSINGS:
            return []
    points = sorted(crossings)
    columns = {x: list(group) for x, group in groupby(points, key=lambda p: p[0])}
    rows = {
        y: list(group) for y, group in groupby(sorted(points, key=lambda p: (p[1], p[0])), lambda p: p[1])
    }
    found: list[Box] = []
    for point in points:
        cell = _smallest(point, columns[point[0]], rows[point[1]], crossings)
        if cell is not None:
            found.append(cell)
    return found


def _smallest(
    point: _Point, column: Sequence[_Point], row: Sequence[_Point], crossings: dict[_Point, tuple[int, int]]
) -> Box | None:
    level, upright = crossings[point]
    below = [p for p in column[bisect.bisect_right(column, point) :] if crossings[p][1] == upright]
    right = [
        p for p in row[bisect.bisect_right(row, point[0], key=lambda p: p[0]) :] if crossings[p][0] == level
    ]
    for under in below:
        for beside in right:
            corner = crossings.get((beside[0], under[1]))
            if corner == (crossings[under][0], crossings[beside][1]):
                return Box(point[0], point[1], beside[0], under[1])
    return None


def _groups(cells: Sequence[Box]) -> list[list[Box]]:
    """Cells that have corners in common, directly or over others."""
    parent = list(range(len(cells)))

    def root(number: int) -> int:
        while parent[number] != number:
            parent[number] = parent[parent[number]]
            number = parent[number]
        return number

    known: dict[_Point, int] = {}
    for number, box in enumerate(cells):
        for corner in ((box.x0, box.y0), (box.x0, box.y1), (box.x1, box.y0), (box.x1, box.y1)):
            other = known.setdefault(corner, number)
            parent[root(number)] = root(other)
    groups: dict[int, list[Box]] = {}
    for number, box in enumerate(cells):
        groups.setdefault(root(number), []).append(box)
    return list(groups.values())
