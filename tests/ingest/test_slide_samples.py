"""Real decks: what stands beside their slides, as a reader of them would say."""

from __future__ import annotations

from pathlib import Path

import pytest
from pptx import Presentation

from mmrag.ingest.files.slides import Beside, read_slides
from mmrag.records import ChunkKind

FOLDER = Path(__file__).parents[3] / "shared" / "samples" / "slides"
pytestmark = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"the sample files are not here ({FOLDER})")


def read(name: str) -> Beside:
    deck = Presentation(str(FOLDER / name))
    return read_slides(FOLDER / name, [(deck.slide_width.pt, deck.slide_height.pt)] * len(deck.slides))


def test_every_deck_is_read_without_a_fault():
    for path in sorted(FOLDER.glob("*.pptx")):
        assert read(path.name).notes == (), path.name


def test_points_of_a_scatter_chart():
    (chart,) = read("poi__scatter-chart.pptx").supplements[1]
    quarters = ("1st Qtr", "8.2"), ("2nd Qtr", "3.2"), ("3rd Qtr", "1.4"), ("4th Qtr", "1.2")
    assert chart.rows == (("X", "Sales"), *quarters)


def test_series_of_a_chart_over_a_picture():
    (chart,) = read("poi__chart-picture-bg.pptx").supplements[1]
    assert chart.rows[:2] == (("", "Series 1", "Series 2", "Series 3"), ("Category 1", "4.3", "2.4", "2"))
    assert len(chart.rows) == 5


def test_a_table_with_a_header():
    (table,) = read("python-pptx__test_slides.pptx").supplements[1]
    assert (table.kind, table.header_rows) == (ChunkKind.TABLE, 1)
    assert table.rows == (("Col head 1", "Col head 2"), ("Cell text 1", "Cell text 2"))


def test_hidden_slides_and_speaker_notes():
    found = read("poi__2411-Performance_Up.pptx")
    assert found.hidden == frozenset({13, 48})
    notes = [number for number, those in found.supplements.items() if those[0].kind is ChunkKind.NOTES]
    assert notes == [1, 3, 11, 12, 15, 16, 21, 32]  # the other 33 notes pages hold no text
