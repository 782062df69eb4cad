from __future__ import annotations

import io

import numpy as np
import pymupdf
import pytest
from PIL import Image

from mmrag.ingest.render import encode, is_uniform, render, zoom_for
from mmrag.settings import ReadSettings


@pytest.mark.parametrize(
    ("width", "height", "settings", "zoom"),
    [
        (72, 72, {"dpi": 144}, 2.0),  # a small page keeps the resolution and is not blown up
        (595, 842, {"dpi": 150, "long_side": 1600}, 1600 / 842),
        (842, 595, {"dpi": 150, "long_side": 1600}, 1600 / 842),
        (1000, 1000, {"dpi": 600, "long_side": 8192, "max_pixels": 1_000_000}, 1.0),
    ],
)
def test_zoom(width, height, settings, zoom):
    assert zoom_for(width, height, ReadSettings(**settings)) == pytest.approx(zoom)


def test_hair_thin_page_has_a_pixel():
    document = pymupdf.open()
    page = document.new_page(width=3, height=9000)
    pixels = render(page, zoom_for(3, 9000, ReadSettings()))
    assert pixels.shape[1] >= 1
    assert pixels.shape[0] == pytest.approx(1600, abs=1)


def test_encoded_picture_is_the_page():
    pixels = np.zeros((20, 30, 3), dtype=np.uint8)
    pixels[:, :15] = (255, 0, 0)
    image = encode(pixels, 90)
    assert (image.width, image.height) == (30, 20)
    decoded = Image.open(io.BytesIO(image.data))
    assert (decoded.format, decoded.size) == ("WEBP", (30, 20))
    assert abs(np.asarray(decoded.convert("RGB")).astype(int) - pixels)[:, [2, 27]].max() < 40


def test_uniform():
    flat = np.full((8, 8, 3), 250, dtype=np.uint8)
    assert is_uniform(flat)
    flat[3, 3, 1] = 200
    assert not is_uniform(flat)
