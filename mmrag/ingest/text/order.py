"""Reading order: of loose lines that have none (OCR), and of text layers whose own is wrong."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from statistics import median

import numpy as np
from numpy.typing import NDArray

from mmrag.ingest.text.bidi import logical_order, mostly_rtl
from mmrag.ingest.text.lines import Line, frame, page_lines
from mmrag.ingest.text.xycut import cut, rows_of, share_x
from mmrag.records import Box, Word

_UPRIGHT = 2.2
"""Heights of its print above which a line that is taller than wide does not stand upright."""

_TURNS = 0.15
"""Share of lines at which the file changes columns, beyond once a column, above which it goes in turns."""

_COLUMN_LINES = 5
"""Least lines of a column that is looked at."""

_LINE_CHARACTERS = 20
"""Characters of a middling line below which a column is one of a table."""


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
    for region in cut(list(range(len(boxes))), boxes, max(tall, 1e-6)):
        previous: Box | None = None
        for row in rows_of(region, boxes):
            around = frame([boxes[i] for i in row])
            line += 1
            if previous is None or around.y0 - previous.y1 > 0.9 * tall or not share_x(around, previous):
                block += 1
            placed.extend((i, line, block) for i in row)
            previous = around
    return placed


def reading_order(words: Sequence[Word]) -> tuple[Word, ...]:
    """Words of a text layer in reading order, ``line`` and ``block`` counted anew from 0.

    The file's order is kept but where it is plainly wrong: lines that stand in one column and are drawn
    from below upwards, pieces of a line drawn from right to left, columns of prose drawn in turns line by
    line, the right one of two columns drawn first. There it is mended by geometry: recursive XY-cut for
    the columns (Ha, Haralick and Phillips 1995), and within a column every run of lines after those that
    stand above it (Breuel 2003), otherwise as in the file. Lines that don't stand upright (stamps in the
    margin) keep to themselves. Right-to-left text is put in logical order.

    Args:
        words: in the file's order, the words of a line standing together.
    """
    words = logical_order(words)
    lines = page_lines(words)
    rtl = mostly_rtl(words)
    upright = [line for line in lines if _is_upright(line)]
    if 2 * sum(len(line.text) for line in upright) < sum(len(line.text) for line in lines):
        return _numbered(words, lines, [line.block for line in lines])
    # A page that is read from the right is looked at in a mirror.
    boxes = [_mirrored(line.box) if rtl else line.box for line in upright]
    order, blocks = _mended(upright, boxes)
    if order == list(range(len(upright))):
        return _numbered(words, lines, [line.block for line in lines])
    other = [line for line in lines if not _is_upright(line)]
    last = max(blocks, default=-1) + 1
    return _numbered(
        words, [*(upright[i] for i in order), *other], [*blocks, *(last + line.block for line in other)]
    )


def _numbered(words: Sequence[Word], lines: Sequence[Line], blocks: Sequence[int]) -> tuple[Word, ...]:
    known: dict[int, int] = {}
    return tuple(
        replace(words[index], line=number, block=known.setdefault(block, len(known)))
        for number, (line, block) in enumerate(zip(lines, blocks, strict=True))
        for index in line.words
    )


def _is_upright(line: Line) -> bool:
    height = line.box.y1 - line.box.y0
    return height <= _UPRIGHT * line.size or height <= line.box.x1 - line.box.x0 or len(line.text) < 3


def _mirrored(box: Box) -> Box:
    return Box(-box.x1, box.y0, -box.x0, box.y1)


def _mended(lines: Sequence[Line], boxes: Sequence[Box]) -> tuple[list[int], list[int]]:
    """The order of lines, as indices, and the block of each in that order."""
    if len(boxes) < 2:
        return list(range(len(boxes))), [line.block for line in lines]
    tall = max(median(box.y1 - box.y0 for box in boxes), 1e-6)
    parts = cut(list(range(len(boxes))), boxes, tall)
    placed = _across(boxes)
    mixed = _in_turns(placed, parts, lines, boxes)
    region = [0] * len(boxes)
    for number, part in enumerate(parts):
        for index in part:
            region[index] = number
    block = [(line.block, place if mixed else 0) for line, place in zip(lines, region, strict=True)]
    runs = _runs(placed, block, boxes, tall)
    before = _before(runs, [region[run[0]] for run in runs], boxes, tall, mixed)
    ordered = [runs[i] for i in _settled(before, [sum(len(lines[i].text) for i in run) for run in runs])]
    order = [index for run in ordered for index in run]
    starts = {run[0] for run in ordered}
    blocks = [0]
    for last, index in pairwise(order):
        near = index not in starts or boxes[index].y0 - boxes[last].y1 <= 0.9 * tall
        blocks.append(blocks[-1] + (block[index] != block[last] or not near))
    return order, blocks


def _across(boxes: Sequence[Box]) -> list[int]:
    """The file's order with neighbours that stand side by side put from left to right."""
    placed: list[int] = []
    row: list[int] = []
    for index, box in enumerate(boxes):
        if row and not all(_beside(boxes[other], box) for other in row):
            placed += sorted(row, key=lambda i: boxes[i].x0)
            row = []
        row.append(index)
    return placed + sorted(row, key=lambda i: boxes[i].x0)


def _beside(one: Box, other: Box) -> bool:
    shared = min(one.y1, other.y1) - max(one.y0, other.y0)
    return shared >= 0.5 * min(one.y1 - one.y0, other.y1 - other.y0) and not share_x(one, other)


