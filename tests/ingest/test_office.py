"""Office files through LibreOffice itself: what comes out, and what is left behind (nothing)."""

from __future__ import annotations

import http.server
import os
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pymupdf
import pytest
from drawn_office import blank_deck, needs_office, part_text, save_deck, with_part, write_docx

from mmrag.errors import ConversionError, CorruptFile, EncryptedFile, MissingTool, UnsupportedFile
from mmrag.ingest import open_file
from mmrag.ingest.files import kinds, office
from mmrag.ingest.files.office import convert
from mmrag.ingest.source import SourceKind
from mmrag.records import ChunkKind


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture(scope="session")
def made(tmp_path_factory) -> dict[str, Path]:
    """The same deck and the same document in every format, converted by LibreOffice itself."""
    folder = tmp_path_factory.mktemp("office")
    deck = blank_deck(2)
    deck.core_properties.title, deck.core_properties.author = "Ferries of the north", "A. Pilot"
    deck.slides[0].notes_slide.notes_text_frame.text = "Say hello."
    deck.slides[1]._element.set("show", "0")
    files = {"pptx": save_deck(deck, folder / "a.pptx"), "docx": write_docx(folder / "a.docx")}
    for source, kind, suffixes in (
        ("pptx", kinds.PPTX, ("ppt", "odp")),
        ("docx", kinds.DOCX, ("doc", "odt")),
    ):
        for suffix in suffixes:
            path = folder / f"a.{suffix}"
            convert(files[source], kind, suffix=path.suffix, target=path, seconds=120, named=path)
            files[suffix] = path
    return files


def text_of(info, page: int = 1) -> str:
    with pymupdf.open(info.source.path) as document:
        return " ".join(document[page - 1].get_text().split())


def fake_office(folder: Path, monkeypatch, script: str) -> None:
    """A program in LibreOffice's place, alone on PATH with the system's own."""
    program = folder / "bin" / "soffice"
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\n{script}\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")


def processes_naming(text: str) -> list[str]:
    listed = subprocess.run(["ps", "-eo", "pid,args"], capture_output=True, text=True, check=True).stdout
    return [line for line in listed.splitlines() if text in line]


@needs_office
@pytest.mark.parametrize(
    ("suffix", "kind"),
    [
        ("pptx", "PowerPoint presentation"),
        ("ppt", "old PowerPoint presentation"),
        ("odp", "OpenDocument presentation"),
    ],
)
def test_decks_become_pages_with_notes_and_hidden_slides(made, work, suffix, kind):
    info = open_file(made[suffix], workdir=work)
    assert (info.kind, info.pages, info.hidden, info.notes) == (kind, 2, frozenset({2}), ())
    assert (text_of(info, 1), text_of(info, 2)) == ("slide 1", "slide 2")
    assert [(one.kind, one.text) for one in info.supplements[1]] == [(ChunkKind.NOTES, "Say hello.")]
    assert set(info.supplements) == {1}
    assert (info.metadata["title"], info.metadata["author"]) == ("Ferries of the north", "A. Pilot")
    assert (info.source.kind, info.source.path) == (SourceKind.PDF, work / f"{info.id}.pdf")


@needs_office
@pytest.mark.parametrize(
    ("suffix", "kind"),
    [("docx", "Word document"), ("doc", "old Word document"), ("odt", "OpenDocument text")],
)
def test_documents_become_pages(made, work, suffix, kind):
    info = open_file(made[suffix], workdir=work)
    assert (info.kind, info.pages, info.notes, dict(info.supplements)) == (kind, 1, (), {})
    assert text_of(info) == "The ferry leaves at seven."
    assert [path.name for path in work.iterdir()] == [f"{info.id}.pdf"]
    assert processes_naming(str(work)) == []
    assert (info.metadata["title"], info.metadata["author"]) == ("Rules of the ferry", "A. Pilot")
    assert info.metadata["creationDate"].startswith("D:20190506")


@needs_office
def test_dates_are_the_documents_and_not_the_conversions(tmp_path, work):
    path = with_part(write_docx(tmp_path / "a.docx"), "docProps/core.xml", b"<x/>")
    metadata = open_file(path, workdir=work).metadata
    assert not {"creationDate", "modDate", "producer", "creator"} & set(metadata)


@needs_office
def test_a_conversion_is_used_again_while_it_is_whole(made, work):
    info = open_file(made["docx"], workdir=work)
    first = info.source.path.stat().st_mtime_ns
    assert open_file(made["docx"], workdir=work).source.path.stat().st_mtime_ns == first
    info.source.path.write_bytes(b"%PDF-1.7 cut off")
    assert text_of(open_file(made["docx"], workdir=work)) == "The ferry leaves at seven."


