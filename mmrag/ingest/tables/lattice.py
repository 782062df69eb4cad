"""Cells that rules close in, for pages that are pictures: crossings of rules to boxes of cells."""

from __future__ import annotations

from collections.abc import Sequence

from mmrag.ingest.tables.rulings import Rule, Rulings
from mmrag.records import Box

_TOUCH = 3.0  # points by which rules may miss each other and still meet
_SNAP = 2.5  # points within which two rules are one edge
_MOST_RULES = 400  # of a grid; more is a drawing
_Spot = tuple[int, int]


def lattice_cells(rulings: Rulings) -> list[list[Box]]:
    """Boxes of the cells of every grid of rules, a list a grid.

    Places whose dividing rule is missing are one cell; a grid has at least two columns and rows.
    """
    grids = []
    for levels, uprights in _grids(rulings):
        xs = _places([*(r.at for r in uprights), *_open_ends(levels)])
        ys = _places([r.at for r in levels])
        if len(xs) < 3 or len(ys) < 3:
            continue
        cells = _cells(xs, ys, levels, uprights)
        if cells:
            grids.append(cells)
    return grids


def _grids(rulings: Rulings) -> list[tuple[list[Rule], list[Rule]]]:
    """Rules that cross or touch each other, directly or over others, group by group."""
    levels, uprights = rulings.levels, rulings.uprights
    if not levels or not uprights or len(levels) + len(uprights) > _MOST_RULES:
        return []
    parent = list(range(len(levels) + len(uprights)))
    for i, level in enumerate(levels):
        for j, upright in enumerate(uprights, len(levels)):
            if _meet(level, upright):
                parent[_root(parent, i)] = _root(parent, j)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = {}
    for i, rule in enumerate((*levels, *uprights)):
        groups.setdefault(_root(parent, i), ([], []))[i >= len(levels)].append(rule)
    return [group for group in groups.values() if group[0] and group[1]]


def _meet(level: Rule, upright: Rule) -> bool:
    return (
        level.start - _TOUCH <= upright.at <= level.stop + _TOUCH
        and upright.start - _TOUCH <= level.at <= upright.stop + _TOUCH
    )


def _root(parent: list[int], number: int) -> int:
    while parent[number] != number:
        parent[number] = parent[parent[number]]
        number = parent[number]
    return number


def _places(values: Sequence[float]) -> list[float]:
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > _SNAP:
            places.append(value)
    return places


def _open_ends(levels: Sequence[Rule]) -> list[float]:
    """Where most horizontal rules start and stop: an outer edge, though no rule may stand there."""
    starts, stops = sorted(r.start for r in levels), sorted(r.stop for r in levels)
    middle = len(levels) // 2
    return [
        ends[middle]
        for ends in (starts, stops)
        if 2 * sum(abs(end - ends[middle]) <= _TOUCH for end in ends) > len(levels)
    ]


def _cells(
    xs: Sequence[float], ys: Sequence[float], levels: Sequence[Rule], uprights: Sequence[Rule]
) -> list[Box]:
    across, down = len(xs) - 1, len(ys) - 1
    spots = [(row, column) for row in range(down) for column in range(across)]
    parent = list(range(len(spots)))
    for number, (row, column) in enumerate(spots):
        y, x = (ys[row] + ys[row + 1]) / 2, (xs[column] + xs[column + 1]) / 2
        if column + 1 < across and not _covers(uprights, xs[column + 1], y):
            parent[_root(parent, number + 1)] = _root(parent, number)
        if row + 1 < down and not _covers(levels, ys[row + 1], x):
            parent[_root(parent, number + across)] = _root(parent, number)
    groups: dict[int, list[_Spot]] = {}
    for number, spot in enumerate(spots):
        groups.setdefault(_root(parent, number), []).append(spot)
    found = []
    for members in groups.values():
        rows, columns = [row for row, _ in members], [column for _, column in members]
        whole = (max(rows) - min(rows) + 1) * (max(columns) - min(columns) + 1) == len(members)
        for part in [members] if whole else [[spot] for spot in members]:
            found.append(
                Box(
                    xs[min(column for _, column in part)],
                    ys[min(row for row, _ in part)],
                    xs[max(column for _, column in part) + 1],
                    ys[max(row for row, _ in part) + 1],
                )
            )
    return found


def _covers(rules: Sequence[Rule], at: float, middle: float) -> bool:
    return any(abs(r.at - at) <= _SNAP and r.start <= middle <= r.stop for r in rules)
