from __future__ import annotations

import hashlib
import os
import pickle
import zipfile
from pathlib import Path

import pymupdf
import pytest

from mmrag.errors import CorruptFile, EmptyFile, IngestError, MissingFile, UnsupportedFile
from mmrag.ingest import open_file, read_page
from mmrag.ingest.source import Source, SourceKind
from mmrag.records import PageStatus
from mmrag.settings import ReadSettings


def simple(pages: int = 1) -> pymupdf.Document:
    document = pymupdf.open()
    for number in range(pages):
        document.new_page().insert_text((72, 72), f"page {number + 1}")
    return document


def fails(path: Path, kind: type[IngestError], what: str) -> None:
    with pytest.raises(kind) as caught:
        open_file(path)
    error = caught.value
    assert type(error) is kind
    assert what in error.what
    assert str(path) in error.where
    assert error.remedy.endswith(".")
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_a_file_is_known_by_its_bytes_and_described(save):
    document = simple(3)
    document.set_metadata({"title": "A title", "author": "Someone"})
    document.set_toc([[1, "One", 1], [2, "Two  deep", 2], [1, "Nowhere", -1]])
    document.set_page_labels([{"startpage": 0, "prefix": "", "style": "r", "firstpagenum": 1}])
    path = save(document)
    info = open_file(path)
    assert info.id == hashlib.sha256(path.read_bytes()).hexdigest()[:32]
    assert (info.name, info.size, info.pages, info.repaired) == ("drawn.pdf", path.stat().st_size, 3, False)
    assert info.metadata["title"] == "A title"
    assert [(e.level, e.title, e.page) for e in info.outline] == [(1, "One", 1), (2, "Two deep", 2)]
    assert info.labels == ("i", "ii", "iii")
    twin = path.with_name("twin.pdf")
    twin.write_bytes(path.read_bytes())
    assert open_file(twin).id == info.id


def test_without_labels_there_are_none(save):
    assert open_file(save(simple())).labels == ()


def test_missing(tmp_path):
    fails(tmp_path / "no.pdf", MissingFile, "no such file")


def test_zero_bytes(tmp_path):
    path = tmp_path / "empty.pdf"
    path.touch()
    fails(path, EmptyFile, "zero bytes")


def test_folder(tmp_path):
    fails(tmp_path, UnsupportedFile, "a folder")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_does_not_hang(tmp_path):
    path = tmp_path / "pipe.pdf"
    os.mkfifo(path)
    fails(path, UnsupportedFile, "a device or pipe")


def test_text_named_pdf(tmp_path):
    path = tmp_path / "notes.pdf"
    path.write_text("Just a few notes.\nNothing more.\n")
    fails(path, UnsupportedFile, "a text file")


def test_a_picture_named_pdf_is_read_with_a_note(tmp_path):
    path = tmp_path / "picture.pdf"
    pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 9, 9)).save(path, output="png")
    info = open_file(path)
    assert (info.kind, info.pages, info.source) == ("PNG picture", 1, Source(path, SourceKind.PICTURE))
    assert info.notes == ("the name ends in .pdf, the content is a PNG picture",)


def test_a_pdf_named_docx_is_read_with_a_note(save):
    info = open_file(save(simple(2), "letter.docx"))
    assert (info.kind, info.pages, info.source.kind) == ("PDF", 2, SourceKind.PDF)
    assert info.notes == ("the name ends in .docx, the content is a PDF",)


def test_a_pdf_under_its_own_suffix_has_no_note(save):
    assert open_file(save(simple())).notes == ()


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("page.html", b"<!doctype html><p>hello", "an HTML or XML page"),
        ("notes.txt", b"Just a few notes.", "a text file"),
        ("letter.rtf", b"{\\rtf1 hello}", "an RTF document"),
        ("dance.gif", b"GIF89a....", "a GIF picture"),
        ("report.pdf", b"PK\x03\x04 and then nothing", "a damaged zip archive"),
    ],
)
def test_what_is_not_read_is_named(tmp_path, name, data, kind):
    (tmp_path / name).write_bytes(data)
    fails(tmp_path / name, UnsupportedFile, f"this is {kind}, which mmrag does not read")


