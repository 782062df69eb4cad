"""What went wrong once: the smallest input that showed it, and what is right."""

from __future__ import annotations

from pathlib import Path

import pytest
from drawn_pdf import draw
from filelock import FileLock

from mmrag import (
    Access,
    AccessError,
    Cancelled,
    DocumentNotFound,
    Library,
    LibraryMismatch,
    Reader,
    Settings,
    SettingsError,
    StorageError,
)
from mmrag.adding.jobs import Job
from mmrag.adding.pipeline import Pipeline
from mmrag.adding.plan import Plan
from mmrag.index.schema import CHUNKS, PAGES, VECTORS
from mmrag.index.writer import Writer
from mmrag.ingest import FileInfo

APPLES = "Apples\n\nApples keep for six months in a cold cellar."
PEARS = "Pears\n\nPears keep for two weeks on a shelf."


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.open(tmp_path / "library")


def rows(library: Library) -> tuple[int, int, int]:
    pages, chunks, vectors = (library._store.table(name).count_rows() for name in (PAGES, CHUNKS, VECTORS))
    return pages, chunks, vectors


@pytest.mark.parametrize("written", [1, 2, 3])
@pytest.mark.parametrize("pages", [1, 3])
def test_a_stop_after_any_write_doubles_nothing(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, written: int, pages: int
) -> None:
    paper = draw(tmp_path / "a.pdf", [APPLES, PEARS, "Plums keep a week."][:pages])
    done = 0
    add = Writer._add

    def stop(table: object, batch: object) -> None:
        nonlocal done
        add(table, batch)
        done += 1
        if done == written:
            raise RuntimeError("stopped")

    with monkeypatch.context() as patched:
        patched.setattr(Writer, "_add", staticmethod(stop))
        with pytest.raises(RuntimeError, match="stopped"):
            library.add(paper).report()
    library.add(paper)()
    assert rows(library) == (pages, pages, pages)


@pytest.mark.parametrize(
    "name", ["", " ", "/..", "/../../precious", "o'brien", "a/b", "..", "x" * 65, "a\0b", "-a"]
)
def test_names_that_could_be_paths_or_code_are_refused(name: str) -> None:
    for make in (Access, Reader):
        with pytest.raises(AccessError):
            make(name)
        with pytest.raises(AccessError):
            make("public", (name,))


@pytest.mark.parametrize("name", ["acme", "Acme-2.eu_west", "7", "x" * 64])
def test_plain_names_are_taken(name: str) -> None:
    assert Access(name, (name,)).tenant == name


