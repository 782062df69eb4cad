"""Paths that are odd, gone, or not to be read, and what a folder holds that is no document."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from drawn_pdf import draw
from lancedb import connect

from mmrag import Library

APPLES = "Apples\n\nApples keep for six months in a cold cellar."


@pytest.fixture
def library(tmp_path: Path) -> Library:
    return Library.open(tmp_path / "library")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "papers"
    made.mkdir()
    draw(made / "good.pdf", [APPLES])
    return made


def names(library: Library) -> list[str]:
    return [document.name for document in library.documents()]


def test_a_link_that_leads_to_itself_is_told_of_and_the_rest_goes_on(library: Library, folder: Path) -> None:
    (folder / "loop.pdf").symlink_to("loop.pdf")
    report = library.add([folder], prune=True)()
    assert [Path(path).name for path, _ in report.failed] == ["loop.pdf"]
    assert names(library) == ["good.pdf"]


def test_a_name_that_is_too_long_is_told_of_and_the_rest_goes_on(library: Library, folder: Path) -> None:
    report = library.add([folder / ("x" * 300 + ".pdf"), folder])()
    assert len(report.failed) == 1
    assert names(library) == ["good.pdf"]


def test_a_library_inside_a_folder_is_no_document_of_it(folder: Path) -> None:
    with Library.open(folder / "mmrag-library") as library:
        for _ in range(2):
            assert library.add([folder])().failed == ()
            assert names(library) == ["good.pdf"]


@pytest.mark.skipif(os.name == "nt", reason="names are Unicode there")
def test_a_name_that_is_not_utf8_is_not_gone(library: Library, folder: Path) -> None:
    name = os.fsdecode(b"l\xe9.pdf")
    try:
        draw(folder / "other.pdf", ["Pears\n\nPears keep for two weeks."]).rename(folder / name)
    except OSError:
        pytest.skip("this file system takes UTF-8 names alone")
    library.add([folder])()
    assert library.add([folder], prune=True)().pruned == ()
    assert len(names(library)) == 2
    (folder / name).unlink()
    assert len(library.add([folder], prune=True)().pruned) == 1
    assert names(library) == ["good.pdf"]


def test_many_refused_files_make_few_versions_and_none_when_nothing_changed(
    library: Library, folder: Path
) -> None:
    for number in range(300):
        (folder / f"empty{number:03}.pdf").touch()
    library.add([folder])()
    table = connect(library.path / "tables").open_table("files")
    assert table.count_rows() == 300
    version = table.version
    assert version < 10
    library.add([folder])()
    table.checkout_latest()
    assert table.version == version


def test_a_link_to_nothing_is_named_until_it_is_mended(library: Library, folder: Path) -> None:
    (folder / "away.pdf").symlink_to(folder / "nowhere.pdf")
    library.add([folder])()
    assert [(note.name, note.status) for note in library.status().files] == [("away.pdf", "failed")]
