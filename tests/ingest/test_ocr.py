from __future__ import annotations

import socket
from itertools import pairwise

import numpy as np
import pymupdf
import pytest

from mmrag.errors import ModelFileError
from mmrag.ingest.pages import ocr, recogniser
from mmrag.ingest.text.order import arrange
from mmrag.records import Box, PageStatus, WordSource

from .conftest import as_picture, pixels_of

LINES = ["The harbour opened in 1912", "and moved 48,300 tonnes", "of grain in its first year."]


def letter() -> pymupdf.Document:
    document = pymupdf.open()
    page = document.new_page(width=420, height=300)
    for number, line in enumerate(LINES):
        page.insert_text((60, 90 + 40 * number), line, fontsize=16)
    return document


@pytest.fixture
def no_network(monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the network was touched")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    recogniser.engine.cache_clear()


def test_a_scanned_page_is_read_back_without_network(save, read, no_network):
    page = read(save(as_picture(letter())))
    assert page.status is PageStatus.INDEXED
    assert page.ocr
    assert page.notes == ("read by OCR: the page has no text layer",)
    assert " ".join(w.text for w in page.words) == " ".join(LINES)
    assert all(w.source is WordSource.OCR for w in page.words)
    assert [w.line for w in page.words] == [0] * 5 + [1] * 4 + [2] * 6
    assert all(a.box.x1 <= b.box.x0 + 1 for a, b in pairwise(page.words) if a.line == b.line)
    assert all(10 < w.size < 30 for w in page.words)
    ink = 255 - pixels_of(page).astype(float)
    zoom = ink.shape[1] / page.width
    mask = np.zeros(ink.shape, dtype=bool)
    for word in page.words:
        x0, y0, x1, y1 = (round(value * zoom) for value in word.box)
        mask[y0:y1, x0:x1] = True
        assert ink[y0:y1, x0:x1].mean() > 15
    assert ink[mask].sum() > 0.97 * ink.sum()


@pytest.mark.parametrize("turn", [90, 180, 270])
def test_a_page_scanned_the_wrong_way_is_read_turned(save, read, turn):
    page = read(save(as_picture(letter(), turn=turn)))
    assert " ".join(w.text for w in page.words) == " ".join(LINES)
    ink = 255 - pixels_of(page).astype(float)
    zoom = ink.shape[1] / page.width
    for word in page.words:
        x0, y0, x1, y1 = (round(value * zoom) for value in word.box)
        assert ink[y0:y1, x0:x1].mean() > 15


def test_a_line_on_its_head_is_read_again(save, read):
    document = letter()
    document[0].insert_text((330, 240), "Upside down words", fontsize=16, rotate=180)
    page = read(save(as_picture(document)))
    assert {"Upside", "down", "words"} <= {w.text for w in page.words}
    places = {w.text: w.box.x0 for w in page.words}
    assert places["Upside"] > places["down"] > places["words"]


def test_a_garbage_text_layer_gives_way_to_what_is_seen(save, read):
    document = as_picture(letter())
    for number in range(3):
        # Symbols that say nothing, drawn invisibly over the picture as bad converters do.
        document[0].insert_text(
            (60, 90 + 40 * number), "! % ' / * $%& ( ) + ! % ' / * $", render_mode=3, fontsize=14
        )
    page = read(save(document))
    assert " ".join(w.text for w in page.words) == " ".join(LINES)
    assert page.notes[-1] == (
        "read by OCR: the text layer's characters have no meaning: hardly any is a letter or digit"
    )


def test_a_stamp_on_a_scan_does_not_hide_the_scan(save, read):
    document = as_picture(letter())
    document[0].insert_text((60, 280), "Received", fontsize=12)
    page = read(save(document))
    assert [w.text for w in page.words][-1] == "Received"
    assert " ".join(w.text for w in page.words[:-1]) == " ".join(LINES)
    assert page.notes == ("read by OCR: the text layer holds 1 words over a picture of 100% of the page",)


def test_ocr_can_be_off_and_always(save, read):
    path = save(as_picture(letter()))
    page = read(path, ocr="off")
    assert page.status is PageStatus.BLANK
    assert page.notes == ("the page has no text layer, and OCR is off",)
    page = read(save(letter(), "born.pdf"), ocr="always")
    assert page.ocr
    assert page.notes == ("read by OCR: the settings ask for it",)


def test_missing_models_are_an_error_with_a_remedy(monkeypatch):
    monkeypatch.setattr(recogniser, "_MODELS", ("none.onnx", "none.onnx"))
    recogniser.engine.cache_clear()
    with pytest.raises(ModelFileError, match="pip install"):
        ocr.read(np.zeros((40, 40, 3), dtype=np.uint8), 1.0)
    recogniser.engine.cache_clear()


def test_without_models_the_page_says_so(save, read, monkeypatch):
    monkeypatch.setattr(recogniser, "_MODELS", ("none.onnx", "none.onnx"))
    recogniser.engine.cache_clear()
    page = read(save(as_picture(letter())))
    recogniser.engine.cache_clear()
    assert page.status is PageStatus.FAILED
    assert "a model file of rapidocr is missing" in page.reason
    assert page.image is not None


def test_spread_shares_a_line_among_its_words():
    assert ocr.spread("ab  cde", Box(0, 0, 70, 10)) == (
        ("ab", Box(0, 0, 20, 10)),
        ("cde", Box(40, 0, 70, 10)),
    )
    assert ocr.spread("ab c", Box(0, 0, 40, 10), backwards=True) == (
        ("ab", Box(20, 0, 40, 10)),
        ("c", Box(0, 0, 10, 10)),
    )
    assert ocr.spread("ab c", Box(0, 0, 10, 40)) == (("ab", Box(0, 0, 10, 20)), ("c", Box(0, 30, 10, 40)))


def line(x0: float, y: float, x1: float) -> Box:
    return Box(x0, y, x1, y + 10)


def order(boxes: list[Box]) -> list[int]:
    return [index for index, _, _ in arrange(boxes)]


def test_columns_are_read_one_after_the_other():
    left = [line(0, 40 + 12 * i, 100) for i in range(5)]
    right = [line(120, 40 + 12 * i, 220) for i in range(5)]
    title = line(0, 0, 220)
    mixed = [box for pair in zip(right, left, strict=True) for box in pair]
    placed = [mixed[i] if i < 10 else title for i in order([*mixed, title])]
    assert placed == [title, *left, *right]


def test_cells_are_read_across():
    cells = [line(120 * c, 20 * r, 120 * c + 30) for c in range(3) for r in range(4)]
    placed = arrange(cells)
    assert [cells[i] for i, _, _ in placed] == sorted(cells, key=lambda b: (b.y0, b.x0))
    assert [number for _, number, _ in placed] == [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]


def test_a_gap_starts_a_block():
    boxes = [line(0, 0, 90), line(0, 12, 90), line(0, 60, 90)]
    assert arrange(boxes) == [(0, 0, 0), (1, 1, 0), (2, 2, 1)]
    assert arrange([]) == []
