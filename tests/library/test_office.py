"""A deck goes in through LibreOffice: its pages, what was spoken, and the slide that is hidden."""

from __future__ import annotations

import shutil
from pathlib import Path

import crew_tasks
import pytest
from drawn_office import add_chart, blank_deck, save_deck
from drawn_pdf import draw

from mmrag import Library
from mmrag.adding import tasks

needs_office = pytest.mark.skipif(
    not (shutil.which("soffice") or shutil.which("libreoffice")), reason="LibreOffice is not installed"
)


def draw_deck(path: Path) -> Path:
    deck = blank_deck(3)
    deck.slides[0].notes_slide.notes_text_frame.text = "Remember to thank the harbour master."
    add_chart(deck.slides[1])
    deck.slides[2]._element.set("show", "0")
    return save_deck(deck, path)


@needs_office
def test_a_deck_is_found_by_its_notes_and_its_chart_s_data(tmp_path: Path) -> None:
    deck = draw_deck(tmp_path / "deck.pptx")
    library = Library.open(tmp_path / "library")
    assert library.add(deck)().statuses == {"indexed": 3}
    hit = library.search("who is to be thanked, the harbour master?").hits[0]
    assert (hit.name, hit.page) == ("deck.pptx", 1)
    assert hit.passages[0].chunk.kind == "notes"
    first, second, third = (library.page("deck.pptx", number) for number in (1, 2, 3))
    assert [held.text for held in first.supplements] == ["Remember to thank the harbour master."]
    assert [("North" in str(held.rows), held.header_rows) for held in second.supplements] == [(True, 1)]
    assert (first.hidden, second.hidden, third.hidden) == (False, False, True)
    assert "this slide is hidden in the deck" in third.notes
    assert not (library.path / "work").exists()


def test_without_libreoffice_the_deck_is_refused_by_name_and_the_rest_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    deck = draw_deck(tmp_path / "deck.pptx")
    paper = draw(tmp_path / "paper.pdf", ["Apples keep for six months."])
    library = Library.open(tmp_path / "library")
    with monkeypatch.context() as patched:
        patched.setattr(tasks, "open_file", crew_tasks.open_without_office)
        report = library.add([deck, paper])()
    assert report.statuses == {"indexed": 1}
    ((path, reason),) = report.failed
    assert path == str(deck)
    assert "LibreOffice is not installed" in reason and "libreoffice-impress" in reason
    assert [(note.name, note.status) for note in library.status().files] == [("deck.pptx", "unsupported")]
