"""Small PDFs drawn for the tests: lines of text, a ruled table, a page that is a picture, a broken page."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pymupdf

Rows = Sequence[Sequence[str]]


def draw(path: Path, pages: Sequence[str | Rows], *, title: str = "", author: str = "") -> Path:
    """One page each: a text is set as lines, rows of cells as a ruled table with its first row bold."""
    with pymupdf.open() as pdf:
        for content in pages:
            page = pdf.new_page(width=595, height=842)
            if isinstance(content, str):
                box = pymupdf.Rect(60, 60, 535, 780)
                page.insert_textbox(box, content, fontsize=11, fontname="helv")
            else:
                _table(page, content)
        pdf.set_metadata({"title": title, "author": author})
        pdf.save(path)
    return path


def draw_scan(path: Path, texts: Sequence[str]) -> Path:
    """Each text as a picture of a page, without a text layer."""
    with pymupdf.open() as source, pymupdf.open() as scan:
        for text in texts:
            page = source.new_page(width=420, height=300)
            page.insert_textbox(pymupdf.Rect(40, 40, 380, 280), text, fontsize=14, fontname="helv")
            picture = page.get_pixmap(dpi=150).tobytes("jpeg")
            scan.new_page(width=420, height=300).insert_image(pymupdf.Rect(0, 0, 420, 300), stream=picture)
        scan.save(path)
    return path


def break_page(path: Path, number: int) -> Path:
    """Make one page's content a compressed stream that cannot be unpacked, and leave the others whole."""
    with pymupdf.open(path) as pdf:
        content = pdf[number - 1].get_contents()[0]
        pdf.update_stream(content, b"this is not deflated", compress=False)
        pdf.xref_set_key(content, "Filter", "/FlateDecode")
        data = pdf.tobytes()
    path.write_bytes(data)
    return path


def encrypt(path: Path, password: str) -> Path:
    with pymupdf.open(path) as pdf:
        data = pdf.tobytes(
            encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=password, owner_pw=f"{password}-owner"
        )
    path.write_bytes(data)
    return path


def _table(page: pymupdf.Page, rows: Rows) -> None:
    left, top, width, height = 60.0, 80.0, 475.0 / len(rows[0]), 22.0
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            box = pymupdf.Rect(
                left + column * width,
                top + number * height,
                left + (column + 1) * width,
                top + (number + 1) * height,
            )
            page.draw_rect(box, color=(0, 0, 0), width=0.7)
            page.insert_text(
                (box.x0 + 4, box.y1 - 7), text, fontsize=10, fontname="helv" if number else "hebo"
            )
