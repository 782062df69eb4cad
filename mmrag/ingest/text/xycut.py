"""Recursive XY-cut: regions of a page between empty lanes (Ha, Haralick and Phillips 1995)."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from mmrag.ingest.text.lines import frame
from mmrag.records import Box


def share_x(one: Box, other: Box) -> bool:
    """Whether two boxes overlap sideways."""
    return min(one.x1, other.x1) > max(one.x0, other.x0)


def cut(members: list[int], boxes: Sequence[Box], tall: float, depth: int = 40) -> list[list[int]]:
    """Cut a region into columns where there are any, else at its widest horizontal gap, and again."""
    if len(members) < 2 or not depth:
        return [members]
    columns = _columns(members, boxes, tall)
    if columns is not None:
        return [part for column in columns for part in cut(column, boxes, tall, depth - 1)]
    halves = _halves(members, boxes, tall)
    if halves is not None:
        parts = [cut(half, boxes, tall, depth - 1) for half in halves]
        # Keep a horizontal cut only where it uncovers columns; plain stacks of lines stay whole.
        if any(len(part) > 1 for part in parts):
            return [region for part in parts for region in part]
    return [members]


def _columns(members: list[int], boxes: Sequence[Box], tall: float) -> list[list[int]] | None:
    gap = _widest_gap([(boxes[i].x0, boxes[i].x1, i) for i in members], tall)
    if gap is None:
        return None
    left, right = gap
    if _is_prose(left, boxes) and _is_prose(right, boxes):
        return [left, right]
    return None


def _is_prose(members: list[int], boxes: Sequence[Box]) -> bool:
    """At least three rows, most of which fill the column."""
    rows = rows_of(members, boxes)
    if len(rows) < 3:
        return False
    around = frame([boxes[i] for i in members])
    width = around.x1 - around.x0
    filled = [sum(boxes[i].x1 - boxes[i].x0 for i in row) >= 0.55 * width for row in rows]
    return sum(filled) >= 0.6 * len(rows) and width >= 6 * median(boxes[i].y1 - boxes[i].y0 for i in members)


def _halves(members: list[int], boxes: Sequence[Box], tall: float) -> list[list[int]] | None:
    gap = _widest_gap([(boxes[i].y0, boxes[i].y1, i) for i in members], 0.2 * tall)
    return None if gap is None else list(gap)


def _widest_gap(spans: list[tuple[float, float, int]], least: float) -> tuple[list[int], list[int]] | None:
    spans = sorted(spans)
    widest, cut, reach = least, 0, spans[0][1]
    for position in range(1, len(spans)):
        gap = spans[position][0] - reach
        if gap > widest:
            widest, cut = gap, position
        reach = max(reach, spans[position][1])
    if not cut:
        return None
    return [span[2] for span in spans[:cut]], [span[2] for span in spans[cut:]]


def rows_of(members: list[int], boxes: Sequence[Box]) -> list[list[int]]:
    """Group pieces whose middles lie on one line, top to bottom, each from left to right."""
    rows: list[list[int]] = []
    frames: list[Box] = []
    for i in sorted(members, key=lambda i: ((boxes[i].y0 + boxes[i].y1) / 2, boxes[i].x0, i)):
        middle = (boxes[i].y0 + boxes[i].y1) / 2
        # Pieces that overlap sideways are stacked, however close they stand.
        if (
            rows
            and frames[-1].y0 <= middle <= frames[-1].y1
            and not any(share_x(boxes[i], boxes[j]) for j in rows[-1])
        ):
            rows[-1].append(i)
        else:
            rows.append([i])
            frames.append(boxes[i])
    return [sorted(row, key=lambda i: (boxes[i].x0, i)) for row in rows]
