"""Adding: once, whole, resumed; what fails is named and the rest goes on."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import pytest
from drawn_pdf import break_page, draw, encrypt

from mmrag import (
    Access,
    DocumentNotFound,
    Library,
    LibraryLocked,
    LibraryMismatch,
    Reader,
    Settings,
    StorageError,
)
from mmrag.adding.pipeline import Cancelled
from mmrag.index.writer import Writer, open_writer

APPLES = "Apples\n\nApples keep for six months in a cold cellar."
PEARS = "Pears\n\nPears keep for two weeks on a shelf."


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.open(tmp_path / "library")


def names(library: Library) -> list[str]:
    return [document.name for document in library.documents()]


def test_a_bad_file_costs_itself_alone(library: Library, tmp_path: Path) -> None:
    (tmp_path / "text.pdf").write_text("this is no PDF")
    (tmp_path / "zero.pdf").write_bytes(b"")
    encrypt(draw(tmp_path / "locked.pdf", [APPLES]), "secret")
    good = draw(tmp_path / "good.pdf", [APPLES])
    files = [tmp_path / name for name in ("text.pdf", "zero.pdf", "locked.pdf", "missing.pdf")]
    report = library.add([*files, good])()
    assert len(report.added) == 1
    failed = {Path(path).name: reason for path, reason in report.failed}
    assert list(failed) == ["text.pdf", "zero.pdf", "locked.pdf", "missing.pdf"]
    for name, word in (
        ("text.pdf", "PDF"),
        ("zero.pdf", "zero bytes"),
        ("locked.pdf", "password"),
        ("missing.pdf", "no such file"),
    ):
        assert word in failed[name], failed[name]
        assert name in failed[name]
        assert failed[name].count(". ") >= 1, "a remedy follows"
    assert names(library) == ["good.pdf"]


def test_a_broken_page_costs_itself_alone_and_is_named(library: Library, tmp_path: Path) -> None:
    paper = break_page(draw(tmp_path / "three.pdf", [APPLES, "lost", PEARS]), 2)
    report = library.add(paper)()
    assert (report.pages, report.statuses) == (3, {"corrupt": 1, "indexed": 2})
    status = library.status()
    assert (status.documents, status.pages, status.statuses) == (1, 3, {"corrupt": 1, "indexed": 2})
    (note,) = status.unindexed
    assert (note.name, note.page, note.status) == ("three.pdf", 2, "corrupt")
    assert "damaged" in note.reason
    assert library.search("how long do pears keep").hits[0].page == 3


def test_events_tell_each_page_in_order(library: Library, tmp_path: Path) -> None:
    paper = draw(tmp_path / "two.pdf", [APPLES, PEARS])
    events = list(library.add([paper]))
    assert [event.kind for event in events] == [
        "files_found",
        "file_started",
        "page_done",
        "page_done",
        "file_done",
        "finished",
    ]
    assert [(event.page, event.pages, event.status) for event in events[2:4]] == [
        (1, 2, "indexed"),
        (2, 2, "indexed"),
    ]
    assert all(event.seconds > 0 for event in events[2:])


def test_just_called_it_is_done_before_the_next_call(library: Library, tmp_path: Path) -> None:
    library.add(draw(tmp_path / "a.pdf", [APPLES]))
    assert names(library) == ["a.pdf"]


def test_the_same_bytes_are_added_once_whatever_the_name(library: Library, tmp_path: Path) -> None:
    paper = draw(tmp_path / "a.pdf", [APPLES])
    copy = tmp_path / "a(1).pdf"
    copy.write_bytes(paper.read_bytes())
    first = library.add([paper, copy])()
    assert (len(first.added), len(first.skipped)) == (1, 1)
    events = list(library.add([copy]))
    assert [event.kind for event in events] == ["files_found", "file_skipped", "finished"]
    assert events[1].reason == "already in the library as a.pdf"
    assert names(library) == ["a.pdf"]


def test_adding_again_adds_tags_and_never_takes_readers_away(library: Library, tmp_path: Path) -> None:
    paper = draw(tmp_path / "a.pdf", [APPLES])
    library.add(paper, access=Access(groups=("hr",)), tags=["fruit"])()
    report = library.add(paper, access=Access(groups=("it",)), tags=["cellar"])()
    assert report.added == ()
    assert names(library) == []
    (held,) = library.documents(reader=Reader(groups=("it",)))
    assert (held.tags, held.access.groups) == (("cellar", "fruit"), ("hr", "it"))
    library.add(paper)()
    assert library.documents(reader=Reader(groups=("hr",)))[0].access.groups == ("hr", "it")


def test_a_changed_file_is_a_new_version(library: Library, tmp_path: Path) -> None:
    paper = draw(tmp_path / "a.pdf", [APPLES])
    library.add(paper)()
    library.add(draw(tmp_path / "a.pdf", [PEARS]))()
    (held,) = library.documents()
    assert held.version == 2
    (hit,) = library.search("how long does fruit keep").hits
    assert "Pears" in hit.passages[0].chunk.text
    assert library.status().pages == 1


def test_removal(library: Library, tmp_path: Path) -> None:
    library.add([draw(tmp_path / "a.pdf", [APPLES]), draw(tmp_path / "b.pdf", [PEARS])])()
    removed = library.remove("a.pdf")
    assert removed.name == "a.pdf"
    assert names(library) == ["b.pdf"]
    assert [hit.name for hit in library.search("apples").hits] == ["b.pdf"]
    library.remove(library.documents()[0].id[:8])
    status = library.status()
    assert (status.documents, status.pages, status.chunks, status.statuses) == (0, 0, 0, {})
    assert not any(path.suffix == ".webp" for path in library.path.rglob("*"))
    with pytest.raises(DocumentNotFound, match="no such document"):
        library.remove("a.pdf")


def test_a_name_that_two_documents_bear_is_not_guessed(library: Library, tmp_path: Path) -> None:
    for folder, text in (("x", APPLES), ("y", PEARS)):
        (tmp_path / folder).mkdir()
        library.add(draw(tmp_path / folder / "same.pdf", [text]))()
    with pytest.raises(DocumentNotFound, match="2 documents go by that name"):
        library.remove("same.pdf")
    library.remove(str(tmp_path / "x" / "same.pdf"))
    assert len(library.documents()) == 1


def test_another_reader_s_document_is_not_there(library: Library, tmp_path: Path) -> None:
    library.add(draw(tmp_path / "a.pdf", [APPLES]), access=Access("acme"))()
    acme = Reader("acme")
    held = library.documents(reader=acme)[0]
    assert library.documents() == []
    assert library.search("apples").hits == ()
    assert [hit.name for hit in library.search("apples", reader=acme).hits] == ["a.pdf"]
    assert not library.ask("How long do apples keep?", reader=acme).abstained
    for call in (library.page, library.overlay):
        with pytest.raises(DocumentNotFound):
            call(held.id, 1)
    with pytest.raises(DocumentNotFound):
        library.remove(held.id)
    assert library.page(held.id, 1, reader=acme).number == 1
    library.remove(held.id, reader=acme)
    assert library.documents(reader=acme) == []


def test_a_page_that_is_not_there(library: Library, tmp_path: Path) -> None:
    library.add(draw(tmp_path / "a.pdf", [APPLES]))()
    with pytest.raises(DocumentNotFound, match=r"no page 2\. It has pages 1 to 1"):
        library.page("a.pdf", 2)


def test_worker_processes_give_the_same_library_as_none(tmp_path: Path) -> None:
    texts = [f"Page {n}\n\nThe number of this page in words and figures is {n * 37}." for n in range(1, 16)]
    paper = draw(tmp_path / "long.pdf", texts, title="Numbers")
    found = []
    for workers in (1, 2):
        with Library.open(tmp_path / f"w{workers}", settings=Settings.load({"workers": workers})) as library:
            report = library.add(paper)()
            assert report.statuses == {"indexed": 15}
            result = library.search("the page with 185")
            found.append([(hit.page, round(hit.score, 6), hit.passages[0].chunk.text) for hit in result.hits])
    assert found[0] == found[1]
    assert found[0][0][0] == 5


def test_an_interrupted_document_is_resumed(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("mmrag.adding.pipeline.BATCH_PAGES", 2)
    texts = [f"Page number {n} speaks of item{n}." for n in range(1, 7)]
    paper = draw(tmp_path / "six.pdf", texts, title="Six items")
    write = Writer.write

    def write_twice(self: Writer, document: object, batch: object) -> None:
        if batch.pages[0].number == 5:
            raise OSError(28, "No space left on device")
        write(self, document, batch)

    with monkeypatch.context() as patched:
        patched.setattr(Writer, "write", write_twice)
        with pytest.raises(OSError, match="No space"):
            library.add(paper).report()
    status = library.status()
    assert (status.documents, status.interrupted) == (0, (str(paper),))
    pages_read = [event.page for event in library.add(paper) if event.kind == "page_done"]
    assert pages_read == [5, 6]
    status = library.status()
    assert (status.documents, status.pages, status.chunks, status.interrupted) == (1, 6, 6, ())
    for number in range(1, 7):
        assert library.search(f"item{number}", k=1).hits[0].page == number


def test_cancelling_keeps_what_is_done(library: Library, tmp_path: Path) -> None:
    papers = [draw(tmp_path / f"{n}.pdf", [f"{APPLES} {n}"]) for n in range(4)]
    adding = library.add(papers)
    for event in adding:
        if event.kind == "file_done":
            adding.cancel()
            break
    with pytest.raises(Cancelled):
        adding.report()
    assert 1 <= len(names(library)) < 4
    library.add(papers)()
    assert len(names(library)) == 4


def test_two_writers(library: Library, tmp_path: Path) -> None:
    paper = draw(tmp_path / "a.pdf", [APPLES])
    with open_writer(library._store):
        with pytest.raises(LibraryLocked, match="is writing to it"):
            library.add(paper)
        assert library.search("apples").hits == ()
    library.add(paper)()
    assert names(library) == ["a.pdf"]


def test_a_full_disk(library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    library.add(draw(tmp_path / "a.pdf", [APPLES]))()

    def full(path: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device", str(path))

    pears = draw(tmp_path / "b.pdf", [PEARS])
    with monkeypatch.context() as patched:
        patched.setattr(Path, "write_bytes", full)
        with pytest.raises(StorageError, match="the disk is full"):
            library.add(pears).report()
    assert names(library) == ["a.pdf"]
    library.add(pears)()
    assert names(library) == ["a.pdf", "b.pdf"]


def test_a_library_of_another_embedder(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library.add(draw(tmp_path / "a.pdf", [APPLES]))()
    monkeypatch.setattr("mmrag.models.builtin.embedder.SETTINGS", 999)
    with pytest.raises(LibraryMismatch, match="made by builtin") as caught:
        Library.open(library.path)
    assert "new library" in str(caught.value)


def test_a_page_the_model_chokes_on_is_that_page_s_status(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    embed = library._embedder.embed_pages

    def choke(pages: list) -> list:
        if pages[0].number == 1:
            raise RuntimeError("bad page")
        return embed(pages)

    monkeypatch.setattr(library._embedder, "embed_pages", choke)
    report = library.add(draw(tmp_path / "two.pdf", [APPLES, PEARS]))()
    assert report.statuses == {"failed": 1, "indexed": 1}
    assert "bad page" in library.status().unindexed[0].reason
    assert [hit.page for hit in library.search("keep").hits] == [2]


def test_a_script_needs_no_main_guard_and_no_wait(tmp_path: Path) -> None:
    """Worker processes must not run the caller's script again, and leaving at once must lose nothing."""
    draw(tmp_path / "long.pdf", [f"Page {n}" for n in range(1, 14)])
    script = tmp_path / "script.py"
    script.write_text(
        textwrap.dedent(f"""
        from mmrag import Library
        print("started")
        library = Library.open({str(tmp_path / "at")!r})
        library.add({str(tmp_path / "long.pdf")!r})
        """)
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=240
    )
    assert (done.stdout, done.returncode) == ("started\n", 0), done.stderr
    assert Library.open(tmp_path / "at").status().statuses == {"indexed": 13}