def test_a_spreadsheet_is_named(tmp_path):
    path = tmp_path / "sums.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", "application/vnd.ms-excel.sheet.macroEnabled.main+xml")
    fails(path, UnsupportedFile, "this is a spreadsheet")


def test_unknown_bytes(tmp_path):
    path = tmp_path / "noise.pdf"
    path.write_bytes(bytes(range(256)) * 8)
    fails(path, UnsupportedFile, "a file of unknown kind")


def test_truncated_is_repaired(save):
    path = save(simple(3))
    data = path.read_bytes()
    path.write_bytes(data[: int(len(data) * 0.8)])
    info = open_file(path)
    assert info.repaired
    assert info.pages == 3


def test_only_a_header_is_corrupt(tmp_path):
    path = tmp_path / "head.pdf"
    path.write_bytes(b"%PDF-1.7\n")
    fails(path, CorruptFile, "PDF")


def test_no_pages_is_corrupt(tmp_path):
    path = tmp_path / "none.pdf"
    path.write_bytes(
        b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n"
        b"trailer<</Root 1 0 R>>\n%%EOF\n"
    )
    fails(path, CorruptFile, "no pages")


def test_a_lost_header_is_still_a_pdf(save):
    path = save(simple(2))
    path.write_bytes(path.read_bytes().split(b"\n", 1)[1])
    assert open_file(path).pages == 2


def test_unreadable(save, monkeypatch):
    path = save(simple())

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "open", refuse)
    fails(path, IngestError, "Permission denied")


def test_a_page_of_a_mended_file_that_lost_its_text_is_corrupt_and_not_blank(tmp_path):
    """A cut-off file: what is left of the page can be drawn, and calling it blank would hide the loss."""
    with pymupdf.open() as pdf:
        page = pdf.new_page()
        page.draw_rect(pymupdf.Rect(50, 50, 300, 300), fill=(0, 0.4, 0.5))
        data = pdf.tobytes()
    cut = tmp_path / "cut.pdf"
    cut.write_bytes(data[: data.index(b"xref")])
    info = open_file(cut)
    assert info.repaired
    read = read_page(cut, info.id, 1, ReadSettings())
    assert (read.status, read.words) == (PageStatus.CORRUPT, ())
    assert "its file was damaged" in read.reason


def test_a_name_that_is_not_utf8_is_read_and_can_be_printed(save):
    path = save(simple(2))
    odd = Path(os.fsdecode(os.fsencode(path.parent) + b"/caf\xe9.pdf"))
    try:
        path.rename(odd)
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    info = open_file(odd)
    assert (info.pages, info.name, info.path) == (2, "caf\\xe9.pdf", odd)
    info.name.encode("utf-8")


def test_errors_print_names_that_are_not_utf8(tmp_path):
    odd = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.pdf"))
    with pytest.raises(MissingFile) as caught:
        open_file(odd)
    assert "caf\\xe9.pdf: no such file" in str(caught.value)
    str(caught.value).encode("utf-8")


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("two\nlines.pdf", "two\\nlines.pdf"),
        ("red\x1b[31m.pdf", "red\\x1b[31m.pdf"),
        ("a 'quoted' \"name\" \U0001f600.pdf", "a 'quoted' \"name\" \U0001f600.pdf"),
        ("-rf.pdf", "-rf.pdf"),
    ],
)
def test_odd_names_are_read_and_shown_on_one_line(save, name, shown):
    info = open_file(save(simple(), name))
    assert (info.pages, info.name) == (1, shown)


def test_a_link_that_leads_nowhere_says_so(tmp_path):
    link = tmp_path / "gone.pdf"
    link.symlink_to(tmp_path / "nothing.pdf")
    fails(link, MissingFile, "the link leads to no file")


def test_a_link_to_itself_says_so(tmp_path):
    link = tmp_path / "loop.pdf"
    link.symlink_to(link)
    fails(link, IngestError, "it cannot be read")


def test_a_folder_that_cannot_be_listed_says_so(tmp_path, monkeypatch):
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "iterdir", refuse)
    fails(tmp_path, IngestError, "Permission denied")
