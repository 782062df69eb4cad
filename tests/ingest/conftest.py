"""Small PDFs drawn for one test each."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pymupdf
import pytest

from mmrag.ingest import read_page
from mmrag.records import Page
from mmrag.settings import ReadSettings

Save = Callable[..., Path]


@pytest.fixture
def save(tmp_path: Path) -> Save:
    def write(document: pymupdf.Document, name: str = "drawn.pdf") -> Path:
        path = tmp_path / name
        document.save(path)
        document.close()
        return path

    return write


@pytest.fixture
def read() -> Callable[..., Page]:
    def page(path: Path, number: int = 1, **settings: object) -> Page:
        return read_page(path, "d" * 32, number, ReadSettings(**settings))

    return page


def count(text: str) -> int:
    """Tokens as a simple tokenizer sees them: words, and every other sign by itself."""
    return len(re.findall(r"\w+|[^\w\s]", text))


def draw_grid(
    page: pymupdf.Page, rows: list[list[str]], x: float, y: float, *, width=90.0, height=20.0
) -> None:
    """A table with all its rules; None leaves a cell to the one on its left."""
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            if text is None:
                continue
            span = 1
            while c + span < len(row) and row[c + span] is None:
                span += 1
            rect = pymupdf.Rect(x + c * width, y + r * height, x + (c + span) * width, y + (r + 1) * height)
            page.draw_rect(rect, width=0.7)
            page.insert_text((rect.x0 + 4, rect.y1 - 6), text, fontsize=9)


def as_picture(source: pymupdf.Document, *, turn: int = 0) -> pymupdf.Document:
    """The same pages as pictures only, as a scanner makes them; ``turn`` in degrees."""
    scanned = pymupdf.open()
    for page in source:
        pixmap = page.get_pixmap(matrix=pymupdf.Matrix(2, 2).prerotate(turn), alpha=False)
        new = scanned.new_page(width=pixmap.width / 2, height=pixmap.height / 2)
        new.insert_image(new.rect, pixmap=pixmap)
    return scanned


def pixels_of(page: Page) -> np.ndarray:
    import io

    from PIL import Image

    assert page.image is not None
    return np.asarray(Image.open(io.BytesIO(page.image.data)).convert("L"))
