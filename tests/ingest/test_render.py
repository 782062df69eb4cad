from __future__ import annotations

import io

import numpy as np
import pymupdf
import pytest
from PIL import Image

from mmrag.ingest.pages.render import (
    crop,
    detail_zoom,
    encode,
    is_uniform,
    render,
    render_part,
    shrunk,
    zoom_for,
)
from mmrag.records import Box
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


@pytest.mark.parametrize(
    ("width", "height", "expected"),
    [(36_000, 24_000, (1600, 1067)), (8400, 8400, (1600, 1600)), (3, 3, (7, 7)), (595, 842, (1131, 1600))],
)
def test_the_stored_picture_is_1600_pixels_long_at_most(save, read, width, height, expected):
    document = pymupdf.open()
    document.new_page(width=width, height=height).draw_rect((0, 0, width / 2, height / 2), fill=(0, 0, 1))
    image = read(save(document), ocr="off").image
    assert image is not None
    assert (image.width, image.height) == expected
    assert Image.open(io.BytesIO(image.data)).format == "WEBP"
    assert b"VP8L" not in image.data[:64]  # lossy


def test_print_on_a_huge_one_bit_scan_is_read(save, read):
    source = pymupdf.open()
    source.new_page(width=2100, height=2100).insert_text(
        (100, 300), "Small print on a large sheet", fontsize=12
    )
    grey = source[0].get_pixmap(matrix=pymupdf.Matrix(2, 2), colorspace=pymupdf.csGRAY)
    one_bit = Image.frombytes("L", (grey.width, grey.height), grey.samples).point(
        lambda v: 255 * (v > 127), "1"
    )
    stream = io.BytesIO()
    one_bit.save(stream, "PNG")
    scan = pymupdf.open()
    page = scan.new_page(width=8400, height=8400)
    page.insert_image(page.rect, stream=stream.getvalue())
    found = read(save(scan), max_pixels=16_000_000)
    assert " ".join(w.text for w in found.words) == "Small print on a large sheet"
    assert all(400 <= w.box.x0 < w.box.x1 <= 1100 and 1130 <= w.box.y0 <= 1230 for w in found.words)


def test_parts_of_a_page_are_rendered_where_they_are():
    document = pymupdf.open()
    page = document.new_page(width=200, height=100)
    page.draw_rect((20, 60, 40, 80), color=None, fill=(1, 0, 0))
    for rotation, box in ((0, Box(20, 60, 40, 80)), (90, Box(20, 20, 40, 40))):
        page.set_rotation(rotation)
        part = render_part(page, box, 4.0)
        assert part.shape == (80, 80, 3)
        assert (part[4:-4, 4:-4] == (255, 0, 0)).all()
    assert render_part(page, Box(500, 500, 600, 600), 4.0).size == 0
    pixels = render(page, 2.0)
    assert (crop(pixels, Box(21, 21, 39, 39), 2.0) == (255, 0, 0)).all()


def test_only_large_pictures_are_shrunk():
    assert shrunk(np.zeros((20, 30, 3), dtype=np.uint8), 30).shape == (20, 30, 3)
    assert shrunk(np.zeros((20, 40, 3), dtype=np.uint8), 30).shape == (15, 30, 3)


def test_detail_is_bounded_by_resolution_and_pixels():
    assert detail_zoom(100, 100, ReadSettings(dpi=144)) == 2.0
    assert detail_zoom(8000, 8000, ReadSettings(max_pixels=16_000_000)) == 0.5
