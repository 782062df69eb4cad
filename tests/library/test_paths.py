"""Paths that are odd, gone, or not to be read, and what a folder holds that is no document."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from drawn_pdf import draw
from lancedb import connect
from typer.testing import CliRunner

from mmrag import Library
from mmrag.cli import app

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


def test_a_name_that_looks_spelled_out_is_not_gone(library: Library, folder: Path) -> None:
    paper = draw(folder / r"l\udce9.pdf", ["Pears\n\nPears keep for two weeks."])
    library.add([folder])()
    assert library.add([folder], prune=True)().pruned == ()
    assert library.add([folder / "good.pdf", folder], prune=True)().pruned == ()
    paper.unlink()
    assert library.add([folder], prune=True)().pruned == (str(paper),)


def test_a_document_is_found_by_a_path_that_is_not_utf8(library: Library, folder: Path) -> None:
    name = os.fsdecode(b"l\xe9.pdf")
    try:
        draw(folder / "other.pdf", ["Pears\n\nPears keep for two weeks."]).rename(folder / name)
    except OSError:
        pytest.skip("this file system takes UTF-8 names alone")
    library.add([folder])()
    library.remove(str(folder / name))
    assert names(library) == ["good.pdf"]


@pytest.mark.parametrize("prune", [False, True])
def test_a_path_with_a_nul_is_told_of_and_the_rest_goes_on(
    library: Library, folder: Path, prune: bool
) -> None:
    report = library.add([folder / "a\0b.pdf", folder], prune=prune)()
    assert [path for path, _ in report.failed] == [str(folder / "a\\0b.pdf")]
    assert "no path has a NUL in it" in report.failed[0][1]
    assert names(library) == ["good.pdf"]


def test_a_library_given_itself_is_searched_for_what_is_not_its_own(library: Library, folder: Path) -> None:
    library.add([folder])()
    assert library.add([library.path])().failed == ()
    assert names(library) == ["good.pdf"]


def test_a_file_that_may_not_be_read_costs_itself_alone(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shut = folder / "shut.pdf"
    shut.touch()
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, *more: Path(path) != shut and allowed(path, *more))
    library = str(tmp_path / "library")
    result = CliRunner().invoke(
        app, ["add", str(folder / "good.pdf"), str(shut), "--library", library, "--json"]
    )
    report = json.loads(result.stdout)
    assert (result.exit_code, len(report["added"]), len(report["failed"])) == (3, 1, 1)


def test_passwords_may_come_from_a_generator(library: Library, folder: Path) -> None:
    with pymupdf.open(folder / "good.pdf") as opened:
        opened.save(
            folder / "shut.pdf", encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="sesame", owner_pw="owner"
        )
    passwords: Any = (word for word in ("open", "sesame"))
    assert library.add([folder / "shut.pdf"], passwords=passwords)().failed == ()
    assert names(library) == ["shut.pdf"]


@pytest.mark.parametrize(
    ("passwords", "what"),
    [
        ({"good.pdf": ["a", "b"]}, "a password is text, not list"),
        ([1], "a password is text, not int"),
        (7, "passwords are text, several of them or one a path, not int"),
    ],
)
def test_a_password_that_is_no_text_is_told_before_anything_is_read(
    library: Library, folder: Path, passwords: Any, what: str
) -> None:
    with pytest.raises(TypeError, match=what):
        library.add([folder], passwords=passwords)()
    assert names(library) == []
