"""The demo's documents: drawn by the script, small, and holding what the demo asks for."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pymupdf
import pytest

from mmrag import demo

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"
NAMES = ["annual-report-2024.pdf", "fleet-renewal-deck.pdf", "leave-letter-scan.pdf"]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    sys.path.insert(0, str(SCRIPTS))  # it imports its pens from beside it
    try:
        spec = importlib.util.spec_from_file_location(
            "make_demo_documents", SCRIPTS / "make_demo_documents.py"
        )
        assert spec and spec.loader
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
    finally:
        sys.path.remove(str(SCRIPTS))
    return module


def test_they_are_there_and_small() -> None:
    assert [path.name for path in demo.documents()] == NAMES
    assert sum(path.stat().st_size for path in demo.documents()) < 2_000_000
    assert len(demo.QUESTIONS) == 3


def test_two_runs_give_equal_bytes(script: ModuleType, tmp_path: Path) -> None:
    script.main(tmp_path / "one")
    script.main(tmp_path / "two")
    assert sorted(path.name for path in (tmp_path / "one").iterdir()) == NAMES
    for name in NAMES:
        assert (tmp_path / "one" / name).read_bytes() == (tmp_path / "two" / name).read_bytes()


def test_the_script_draws_what_is_committed(script: ModuleType, tmp_path: Path) -> None:
    """By words and pictures' sizes: other releases of the PDF library write other bytes."""
    script.main(tmp_path)
    for path in demo.documents():
        with pymupdf.open(path) as kept, pymupdf.open(tmp_path / path.name) as drawn:
            assert [page.get_text() for page in kept] == [page.get_text() for page in drawn]
            assert [page.rect for page in kept] == [page.rect for page in drawn]
            assert [len(page.get_images()) for page in kept] == [len(page.get_images()) for page in drawn]


def test_the_report_splits_its_table_under_one_header() -> None:
    with pymupdf.open(demo.documents()[0]) as report:
        texts = [page.get_text() for page in report]
        assert report.metadata["title"] == "Annual Report 2024"
        assert report.metadata["author"] == "Norvane Ferries"
    assert len(texts) == 5
    assert ["On time (%)" in text for text in texts] == [False, False, True, False, False]
    assert "Brattoy - Hjelm" in texts[3] and "97.4" in texts[3]
    assert not any("97.4" in text for text in texts[:3])


def test_the_deck_is_landscape_with_the_date_on_one_slide() -> None:
    with pymupdf.open(demo.documents()[1]) as deck:
        assert {(page.rect.width, page.rect.height) for page in deck} == {(960.0, 540.0)}
        assert ["14 May 2026" in page.get_text() for page in deck] == [
            False,
            False,
            True,
            False,
            False,
            False,
        ]


def test_the_scan_is_a_picture_and_nothing_else() -> None:
    with pymupdf.open(demo.documents()[2]) as scan:
        assert [page.get_text() for page in scan] == [""]
        assert [len(page.get_images()) for page in scan] == [1]
        assert not scan.metadata["title"]