def _in_turns(
    placed: Sequence[int], parts: Sequence[Sequence[int]], lines: Sequence[Line], boxes: Sequence[Box]
) -> bool:
    """Whether the file goes back and forth between columns of prose."""
    columns = [part for part in parts if _is_column(part, lines, boxes)]
    frames = [frame([boxes[i] for i in part]) for part in columns]
    member: dict[int, int] = {}
    for number, part in enumerate(columns):
        if any(_beside(frames[number], other) for other in frames):
            member |= dict.fromkeys(part, number)
    visits = [member[index] for index in placed if index in member]
    switches = sum(one != other for one, other in pairwise(visits))
    return switches - len(set(visits)) > max(2.0, _TURNS * len(visits))


def _is_column(part: Sequence[int], lines: Sequence[Line], boxes: Sequence[Box]) -> bool:
    """Whether lines are a column of prose rather than of a table: long, and going on from line to line."""
    if len(part) < _COLUMN_LINES or median(len(lines[i].text) for i in part) < _LINE_CHARACTERS:
        return False
    openings = [lines[i].text[0] for i in part]
    cased = [letter for letter in openings if letter.islower() or letter.isupper()]
    if 2 * len(cased) >= len(openings):
        return sum(letter.islower() for letter in cased) >= 0.25 * len(cased)
    around = frame([boxes[i] for i in part])
    full = sum(boxes[i].x1 - boxes[i].x0 >= 0.85 * (around.x1 - around.x0) for i in part)
    return full >= 0.6 * len(part)


def _runs(
    placed: Sequence[int], block: Sequence[tuple[int, int]], boxes: Sequence[Box], tall: float
) -> list[list[int]]:
    """Lines that follow each other downwards in one block."""
    runs: list[list[int]] = []
    for index in placed:
        last = runs[-1][-1] if runs else index
        if runs and block[index] == block[last] and boxes[index].y0 >= boxes[last].y0 - 0.5 * tall:
            runs[-1].append(index)
        else:
            runs.append([index])
    return runs


def _before(
    runs: Sequence[Sequence[int]], region: Sequence[int], boxes: Sequence[Box], tall: float, mixed: bool
) -> NDArray[np.bool_]:
    """Whether run i is read before run j, ``(runs, runs)``."""
    frames: NDArray[np.float64] = np.array([frame([boxes[i] for i in run]) for run in runs])
    x0, y0, x1, y1 = frames.T
    shared = np.minimum(x1[:, None], x1) - np.maximum(x0[:, None], x0)
    narrow = np.minimum((x1 - x0)[:, None], x1 - x0)
    above: NDArray[np.bool_] = (y1[:, None] <= y0 + 0.3 * tall) & (shared >= 0.5 * np.maximum(narrow, 1e-6))
    places = np.array(region)
    if mixed:
        above &= places[:, None] == places
        above |= places[:, None] < places
    else:
        for left, right in _drawn_backwards(runs, region, boxes):
            above |= (places[:, None] == left) & (places == right)
    return above


def _drawn_backwards(
    runs: Sequence[Sequence[int]], region: Sequence[int], boxes: Sequence[Box]
) -> list[tuple[int, int]]:
    """Neighbouring columns of like width and some length of which the right one is drawn first, whole."""
    frames: dict[int, Box] = {}
    first: dict[int, int] = {}
    last: dict[int, int] = {}
    size: Counter[int] = Counter()
    for number, (run, place) in enumerate(zip(runs, region, strict=True)):
        box = frame([boxes[i] for i in run])
        frames[place] = frames[place].union(box) if place in frames else box
        first.setdefault(place, number)
        last[place] = number
        size[place] += len(run)
    found = []
    for left in frames:
        for right in frames:
            if left < right and last[right] < first[left] and min(size[left], size[right]) >= _COLUMN_LINES:
                one, other = frames[left], frames[right]
                widths = sorted((one.x1 - one.x0, other.x1 - other.x0))
                if one.x1 <= other.x0 and _beside(one, other) and widths[0] >= 0.6 * widths[1]:
                    found.append((left, right))
    return found


def _settled(above: NDArray[np.bool_], mass: Sequence[int]) -> list[int]:
    """The file's order, mended so that what must come before an item does.

    Where more text is missing before an item than would have to wait for it, the item is early (a footer
    drawn first) and waits; else what is missing is late (a title drawn last) and is fetched.
    """
    count = len(mass)
    before = [np.flatnonzero(above[:, item]).tolist() for item in range(count)]
    weights = np.array(mass)
    order: list[int] = []
    done: set[int] = set()
    waiting: list[int] = []

    def put(item: int) -> None:
        order.append(item)
        done.add(item)
        for other in waiting:
            if other not in done and done.issuperset(before[other]):
                put(other)

    for item in range(count):
        missing = _missing(item, before, done) if item not in done else []
        if missing:
            late = np.array(missing)
            held = (above[late] & (np.arange(count) < late[:, None])).any(axis=0)
            held[late] = False
            if weights[late].sum() > weights[held].sum():
                waiting.append(item)
                continue
        for other in (*missing, item):
            if other not in done:
                put(other)
    for item in waiting:
        for other in (*_missing(item, before, done), item):
            if other not in done:
                put(other)
    return order


def _missing(item: int, before: Sequence[Sequence[int]], done: set[int]) -> list[int]:
    """What must come before an item and hasn't, each after its own; circles are cut where met."""
    found: list[int] = []
    begun = {item}
    stack = [(item, iter(before[item]))]
    while stack:
        current, others = stack[-1]
        following = next((other for other in others if other not in begun and other not in done), None)
        if following is None:
            stack.pop()
            if current != item:
                found.append(current)
        else:
            begun.add(following)
            stack.append((following, iter(before[following])))
    return found
