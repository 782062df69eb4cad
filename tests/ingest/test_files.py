from __future__ import annotations

import hashlib
import os
import pickle
from pathlib import Path

import pymupdf
import pytest

from mmrag.errors import CorruptFile, EmptyFile, EncryptedFile, IngestError, MissingFile, UnsupportedFile
from mmrag.ingest import find_files, open_file, read_page
from mmrag.ingest.kinds import describe_kind
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


def test_picture_named_pdf(tmp_path):
    path = tmp_path / "picture.pdf"
    pymupdf.Pixmap(pymupdf.csRGB, (0, 0, 9, 9)).save(path, output="png")
    fails(path, UnsupportedFile, "a PNG picture")


def test_unknown_bytes(tmp_path):
    path = tmp_path / "noise.pdf"
    path.write_bytes(bytes(range(256)) * 8)
    fails(path, UnsupportedFile, "a file of unknown kind")


def test_encrypted(tmp_path):
    path = tmp_path / "secret.pdf"
    simple().save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="open", owner_pw="own")
    fails(path, EncryptedFile, "needs a password")


def test_encrypted_without_a_password_to_open_is_read(tmp_path):
    path = tmp_path / "locked.pdf"
    simple().save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="", owner_pw="own")
    assert open_file(path).pages == 1


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


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"\xff\xd8\xff\xe0", "a JPEG picture"),
        (b"PK\x03\x04rest", "a zip archive or Office document"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "a WebP picture"),
        (b"\xef\xbb\xbf <!DOCTYPE HTML>", "an HTML or XML page"),
        (b"\xff\xfea\x00", "a text file"),
        (b"1 0 obj <<>>", ""),
        (b"", ""),
        (b"\x00\x01\x02\x03", ""),
    ],
)
def test_kinds(head, kind):
    assert describe_kind(head) == kind


def test_folders_are_walked_in_order_and_files_given_once(tmp_path):
    for name in ("b/two.pdf", "a/one.PDF", "a/skip.txt", ".hidden/no.pdf", "a/.no.pdf"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.touch()
    given = tmp_path / "a" / "skip.txt"
    missing = tmp_path / "missing.pdf"
    found = list(find_files([tmp_path, str(given), missing, tmp_path / "a" / "one.PDF"]))
    assert found == [tmp_path / "a/one.PDF", tmp_path / "b/two.pdf", given, missing]


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


def test_office_files_and_pictures_of_a_folder_are_refused_by_name_and_not_passed_over(tmp_path):
    for name in ("deck.pptx", "photo.JPG", "notes.txt", "code.py"):
        (tmp_path / name).write_bytes(b"PK\x03\x04 something")
    assert [path.name for path in find_files([tmp_path])] == ["deck.pptx", "photo.JPG"]
    fails(tmp_path / "deck.pptx", UnsupportedFile, "Office document")
