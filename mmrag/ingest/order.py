"""Reading order of loose lines, for pages whose text has none (OCR)."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from mmrag.records import Box


def arrange(boxes: Sequence[Box]) -> list[tuple[int, int, int]]:
    """Put line boxes in reading order.

    Columns of prose are read one after the other; pieces that stand side by side and do not form
    columns (the cells of a table) are read across as one line.

    Args:
        boxes: one a piece of a line, origin top left.

    Returns:
        ``(index into boxes, line number, block number)`` a piece, both numbers counted from 0.
    """
    if not boxes:
        return []
    tall = median(box.y1 - box.y0 for box in boxes)
    placed: list[tuple[int, int, int]] = []
    line = block = -1
    for region in _cut(list(range(len(boxes))), boxes, max(tall, 1e-6)):
        previous: Box | None = None
        for row in _rows(region, boxes):
            frame = _frame([boxes[i] for i in row])
            line += 1
            if previous is None or frame.y0 - previous.y1 > 0.9 * tall or not _share_x(frame, previous):
                block += 1
            placed.extend((i, line, block) for i in row)
            previous = frame
    return placed


def _frame(boxes: Sequence[Box]) -> Box:
    merged = boxes[0]
    for box in boxes[1:]:
        merged = merged.union(box)
    return merged


def _share_x(one: Box, other: Box) -> bool:
    return min(one.x1, other.x1) > max(one.x0, other.x0)


def _cut(members: list[int], boxes: Sequence[Box], tall: float, depth: int = 40) -> list[list[int]]:
    """Cut a region into columns where there are any, else at its widest horizontal gap, and again."""
    if len(members) < 2 or not depth:
        return [members]
    columns = _columns(members, boxes, tall)
    if columns is not None:
        return [part for column in columns for part in _cut(column, boxes, tall, depth - 1)]
    halves = _halves(members, boxes, tall)
    if halves is not None:
        parts = [_cut(half, boxes, tall, depth - 1) for half in halves]
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
    rows = _rows(members, boxes)
    if len(rows) < 3:
        return False
    frame = _frame([boxes[i] for i in members])
    width = frame.x1 - frame.x0
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


def _rows(members: list[int], boxes: Sequence[Box]) -> list[list[int]]:
    """Group pieces whose middles lie on one line, top to bottom, each from left to right."""
    rows: list[list[int]] = []
    frames: list[Box] = []
    for i in sorted(members, key=lambda i: ((boxes[i].y0 + boxes[i].y1) / 2, boxes[i].x0, i)):
        middle = (boxes[i].y0 + boxes[i].y1) / 2
        # Pieces that overlap sideways are stacked, however close they stand.
        if (
            rows
            and frames[-1].y0 <= middle <= frames[-1].y1
            and not any(_share_x(boxes[i], boxes[j]) for j in rows[-1])
        ):
            rows[-1].append(i)
        else:
            rows.append([i])
            frames.append(boxes[i])
    return [sorted(row, key=lambda i: (boxes[i].x0, i)) for row in rows]
