from __future__ import annotations

import pickle

import numpy as np
import pymupdf
import pytest

from mmrag.ingest import Source, close_files, open_file, read_page
from mmrag.ingest.pages import page as page_module
from mmrag.records import PageStatus
from mmrag.settings import ReadSettings

from .conftest import draw_grid, pixels_of


def three(broken: str = "") -> pymupdf.Document:
    document = pymupdf.open()
    for number in range(3):
        document.new_page().insert_text((72, 72), f"Page number {number + 1} is well")
    xref = document[1].xref
    if broken == "stream":
        document.update_stream(document[1].get_contents()[0], b"BT /F1 12 Tf (lost) Tj", compress=0)
        content = document[1].get_contents()[0]
        document.xref_set_key(content, "Filter", "/FlateDecode")
    elif broken == "object":
        document.update_object(xref, "<< /Type /Page /MediaBox [0 0 (x) null] /Contents 99999 0 R >>")
    elif broken == "null":
        document.xref_set_key(document.pdf_catalog(), "Dummy", "1")
        kids = document.xref_get_key(document.pdf_catalog(), "Pages")[1].split()[0]
        document.xref_set_key(int(kids), "Kids", f"[{document[0].xref} 0 R 9999 0 R {document[2].xref} 0 R]")
    return document


def test_a_page_is_read_whole(save, read):
    path = save(three())
    page = read(path, 2)
    assert (page.document, page.number, page.status, page.reason) == ("d" * 32, 2, PageStatus.INDEXED, "")
    assert [w.text for w in page.words] == ["Page", "number", "2", "is", "well"]
    assert page.image is not None
    assert max(page.image.width, page.image.height) == 1600
    assert pixels_of(page).shape == (page.image.height, page.image.width)
    assert (page.notes, page.label, page.context) == ((), "", "")
    assert 0 < page.seconds < 30
    assert pickle.loads(pickle.dumps(page)) == page


def test_labels(save, read):
    document = three()
    document.set_page_labels([{"startpage": 0, "prefix": "A-", "style": "D", "firstpagenum": 7}])
    assert read(save(document), 2).label == "A-8"


@pytest.mark.parametrize("broken", ["stream", "object", "null"])
def test_one_broken_page_does_not_harm_the_others(save, read, broken):
    path = save(three(broken))
    assert open_file(path).pages == 3
    pages = [read(path, number) for number in (1, 2, 3)]
    assert [page.status for page in pages] == [PageStatus.INDEXED, PageStatus.CORRUPT, PageStatus.INDEXED]
    assert "damaged" in pages[1].reason or "cannot be drawn" in pages[1].reason
    assert "save or print it anew" in pages[1].reason
    assert pages[1].words == ()
    assert [w.text for w in pages[2].words][2] == "3"


def test_blank_pages(save, read):
    document = pymupdf.open()
    document.new_page()
    document.new_page().draw_circle((200, 200), 40, fill=(1, 0, 0))
    path = save(document)
    empty, drawn = read(path, 1), read(path, 2)
    assert (empty.status, empty.reason) == (PageStatus.BLANK, "nothing is on the page")
    assert (drawn.status, drawn.reason) == (
        PageStatus.BLANK,
        "no text was found on the page; its picture is kept",
    )
    assert drawn.image is not None


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("secret", "1 word was left out because it can't be seen"),
        ("a secret word", "3 words were left out because they can't be seen"),
    ],
)
def test_a_page_of_invisible_words_says_so(save, read, text, left):
    document = pymupdf.open()
    document.new_page().insert_text((72, 72), text, color=(1, 1, 1))
    page = read(save(document))
    assert (page.status, page.reason) == (PageStatus.BLANK, f"nothing can be seen on the page; {left}")
    assert len(page.invisible) == len(text.split())


def test_pages_that_are_not_there(save, read, tmp_path):
    path = save(three())
    for number in (0, 4):
        page = read(path, number)
        assert page.status is PageStatus.FAILED
        assert f"the file has 3 pages, so no page {number}" in page.reason
    gone = read(tmp_path / "gone.pdf")
    assert gone.status is PageStatus.FAILED
    assert "FileNotFoundError" in gone.reason


def test_encrypted_file(tmp_path, read):
    path = tmp_path / "secret.pdf"
    three().save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="open", owner_pw="own")
    page = read(path)
    assert page.status is PageStatus.ENCRYPTED
    assert "password" in page.reason


def test_the_password_of_a_source_opens_it(tmp_path):
    path = tmp_path / "secret.pdf"
    three().save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="open", owner_pw="own")
    for password in ("open", "own"):
        page = read_page(Source(path, password=password), "x", 2, ReadSettings())
        assert (page.status, [w.text for w in page.words][2]) == (PageStatus.INDEXED, "2")
    page = read_page(Source(path, password="wrong-word"), "x", 2, ReadSettings())
    assert page.status is PageStatus.ENCRYPTED
    assert "wrong-word" not in repr(page)


