"""The measures of the table benchmark, against values worked out by hand."""

from __future__ import annotations

from collections import Counter
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st
from table_metrics import Score, compare, distance, normalised, relations, teds


def grid(*rows: str) -> list[dict]:
    """Cells of one position each; texts with bars between, "." for blank."""
    return [
        cell(t.replace(".", ""), r, c) for r, row in enumerate(rows) for c, t in enumerate(row.split("|"))
    ]


def cell(text: str, row: int, column: int, tall: int = 1, wide: int = 1) -> dict:
    return {"text": text, "row": row, "col": column, "rowspan": tall, "colspan": wide}


@pytest.mark.parametrize(
    ("cells", "found"),
    [
        (grid("a|b", "c|d"), ["a-b right", "a-c below", "b-d below", "c-d right"]),
        (grid("a|.|c"), ["a-c right"]),
        (grid("a", ".", ".", "d"), ["a-d below"]),
        (grid(".|.", ".|x"), []),
        # one head over two columns has a neighbour below in each
        (
            [cell("h", 0, 0, wide=2), cell("x", 1, 0), cell("y", 1, 1)],
            ["h-x below", "h-y below", "x-y right"],
        ),
        # one label over two rows has a neighbour to its right in each
        (
            [cell("l", 0, 0, tall=2), cell("x", 0, 1), cell("y", 1, 1)],
            ["l-x right", "l-y right", "x-y below"],
        ),
        # two cells that meet along two columns are related once
        ([cell("h", 0, 0, wide=2), cell("i", 1, 0, wide=2)], ["h-i below"]),
        # a blank that spans is passed over like any other
        ([cell("a", 0, 0), cell(" ", 0, 1, wide=2), cell("b", 0, 3)], ["a-b right"]),
        # the head is the neighbour of what stands below the blank
        (
            [cell("h", 0, 0, wide=2), cell("x", 1, 0), cell("", 1, 1), cell("z", 2, 1)],
            ["h-x below", "h-z below"],
        ),
        # the same texts twice are two relations
        (grid("x|1", "x|1"), ["1-1 below", "x-1 right", "x-1 right", "x-x below"]),
    ],
)
def test_relations(cells, found):
    assert sorted(f"{a}-{b} {direction}" for a, b, direction in relations(cells).elements()) == found


@pytest.mark.parametrize(
    ("text", "compared"),
    [("  Net \n Sales ", "netsales"), ("−1.5%", "_1_5_"), ("ﬁx", "fix"), ("１２", "12"), (" \xa0\u2009", "")],  # noqa: RUF001
)
def test_texts_are_compared_without_space_case_and_kind_of_sign(text, compared):
    assert normalised(text) == compared


def test_a_page_is_scored_by_the_relations_of_all_its_tables():
    true = [grid("a|b", "c|d"), grid("e|f")]
    assert compare(true, true) == Score(5, 5, 5)
    assert compare([grid("a|b", "c|d", "e|f")], true) == Score(5, 7, 5)  # two tables read as one
    assert compare([grid("a|b"), grid("c|d"), grid("e|f")], true) == Score(3, 3, 5)  # one read as two
    assert compare([], true) == Score(0, 0, 5)
    assert compare([grid("x|y")], []) == Score(0, 1, 0)


def test_precision_recall_and_f1():
    score = Score(correct=6, found=8, true=12)
    assert (score.precision, score.recall, score.f1) == (0.75, 0.5, 0.6)
    assert Score() + score == score
    assert (Score().precision, Score().recall, Score().f1) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("one", "other", "apart"),
    [("", "", 0), ("a", "", 1), ("kitten", "sitting", 3 / 7), ("ab", "ba", 1), ("same", "same", 0)],
)
def test_distance_of_texts(one, other, apart):
    assert distance(one, other) == apart
    assert distance(other, one) == apart


TRUE = (
    "<html><table><thead><tr><td><b>a</b></td><td>bc</td></tr></thead>"
    "<tbody><tr><td>1</td><td>2</td></tr></tbody></table></html>"
)


@pytest.mark.parametrize(
    ("found", "expected", "structure"),
    [
        (TRUE, 1, 1),
        # header cells, line breaks between rows and captions are no differences
        (
            "<table>\n<caption>T</caption><thead>\n<tr><th>a</th><th>bc</th></tr></thead>\n"
            "<tbody><tr><td>1 </td><td>2</td></tr></tbody></table>",
            1,
            1,
        ),
        # half of one of the 8 elements' texts is wrong
        (TRUE.replace("bc", "bx"), 1 - 0.5 / 8, 1),
        # one cell is missing
        (TRUE.replace("<td>2</td>", ""), 1 - 1 / 8, 1 - 1 / 8),
        # a cell with another span counts as another cell, whatever its text
        (TRUE.replace("<td>2</td>", '<td colspan="2">2</td>'), 1 - 1 / 8, 1 - 1 / 8),
        # no header: thead and tbody go, another tbody comes
        (
            TRUE.replace("<thead>", "<tbody>").replace("</thead><tbody>", "").replace("</thead>", ""),
            5 / 8,
            5 / 8,
        ),
        ("", 0, 0),
        ("<p>nothing</p>", 0, 0),
    ],
)
def test_teds(found, expected, structure):
    pytest.importorskip("apted", reason="TEDS needs the apted package")
    assert teds(found, TRUE) == pytest.approx(expected)
    assert teds(found, TRUE, structure=True) == pytest.approx(structure)
    assert teds(TRUE, found) == pytest.approx(expected)


@given(
    st.lists(
        st.tuples(*[st.integers(0, 4)] * 2, *[st.integers(1, 3)] * 2, st.sampled_from(" ab")), max_size=12
    )
)
def test_relations_equal_a_walk_from_every_cell(drawn):
    cells, taken = [], set()
    for row, column, tall, wide, text in drawn:
        area = {(y, x) for y in range(row, row + tall) for x in range(column, column + wide)}
        if not area & taken:
            taken |= area
            cells.append((cell(text, row, column, tall, wide), area))
    walked = set()
    for i, (one, area) in enumerate(cells):
        for (y, x), (down, right) in product(area, ((0, 1), (1, 0))):
            for step in range(1, 8):
                there = (y + down * step, x + right * step)
                near = [
                    j for j, (other, places) in enumerate(cells) if there in places and other["text"] != " "
                ]
                if near:
                    if near[0] != i and one["text"] != " ":
                        walked.add((i, near[0], "right" if right else "below"))
                    break
    texts = Counter((cells[i][0]["text"], cells[j][0]["text"], direction) for i, j, direction in walked)
    assert relations(one for one, _ in cells) == texts
