"""Rules and edges of shaded areas on a page, as a reader sees them.

Exports of word processors lay a shade behind every line of a cell and another behind the cell; the edges
of such shades are no edges of cells. So shades are painted onto a map of colours first, and an edge is
where the colour changes.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmrag.ingest._mupdf import display_matrix, mupdf
from mmrag.ingest.tables.rulings import Rule, Rulings, joined
from mmrag.records import Box

_THIN = 2.5  # points: a filled shape thinner than this is a rule
_SLANT = 1.0  # points by which the ends of a straight stroke may differ
_SEAM = 0.3  # points within which edges of two shades are one edge
_MOST_SPOTS = 2_000_000  # of the map of colours
_ALIKE = 0.02  # of the full scale: colours that differ less are one colour
_BESIDE = 0.7  # points beside a rule, where the colour of the ground is looked up
_Colour = tuple[float, float, float]
_WHITE: _Colour = (1.0, 1.0, 1.0)


@dataclass(frozen=True, slots=True)
class Shapes:
    """What is drawn on a page, in points of the displayed page.

    ``rulings`` are rules, pieces joined; ``levels`` and ``uprights`` are the pieces of all rules and all
    edges of shades that can be seen. ``boxes`` are outlined, or shaded with another colour on all sides;
    ``slants`` are around strokes that are neither horizontal nor upright.
    """

    rulings: Rulings = field(default_factory=Rulings)
    levels: tuple[Rule, ...] = ()
    uprights: tuple[Rule, ...] = ()
    boxes: tuple[Box, ...] = ()
    slants: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class _Painted:
    box: Box
    colour: _Colour


def drawn_rulings(page: Any) -> Rulings:
    """Rules of a PyMuPDF page: lines, edges of outlined boxes, and filled shapes thin as a line."""
    return page_shapes(page).rulings


def page_shapes(page: Any) -> Shapes:
    """Rules and edges of shades of a PyMuPDF page.

    Rules in the colour of the shade that they stand on are left out, but white ones on white stay: word
    processors draw borders that are meant to part cells without being seen.
    """
    matrix = display_matrix(page)
    width, height = float(page.rect.width), float(page.rect.height)
    found: dict[str, list[_Painted]] = {kind: [] for kind in ("rule", "shade", "edge", "outline", "slant")}
    for path in page.get_cdrawings():
        for box, colour, kind in _parts(path):
            shown = box if matrix is None else Box(*(mupdf.Rect(*box) * matrix))
            shown = Box(max(0.0, shown.x0), max(0.0, shown.y0), min(width, shown.x1), min(height, shown.y1))
            if shown.x0 <= shown.x1 and shown.y0 <= shown.y1:
                found[kind].append(_Painted(shown, colour))
    ground = _Map(found["shade"])
    seen = [rule.box for rule in found["rule"] if _are_alike(rule.colour, _WHITE) or not ground.is_like(rule)]
    levels, uprights = _sorted_in(seen)
    rulings = Rulings(joined(levels), joined(uprights))
    more_levels, more_uprights = _sorted_in(edge.box for edge in found["edge"])
    shade_levels, shade_uprights = ground.edges()
    coloured = [shade for shade in found["shade"] if ground.stands_out(shade)]
    return Shapes(
        rulings,
        (*levels, *more_levels, *shade_levels),
        (*uprights, *more_uprights, *shade_uprights),
        tuple(dict.fromkeys(painted.box for painted in (*coloured, *found["outline"]))),
        tuple(slant.box for slant in found["slant"]),
    )


def _parts(path: Any) -> Iterable[tuple[Box, _Colour, str]]:
    """Boxes of a path and their kind.

    A ``rule`` is flat, a ``shade`` is filled, an ``outline`` is a stroke around a box (its sides are rules
    too), an ``edge`` is a straight side of another shape, and a ``slant`` a side that is not straight.
    """
    stroke = _colour(path.get("color"), path.get("stroke_opacity")) if "s" in path["type"] else None
    fill = _colour(path.get("fill"), path.get("fill_opacity")) if "f" in path["type"] else None
    polygon: list[Any] = []
    for item in path["items"]:
        kind = item[0]
        if kind == "l":
            polygon.append(item)
            continue
        if kind == "re":
            box = _around([item[1][:2], item[1][2:4]])
        elif kind == "qu":
            points = [tuple(point) for point in item[1]]
            box = _around(points)
            if not all(_at_corner(point, box) for point in points):
                continue
        else:
            yield _around(item[1:]), stroke or fill or _WHITE, "slant"
            continue
        yield from _rectangle(box, stroke, fill)
    if not polygon:
        return
    points = [tuple(end) for item in polygon for end in item[1:3]]
    box = _around(points)
    whole = len(polygon) == len(path["items"]) and all(_at_corner(point, box) for point in points)
    if fill is not None and whole and len(polygon) > 2:
        yield from _rectangle(box, stroke, fill)
        return
    lines = [(item[1], item[2]) for item in polygon]
    if path.get("closePath") and len(polygon) == len(path["items"]):
        lines.append((polygon[-1][2], polygon[0][1]))
    for one, other in lines:
        if abs(one[0] - other[0]) <= _SLANT or abs(one[1] - other[1]) <= _SLANT:
            colour = stroke or fill
            if colour is not None:
                yield _around([one, other]), colour, "rule" if stroke is not None else "edge"
        else:
            yield _around([one, other]), stroke or fill or _WHITE, "slant"


def _rectangle(box: Box, stroke: _Colour | None, fill: _Colour | None) -> Iterable[tuple[Box, _Colour, str]]:
    if min(box.x1 - box.x0, box.y1 - box.y0) <= _THIN:
        colour = stroke or fill
        if colour is not None:
            yield box, colour, "rule"
        return
    if fill is not None:
        yield box, fill, "shade"
    # An outline in the colour of its shade can't be told from it.
    if stroke is not None and (fill is None or not _are_alike(stroke, fill)):
        yield box, stroke, "outline"
        yield Box(box.x0, box.y0, box.x1, box.y0), stroke, "rule"
        yield Box(box.x0, box.y1, box.x1, box.y1), stroke, "rule"
        yield Box(box.x0, box.y0, box.x0, box.y1), stroke, "rule"
        yield Box(box.x1, box.y0, box.x1, box.y1), stroke, "rule"


def _around(points: Sequence[Any]) -> Box:
    xs, ys = [point[0] for point in points], [point[1] for point in points]
    return Box(min(xs), min(ys), max(xs), max(ys))


def _at_corner(point: Sequence[float], box: Box) -> bool:
    aside = min(abs(point[0] - box.x0), abs(point[0] - box.x1))
    return max(aside, min(abs(point[1] - box.y0), abs(point[1] - box.y1))) <= _SLANT


def _colour(colour: Any, opacity: Any) -> _Colour | None:
    """A colour as it looks on white; None where nothing is to be seen."""
    share = 1.0 if opacity is None else float(opacity)
    if not colour or share <= 0.01:
        return None
    red, green, blue = colour[:3] if len(colour) >= 3 else (colour[0],) * 3
    return (1 - share * (1 - red), 1 - share * (1 - green), 1 - share * (1 - blue))


def _are_alike(one: Sequence[float], other: Sequence[float]) -> bool:
    return all(abs(a - b) <= _ALIKE for a, b in zip(one, other, strict=True))


def _sorted_in(boxes: Iterable[Box]) -> tuple[list[Rule], list[Rule]]:
    levels: list[Rule] = []
    uprights: list[Rule] = []
    for box in boxes:
        width, height = box.x1 - box.x0, box.y1 - box.y0
        if height <= _THIN and width > height:
            levels.append(Rule((box.y0 + box.y1) / 2, box.x0, box.x1))
        elif width <= _THIN and height > width:
            uprights.append(Rule((box.x0 + box.x1) / 2, box.y0, box.y1))
    return levels, uprights


class _Map:
    """Colours of a page, one a spot between neighbouring edges of its shades."""

    def __init__(self, shades: Sequence[_Painted]) -> None:
        seam = _SEAM
        while True:
            self._xs = _places([x for shade in shades for x in (shade.box.x0, shade.box.x1)], seam)
            self._ys = _places([y for shade in shades for y in (shade.box.y0, shade.box.y1)], seam)
            if len(self._xs) * len(self._ys) <= _MOST_SPOTS:
                break
            seam *= 2
        # A margin of white on each side: a spot's number is that of its right or lower edge.
        self._colours: NDArray[np.float32] = np.ones(
            (len(self._ys) + 1, len(self._xs) + 1, 3), dtype=np.float32
        )
        for shade in shades:
            left, right = (_index(self._xs, x) for x in (shade.box.x0, shade.box.x1))
            top, bottom = (_index(self._ys, y) for y in (shade.box.y0, shade.box.y1))
            self._colours[top + 1 : bottom + 1, left + 1 : right + 1] = shade.colour

    def _at(self, x: float, y: float) -> list[float]:
        spot = self._colours[bisect.bisect_right(self._ys, y), bisect.bisect_right(self._xs, x)]
        return [float(value) for value in spot]

    def is_like(self, rule: _Painted) -> bool:
        """Whether the ground has a rule's colour on both of its sides."""
        box = rule.box
        x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
        if box.x1 - box.x0 > box.y1 - box.y0:
            sides = [(x, box.y0 - _BESIDE), (x, box.y1 + _BESIDE)]
        else:
            sides = [(box.x0 - _BESIDE, y), (box.x1 + _BESIDE, y)]
        return all(_are_alike(rule.colour, self._at(x, y)) for x, y in sides)

    def stands_out(self, shade: _Painted) -> bool:
        """Whether the colour is another one beyond all four sides of a shade."""
        box = shade.box
        x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
        sides = ((x, box.y0 - _BESIDE), (x, box.y1 + _BESIDE), (box.x0 - _BESIDE, y), (box.x1 + _BESIDE, y))
        return not any(_are_alike(shade.colour, self._at(x, y)) for x, y in sides)

    def edges(self) -> tuple[list[Rule], list[Rule]]:
        """Horizontal and upright places where the colour changes."""
        down = np.abs(np.diff(self._colours, axis=0)).max(axis=-1) > _ALIKE
        across = np.abs(np.diff(self._colours, axis=1)).max(axis=-1) > _ALIKE
        return _runs(down, self._ys, self._xs), _runs(across.T, self._xs, self._ys)


def _places(values: Sequence[float], seam: float) -> list[float]:
    places: list[float] = []
    for value in sorted(values):
        if not places or value - places[-1] > seam:
            places.append(value)
    return places


def _index(places: Sequence[float], value: float) -> int:
    """The place that a value was taken for."""
    return bisect.bisect_right(places, value + 1e-9) - 1


def _runs(changes: NDArray[np.bool_], places: Sequence[float], along: Sequence[float]) -> list[Rule]:
    """Rules for the stretches of change, a row of ``changes`` a place."""
    found: list[Rule] = []
    for place, row in zip(places, changes, strict=True):
        edges = np.flatnonzero(np.diff(np.concatenate(([False], row, [False])).astype(np.int8)))
        # The first and the last spot are the margin, which has the page's colour and no edge within.
        found.extend(
            Rule(place, along[start - 1], along[stop - 1])
            for start, stop in zip(edges[::2], edges[1::2], strict=True)
        )
    return found
