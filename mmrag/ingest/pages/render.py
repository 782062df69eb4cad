"""Pages to pictures."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from mmrag.ingest._mupdf import mupdf
from mmrag.records import Box, PageImage
from mmrag.settings import ReadSettings

WEBP_METHOD = 2
"""Measured on 116 pages: method 4 takes 109 ms and 124 KB a page, 2 takes 54 ms and 128 KB, 0 takes 36 ms and
154 KB: 2 keeps the size of 4 at half its time."""

_WEBP_LIMIT = 16_383  # the format's own limit on a side


def zoom_for(width: float, height: float, settings: ReadSettings) -> float:
    """Pixels a point at which a page of this size in points is rendered.

    The settings' resolution, less where the long side or the pixel count would go over their
    limits; a small page is never enlarged beyond that resolution.
    """
    zoom = settings.dpi / 72
    zoom = min(zoom, min(settings.long_side, _WEBP_LIMIT) / max(width, height, 1e-6))
    return min(zoom, math.sqrt(settings.max_pixels / max(width * height, 1e-6)))


def detail_zoom(width: float, height: float, settings: ReadSettings) -> float:
    """Pixels a point for reading small print on a large page: resolution and pixel count are the limits."""
    return min(settings.dpi / 72, math.sqrt(settings.max_pixels / max(width * height, 1e-6)))


def render(page: Any, zoom: float) -> NDArray[np.uint8]:
    """Render a PyMuPDF page as displayed: RGB, ``(height, width, 3)``, at least one pixel each way."""
    rect = page.rect
    # MuPDF refuses an empty pixmap, so hair-thin pages are stretched to one pixel.
    matrix = mupdf.Matrix(max(zoom, 1 / max(rect.width, 1e-6)), max(zoom, 1 / max(rect.height, 1e-6)))
    pixmap = page.get_pixmap(matrix=matrix, colorspace=mupdf.csRGB, alpha=False)
    pixels = np.frombuffer(pixmap.samples_mv, dtype=np.uint8)
    return pixels.reshape(pixmap.height, pixmap.width, 3).copy()


def render_part(page: Any, box: Box, zoom: float) -> NDArray[np.uint8]:
    """Render a part of a PyMuPDF page, given in points as displayed: RGB, empty when off the page."""
    clip = mupdf.Rect(*box) & page.rect
    if clip.is_empty or min(clip.width, clip.height) * zoom < 1:
        return np.zeros((0, 0, 3), dtype=np.uint8)
    pixmap = page.get_pixmap(matrix=mupdf.Matrix(zoom, zoom), clip=clip, colorspace=mupdf.csRGB, alpha=False)
    pixels = np.frombuffer(pixmap.samples_mv, dtype=np.uint8)
    return pixels.reshape(pixmap.height, pixmap.width, 3).copy()


def crop(pixels: NDArray[np.uint8], box: Box, zoom: float) -> NDArray[np.uint8]:
    """The part of a picture of the page that a box in points covers."""
    x0, y0 = max(0, int(box.x0 * zoom)), max(0, int(box.y0 * zoom))
    return pixels[y0 : max(0, int(np.ceil(box.y1 * zoom))), x0 : max(0, int(np.ceil(box.x1 * zoom)))]


def shrunk(pixels: NDArray[np.uint8], long_side: int) -> NDArray[np.uint8]:
    """Scale a picture down to ``long_side`` pixels; one that is no larger is returned as it is."""
    height, width = pixels.shape[:2]
    if max(height, width) <= long_side:
        return pixels
    scale = long_side / max(height, width)
    size = (max(1, round(width * scale)), max(1, round(height * scale)))
    return np.asarray(Image.fromarray(pixels).resize(size, Image.Resampling.LANCZOS), dtype=np.uint8)


def encode(pixels: NDArray[np.uint8], quality: int, long_side: int = _WEBP_LIMIT) -> PageImage:
    """Encode RGB ``(height, width, 3)`` as lossy WebP, scaled down to ``long_side`` where it is larger."""
    buffer = io.BytesIO()
    pixels = shrunk(pixels, min(long_side, _WEBP_LIMIT))
    Image.fromarray(pixels).save(buffer, "WEBP", quality=quality, method=WEBP_METHOD)
    return PageImage(buffer.getvalue(), pixels.shape[1], pixels.shape[0])


def is_uniform(pixels: NDArray[np.uint8], tolerance: int = 6) -> bool:
    """Whether the picture is one flat colour, give or take ``tolerance`` levels a channel."""
    if np.ptp(pixels[::16, ::16], axis=(0, 1)).max() > tolerance:
        return False  # nearly every page ends here
    channels = np.moveaxis(pixels, 2, 0).reshape(3, -1)
    return bool(np.ptp(channels, axis=1).max() <= tolerance)
