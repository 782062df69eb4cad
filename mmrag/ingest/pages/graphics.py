"""What is drawn on a page besides text: strokes, filled shapes, pictures; as displayed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from mmrag.ingest._mupdf import display_matrix, mupdf
from mmrag.records import Box

_THIN = 3.0  # points: a shape thinner than this is a line


@dataclass(frozen=True, slots=True)
class Picture:
    """An image placed on a page: its box in points, and how many of its own pixels make a point."""

    box: Box
    sharpness: float


@dataclass(frozen=True, slots=True)
class Graphics:
    """Boxes of vector shapes and pictures, clipped to the page.

    ``shapes`` has one box a path, ``pictures`` one box a placed image (``placed`` the same with their
    resolution), ``weight`` the bytes
    of the largest image once unpacked; ``segments`` counts the strokes of all paths; ``uprights`` and
    ``levels`` count the different places of straight vertical and horizontal edges.
    """

    shapes: tuple[Box, ...]
    pictures: tuple[Box, ...]
    weight: int
    segments: int
    uprights: int
    levels: int
    placed: tuple[Picture, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether nothing at all is drawn."""
        return not self.shapes and not self.pictures


def page_graphics(page: Any) -> Graphics:
    """List a PyMuPDF page's graphics; boxes in points of the displayed page."""
    matrix = display_matrix(page)
    width, height = page.rect.width, page.rect.height
    shapes: list[Box] = []
    segments = 0
    xs: set[int] = set()
    ys: set[int] = set()
    for path in page.get_cdrawings():
        segments += len(path["items"])
        # Table edges are sought in the page's own frame, so count them there.
        for item in path["items"]:
            _edges(item, xs, ys)
        box = _clip(path["rect"], matrix, width, height)
        if box is not None:
            shapes.append(box)
    pictures: list[Picture] = []
    weight = 0
    for image in page.get_image_info():
        bits = int(image["bpc"] or 8) * max(1, int(image["colorspace"] or 0))
        weight = max(weight, int(image["width"]) * int(image["height"]) * bits // 8)
        box = _clip(image["bbox"], matrix, width, height)
        if box is not None:
            pictures.append(Picture(box, _sharpness(image)))
    boxes = tuple(picture.box for picture in pictures)
    return Graphics(tuple(shapes), boxes, weight, segments, len(xs), len(ys), tuple(pictures))


def _sharpness(image: Any) -> float:
    """Pixels a point, by area: whichever way round the image is placed."""
    x0, y0, x1, y1 = image["bbox"]
    area = abs((x1 - x0) * (y1 - y0))
    return float((int(image["width"]) * int(image["height"]) / area) ** 0.5) if area else 0.0


def _edges(item: Any, xs: set[int], ys: set[int]) -> None:
    kind = item[0]
    if kind == "re":
        x0, y0, x1, y1 = item[1][:4]
        if abs(x1 - x0) > _THIN:
            ys.update((round(y0 / _THIN), round(y1 / _THIN)))
        if abs(y1 - y0) > _THIN:
            xs.update((round(x0 / _THIN), round(x1 / _THIN)))
    elif kind == "l":
        (x0, y0), (x1, y1) = item[1][:2], item[2][:2]
        if abs(x1 - x0) <= _THIN < abs(y1 - y0):
            xs.add(round(x0 / _THIN))
        elif abs(y1 - y0) <= _THIN < abs(x1 - x0):
            ys.add(round(y0 / _THIN))
    elif kind == "qu":
        points = [(p[0], p[1]) for p in item[1]]
        xs.update(round(x / _THIN) for x, _ in points)
        ys.update(round(y / _THIN) for _, y in points)


def _clip(rect: Any, matrix: Any, width: float, height: float) -> Box | None:
    x0, y0, x1, y1 = rect
    if matrix is not None:
        x0, y0, x1, y1 = mupdf.Rect(x0, y0, x1, y1) * matrix
    box = Box(max(x0, 0.0), max(y0, 0.0), min(x1, width), min(y1, height))
    return box if box.x0 <= box.x1 and box.y0 <= box.y1 else None