def test_a_file_that_vanished_while_it_was_read_can_be_added_again(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = draw(tmp_path / "a.pdf", [APPLES])
    data = paper.read_bytes()
    job = Plan.job

    def vanish(self: Plan, info: FileInfo) -> Job:
        paper.unlink()
        return job(self, info)

    with monkeypatch.context() as patched:
        patched.setattr(Plan, "job", vanish)
        report = library.add(paper)()
    assert report.added == ()
    assert "Add it again" in report.failed[0][1]
    assert rows(library) == (0, 0, 0)
    paper.write_bytes(data)
    assert library.add(paper)().statuses == {"indexed": 1}


def test_a_file_that_changed_while_it_was_read_is_not_stored_under_the_wrong_name(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = draw(tmp_path / "a.pdf", [APPLES])
    other = draw(tmp_path / "other", [PEARS])
    job = Plan.job

    def change(self: Plan, info: FileInfo) -> Job:
        paper.write_bytes(other.read_bytes())
        return job(self, info)

    with monkeypatch.context() as patched:
        patched.setattr(Plan, "job", change)
        report = library.add(paper)()
    assert "changed while it was being read" in report.failed[0][1]
    assert (library.documents(), rows(library)) == ([], (0, 0, 0))


def test_pages_that_failed_are_read_again(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = draw(tmp_path / "two.pdf", [APPLES, PEARS])
    embed = library._embedder.embed_pages

    def choke(pages: list) -> list:
        if pages[0].number == 1:
            raise RuntimeError("for now")
        return embed(pages)

    with monkeypatch.context() as patched:
        patched.setattr(library._embedder, "embed_pages", choke)
        assert library.add(paper, tags=["fruit"])().statuses == {"failed": 1, "indexed": 1}
    report = library.add(paper)()
    assert (report.skipped, report.statuses) == ((), {"indexed": 2})
    assert (rows(library), library.documents()[0].tags) == ((2, 2, 2), ("fruit",))


def interrupt(library: Library, paper: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        patched.setattr(Pipeline, "_finish", lambda self, job: (_ for _ in ()).throw(RuntimeError("stopped")))
        with pytest.raises(RuntimeError, match="stopped"):
            library.add(paper).report()
    assert library.status().interrupted == (str(paper),)


def test_a_new_version_clears_an_interrupted_one(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = draw(tmp_path / "a.pdf", [APPLES])
    interrupt(library, paper, monkeypatch)
    draw(paper, [PEARS])
    library.add(paper)()
    assert (library.status().interrupted, rows(library)) == ((), (1, 1, 1))


def test_an_interrupted_document_can_be_removed(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    paper = draw(tmp_path / "a.pdf", [APPLES])
    interrupt(library, paper, monkeypatch)
    with pytest.raises(DocumentNotFound):
        library.remove("a.pdf", reader=Reader("acme"))
    assert library.remove("a.pdf").name == "a.pdf"
    assert (library.status().interrupted, rows(library)) == ((), (0, 0, 0))


def test_a_path_that_now_holds_known_bytes_lets_go_of_what_it_held(library: Library, tmp_path: Path) -> None:
    first, second = draw(tmp_path / "a.pdf", [APPLES]), draw(tmp_path / "b.pdf", [PEARS])
    library.add([first, second])()
    first.write_bytes(second.read_bytes())
    library.add(first)()
    assert [held.name for held in library.documents()] == ["b.pdf"]


@pytest.mark.parametrize(("changed", "kept"), [("a.pdf", "b.pdf"), ("b.pdf", "a.pdf")])
def test_of_two_equal_files_one_of_which_changes_the_other_stays(
    library: Library, tmp_path: Path, changed: str, kept: str
) -> None:
    first, second = draw(tmp_path / "a.pdf", [APPLES]), tmp_path / "b.pdf"
    second.write_bytes(first.read_bytes())
    papers = [first, second] if changed == "a.pdf" else [second, first]
    library.add(papers)()  # one document, known by the path that will change
    draw(tmp_path / changed, [PEARS])
    library.add([first, second])()
    assert [held.name for held in library.documents()] == ["a.pdf", "b.pdf"]
    assert library.search("how long do apples keep").hits[0].name == kept
    assert library.search("how long do pears keep").hits[0].name == changed


def test_a_new_version_opens_nothing_by_itself(library: Library, tmp_path: Path) -> None:
    paper = draw(tmp_path / "a.pdf", [APPLES])
    library.add(paper, access=Access(groups=("fin",)), tags=["keep"])()
    draw(paper, [PEARS])
    library.add(paper)()
    assert library.documents() == []
    (held,) = library.documents(reader=Reader(groups=("fin",)))
    assert (held.version, held.tags, held.access.groups) == (2, ("keep",), ("fin",))


def test_an_open_document_says_that_it_stays_open(library: Library, tmp_path: Path) -> None:
    paper = draw(tmp_path / "a.pdf", [APPLES])
    library.add(paper)()
    (_, event, _) = library.add(paper, access=Access(groups=("hr",)))
    assert event.reason.endswith("it stays open to every group")


def test_a_folder_that_may_not_be_written_to(
    library: Library, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: FileLock, timeout: float) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(FileLock, "acquire", refuse)
    with pytest.raises(StorageError, match="not allowed"):
        library.add(draw(tmp_path / "a.pdf", [APPLES]))


def test_a_library_whose_making_was_cut_off_is_made_anew(tmp_path: Path) -> None:
    (tmp_path / "library" / "tables" / "documents.lance").mkdir(parents=True)
    assert Library.open(tmp_path / "library").documents() == []


def test_another_language_is_refused(library: Library) -> None:
    settings = Settings.load({"search": {"language": "German"}})
    with pytest.raises(LibraryMismatch, match=r"made for English and search\.language is German"):
        Library.open(library.path, settings=settings)


def test_an_error_in_the_block_stops_the_adding(library: Library, tmp_path: Path) -> None:
    papers = [draw(tmp_path / f"{n}.pdf", [f"{APPLES} {n}"]) for n in range(12)]
    with pytest.raises(KeyError), library:
        adding = library.add(papers)
        raise KeyError("mine")
    with pytest.raises(Cancelled, match="add the same files again"):
        adding.report()
    assert len(library.documents()) < 12


def test_a_reader_s_status_tells_of_its_own(library: Library, tmp_path: Path) -> None:
    library.add(draw(tmp_path / "a.pdf", [APPLES, ""]), access=Access("acme"))()
    library.add(draw(tmp_path / "b.pdf", [PEARS]))()
    everything, public, acme = (library.status(reader=who) for who in (None, Reader(), Reader("acme")))
    assert (everything.documents, public.documents, acme.documents) == (2, 1, 1)
    assert (public.unindexed, public.chunks, acme.chunks) == ((), 1, 1)
    assert [note.name for note in acme.unindexed] == ["a.pdf"]


@pytest.mark.parametrize("number", [0, -1, 2, 99_999_999_999])
def test_a_number_that_is_no_page(library: Library, tmp_path: Path, number: int) -> None:
    library.add(draw(tmp_path / "a.pdf", [APPLES]))()
    with pytest.raises(DocumentNotFound, match="It has pages 1 to 1"):
        library.page("a.pdf", number)


def test_questions_and_k_beyond_reason(library: Library, tmp_path: Path) -> None:
    library.add(draw(tmp_path / "a.pdf", [APPLES]))()
    assert len(library.search("apples", k=10**12).hits) == 1
    assert len(library.search("apples \ud83d", k=5).hits) == 1
    assert len(library.search("word " * 5000, k=5).hits) == 1


def test_one_tag_is_one_tag(library: Library, tmp_path: Path) -> None:
    library.add(draw(tmp_path / "a.pdf", [APPLES]), tags="fruit")()
    assert library.documents()[0].tags == ("fruit",)


@pytest.mark.parametrize(
    ("name", "value"), [("MMRAG_SERCH__K", "1"), ("MMRAG_CONFIG", "no-such.toml"), ("MMRAG_SEARCH__KK", "1")]
)
def test_a_variable_that_is_no_setting(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    monkeypatch.setenv(name, value)
    with pytest.raises(SettingsError, match="no such"):
        Settings.load()


def test_weights_that_weigh_nothing() -> None:
    with pytest.raises(SettingsError, match="above 0"):
        Settings.load({"search": {"weights": {"page": 0, "text": 0, "bm25": 0}}})
