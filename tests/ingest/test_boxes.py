"""Boxes lie on the words of the page as displayed: told by looking at the ink inside and outside them."""

from __future__ import annotations

import numpy as np
import pymupdf
import pytest

from mmrag.records import Page

from .conftest import as_picture, pixels_of

CROP = (40, 60, 380, 520)


def page_of_lines(document: pymupdf.Document, *, rotate: int = 0, lines: int = 8) -> pymupdf.Page:
    page = document.new_page(width=420, height=600)
    for line in range(lines):
        x, y = (100, 120 + 40 * line) if rotate == 0 else (300, 500 - 40 * line)
        page.insert_text((x, y), f"Words number {line} standing", fontsize=14, rotate=rotate)
    return page


def contrast(page: Page) -> float:
    """Mean ink inside the boxes over mean ink outside."""
    ink = 255 - pixels_of(page).astype(float)
    zoom = ink.shape[1] / page.width
    assert ink.shape[0] == pytest.approx(page.height * zoom, abs=1.5)
    mask = np.zeros(ink.shape, dtype=bool)
    for word in page.words:
        assert 0 <= word.box.x0 < word.box.x1 <= page.width + 0.01
        assert 0 <= word.box.y0 < word.box.y1 <= page.height + 0.01
        x0, y0, x1, y1 = (round(value * zoom) for value in word.box)
        mask[y0:y1, x0:x1] = True
        assert ink[y0:y1, x0:x1].mean() > 15, word
    return float(ink[mask].mean() / max(ink[~mask].mean(), 0.01))


@pytest.mark.parametrize("unit", [1, 2, 0.75])
@pytest.mark.parametrize("crop", [None, CROP])
@pytest.mark.parametrize("rotation", [0, 90, 180, 270])
def test_rotation_crop_and_user_unit_together(save, read, rotation, crop, unit):
    document = pymupdf.open()
    page = page_of_lines(document)
    if crop:
        page.set_cropbox(pymupdf.Rect(crop))
    page.set_rotation(rotation)
    if unit != 1:
        document.xref_set_key(page.xref, "UserUnit", str(unit))
    found = read(save(document))
    width, height = (340, 460) if crop else (420, 600)
    size = (width * unit, height * unit)
    assert (found.width, found.height) == pytest.approx(size if rotation % 180 == 0 else size[::-1])
    assert (len(found.words), found.invisible, found.ocr) == (32, (), False)
    assert [w.text for w in found.words[:4]] == ["Words", "number", "0", "standing"]
    assert contrast(found) > 30


@pytest.mark.parametrize("origin", [(-100, -50), (72, 300)])
def test_a_media_box_that_does_not_start_at_zero(save, read, origin):
    document = pymupdf.open()
    page = page_of_lines(document)
    x, y = origin
    document.xref_set_key(page.xref, "MediaBox", f"[{x} {y} {x + 600} {y + 700}]")
    document.xref_set_key(page.xref, "CropBox", f"[{x + 30} {y + 20} {x + 580} {y + 690}]")
    page.set_rotation(90)
    found = read(save(document))
    assert (found.width, found.height) == (670, 550)
    assert found.words
    assert contrast(found) > 30


def test_mixed_orientations_in_one_file(save, read):
    document = pymupdf.open()
    for rotation in (0, 90, 180, 270):
        page_of_lines(document).set_rotation(rotation)
    wide = document.new_page(width=800, height=300)
    wide.insert_text((60, 100), "A wide page after tall ones", fontsize=14)
    path = save(document)
    pages = [read(path, number) for number in range(1, 6)]
    assert [(p.width, p.height) for p in pages] == [
        (420, 600),
        (600, 420),
        (420, 600),
        (600, 420),
        (800, 300),
    ]
    assert all(contrast(page) > 30 for page in pages)


@pytest.mark.parametrize("rotate", [90, 180, 270])
def test_print_that_stands_or_hangs_on_an_upright_page(save, read, rotate):
    document = pymupdf.open()
    page = document.new_page(width=420, height=600)
    for line in range(5):
        at = {90: (100 + 40 * line, 500), 180: (350, 120 + 40 * line), 270: (100 + 40 * line, 100)}[rotate]
        page.insert_text(at, f"Words number {line} standing", fontsize=14, rotate=rotate)
    found = read(save(document))
    assert len(found.words) == 20
    assert contrast(found) > 30


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("rotation", [0, 90])
def test_boxes_of_words_read_by_ocr(save, read, rotation, turn):
    source = pymupdf.open()
    page_of_lines(source)
    scan = as_picture(source, turn=turn)
    scan[0].set_rotation(rotation)
    found = read(save(scan))
    assert found.ocr
    assert sorted(w.text for w in found.words) == sorted(
        word for line in range(8) for word in ("Words", "number", str(line), "standing")
    )
    assert contrast(found) > 30


@pytest.mark.parametrize("turn", [90, 180, 270])
@pytest.mark.parametrize("lines", [1, 2])
def test_a_scan_of_few_lines_is_read_whichever_way_it_lies(save, read, lines, turn):
    source = pymupdf.open()
    page_of_lines(source, lines=lines)
    found = read(save(as_picture(source, turn=turn)))
    expected = [word for line in range(lines) for word in ("Words", "number", str(line), "standing")]
    assert [w.text for w in found.words] == expected
    assert contrast(found) > 20
