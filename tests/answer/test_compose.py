"""What becomes of a draft: true quotes stay, false ones go, and nothing left is an abstention."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from drawn_evidence import PIECE, evidence, quote

from mmrag.answer.compose import compose
from mmrag.records import (
    Box,
    Cell,
    Draft,
    Evidence,
    Quote,
    SearchResult,
    Table,
    Usage,
)


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
        (Saying(), [], "no page that you may read was found for this question; the library may be empty"),
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
    cells = (Cell("Hjelm", 0, 0, Box(0, 0, 39, 12)), Cell("06:10", 0, 1, Box(39, 0, 80, 12)))
    table = Table(cells, 1, 2, 0, Box(0, 0, 80, 12), caption="Table 2")
    piece = replace(piece, page=replace(piece.page, tables=(table,)))
    held = Quote("E1", "Hjelm | 06:10", (), 1.0, heading="Table 2")
    answer = compose("q", RESULT, [piece], Saying(held), threshold=0.5)
    assert answer.text.splitlines()[1:] == ["[1] report.pdf, page 3:", "Table 2", "Hjelm | 06:10"]


def test_rows_of_one_table_stand_under_one_header() -> None:
    piece = evidence("Line Fare", "Hjelm 38", "Orsta 61")
    cells = tuple(
        Cell(text, row, column, Box(40.0 * column, 20.0 * row, 40.0 * column + 38, 20.0 * row + 12))
        for row, line in enumerate((("Line", "Fare"), ("Hjelm", "38"), ("Orsta", "61")))
        for column, text in enumerate(line)
    )
    piece = replace(piece, page=replace(piece.page, tables=(Table(cells, 3, 2, 1, Box(0, 0, 80, 52)),)))
    rows = [Quote("E1", text, (), 1.0, heading="Line | Fare") for text in ("Orsta | 61", "Hjelm | 38")]
    answer = compose("q", RESULT, [piece], Saying(*rows), threshold=0.5)
    assert answer.text.splitlines()[1:] == [
        "[1][2] report.pdf, page 3:",
        "| Line | Fare |",
        "| --- | --- |",
        "| Orsta | 61 |",
        "| Hjelm | 38 |",
    ]
