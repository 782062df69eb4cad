"""Abbreviations of the question, spelt out by the page."""

from __future__ import annotations

import pytest

from mmrag.models.acronyms import spell_out
from mmrag.records import Box, Word, WordSource


def page(text: str) -> tuple[Word, ...]:
    return tuple(Word(word, Box(0, 0, 1, 1), WordSource.TEXT_LAYER, 0, 0, 10) for word in text.split())


@pytest.mark.parametrize(
    ("question", "text", "spelt"),
    [
        ("How many EL?", "thirty days of Earned Leave (EL) a year", "How many EL (Earned Leave)?"),
        ("Which ELs lapse?", "unused Earned Leave, if any", "Which ELs (Earned Leave) lapse?"),
        ("The DE budget", "the Department of Energy spent", "The DE (Department of Energy) budget"),
        ("How many EL?", "each employee leaves early", "How many EL?"),
        ("How many EL?", "EL and EL again", "How many EL?"),
        ("How many el?", "Earned Leave", "How many el?"),
        ("The XYZ", "Xylophone Yacht", "The XYZ"),
        ("The AB", "", "The AB"),
    ],
)
def test_spell_out(question: str, text: str, spelt: str) -> None:
    assert spell_out(question, [page(text)]) == spelt


def test_the_first_page_that_spells_it_wins() -> None:
    assert (
        spell_out("EL?", [page("nothing"), page("Earned Leave"), page("Extra Light")]) == "EL (Earned Leave)?"
    )
