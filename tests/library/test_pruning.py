"""--prune drops what came from files that are gone, and nothing else."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from drawn_pdf import draw

from mmrag import Access, Library, Reader

TEXTS = {name: f"{name}\n\nThis paper speaks of {name}." for name in ("apples", "pears", "plums", "quinces")}


@pytest.fixture
def shelf(tmp_path: Path) -> Path:
    folder = tmp_path / "shelf"
    (folder / "deep").mkdir(parents=True)
    draw(folder / "apples.pdf", [TEXTS["apples"]])
    draw(folder / "pears.pdf", [TEXTS["pears"]])
    draw(folder / "deep" / "plums.pdf", [TEXTS["plums"]])
    draw(tmp_path / "quinces.pdf", [TEXTS["quinces"]])
    return folder


@pytest.fixture
def library(tmp_path: Path, shelf: Path) -> Library:
    held = Library.open(tmp_path / "library")
    held.add([shelf, tmp_path / "quinces.pdf"])()
    assert names(held) == ["apples", "pears", "plums", "quinces"]
    return held


def names(library: Library, reader: Reader | None = None) -> list[str]:
    return [Path(document.name).stem for document in library.documents(reader=reader or Reader())]


def test_documents_under_the_folder_whose_files_are_gone_are_dropped(
    library: Library, shelf: Path, tmp_path: Path
) -> None:
    for path in (shelf / "pears.pdf", shelf / "deep" / "plums.pdf", tmp_path / "quinces.pdf"):
        path.unlink()
    assert library.add(shelf)().pruned == ()
    assert names(library) == ["apples", "pears", "plums", "quinces"]
    events = list(library.add(shelf, prune=True))
    gone = [str(shelf / "deep" / "plums.pdf"), str(shelf / "pears.pdf")]
    assert [event.path for event in events if event.kind == "file_pruned"] == gone
    assert names(library) == ["apples", "quinces"]
    assert library.status().pages == 2


def test_a_given_file_that_is_gone_is_dropped_and_is_no_error(library: Library, shelf: Path) -> None:
    (shelf / "pears.pdf").unlink()
    report = library.add([shelf / "pears.pdf", shelf / "apples.pdf"], prune=True)()
    assert (report.pruned, report.failed) == ((str(shelf / "pears.pdf"),), ())
    assert names(library) == ["apples", "plums", "quinces"]


def test_a_file_that_never_was_is_an_error_still(library: Library, shelf: Path) -> None:
    report = library.add(shelf / "figs.pdf", prune=True)()
    assert report.pruned == ()
    assert "no such file" in report.failed[0][1]


def test_a_folder_that_is_away_drops_nothing_and_is_named(
    library: Library, shelf: Path, tmp_path: Path
) -> None:
    shelf.rename(tmp_path / "elsewhere")
    report = library.add(shelf, prune=True)()
    assert report.pruned == ()
    assert [path for path, _ in report.failed] == [str(shelf)]
    assert names(library) == ["apples", "pears", "plums", "quinces"]


def test_a_folder_that_cannot_be_listed_drops_nothing(
    library: Library, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (shelf / "pears.pdf").unlink()
    scandir = os.scandir

    def refuse(path: object) -> object:
        if Path(str(path)) == shelf:
            raise PermissionError(13, "Permission denied", str(path))
        return scandir(path)

    with monkeypatch.context() as patched:
        patched.setattr(os, "scandir", refuse)
        report = library.add(shelf, prune=True)()
    assert report.pruned == ()
    assert [path for path, _ in report.failed] == [str(shelf)]


def test_a_file_that_may_not_be_asked_for_is_kept(
    library: Library, shelf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.rmtree(shelf / "deep")
    stat = Path.stat

    def refuse(self: Path, **kwargs: bool) -> os.stat_result:
        if "deep" in self.parts:
            raise PermissionError(13, "Permission denied", str(self))
        return stat(self, **kwargs)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "stat", refuse)
        assert library.add(shelf, prune=True)().pruned == ()
    assert library.add(shelf, prune=True)().pruned == (str(shelf / "deep" / "plums.pdf"),)


def test_a_folder_beside_with_a_like_name_is_another(library: Library, shelf: Path, tmp_path: Path) -> None:
    beside = tmp_path / "shelf2"
    beside.mkdir()
    paper = draw(beside / "figs.pdf", ["Figs\n\nThis paper speaks of figs."])
    library.add(paper)()
    paper.unlink()
    assert library.add(shelf, prune=True)().pruned == ()


def test_a_link_to_the_folder_is_the_folder(library: Library, shelf: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(shelf)
    (shelf / "pears.pdf").unlink()
    assert library.add(link, prune=True)().pruned == (str(shelf / "pears.pdf"),)


def test_another_tenant_s_documents_stay(library: Library, shelf: Path) -> None:
    library.add(shelf, access=Access("acme"))()
    (shelf / "pears.pdf").unlink()
    assert library.add(shelf, access=Access("acme"), prune=True)().pruned == (str(shelf / "pears.pdf"),)
    assert names(library) == ["apples", "pears", "plums", "quinces"]
    assert names(library, Reader("acme")) == ["apples", "plums"]


def test_a_file_that_was_renamed_is_the_same_document_and_not_pruned(library: Library, shelf: Path) -> None:
    (shelf / "pears.pdf").rename(shelf / "pears(1).pdf")
    report = library.add(shelf, prune=True)()
    assert (report.added, report.pruned, len(report.skipped)) == ((), (), 3)
    assert names(library) == ["apples", "pears(1)", "plums", "quinces"]


def test_notes_on_files_that_are_gone_go_too(library: Library, shelf: Path) -> None:
    bad = shelf / "bad.pdf"
    bad.write_bytes(b"")
    library.add(shelf)()
    assert [note.path for note in library.status().files] == [str(bad)]
    bad.unlink()
    assert library.add(shelf, prune=True)().pruned == (str(bad),)
    assert library.status().files == ()


def test_a_folder_that_holds_nothing_any_more_drops_nothing_and_is_named(
    library: Library, shelf: Path, tmp_path: Path
) -> None:
    shelf.rename(tmp_path / "elsewhere")
    shelf.mkdir()  # as the mount point of a disk that is away
    report = library.add(shelf, prune=True)()
    assert report.pruned == ()
    assert report.failed == (
        (
            str(shelf),
            f"{shelf}: no file to read is there any more, and nothing was dropped of the 3 that were "
            "added from it. Mount its disk if it is away; else name a gone file with --prune, or use "
            "`mmrag remove`.",
        ),
    )
    assert names(library) == ["apples", "pears", "plums", "quinces"]
    assert library.status().files == ()
    assert library.add(shelf / "pears.pdf", prune=True)().pruned == (str(shelf / "pears.pdf"),)


def test_an_empty_folder_of_which_nothing_is_known_is_no_fault(library: Library, tmp_path: Path) -> None:
    (tmp_path / "new").mkdir()
    report = library.add(tmp_path / "new", prune=True)()
    assert (report.pruned, report.failed) == ((), ())


def test_a_folder_that_holds_links_alone_is_not_empty(library: Library, shelf: Path, tmp_path: Path) -> None:
    links = tmp_path / "links"
    links.mkdir()
    (links / "shelf").symlink_to(shelf)
    paper = draw(links / "figs.pdf", ["Figs\n\nThis paper speaks of figs."])
    library.add(links)()
    paper.unlink()
    assert library.add(links, prune=True)().pruned == (str(paper),)


def test_what_came_through_a_link_to_a_file_is_dropped(library: Library, shelf: Path, tmp_path: Path) -> None:
    (shelf / "link.pdf").symlink_to(tmp_path / "quinces.pdf")
    (tmp_path / "quinces.pdf").unlink()
    report = library.add(shelf, prune=True)()
    assert report.pruned == (str(tmp_path / "quinces.pdf"),)
    assert [path for path, _ in report.failed] == [str(shelf / "link.pdf")]
    assert names(library) == ["apples", "pears", "plums"]
    assert [note.name for note in library.status().files] == ["link.pdf"]  # the link is there still


def test_what_came_through_a_link_to_a_disk_that_is_away_is_kept(
    library: Library, shelf: Path, tmp_path: Path
) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    draw(disk / "figs.pdf", ["Figs\n\nThis paper speaks of figs."])
    (shelf / "link.pdf").symlink_to(disk / "figs.pdf")
    library.add(shelf)()
    disk.rename(tmp_path / "away")
    assert library.add([shelf, shelf / "link.pdf"], prune=True)().pruned == ()
    disk.mkdir()
    assert library.add(shelf, prune=True)().pruned == ()
    assert names(library) == ["apples", "link", "pears", "plums", "quinces"]


def test_what_came_through_a_linked_folder_is_dropped(library: Library, shelf: Path, tmp_path: Path) -> None:
    links = tmp_path / "links"
    links.mkdir()
    (links / "shelf").symlink_to(shelf)
    (shelf / "pears.pdf").unlink()
    assert library.add(links, prune=True)().pruned == (str(shelf / "pears.pdf"),)


def test_a_link_above_the_given_folder_widens_nothing(library: Library, shelf: Path, tmp_path: Path) -> None:
    (tmp_path / "top").symlink_to(shelf)
    (shelf / "pears.pdf").unlink()
    assert library.add(tmp_path / "top" / "deep", prune=True)().pruned == ()


def test_a_copy_that_is_seen_takes_the_place_of_what_is_gone(
    library: Library, shelf: Path, tmp_path: Path
) -> None:
    copies = tmp_path / "copies"
    copies.mkdir()
    shutil.copy(shelf / "pears.pdf", copies / "copy.pdf")
    library.add([shelf, copies])()
    assert names(library) == ["apples", "pears", "plums", "quinces"]
    (shelf / "pears.pdf").unlink()
    assert library.add([shelf, copies], prune=True)().pruned == ()
    assert names(library) == ["apples", "copy", "plums", "quinces"]