@needs_office
def test_without_a_working_folder_a_temporary_one_is_used_and_deleted(made):
    code = (
        "import sys; from pathlib import Path; from mmrag.ingest.files.opening import open_file\n"
        "path = open_file(Path(sys.argv[1])).source.path; print(path.exists(), path)"
    )
    run = [sys.executable, "-c", code, str(made["docx"])]
    there, path = subprocess.run(run, capture_output=True, text=True, check=True).stdout.split()
    assert there == "True"
    assert not Path(path).exists()


@needs_office
def test_an_odd_name_does_not_matter(made, tmp_path, work):
    path = tmp_path / "-rf ~ 'a' \"b\" \U0001f600 two\nlines 100%20$HOME`x`.pptx"
    path.write_bytes(made["pptx"].read_bytes())
    info = open_file(path, workdir=work)
    assert (info.pages, info.notes) == (2, ())


@needs_office
def test_a_wrong_suffix_does_not_matter_and_is_noted(made, tmp_path, work):
    path = tmp_path / "letter.pdf"
    path.write_bytes(made["docx"].read_bytes())
    info = open_file(path, workdir=work)
    assert text_of(info) == "The ferry leaves at seven."
    assert info.notes == ("the name ends in .pdf, the content is a Word document",)


@needs_office
def test_a_name_that_is_not_utf8_does_not_matter(made, tmp_path, work):
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.pptx"))
    try:
        path.write_bytes(made["pptx"].read_bytes())
    except OSError:
        pytest.skip("this file system takes UTF-8 names only")
    info = open_file(path, workdir=work)
    assert (info.pages, info.name) == (2, "caf\\xe9.pptx")


@needs_office
@pytest.mark.parametrize("kind", ["slideshow", "template"])
def test_slide_shows_and_templates_become_pages(made, tmp_path, work, kind):
    path = tmp_path / "a.ppsx"
    path.write_bytes(made["pptx"].read_bytes())
    types = part_text(path, "[Content_Types].xml")
    changed = types.replace("presentation.main+xml", f"{kind}.main+xml")
    info = open_file(with_part(path, "[Content_Types].xml", changed.encode()), workdir=work)
    assert (info.pages, info.hidden) == (2, frozenset({2}))


@needs_office
def test_conversions_at_the_same_time_do_not_disturb_one_another(tmp_path, work):
    paths = [write_docx(tmp_path / f"{n}.docx", f"letter {n}") for n in range(3)]
    with ThreadPoolExecutor(3) as pool:
        infos = list(pool.map(lambda path: open_file(path, workdir=work), paths))
    assert [text_of(info) for info in infos] == ["letter 0", "letter 1", "letter 2"]


@needs_office
def test_nothing_is_fetched_while_converting(tmp_path, work):
    asked: list[str] = []

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            self.send_error(404)

        do_HEAD = do_OPTIONS = do_PROPFIND = do_GET

        def log_message(self, *_):
            return

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        path = save_deck(linked_picture_deck(tmp_path), tmp_path / "a.pptx")
        relationships = part_text(path, "ppt/slides/_rels/slide1.xml.rels")
        changed = relationships.replace("TARGET", f"http://127.0.0.1:{server.server_port}/x.png")
        assert changed != relationships
        info = open_file(with_part(path, "ppt/slides/_rels/slide1.xml.rels", changed.encode()), workdir=work)
        server.shutdown()
    assert (info.pages, asked) == (1, [])


def linked_picture_deck(tmp_path):
    """A deck whose one picture is a link to ``TARGET``."""
    import io

    from PIL import Image
    from pptx.opc.constants import RELATIONSHIP_TYPE as RT

    stream = io.BytesIO()
    Image.new("RGB", (8, 8)).save(stream, "PNG")
    deck = blank_deck()
    slide = deck.slides[0]
    picture = slide.shapes.add_picture(stream, 0, 0, 914400, 914400)
    blip = picture._element.xpath(".//a:blip")[0]
    relationship = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
    del blip.attrib[relationship + "embed"]
    blip.set(relationship + "link", slide.part.rels.get_or_add_ext_rel(RT.IMAGE, "TARGET"))
    return deck


@needs_office
def test_a_file_of_the_machine_is_not_drawn_into_the_pages(tmp_path, work):
    secret = tmp_path / "secret.png"
    from PIL import Image

    Image.new("RGB", (50, 50), (255, 0, 0)).save(secret)
    path = save_deck(linked_picture_deck(tmp_path), tmp_path / "a.pptx")
    relationships = part_text(path, "ppt/slides/_rels/slide1.xml.rels").replace("TARGET", secret.as_uri())
    info = open_file(
        with_part(path, "ppt/slides/_rels/slide1.xml.rels", relationships.encode()), workdir=work
    )
    with pymupdf.open(info.source.path) as document:
        drawn = document[0].get_pixmap().pixel(30, 30)
    assert drawn != (255, 0, 0)


