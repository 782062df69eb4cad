"""Kinds are told from content: heads, containers, and names that do not fit."""

from __future__ import annotations

import zipfile

import pytest
from drawn_office import add_chart, blank_deck, part_text, save_deck, write_docx

from mmrag.errors import CorruptFile, EncryptedFile, UnsupportedFile
from mmrag.ingest.files import kinds
from mmrag.ingest.files.containers import glance_inside, look_inside
from mmrag.ingest.files.kinds import Family, Kind, suffix_note, tell_by_head


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"%PDF-1.7\n", "a PDF"),
        (b"HTTP/1.1 200 OK\r\n\r\n%PDF-1.4", "a PDF"),
        (b"\x89PNG\r\n\x1a\n\x00", "a PNG picture"),
        (b"\xff\xd8\xff\xe0", "a JPEG picture"),
        (b"II*\x00", "a TIFF picture"),
        (b"MM\x00+", "a TIFF picture"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 ", "a WebP picture"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt ", "a file of unknown kind"),
        (b"GIF89a", "a GIF picture"),
        (b"\x00\x00\x00\x18ftypheic", "a HEIC picture"),
        (b"{\\rtf1", "an RTF document"),
        (b"PK\x03\x04rest", "a zip archive"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an OLE file"),
        (b"\xef\xbb\xbf <!DOCTYPE HTML>", "an HTML or XML page"),
        (b"<?xml version='1.0'?><svg>", "an SVG drawing"),
        (b"\xff\xfea\x00", "a text file"),
        (b"an obj in a sentence", "a text file"),
        (b"1 0 obj <<>>", "a file of unknown kind"),
        (b"", "a file of unknown kind"),
        (b"\x00\x01\x02\x03", "a file of unknown kind"),
    ],
)
def test_the_first_bytes_tell(head, kind):
    assert tell_by_head(head).described == kind


def test_a_zip_whose_first_entry_is_a_stored_pdf_is_a_zip():
    assert tell_by_head(b"PK\x03\x04" + b"\x00" * 30 + b"%PDF-1.4").name == "zip archive"


def inside(path) -> Kind:
    head = path.read_bytes()[:4096]
    return look_inside(path, tell_by_head(head), head)


def open_document(path, kind: str, **parts: bytes):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", f"application/vnd.oasis.opendocument.{kind}")
        archive.writestr("content.xml", "<office/>")
        for name, data in parts.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), data)
    return path


def office(path, content_type: str):
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("[Content_Types].xml", f'<Types><Override ContentType="{content_type}"/></Types>')
    return path


@pytest.mark.parametrize(
    ("content_type", "kind"),
    [
        ("application/vnd.openxmlformats-officedocument.presentationml.presentation.main+xml", kinds.PPTX),
        ("application/vnd.openxmlformats-officedocument.presentationml.slideshow.main+xml", kinds.PPTX),
        ("application/vnd.openxmlformats-officedocument.presentationml.template.main+xml", kinds.PPTX),
        ("application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml", kinds.PPTX),
        ("application/vnd.ms-powerpoint.slideshow.macroEnabled.main+xml", kinds.PPTX),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml", kinds.DOCX),
        ("application/vnd.ms-word.document.macroEnabled.main+xml", kinds.DOCX),
        ("application/vnd.ms-word.template.macroEnabledTemplate.main+xml", kinds.DOCX),
        ("application/vnd.openxmlformats-officedocument.wordprocessingml.template.main+xml", kinds.DOCX),
        ("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml", kinds.SPREADSHEET),
        ("application/vnd.ms-excel.sheet.macroEnabled.main+xml", kinds.SPREADSHEET),
        ("application/vnd.ms-visio.drawing.main+xml", Kind("Visio drawing")),
        ("application/xml", Kind("Office file of another kind")),
    ],
)
def test_office_files_are_told_by_their_main_part(tmp_path, content_type, kind):
    assert inside(office(tmp_path / "x", content_type)) == kind


def test_a_deck_with_an_embedded_workbook_is_a_deck(tmp_path):
    deck = blank_deck()
    add_chart(deck.slides[0])
    path = save_deck(deck, tmp_path / "x")
    assert "spreadsheetml.sheet" in part_text(path, "[Content_Types].xml")
    assert inside(path) == kinds.PPTX


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("presentation", kinds.ODP),
        ("presentation-template", kinds.ODP),
        ("text", kinds.ODT),
        ("text-master", kinds.ODT),
        ("spreadsheet", kinds.SPREADSHEET),
        ("graphics", Kind("OpenDocument drawing")),
        ("formula", Kind("OpenDocument file of another kind")),
    ],
)
def test_open_document_files_are_told_by_their_mimetype(tmp_path, name, kind):
    assert inside(open_document(tmp_path / "x", name)) == kind