def test_file_that_turned_to_rubbish(tmp_path, read):
    path = tmp_path / "rubbish.pdf"
    path.write_bytes(b"%PDF-1.7 rubbish")
    page = read(path)
    assert page.status is PageStatus.FAILED
    assert "PDF" in page.reason


def test_out_of_memory_is_the_page_s_own_trouble(save, read, monkeypatch):
    def exhaust(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(page_module, "render", exhaust)
    page = read(save(three()))
    assert page.status is PageStatus.TOO_LARGE
    assert "memory" in page.reason


def test_the_last_net(save, read, monkeypatch):
    class Odd(Exception):
        pass

    def burst(*_: object) -> None:
        raise Odd("never seen before")

    monkeypatch.setattr(page_module, "opened", burst)
    page = read(save(three()))
    assert page.status is PageStatus.FAILED
    assert "Odd: never seen before" in page.reason


def test_a_fault_in_one_step_costs_that_step(save, read, monkeypatch):
    def burst(*_: object) -> None:
        raise ValueError("bad drawing")

    monkeypatch.setattr(page_module, "find_tables", burst)
    page = read(save(three()))
    assert page.status is PageStatus.INDEXED
    assert page.notes == ("tables could not be read (ValueError: bad drawing)",)


def test_a_picture_beyond_all_measure(save, read):
    document = pymupdf.open()
    page = document.new_page()
    xref = page.insert_image((72, 72, 200, 200), pixmap=pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 4, 4)))
    document.xref_set_key(xref, "Width", "40000")
    document.xref_set_key(xref, "Height", "40000")
    found = read(save(document))
    assert found.status is PageStatus.TOO_LARGE
    assert "a picture on the page takes 4.8 GB unpacked" in found.reason


def test_tiny_and_huge_pages_stay_within_limits(save):
    document = pymupdf.open()
    document.new_page(width=3, height=3)
    document.new_page(width=14000, height=7000).insert_text((100, 900), "Huge", fontsize=900)
    path = save(document)
    settings = ReadSettings(long_side=800, max_pixels=200_000)
    tiny, huge = (read_page(path, "x", number, settings) for number in (1, 2))
    assert tiny.image is not None
    assert huge.image is not None
    assert (tiny.image.width, tiny.image.height) == (7, 7)
    assert huge.image.width * huge.image.height <= 201_000
    assert [w.text for w in huge.words] == ["Huge"]


def test_a_changed_file_is_opened_anew(save, read):
    path = save(three())
    assert read(path, 3).status is PageStatus.INDEXED
    other = pymupdf.open()
    other.new_page().insert_text((72, 72), "Something else entirely")
    other.save(path.with_name("other.pdf"))
    path.with_name("other.pdf").replace(path)
    assert [w.text for w in read(path).words] == ["Something", "else", "entirely"]
    close_files()
    assert read(path).status is PageStatus.INDEXED


def test_figures_and_their_captions(save, read):
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text((72, 60), "Prose above the picture.", fontsize=11)
    page.insert_image((72, 100, 372, 300), pixmap=pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 30, 20)))
    page.insert_text((72, 315), "Figure 1. A dark", fontsize=9)
    page.insert_text((72, 326), "rectangle", fontsize=9)
    for bar in range(6):
        page.draw_rect((100 + 40 * bar, 600 - 20 * bar, 140 + 40 * bar, 640), fill=(0, 0, 1))
    page.insert_text((72, 700), "More prose, far below the bars.", fontsize=11)
    page.draw_rect((0, 0, 595, 842), fill=None)
    (picture, bars) = read(save(document)).figures
    assert picture.box == pytest.approx((72, 100, 372, 300), abs=1)
    assert picture.caption == "Figure 1. A dark rectangle"
    assert bars.box == pytest.approx((100, 500, 340, 640), abs=2)
    assert bars.caption == ""


def test_panels_of_prose_icons_and_tables_are_no_figures(save, read):
    document = pymupdf.open()
    page = document.new_page()
    for strip in range(6):
        page.draw_rect((60, 60 + 50 * strip, 530, 110 + 50 * strip), fill=(0.9, 0.95, 1))
    page.insert_textbox((64, 64, 520, 360), "A panel of prose that goes on. " * 40, fontsize=9)
    page.insert_image((500, 800, 520, 820), pixmap=pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 30, 20)))
    draw_grid(page, [["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"]], 72, 500, width=200, height=40)
    found = read(save(document))
    assert len(found.tables) == 1
    assert found.figures == ()


def test_nothing_is_printed(save, read, capfd):
    read(save(three("stream")), 2)
    draw = pymupdf.open()
    draw_grid(draw.new_page(), [["a", "b"], ["c", "d"]], 72, 72)
    assert len(read(save(draw, "table.pdf")).tables) == 1
    assert capfd.readouterr() == ("", "")


def test_pixels_are_of_the_page(save, read):
    document = pymupdf.open()
    document.new_page().draw_rect((0, 0, 595, 421), fill=(0, 0, 0))
    pixels = pixels_of(read(save(document)))
    assert np.median(pixels[:700]) == 0
    assert np.median(pixels[-700:]) == 255
