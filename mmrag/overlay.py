"""A page's picture with boxes drawn on it."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PIL import Image, ImageChops, ImageDraw

from mmrag.errors import DocumentNotFound
from mmrag.records import Box, Page, PageImage

OUTLINE = (214, 40, 40)
# Multiplied with the page, so that text stays as it is, dark or light.
MARKER = (255, 236, 120)
# Points of page kept above and below the boxes of a crop: the lines around give a passage its place.
MARGIN = 36.0


def page_image(page: Page, path: Path) -> Page:
    """The page with the picture kept at ``path``; as it is when there is none."""
    if not path.exists():
        return page
    data = path.read_bytes()
    with Image.open(io.BytesIO(data)) as opened:
        return replace(page, image=PageImage(data, opened.width, opened.height))


def draw_boxes(page: Page, boxes: Sequence[Box], *, crop: bool = False) -> bytes:
    """PNG bytes of the page's picture with ``boxes`` (page points) marked and outlined.

    Args:
        page: with an image.
        boxes: in page points; what lies outside the page is left out.
        crop: keep only the boxes, MARGIN points above and below them, over the page's whole width.

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
    on_page = [box for box in boxes if box.overlap(Box(0.0, 0.0, page.width, page.height)) > 0]
    corners = [(box.x0 * sx - 2, box.y0 * sy - 2, box.x1 * sx + 2, box.y1 * sy + 2) for box in on_page]
    marks = Image.new("RGB", picture.size, (255, 255, 255))
    for corner in corners:
        ImageDraw.Draw(marks).rectangle(corner, fill=MARKER)
    picture = ImageChops.multiply(picture, marks)
    for corner in corners:
        ImageDraw.Draw(picture).rectangle(corner, outline=OUTLINE, width=2)
    if crop and on_page:
        top = min(box.y0 for box in on_page) - MARGIN
        bottom = max(box.y1 for box in on_page) + MARGIN
        rows = (max(0, round(top * sy)), min(picture.height, round(bottom * sy)))
        picture = picture.crop((0, rows[0], picture.width, rows[1]))
    held = io.BytesIO()
    picture.save(held, "PNG")
    return held.getvalue()