@pytest.mark.parametrize(
    ("entry", "kind"),
    [
        ("Index/Slide-1.iwa", "a Keynote presentation"),
        ("Index/Document.iwa", "an iWork document"),
        ("readme.txt", "a zip archive"),
    ],
)
def test_other_archives(tmp_path, entry, kind):
    with zipfile.ZipFile(tmp_path / "x", "w") as archive:
        archive.writestr(entry, "x")
    assert inside(tmp_path / "x").described == kind


def test_an_epub_is_a_book(tmp_path):
    with zipfile.ZipFile(tmp_path / "x", "w") as archive:
        archive.writestr("mimetype", "application/epub+zip")
    assert inside(tmp_path / "x").described == "an EPUB book"


@pytest.mark.parametrize("share", [0.3, 0.7, 0.99])
def test_a_cut_off_deck_is_corrupt(tmp_path, share):
    data = save_deck(blank_deck(), tmp_path / "x").read_bytes()
    (tmp_path / "x").write_bytes(data[: int(len(data) * share)])
    with pytest.raises(CorruptFile, match="parts cannot all be unpacked"):
        inside(tmp_path / "x")


def test_a_deck_with_one_damaged_part_is_corrupt(tmp_path):
    path = save_deck(blank_deck(), tmp_path / "x")
    data = bytearray(path.read_bytes())
    at = data.index(b"ppt/slides/slide1.xml") + 60
    data[at : at + 20] = bytes(20)
    path.write_bytes(data)
    with pytest.raises(CorruptFile):
        inside(path)


def test_a_cut_off_archive_of_another_kind_is_not_called_an_office_file(tmp_path):
    with zipfile.ZipFile(tmp_path / "x", "w") as archive:
        archive.writestr("holiday.txt", "sun" * 999)
    (tmp_path / "x").write_bytes((tmp_path / "x").read_bytes()[:500])
    assert inside(tmp_path / "x").described == "a damaged zip archive"


def test_a_deck_that_unpacks_to_a_multiple_of_its_size_is_refused(tmp_path):
    path = save_deck(blank_deck(), tmp_path / "x")
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive, archive.open("ppt/x.xml", "w") as part:
        for _ in range(201):
            part.write(bytes(1 << 20))
    with pytest.raises(UnsupportedFile, match=r"unpacks to [\d,]+ times its size"):
        inside(path)


def test_a_deck_that_declares_gigabytes_is_refused_unread(tmp_path):
    path = write_docx(tmp_path / "x")
    data = bytearray(path.read_bytes())
    entry = data.rindex(b"word/document.xml") - 46  # its entry in the central directory
    assert data[entry : entry + 4] == b"PK\x01\x02"
    data[entry + 24 : entry + 28] = (3 << 30).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(UnsupportedFile, match=r"unpacks to 3\.0 GiB, more than the 2 that are read"):
        inside(path)


def test_an_encrypted_open_document_file_says_so(tmp_path):
    manifest = b"<manifest:file-entry><manifest:encryption-data/></manifest:file-entry>"
    path = open_document(tmp_path / "x", "text", **{"META-INF__manifest_xml": manifest})
    with pytest.raises(EncryptedFile, match="passwords of OpenDocument files cannot be tried"):
        inside(path)


def test_a_damaged_ole_directory_is_corrupt(tmp_path):
    (tmp_path / "x").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\xee" * 5000)
    with pytest.raises(CorruptFile, match="its directory cannot be read"):
        inside(tmp_path / "x")


def test_a_glance_takes_damage_for_the_container(tmp_path):
    (tmp_path / "x").write_bytes(b"PK\x03\x04 and no more")
    assert glance_inside(tmp_path / "x", kinds.ZIP) == kinds.ZIP


@pytest.mark.parametrize(
    ("name", "kind", "note"),
    [
        ("scan.pdf", kinds.PNG, "the name ends in .pdf, the content is a PNG picture"),
        ("deck.pptx", kinds.PDF, "the name ends in .pptx, the content is a PDF"),
        ("old.doc", kinds.DOCX, "the name ends in .doc, the content is a Word document"),
        ("text.docx", kinds.DOC, "the name ends in .docx, the content is an old Word document"),
        ("a.PDF", kinds.PDF, ""),
        ("a.pptm", kinds.PPTX, ""),
        ("a.jpe", kinds.JPEG, ""),
        ("scan", kinds.PNG, ""),
        ("minutes 3.11", kinds.PDF, ""),
        ("minutes v. two and more", kinds.PDF, ""),
    ],
)
def test_a_name_that_does_not_fit_is_noted(name, kind, note):
    assert suffix_note(name, kind) == note


def test_every_readable_kind_has_a_suffix_and_a_way_to_be_read():
    for kind in kinds.READABLE:
        assert kind.suffixes
        assert kind.family not in (Family.OTHER, Family.SEALED)
