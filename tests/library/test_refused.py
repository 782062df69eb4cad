"""Files that cannot be opened are remembered until they can; passwords open those that need one."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from drawn_pdf import draw, encrypt

from mmrag import Access, Library, Reader
from mmrag.adding import tasks
from mmrag.adding.jobs import status_word
from mmrag.errors import (
    ConversionError,
    CorruptFile,
    DocumentNotFound,
    EmptyFile,
    EncryptedFile,
    IngestError,
    MissingTool,
    UnsupportedFile,
)

APPLES = "Apples\n\nApples keep for six months in a cold cellar."
PEARS = "Pears\n\nPears keep for two weeks on a shelf."
SECRET = "Tr0ub4dor-and-3-staples"


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.open(tmp_path / "library")


@pytest.fixture
def locked(tmp_path: Path) -> Path:
    return encrypt(draw(tmp_path / "locked.pdf", [APPLES]), SECRET)


def notes(library: Library) -> list[tuple[str, str]]:
    return [(note.name, note.status) for note in library.status().files]


@pytest.mark.parametrize(
    ("kind", "word"),
    [
        (EncryptedFile, "encrypted"),
        (CorruptFile, "corrupt"),
        (EmptyFile, "corrupt"),
        (UnsupportedFile, "unsupported"),
        (MissingTool, "unsupported"),
        (ConversionError, "failed"),
        (IngestError, "failed"),
    ],
)
def test_each_error_has_a_status(kind: type[IngestError], word: str) -> None:
    assert status_word(kind("x")) == word


def test_what_could_not_be_opened_is_remembered_with_the_reason(
    library: Library, locked: Path, tmp_path: Path
) -> None:
    (tmp_path / "text.pdf").write_text("this is no PDF")
    (tmp_path / "zero.pdf").write_bytes(b"")
    files = [locked, tmp_path / "text.pdf", tmp_path / "zero.pdf", tmp_path / "missing.pdf"]
    report = library.add(files)()
    assert notes(library) == [
        ("locked.pdf", "encrypted"),
        ("text.pdf", "unsupported"),
        ("zero.pdf", "corrupt"),
    ]
    said = dict(report.failed)
    assert [note.reason for note in library.status().files] == [said[str(path)] for path in files[:3]]
    library.add(files)()
    assert len(notes(library)) == 3


def test_a_file_that_was_mended_is_forgotten(library: Library, tmp_path: Path) -> None:
    paper = tmp_path / "a.pdf"
    paper.write_bytes(b"")
    library.add(paper)()
    assert notes(library) == [("a.pdf", "corrupt")]
    draw(paper, [APPLES])
    library.add(paper)()
    assert notes(library) == []


def test_a_file_whose_bytes_are_known_elsewhere_is_forgotten(library: Library, tmp_path: Path) -> None:
    known = draw(tmp_path / "a.pdf", [APPLES])
    paper = tmp_path / "b.pdf"
    paper.write_bytes(b"")
    library.add([known, paper])()
    paper.write_bytes(known.read_bytes())
    library.add(paper)()
    assert notes(library) == []


def test_a_file_no_page_of_which_could_be_read_is_remembered(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def choke(pages: list) -> list:
        raise RuntimeError("no vectors today")

    monkeypatch.setattr(library._embedder, "embed_pages", choke)
    paper = draw(tmp_path / "a.pdf", [APPLES])
    report = library.add(paper)()
    assert report.failed[0][1].startswith(f"{paper}: no page could be read; page 1: it could not be embedded")
    assert notes(library) == [("a.pdf", "failed")]
    assert library.documents() == []


def test_a_password_opens_what_was_refused_without_one(library: Library, locked: Path) -> None:
    assert library.add(locked)().added == ()
    report = library.add(locked, passwords=["wrong", SECRET])()
    assert (report.statuses, notes(library)) == ({"indexed": 1}, [])
    assert library.search("apples").hits[0].name == "locked.pdf"


def test_a_wrong_password_is_an_error(library: Library, locked: Path) -> None:
    report = library.add(locked, passwords=["not-the-one"])()
    assert report.added == ()
    assert notes(library) == [("locked.pdf", "encrypted")]
    assert "not-the-one" not in report.failed[0][1]


def test_a_password_may_be_given_per_file(library: Library, locked: Path, tmp_path: Path) -> None:
    other = encrypt(draw(tmp_path / "other.pdf", [PEARS]), "another")
    report = library.add([locked, other], passwords={str(locked): SECRET, other: SECRET})()
    assert (len(report.added), notes(library)) == (1, [("other.pdf", "encrypted")])


def test_one_password_may_be_given_as_it_is(library: Library, locked: Path) -> None:
    assert library.add(locked, passwords=SECRET)().statuses == {"indexed": 1}


def test_a_password_is_written_nowhere(
    library: Library, locked: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    wrong = encrypt(draw(tmp_path / "wrong.pdf", [PEARS]), "another")
    adding = library.add([locked, wrong], passwords=[SECRET])
    events = list(adding)
    told = [repr(events), repr(adding.report()), repr(adding), repr(library.status()), *capfd.readouterr()]
    assert adding.report().statuses == {"indexed": 1}
    assert not [text for text in told if SECRET in text]
    files = [path for path in library.path.rglob("*") if path.is_file()]
    assert files
    assert not [path for path in files if SECRET.encode() in path.read_bytes()]


def test_a_password_does_not_show_in_what_holds_it(locked: Path, tmp_path: Path) -> None:
    from mmrag.adding.jobs import Job, new_document
    from mmrag.records import Access
    from mmrag.settings import ReadSettings

    info = tasks.open_file(locked, (SECRET,), tmp_path, ReadSettings())
    job = Job(info, new_document(info, Access(), ()))
    assert info.source.password == SECRET
    assert SECRET not in repr(job)
    assert pickle.loads(pickle.dumps(info)).source.password == SECRET


def test_a_password_is_no_argument_of_a_process(
    library: Library, locked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import subprocess

    seen = []
    start = subprocess.Popen

    def note(arguments: list[str], **options: object) -> subprocess.Popen[bytes]:
        seen.append((arguments, options.get("env")))
        return start(arguments, **options)

    from mmrag.crew import process

    process.dismiss_all()
    monkeypatch.setattr("mmrag.crew.process.subprocess.Popen", note)
    library.add(locked, passwords=[SECRET])()
    assert seen
    assert SECRET not in repr(seen)


def test_a_refused_file_is_known_to_those_who_could_have_read_it(tmp_path: Path) -> None:
    secret = tmp_path / "pay.pdf"
    secret.write_bytes(b"not a PDF at all")
    with Library.open(tmp_path / "library") as library:
        library.add([secret], access=Access(groups=("hr",)))()
        library.add([secret])()  # trying again opens nothing to others
        assert [note.groups for note in library.status().files] == [("hr",)]
        assert library.status(reader=Reader()).files == ()
        assert [note.name for note in library.status(reader=Reader(groups=("hr",))).files] == ["pay.pdf"]
        with pytest.raises(DocumentNotFound):
            library.remove("pay.pdf")


def test_a_new_version_that_cannot_be_opened_is_known_to_the_readers_of_the_old(tmp_path: Path) -> None:
    path = tmp_path / "pay.pdf"
    draw(path, [APPLES])
    with Library.open(tmp_path / "library") as library:
        library.add([path], access=Access(groups=("hr",)))()
        path.write_bytes(b"%PDF-1.7 torn")
        library.add([path])()
        assert [note.groups for note in library.status().files] == [("hr",)]
