from __future__ import annotations

import numpy as np

from mmrag.ingest.pages.tiles import cut


def sheet(height: int, width: int) -> np.ndarray:
    return np.full((height, width, 3), 255, dtype=np.uint8)


def test_a_small_picture_stays_whole_even_when_blank():
    assert cut(sheet(100, 80), 100) == [(0, 0, 80, 100)]


def test_a_large_blank_picture_has_no_pieces():
    assert cut(sheet(300, 80), 100) == []


def test_what_is_drawn_is_cut_out():
    pixels = sheet(400, 400)
    pixels[200:220, 100:150] = 0
    assert cut(pixels, 100) == [(92, 192, 159, 229)]


def test_cuts_go_through_gaps_and_pieces_are_small_enough():
    pixels = sheet(1000, 90)
    for top in range(20, 980, 30):
        pixels[top : top + 20, 10:80] = 0
    pieces = cut(pixels, 300)
    assert max(bottom - top for _, top, _, bottom in pieces) <= 300
    for _, top, _, bottom in pieces:
        for edge in (top, bottom - 1):
            assert pixels[edge].min() == 255  # no bar is cut
    inside = sum((pixels[top:bottom, left:right] == 0).sum() for left, top, right, bottom in pieces)
    assert inside == (pixels == 0).sum()


def test_wide_pictures_are_cut_across():
    pixels = sheet(60, 500)
    pixels[20:40, 20:200] = 0
    pixels[20:40, 300:480] = 0
    assert cut(pixels, 260) == [(12, 12, 209, 49), (292, 12, 489, 49)]
