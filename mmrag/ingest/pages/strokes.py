"""Straight ruling lines found in a picture of a page, for scans and photographs that have no drawings."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

Ruling = tuple[float, float, float]
"""Where a line stands and where it starts and ends: (y, x0, x1) or (x, y0, y1), in points."""

LEAST_LENGTH = 12.0
"""Points; shorter strokes are underlines of a letter, dashes or parts of letters."""

MOST_THICK = 2.0
"""Points; a thicker stroke is a bar or a line of text whose letters touch."""

MOST_THICK_DOTS = 1.2
"""Points, the same for a dotted line: rows of small letters are gapped like one, but taller."""

_CONTRAST = (
    14  # grey levels by which a line differs from its surroundings (a hairline is pale once scaled down)
)
_DOTS = 2.2  # points of white between the dots of a dotted line
_GAP = 3.0  # points of a line that writing or dirt may hide
_LEAST_SOLID = 0.3  # share of a dotted line's length that must be ink
_SOLID = 0.9  # share above which it isn't dotted
_CLEAN_BESIDE_SOLID = 0.6  # see _clean_sides; cells may be written close to their rules
_CLEAN_BESIDE_DOTS = 0.9


def pixel_rulings(pixels: NDArray[np.uint8], zoom: float) -> tuple[tuple[Ruling, ...], tuple[Ruling, ...]]:
    """Find the straight horizontal and vertical lines of a picture by morphology.

    What is thin and darker (or lighter, on a shaded ground) than its surroundings is opened with a long
    flat element along each axis, which leaves lines and takes letters; lines of text that survive
    because their letters touch give themselves away by their thickness. A line that leans by up to
    about 1.5 degrees is found and stands at its middle.

    Args:
        pixels: RGB, ``(height, width, 3)``.
        zoom: pixels a point.

    Returns:
        Horizontal lines as ``(y, x0, x1)`` and vertical ones as ``(x, y0, y1)``, in points, sorted.
    """
    import cv2

    grey = np.asarray(cv2.cvtColor(np.ascontiguousarray(pixels), cv2.COLOR_RGB2GRAY), dtype=np.uint8)
    around = 2 * max(2, round(0.75 * MOST_THICK * zoom)) + 1
    block = np.ones((around, around), np.uint8)
    turned = np.ascontiguousarray(grey.T)
    levels: list[Ruling] = []
    uprights: list[Ruling] = []
    for kind in (cv2.MORPH_BLACKHAT, cv2.MORPH_TOPHAT):
        light = kind == cv2.MORPH_TOPHAT
        ink = (cv2.morphologyEx(grey, kind, block) >= _CONTRAST).astype(np.uint8)
        levels.extend(_lines(cv2, ink, grey, zoom, light=light))
        uprights.extend(_lines(cv2, np.ascontiguousarray(ink.T), turned, zoom, light=light))
    return tuple(_joined(levels)), tuple(_joined(uprights))


def _lines(
    cv2: Any, ink: NDArray[np.uint8], grey: NDArray[np.uint8], zoom: float, *, light: bool
) -> list[Ruling]:
    """Horizontal lines of a mask, in points."""
    if min(ink.shape) < 3:
        return []
    length = max(12, round(LEAST_LENGTH * zoom))
    thickest, thin = max(3.0, MOST_THICK * zoom), max(2.0, MOST_THICK_DOTS * zoom)
    if not light:
        dots = max(1, round(_DOTS * zoom))
        closed = cv2.morphologyEx(ink, cv2.MORPH_CLOSE, np.ones((1, dots + 1), np.uint8))
    opened = cv2.morphologyEx(ink if light else closed, cv2.MORPH_OPEN, np.ones((1, length), np.uint8))
    if not opened.any():
        return []
    count, labels, stats, middles = cv2.connectedComponentsWithStats(opened, connectivity=8)
    found = []
    for number in range(1, count):
        x, y, width, height, area = (int(value) for value in stats[number])
        thickness = area / width
        if thickness > thickest or height > thickest + 0.03 * width:
            continue
        part = labels[y : y + height, x : x + width] == number
        top, bottom = y + part.argmax(axis=0), y + height - 1 - part[::-1].argmax(axis=0)
        solid = float(ink[(top + bottom) // 2, x + np.arange(width)].mean())
        dotted = solid < _SOLID
        if dotted and (light or solid < _LEAST_SOLID or thickness > thin or width < 2 * length):
            continue
        clean = _CLEAN_BESIDE_DOTS if dotted or light else _CLEAN_BESIDE_SOLID
        if _clean_sides(grey, x, top, bottom) >= clean:
            found.append(((float(middles[number][1]) + 0.5) / zoom, x / zoom, (x + width) / zoom))
    return found


def _clean_sides(grey: NDArray[np.uint8], x: int, top: NDArray[np.intp], bottom: NDArray[np.intp]) -> float:
    """Share of a line's length along which nothing is written right beside it, on its busier side.

    A row of letters that touch looks like a line, but letters go on above or below it.
    """
    columns = x + np.arange(len(top))
    shares = []
    for edge in (top - 2, bottom + 2):
        beside = grey[np.clip(edge, 0, grey.shape[0] - 1), columns].astype(np.int16)
        outside = (edge < 0) | (edge >= grey.shape[0])
        shares.append((outside | (np.abs(beside - np.median(beside)) < _CONTRAST)).mean())
    return float(min(shares))


def _joined(lines: list[Ruling]) -> list[Ruling]:
    """Join pieces of one line, which crossing lines, writing and dirt cut; the same line twice is one."""
    joined: list[Ruling] = []
    for place, start, end in sorted(lines, key=lambda line: (line[1], line[0], line[2])):
        for index in range(len(joined) - 1, -1, -1):
            other, first, last = joined[index]
            if abs(other - place) <= 1.5 and start <= last + _GAP:
                longer = other if last - first >= end - start else place
                joined[index] = (longer, first, max(last, end))
                break
        else:
            joined.append((place, start, end))
    return sorted((round(place, 2), round(start, 2), round(end, 2)) for place, start, end in joined)
