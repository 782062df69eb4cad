"""A quote is verified only when it stands on the page it names, digit for digit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from mmrag.answer.citations import check, find, normalise
from mmrag.answer.compose import compose
from mmrag.records import (
    Box,
    Draft,
    Evidence,
    Hit,
    Page,
    PageStatus,
    PageVectors,
    Quote,
    SearchResult,
    Usage,
    Word,
    WordSource,
)


def page_words(*lines: str) -> tuple[Word, ...]:
    return tuple(
        Word(
            text,
            Box(40.0 * at, 20.0 * row, 40.0 * at + 38, 20.0 * row + 12),
            WordSource.TEXT_LAYER,
            row,
            0,
            12,
        )
        for row, content in enumerate(lines)
        for at, text in enumerate(content.split())
    )


def evidence(*lines: str, name: str = "E1") -> Evidence:
    hit = Hit("d" * 32, "report.pdf", "Report", 3, 0.9, (), (), ())
    page = Page("d" * 32, 3, 600, 800, PageStatus.INDEXED, words=page_words(*lines))
    return Evidence(name, hit, page, PageVectors(np.zeros((0, 4), np.float16), np.zeros((0, 4), np.float32)))


PIECE = evidence("Revenue rose by 12.5 % to", "1,240 million in 2024,", "against -3 in 2023.")


def quote(text: str, boxes: Sequence[Box] = (), name: str = "E1") -> Quote:
    return Quote(name, text, tuple(boxes), 1.0)


@pytest.mark.parametrize(
    "text",
    [
        "Revenue rose by 12.5 % to 1,240 million",
        "revenue rose by 12.5%",
        "1,240 million in 2024",
        "\u201cRevenue rose\u201d",
        "-3 in 2023.",
    ],
)
def test_verified(text: str) -> None:
    citation = check(quote(text), {"E1": PIECE})
    assert (citation.verified, citation.reason) == (True, "")
    assert (citation.name, citation.page) == ("report.pdf", 3)


@pytest.mark.parametrize(
    "text",
    [
        "Revenue rose by 125 %",
        "Revenue rose by 1.25 %",
        "1240 million",
        "3 in 2023",
        "Revenue fell",
        "to 1,240 thousand",
        "evenue rose",
        "Revenue ro",
    ],
)
def test_not_verified(text: str) -> None:
    citation = check(quote(text), {"E1": PIECE})
    assert not citation.verified
    assert "does not stand on the page" in citation.reason


def test_evidence_that_was_not_supplied() -> None:
    citation = check(quote("Revenue rose", name="E2"), {"E1": PIECE})
    assert (citation.verified, citation.reason) == (False, "E2 was not among the evidence")


def test_an_empty_quote() -> None:
    assert check(quote(" ... "), {"E1": PIECE}).reason == "the quote is empty"


def test_the_boxes_are_the_page_s_own_one_a_line() -> None:
    citation = check(quote("to 1,240 million"), {"E1": PIECE})
    assert citation.boxes == (Box(200, 0, 238, 12), Box(0, 20, 78, 32))


def test_the_quote_is_looked_for_where_the_answerer_saw_it() -> None:
    piece = evidence("total 5", "costs 7", "total 5")
    assert check(quote("total 5", [Box(0, 40, 80, 52)]), {"E1": piece}).boxes == (Box(0, 40, 78, 52),)
    assert check(quote("total 5"), {"E1": piece}).boxes == (Box(0, 0, 78, 12),)
    # A box that is wrong does not make the quote false; the words say where it stands.
    assert check(quote("costs 7", [Box(0, 0, 80, 12)]), {"E1": piece}).boxes == (Box(0, 20, 78, 32),)


def test_the_cells_of_a_row_are_checked_one_by_one() -> None:
    piece = evidence("Hjelm - Sandvik 06:10 22:45", "Sandvik - Orsta 07:00 19:30")
    row = [Box(0, 0, 300, 12)]
    whole = check(quote("Hjelm - Sandvik | 06:10 | 22:45", row), {"E1": piece})
    assert (whole.verified, whole.boxes) == (True, (Box(0, 0, 198, 12),))
    assert check(quote("Hjelm - Sandvik |  | 22:45", row), {"E1": piece}).verified
    assert not check(quote("Hjelm - Sandvik | 06:10 | 22:54", row), {"E1": piece}).verified


def test_a_cell_of_another_row_does_not_verify_this_one() -> None:
    piece = evidence("Hjelm 06:10", "Sandvik 07:00")
    citation = check(quote("Hjelm | 07:00", [Box(0, 0, 300, 12)]), {"E1": piece})
    assert not citation.verified


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("R\u00e9sum\u00e9, \uff12\uff10\uff12\uff14", "r\u00e9sum\u00e92024"),
        ("\u22123.5 %", "-3.5%"),
        ("a-b", "ab"),
        ("1,000.", "1,000"),
        ("$5", "$5"),
    ],
)
def test_normalise(text: str, kept: str) -> None:
    assert normalise(text) == kept


def test_words_may_be_cut_differently() -> None:
    assert [word.text for word in find("2024", page_words("in 20 24 and"))] == ["20", "24"]


class Saying:
    """An answerer that says what it is told to."""

    id = "saying"

    def __init__(self, *quotes: Quote, confidence: float = 1.0) -> None:
        self.said = Draft("", quotes, confidence, Usage(10, 5))

    def draft(self, question: str, evidence: Sequence[Evidence]) -> Draft:
        return self.said


RESULT = SearchResult("q", (PIECE.hit,), ())


def test_a_false_quote_is_left_out_and_a_true_one_stays() -> None:
    saying = Saying(quote("Revenue fell"), quote("Revenue rose by 12.5 %"))
    answer = compose("q", RESULT, [PIECE], saying, threshold=0.5)
    assert not answer.abstained
    assert [citation.quote for citation in answer.citations] == ["Revenue rose by 12.5 %"]
    assert "fell" not in answer.text
    assert answer.trace[-2].tokens == 15


@pytest.mark.parametrize(
    ("saying", "pieces", "reason"),
    [
        (Saying(quote("Revenue fell")), [PIECE], "no quote could be verified on the pages found"),
        (Saying(), [PIECE], "no quote could be verified on the pages found"),
        (Saying(), [], "no page that you may read was found for this question"),
        (
            Saying(quote("Revenue rose"), confidence=0.49),
            [PIECE],
            "the best quote is too weak (confidence 0.49, threshold 0.50)",
        ),
    ],
)
def test_abstention(saying: Saying, pieces: list[Evidence], reason: str) -> None:
    answer = compose("q", RESULT, pieces, saying, threshold=0.5)
    assert (answer.abstained, answer.reason, answer.citations) == (True, reason, ())
    assert (
        answer.text == f"I cannot find this in the documents: {reason}. The nearest pages: report.pdf page 3."
    )


def test_a_row_without_a_fitting_header_is_shown_as_it_is() -> None:
    piece = evidence("Hjelm 06:10")
    held = Quote("E1", "Hjelm | 06:10", (), 1.0, heading="Table 2\nRoute")
    answer = compose("q", RESULT, [piece], Saying(held), threshold=0.5)
    assert answer.text.splitlines()[1:] == ["[1] report.pdf, page 3:", "Table 2", "Route", "Hjelm | 06:10"]