@needs_office
def test_a_deck_whose_slides_are_missing_is_reported(tmp_path, work):
    path = save_deck(blank_deck(), tmp_path / "a.pptx")
    with_part(path, "ppt/presentation.xml", b"no xml at all")
    with pytest.raises((ConversionError, CorruptFile)) as caught:
        open_file(path, workdir=work)
    assert "a.pptx" in str(caught.value)
    assert list(work.iterdir()) == []


def test_a_cut_off_deck_never_reaches_the_office_suite(tmp_path, work, monkeypatch):
    monkeypatch.setattr(office, "find_office", lambda: pytest.fail("was asked for"))
    data = save_deck(blank_deck(), tmp_path / "a.pptx").read_bytes()
    (tmp_path / "a.pptx").write_bytes(data[:-100])
    with pytest.raises(CorruptFile, match="the office file is damaged"):
        open_file(tmp_path / "a.pptx", workdir=work)


def test_without_libreoffice_the_file_and_the_install_command_are_named(tmp_path, work, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(office, "_PLACES", ())
    path = save_deck(blank_deck(), tmp_path / "deck.pptx")
    with pytest.raises(MissingTool) as caught:
        open_file(path, workdir=work)
    assert caught.value.where == str(path)
    assert "LibreOffice is not installed" in caught.value.what
    assert "apt-get install libreoffice-impress libreoffice-writer" in caught.value.remedy
    assert list(work.iterdir()) == []


posix_only = pytest.mark.skipif(os.name != "posix", reason="the stand-in is a shell script")


@posix_only
def test_the_time_limit_ends_everything_that_was_started(tmp_path, work, monkeypatch):
    fake_office(tmp_path, monkeypatch, "sleep 987 & sleep 986 & wait")
    started = time.monotonic()
    with pytest.raises(ConversionError, match=r"within 1 seconds") as caught:
        convert(
            write_docx(tmp_path / "a.docx"),
            kinds.DOCX,
            suffix=".pdf",
            target=work / "a.pdf",
            seconds=1,
            named=Path("a.docx"),
        )
    assert time.monotonic() - started < 30
    assert "read.convert_seconds" in caught.value.remedy
    assert processes_naming("sleep 98") == []
    assert list(work.iterdir()) == []


@needs_office
def test_the_time_limit_ends_libreoffice_itself(made, work):
    with pytest.raises(ConversionError, match=r"within 0\.2 seconds"):
        convert(
            made["pptx"],
            kinds.PPTX,
            suffix=".pdf",
            target=work / "a.pdf",
            seconds=0.2,
            named=Path("a.pptx"),
        )
    assert processes_naming(str(work)) == []
    assert list(work.iterdir()) == []


@posix_only
def test_a_conversion_does_not_outlive_a_parent_that_was_killed(tmp_path, monkeypatch):
    fake_office(tmp_path, monkeypatch, "sleep 985")
    write_docx(tmp_path / "a.docx")
    code = (
        "import sys; from pathlib import Path; from mmrag.ingest.files.opening import open_file\n"
        "open_file(Path(sys.argv[1]), workdir=Path(sys.argv[2]))"
    )
    with subprocess.Popen([sys.executable, "-c", code, tmp_path / "a.docx", tmp_path / "w"]) as parent:
        wait_until(lambda: processes_naming("sleep 985"))
        parent.kill()
    wait_until(lambda: not processes_naming("sleep 985"))


def wait_until(done, seconds: float = 60.0) -> None:
    limit = time.monotonic() + seconds
    while not done():
        assert time.monotonic() < limit
        time.sleep(0.05)


@posix_only
@pytest.mark.parametrize(
    ("script", "what"),
    [
        ("exit 0", "it wrote no file"),
        ("echo 'Error: source file could not be loaded' >&2", "source file could not be loaded"),
        ("exit 77", "it wrote no file"),
    ],
)
def test_a_conversion_that_fails_says_why(tmp_path, work, monkeypatch, script, what):
    fake_office(tmp_path, monkeypatch, script)
    with pytest.raises(ConversionError) as caught:
        open_file(write_docx(tmp_path / "a.docx"), workdir=work)
    assert caught.value.what == f"LibreOffice could not convert the Word document ({what})"
    assert caught.value.remedy.endswith("add that file.")
    assert list(work.iterdir()) == []


@posix_only
def test_an_office_suite_without_its_writer_is_named(tmp_path, work, monkeypatch):
    fake_office(tmp_path, monkeypatch, "echo 'Error: no export filter' >&2")
    (tmp_path / "bin" / "libmergedlo.so").touch()
    (tmp_path / "bin" / "libsdlo.so").touch()
    with pytest.raises(MissingTool, match="LibreOffice is installed without Writer"):
        open_file(write_docx(tmp_path / "a.docx"), workdir=work)


@posix_only
def test_the_program_sees_a_closed_input_and_a_home_of_its_own(tmp_path, work, monkeypatch):
    monkeypatch.setenv("MMRAG_API_KEY", "not for others")
    fake_office(
        tmp_path,
        monkeypatch,
        'read line && echo "Error: input is open"\n'
        f'case "$HOME" in {work.resolve()}/convert-*/home) ;; *) echo "Error: home is $HOME";; esac\n'
        'test -n "$MMRAG_API_KEY" && echo "Error: our settings are handed on"\n'
        'for last; do :; done\ncase "$last" in */in.docx) ;; *) echo "Error: the name is $last";; esac\n',
    )
    with pytest.raises(ConversionError, match="it wrote no file"):
        open_file(write_docx(tmp_path / "a b.docx"), workdir=work)


def test_the_disk_is_full(tmp_path, work, monkeypatch):
    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(office, "find_office", lambda: Path("soffice"))
    monkeypatch.setattr(office.shutil, "copyfile", full)
    with pytest.raises(ConversionError, match="No space left on device"):
        open_file(write_docx(tmp_path / "a.docx"), workdir=work)


def test_a_working_folder_that_cannot_be_made(tmp_path):
    (tmp_path / "file").touch()
    with pytest.raises(ConversionError, match="there is no folder to convert it in"):
        open_file(write_docx(tmp_path / "a.docx"), workdir=tmp_path / "file" / "work")


def sealed(plain: Path, path: Path, password: str = "open sesame") -> Path:
    from msoffcrypto.format.ooxml import OOXMLFile

    with plain.open("rb") as stream, path.open("wb") as output:
        OOXMLFile(stream).encrypt(password, output)
    return path


@needs_office
def test_an_encrypted_deck_opens_with_its_password(made, tmp_path, work):
    path = sealed(made["pptx"], tmp_path / "a.pptx")
    info = open_file(path, workdir=work, passwords=["wrong", "open sesame"])
    assert (info.kind, info.pages, info.hidden) == ("PowerPoint presentation", 2, frozenset({2}))
    assert info.metadata["title"] == "Ferries of the north"
    assert [one.text for one in info.supplements[1]] == ["Say hello."]
    assert info.source.password == ""  # what is read is the PDF made of it
    assert [file.name for file in work.iterdir()] == [f"{info.id}.pdf"]
    assert info.source.path.stat().st_mode & 0o077 == 0


@needs_office
def test_a_file_protected_against_changes_only_opens_by_itself(tmp_path, work):
    plain = write_docx(tmp_path / "plain.docx", size=8192)
    path = sealed(plain, tmp_path / "a.docx", "VelvetSweatshop")
    assert text_of(open_file(path, workdir=work)) == "The ferry leaves at seven."


@pytest.mark.parametrize(
    ("passwords", "what"),
    [
        ((), "the Office file is encrypted and needs a password"),
        (("hunter2",), "the Office file is encrypted, and the password given does not open it"),
        (("hunter2", "x"), "the Office file is encrypted, and none of the 2 passwords given opens it"),
    ],
)
def test_without_its_password_an_encrypted_document_says_so(tmp_path, work, passwords, what):
    path = sealed(write_docx(tmp_path / "plain.docx", size=8192), tmp_path / "a.docx")
    with pytest.raises(EncryptedFile) as caught:
        open_file(path, workdir=work, passwords=passwords)
    assert caught.value.what == what
    assert "hunter2" not in str(caught.value)
    assert list(work.iterdir()) == []


def test_an_encrypted_spreadsheet_is_named(tmp_path, work):
    plain = write_docx(tmp_path / "plain", size=8192)
    types = part_text(plain, "[Content_Types].xml").replace(
        "wordprocessingml.document", "spreadsheetml.sheet"
    )
    with_part(plain, "[Content_Types].xml", types.encode())
    path = sealed(plain, tmp_path / "a.xlsx")
    with pytest.raises(UnsupportedFile, match=r"a\.xlsx: this is a spreadsheet"):
        open_file(path, workdir=work, passwords=["open sesame"])
    assert list(work.iterdir()) == []
