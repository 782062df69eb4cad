"""Ruling lines in pictures: where they are, and what is none."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest

from mmrag.ingest.pages.strokes import pixel_rulings

ZOOM = 2.0


def drawn(draw, *, angle: float = 0.0) -> np.ndarray:
    document = pymupdf.open()
    page = document.new_page(width=300, height=200)
    draw(page)
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(ZOOM, ZOOM), alpha=False)
    pixels = np.frombuffer(pixmap.samples, dtype=np.uint8).reshape(pixmap.height, pixmap.width, 3).copy()
    if angle:
        import cv2

        middle = (pixels.shape[1] / 2, pixels.shape[0] / 2)
        turn = cv2.getRotationMatrix2D(middle, angle, 1)
        pixels = cv2.warpAffine(pixels, turn, pixels.shape[1::-1], borderValue=(255, 255, 255))
    return pixels


def grid(page, **look) -> None:
    for y in (40, 80, 120):
        page.draw_line((30, y), (270, y), **look)
    for x in (30, 150, 270):
        page.draw_line((x, 40), (x, 120), **look)


@pytest.mark.parametrize(
    "look",
    [
        {"width": 0.5},
        {"width": 1.5},
        {"width": 0.5, "color": (0.6, 0.6, 0.6)},
        {"width": 1, "dashes": "[1 2] 0"},
        {"width": 0.7, "dashes": "[3 2] 0"},
    ],
    ids=["hairline", "thick", "grey", "dotted", "dashed"],
)
def test_a_grid_is_found_where_it_is(look):
    levels, uprights = pixel_rulings(drawn(lambda page: grid(page, **look)), ZOOM)
    assert [round(y) for y, _, _ in levels] == [40, 80, 120]
    assert [round(x) for x, _, _ in uprights] == [30, 150, 270]
    for _, start, end in levels:
        assert (start, end) == pytest.approx((30, 270), abs=3)
    for _, start, end in uprights:
        assert (start, end) == pytest.approx((40, 120), abs=3)


@pytest.mark.parametrize("angle", [0.6, -1.2])
def test_a_leaning_grid_is_found(angle):
    levels, uprights = pixel_rulings(drawn(lambda page: grid(page, width=0.8), angle=angle), ZOOM)
    assert [round(y / 40) * 40 for y, _, _ in levels] == [40, 80, 120]
    assert [round(x / 30) * 30 for x, _, _ in uprights] == [30, 150, 270]


def test_light_lines_on_a_shaded_ground_are_found():
    def draw(page):
        page.draw_rect((20, 30, 280, 130), color=None, fill=(0.2, 0.3, 0.6))
        grid(page, width=1, color=(1, 1, 1))

    levels, uprights = pixel_rulings(drawn(draw), ZOOM)
    assert [round(y) for y, _, _ in levels] == [40, 80, 120]
    assert [round(x) for x, _, _ in uprights] == [30, 150, 270]


@pytest.mark.parametrize("size", [5, 8, 11, 16])
def test_print_has_no_lines(size):
    def draw(page):
        text = "some known numbers are seen on ESTABLISHED MINIMUM 11,111 now and then more even means " * 4
        page.insert_textbox((10, 10, 290, 190), text, fontsize=size)

    assert pixel_rulings(drawn(draw), ZOOM) == ((), ())


def test_bars_and_short_dashes_are_no_lines():
    def draw(page):
        page.draw_rect((20, 20, 200, 28), color=None, fill=(0, 0, 0))
        page.draw_line((20, 60), (29, 60), width=1)

    assert pixel_rulings(drawn(draw), ZOOM) == ((), ())


def test_writing_across_a_line_does_not_cut_it():
    def draw(page):
        page.draw_line((30, 100), (270, 100), width=0.8)
        page.draw_rect((120, 95, 122, 105), color=None, fill=(1, 1, 1))

    ((y, start, end),), _ = pixel_rulings(drawn(draw), ZOOM)
    assert (y, start, end) == pytest.approx((100, 30, 270), abs=1)


def test_blank_and_tiny_pictures_have_none():
    assert pixel_rulings(np.full((300, 200, 3), 255, dtype=np.uint8), ZOOM) == ((), ())
    assert pixel_rulings(np.zeros((1, 1, 3), dtype=np.uint8), ZOOM) == ((), ())
