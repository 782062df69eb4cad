"""A page's picture with boxes drawn on it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image, ImageDraw

from mmrag.errors import DocumentNotFound
from mmrag.records import Box, Page, PageImage

OUTLINE = (214, 40, 40)
FILL = (255, 214, 10, 70)
# Points of page kept around the boxes of a crop: the lines above and below give a passage its place.
MARGIN = 36.0


def page_image(page: Page, path: Path) -> Page:
    """The page with the picture kept at ``path``; as it is when there is none."""
    if not path.exists():
        return page
    data = path.read_bytes()
    with Image.open(io.BytesIO(data)) as opened:
        return replace(page, image=PageImage(data, opened.width, opened.height))


def draw_boxes(page: Page, boxes: Sequence[Box], *, crop: bool = False) -> bytes:
    """PNG bytes of the page's picture with ``boxes`` (page points) outlined.

    Args:
        page: with an image.
        boxes: in page points.
        crop: keep only the boxes and MARGIN points around them.

    Raises:
        DocumentNotFound: the page has no picture.
    """
    if page.image is None:
        raise DocumentNotFound(
            f"page {page.number} has no picture",
            where=page.document,
            remedy=page.reason or "Add the file again.",
        )
    with Image.open(io.BytesIO(page.image.data)) as opened:
        picture = opened.convert("RGB")
    sx, sy = picture.width / page.width, picture.height / page.height
    draw = ImageDraw.Draw(picture, "RGBA")
    for box in boxes:
        corners = (box.x0 * sx - 2, box.y0 * sy - 2, box.x1 * sx + 2, box.y1 * sy + 2)
        draw.rectangle(corners, fill=FILL, outline=OUTLINE, width=2)
    if crop and boxes:
        picture = picture.crop(_around(boxes, picture.width, picture.height, sx, sy))
    held = io.BytesIO()
    picture.save(held, "PNG")
    return held.getvalue()


def _around(boxes: Sequence[Box], width: int, height: int, sx: float, sy: float) -> tuple[int, int, int, int]:
    whole = boxes[0]
    for box in boxes[1:]:
        whole = whole.union(box)
    left, top = (whole.x0 - MARGIN) * sx, (whole.y0 - MARGIN) * sy
    right, bottom = (whole.x1 + MARGIN) * sx, (whole.y1 + MARGIN) * sy
    return (
        max(0, round(left)),
        max(0, round(top)),
        min(width, max(round(right), round(left) + 1)),
        min(height, max(round(bottom), round(top) + 1)),
    )
