"""Quotes from what an office file holds beside a slide's picture."""

from __future__ import annotations

from dataclasses import replace

import pytest
from drawn_evidence import evidence, quote

from mmrag.answer.citations import check
from mmrag.models.candidates import candidates_of
from mmrag.models.sentences import split_text
from mmrag.records import Box, ChunkKind, Evidence, Supplement

NOTES = Supplement(
    ChunkKind.NOTES, "Speaker notes", "Say hello first.\nThe ferry costs 41.5 million. Thank them."
)
CHART = Supplement(
    ChunkKind.FIGURE,
    "Ferries by year",
    rows=(("", "Diesel", "Battery"), ("2024", "7", "1"), ("2025", "5", "3")),
    header_rows=1,
    box=Box(10, 20, 300, 200),
)
WHOLE = Box(0.0, 0.0, 600, 800)


@pytest.fixture
def slide() -> Evidence:
    piece = evidence("The fleet of tomorrow")
    return replace(piece, page=replace(piece.page, supplements=(NOTES, CHART)))


def test_words_of_the_notes_are_verified_and_named_as_such(slide: Evidence) -> None:
    citation = check(quote("The ferry costs 41.5 million."), {"E1": slide})
    assert (citation.verified, citation.part, citation.boxes) == (True, "speaker notes", (WHOLE,))


def test_words_of_the_picture_have_no_part(slide: Evidence) -> None:
    citation = check(quote("The fleet of tomorrow"), {"E1": slide})
    assert (citation.verified, citation.part) == (True, "")


@pytest.mark.parametrize("text", ["The ferry costs 41.6 million.", "hello first. Thank", "million ferry"])
def test_what_the_notes_do_not_say_is_not_verified(slide: Evidence, text: str) -> None:
    citation = check(quote(text), {"E1": slide})
    assert (citation.verified, citation.part) == (False, "")


@pytest.mark.parametrize("heading", ["Ferries by year\n | Diesel | Battery", "Ferries by year", ""])
def test_a_row_of_a_chart_stands_under_its_header(slide: Evidence, heading: str) -> None:
    said = replace(quote("2025 | 5 | 3"), heading=heading)
    citation = check(said, {"E1": slide})
    assert (citation.verified, citation.boxes) == (True, (CHART.box,))
    assert citation.part == "description or data of a figure"


@pytest.mark.parametrize(
    ("row", "heading"),
    [
        ("2025 | 3 | 5", "Ferries by year"),
        ("2025 | 5 | 3", "Ferries by age"),
        (" | Diesel | Battery", "Ferries by year"),
        (" | ", "Ferries by year"),
    ],
)
def test_another_row_or_another_header_is_not_verified(slide: Evidence, row: str, heading: str) -> None:
    assert not check(replace(quote(row), heading=heading), {"E1": slide}).verified


def test_notes_and_rows_can_be_quoted(slide: Evidence) -> None:
    found = [(c.text, c.over, c.heading) for c in candidates_of([slide]) if not c.words]
    assert found == [
        ("Say hello first.", "Speaker notes", ""),
        ("The ferry costs 41.5 million.", "Speaker notes", ""),
        ("Thank them.", "Speaker notes", ""),
        ("2024 | 7 | 1", "", "Ferries by year\n | Diesel | Battery"),
        ("2025 | 5 | 3", "", "Ferries by year\n | Diesel | Battery"),
    ]


def test_every_candidate_can_be_verified(slide: Evidence) -> None:
    for candidate in candidates_of([slide]):
        said = replace(quote(candidate.text, candidate.boxes), heading=candidate.heading)
        assert check(said, {"E1": slide}).verified, candidate.text


def test_lines_and_sentences_part_running_text() -> None:
    assert split_text("One two. Three\nfour e.g. five\n\n- \n") == ["One two.", "Three", "four e.g. five"]


def test_what_rests_on_a_hidden_slide_says_so(slide: Evidence) -> None:
    hidden = replace(slide, page=replace(slide.page, hidden=True))
    shown = check(quote("The fleet of tomorrow"), {"E1": hidden})
    beside = check(quote("The ferry costs 41.5 million."), {"E1": hidden})
    assert (shown.part, beside.part) == ("hidden slide", "speaker notes of a hidden slide")
