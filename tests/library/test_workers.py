"""Pages and files that crash or hang their worker cost themselves alone."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

import crew_tasks
import pytest
from drawn_pdf import draw
from typer.testing import CliRunner

from mmrag import Cancelled, Library, Settings
from mmrag.adding import tasks
from mmrag.cli import app
from mmrag.crew import process
from mmrag.errors import LibraryError

TEXTS = [f"Page {n}\n\nThis page speaks of item{n} and of nothing else." for n in range(1, 6)]


def open_library(folder: Path, **settings: object) -> Library:
    return Library.open(folder / "library", settings=Settings.load({"workers": 2, **settings}))


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Five seconds a page, the least that may be set."""
    monkeypatch.setenv("MMRAG_READ__PAGE_SECONDS", "5")


@pytest.mark.parametrize("workers", ["1", "2"])
@pytest.mark.parametrize("fault", ["crash", "read_nowhere"])
def test_a_page_that_crashes_is_failed_and_the_rest_is_indexed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, workers: str
) -> None:
    monkeypatch.setenv("MMRAG_WORKERS", workers)
    monkeypatch.setattr(tasks, "read_page", crew_tasks.read_page_or(fault, 3))
    papers = [draw(tmp_path / "bad.pdf", TEXTS), draw(tmp_path / "good.pdf", ["Apples keep for six months."])]
    place = tmp_path / "library"
    done = CliRunner().invoke(app, ["add", *map(str, papers), "--library", str(place), "--json"])
    assert done.exit_code == 3
    library = Library.open(place)
    status = library.status()
    assert status.statuses == {"failed": 1, "indexed": 5}
    (note,) = status.unindexed
    assert (note.name, note.page, note.status) == ("bad.pdf", 3, "failed")
    assert note.reason.startswith(
        "it could not be read: the process that worked on it ended twice: it was ended"
    )
    for number in (1, 2, 4, 5):
        assert library.search(f"item{number}", k=1).hits[0].page == number
    assert library.search("apples", k=1).hits[0].name == "good.pdf"


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("fault", ["hang", "hang_natively"])
def test_a_page_that_hangs_is_failed_after_its_time_and_the_rest_is_indexed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str
) -> None:
    monkeypatch.setattr(tasks, "read_page", crew_tasks.read_page_or(fault, 2))
    library = open_library(tmp_path)
    start = time.monotonic()
    report = library.add(draw(tmp_path / "bad.pdf", TEXTS))()
    assert 5 <= time.monotonic() - start < 50  # not once more, and not the 60 s it hangs
    assert report.statuses == {"failed": 1, "indexed": 4}
    (note,) = library.status().unindexed
    assert (note.page, note.reason.partition(". ")[0]) == (
        2,
        "it could not be read: it took more than 5 seconds",
    )


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(
    ("fault", "says"), [("read_nowhere", "ended twice: it was ended by SIGSEGV"), ("hang", "more than 5 sec")]
)
def test_a_file_that_cannot_be_opened_without_harm_is_failed_and_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: str, says: str
) -> None:
    papers = [draw(tmp_path / f"{name}.pdf", [f"{name} one", f"{name} two"]) for name in ("a", "bad", "c")]
    library = open_library(tmp_path)
    with monkeypatch.context() as patched:
        patched.setattr(tasks, "open_file", crew_tasks.open_file_or(fault, "bad.pdf"))
        report = library.add(papers)()
    assert [library_document.name for library_document in library.documents()] == ["a.pdf", "c.pdf"]
    assert [path for path, _ in report.failed] == [str(papers[1])]
    (note,) = library.status().files
    assert (note.path, note.status) == (str(papers[1]), "failed")
    assert says in note.reason
    assert library.add(papers)().statuses == {"indexed": 2}
    assert library.status().files == ()


def test_pages_are_stored_while_the_next_file_is_still_being_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    papers = [draw(tmp_path / f"{name}.pdf", [f"{name} one", f"{name} two"]) for name in ("a", "slow", "c")]
    monkeypatch.setattr(tasks, "open_file", crew_tasks.open_slowly(6.0, "slow.pdf"))
    library = open_library(tmp_path)
    start = time.monotonic()
    done = {
        Path(event.path).name: time.monotonic() - start
        for event in library.add(papers)
        if event.kind == "file_done"
    }
    assert list(done) == ["a.pdf", "slow.pdf", "c.pdf"]
    assert done["a.pdf"] < 6.0 < done["slow.pdf"]


def test_what_conversions_make_does_not_pile_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = tmp_path / "made"
    made.touch()
    monkeypatch.setenv("MADE", str(made))
    monkeypatch.setattr(tasks, "open_file", crew_tasks.open_as_if_converted)
    papers = [draw(tmp_path / f"{n:02}.pdf", [f"Paper {n} about item{n}"]) for n in range(20)]
    library = open_library(tmp_path)
    left = library.path / "work" / "of-a-run-that-was-killed"
    left.mkdir(parents=True)
    assert library.add(papers)().statuses == {"indexed": 20}
    assert not (library.path / "work").exists()
    lines = made.read_text().splitlines()
    assert len(lines) == 20
    assert max(int(line.split()[1]) for line in lines) < 15
    # Known files are not converted again.
    assert len(library.add(papers)().skipped) == 20
    assert made.read_text().splitlines() == lines


def test_a_converted_file_that_was_interrupted_is_resumed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "made").touch()
    monkeypatch.setenv("MADE", str(tmp_path / "made"))
    monkeypatch.setattr(tasks, "open_file", crew_tasks.open_as_if_converted)
    monkeypatch.setattr("mmrag.adding.pipeline.BATCH_PAGES", 2)
    paper = draw(tmp_path / "five.pdf", TEXTS)
    library = open_library(tmp_path)
    adding = library.add(paper)
    for event in adding:
        if event.kind == "page_done" and event.page == 2:
            adding.cancel()
            break
    with pytest.raises(Cancelled):
        adding.report()
    assert not (library.path / "work").exists()
    pages = [event.page for event in library.add(paper) if event.kind == "page_done"]
    assert pages[-1] == 5 and 1 not in pages and 2 not in pages
    assert library.status().statuses == {"indexed": 5}


def test_cancelling_does_not_wait_for_a_page_that_hangs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tasks, "read_page", crew_tasks.read_page_or("hang", 1))
    library = open_library(tmp_path)
    adding = library.add(draw(tmp_path / "bad.pdf", TEXTS))
    for event in adding:
        if event.kind == "file_started":
            break
    threading.Timer(0.3, adding.cancel).start()
    start = time.monotonic()
    with pytest.raises(Cancelled):
        adding.report()
    assert time.monotonic() - start < 30  # the page hangs for 60


def test_the_process_that_adds_opens_no_file_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paper = draw(tmp_path / "five.pdf", TEXTS)

    def refuse(*args: object, **kwargs: object) -> None:
        raise AssertionError(f"opened in process {os.getpid()}")

    monkeypatch.setattr("pymupdf.open", refuse)
    monkeypatch.setattr("pymupdf.Document.__init__", refuse)
    assert open_library(tmp_path).add(paper)().statuses == {"indexed": 5}


def test_workers_that_cannot_start_are_an_error_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    process.dismiss_all()
    monkeypatch.setattr(process, "_START", "raise SystemExit(7)")
    with pytest.raises(LibraryError, match=r"cannot be started: .* code 7\. See that mmrag is installed"):
        open_library(tmp_path).add(draw(tmp_path / "five.pdf", TEXTS)).report()
