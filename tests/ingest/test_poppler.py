"""Poppler draws the pages that MuPDF cannot, one at a time, and says so."""

from __future__ import annotations

import shutil
import sys

import numpy as np
import pymupdf
import pytest

from mmrag.ingest import Source, read_page
from mmrag.ingest.pages import page, poppler
from mmrag.records import PageStatus
from mmrag.settings import ReadSettings

needed = pytest.mark.skipif(not shutil.which("pdftoppm"), reason="Poppler is not installed")


def letter(**save: object) -> pymupdf.Document:
    document = pymupdf.open()
    for number in range(3):
        sheet = document.new_page(width=420, height=300)
        sheet.insert_text((60, 100), f"Page number {number + 1} is well", fontsize=20)
    return document


@pytest.fixture
def undrawable(monkeypatch):
    """MuPDF fails on every page."""

    def refuse(*_: object) -> None:
        raise RuntimeError("too many color components")

    monkeypatch.setattr(page, "render", refuse)


@needed
def test_a_page_mupdf_cannot_draw_is_drawn_by_poppler_and_read(save, read, undrawable):
    found = read(save(letter()), 2)
    assert (found.status, found.reason, found.ocr) == (PageStatus.INDEXED, "", True)
    assert " ".join(w.text for w in found.words) == "Page number 2 is well"
    assert (found.width, found.height) == pytest.approx((420, 300), abs=0.5)
    assert (found.image.width, found.image.height) == (875, 625)
    assert found.notes == (
        "drawn by Poppler, since MuPDF could not: the page cannot be drawn (RuntimeError: too many color "
        "components)",
        "read by OCR: the page has no text layer",
    )


@needed
def test_pixels_are_bounded_and_tiny_pages_not_blown_up(save, undrawable):
    document = pymupdf.open()
    document.new_page(width=36000, height=3600).insert_text((500, 2000), "Huge", fontsize=1500)
    document.new_page(width=3, height=3).draw_rect((1, 1, 2, 2), fill=(1, 0, 0))
    path = save(document)
    huge, tiny = (read_page(path, "x", number, ReadSettings()) for number in (1, 2))
    assert (huge.image.width, huge.image.height) == (1600, 160)
    assert max(tiny.image.width, tiny.image.height) <= 7


@needed
def test_rotation_and_crop_are_those_of_the_page(save, read, undrawable):
    document = letter()
    document[0].set_cropbox(pymupdf.Rect(40, 60, 380, 160))
    document[0].set_rotation(90)
    found = read(save(document))
    assert (found.width, found.height) == pytest.approx((100, 340), abs=0.5)
    assert sorted(w.text for w in found.words) == sorted(["Page", "number", "1", "is", "well"])


def test_a_file_with_a_password_is_not_handed_over(tmp_path, undrawable):
    path = tmp_path / "secret.pdf"
    letter().save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="sesame", owner_pw="own")
    found = read_page(Source(path, password="sesame"), "x", 1, ReadSettings())
    assert found.status is PageStatus.CORRUPT
    assert "Poppler was not tried, since it would show the file's password" in found.reason
    assert "Save the file without its password" in found.reason
    assert "sesame" not in repr(found)


def test_without_poppler_the_reason_tells_how_to_install_it(save, read, undrawable, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    found = read(save(letter()))
    assert found.status is PageStatus.CORRUPT
    assert "Poppler is not installed. Install it: apt-get install poppler-utils" in found.reason


@needed
def test_where_poppler_fails_too_both_are_told(save, read, undrawable, monkeypatch):
    monkeypatch.setattr(poppler, "_SECONDS", 0.000001)
    found = read(save(letter()))
    assert found.status is PageStatus.CORRUPT
    assert "the page cannot be drawn" in found.reason
    assert "Poppler took more than" in found.reason


@needed
def test_after_a_missing_page_poppler_would_draw_another(save, read, monkeypatch):
    document = letter()
    kids = document.xref_get_key(document.pdf_catalog(), "Pages")[1].split()[0]
    document.xref_set_key(int(kids), "Kids", f"[{document[0].xref} 0 R 9999 0 R {document[2].xref} 0 R]")
    path = save(document)
    assert read(path, 2).status is PageStatus.CORRUPT
    assert "the page is missing in its damaged file" in read(path, 2).reason
    monkeypatch.setattr(page, "render", lambda *_: (_ for _ in ()).throw(RuntimeError("no")))
    found = read(path, 3)
    assert found.status is PageStatus.CORRUPT
    assert "it would count the pages otherwise" in found.reason


@needed
def test_a_page_drawn_empty_with_complaints_is_tried_too(save, read, monkeypatch):
    asked = []

    def draw(*arguments: object) -> poppler.Drawing:
        asked.append(arguments[2])
        return poppler.Drawing(np.full((30, 20, 3), 255, dtype=np.uint8), 200, 300)

    monkeypatch.setattr(poppler, "draw", draw)
    document = letter()
    contents = document[1].get_contents()[0]
    document.update_stream(contents, b"not deflated at all", compress=0)
    document.xref_set_key(contents, "Filter", "/FlateDecode")
    found = read(save(document), 2)
    assert asked == [2]
    assert found.status is PageStatus.CORRUPT
    assert "and Poppler draws nothing" in found.reason
    assert found.image is not None


def test_pdf2image_is_loaded_only_when_it_is_needed():
    import subprocess

    code = "import sys, mmrag.ingest; print('pdf2image' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout.strip() == "False"
