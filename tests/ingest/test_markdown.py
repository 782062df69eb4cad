from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmrag.markdown import (
    header_line,
    plan_pieces,
    plan_pieces_simply,
    split_table,
    table_markdown,
    table_plain,
)

from .conftest import count

GRID = (("Year", "Sales"), ("2021", "10"), ("2022", "20"), ("2023", "30"))


@pytest.mark.parametrize(
    ("arguments", "body"),
    [
        ((), ["| 2021 | 10 |", "| 2022 | 20 |", "| 2023 | 30 |"]),
        ((1, 3), ["| 2021 | 10 |", "| 2022 | 20 |"]),
        ((2, None), ["| 2022 | 20 |", "| 2023 | 30 |"]),
        ((None, 2), ["| 2021 | 10 |"]),
        ((0, 2), ["| 2021 | 10 |"]),  # the header is never body
        ((0, 0), []),
        ((3, 99), ["| 2023 | 30 |"]),
        ((3, 2), []),
    ],
)
def test_the_header_is_on_every_piece(arguments, body):
    assert table_markdown(GRID, 1, *arguments).split("\n") == ["| Year | Sales |", "| --- | --- |", *body]


def test_several_header_rows_become_one():
    grid = (("Region", "2023", "2023"), ("Region", "Q1", "Q2"), ("North", "1", "2"))
    assert (
        table_markdown(grid, 2)
        == "| Region | 2023 / Q1 | 2023 / Q2 |\n| --- | --- | --- |\n| North | 1 | 2 |"
    )
    assert table_markdown(grid, 2, 0, 1) == "| Region | 2023 / Q1 | 2023 / Q2 |\n| --- | --- | --- |"


def test_without_header_the_first_line_is_empty():
    assert table_markdown((("a", "b"),), 0) == "|  |  |\n| --- | --- |\n| a | b |"
    assert table_plain((("a", "b"),), 0) == "a b"


def test_bars_and_line_ends_in_cells_are_kept_apart():
    assert (
        table_markdown((("a|b", "c\n d"), ("e|", "  ")), 1) == "| a\\|b | c d |\n| --- | --- |\n| e\\| |  |"
    )


def test_plain_has_the_same_words():
    assert table_plain(GRID, 1, 2, 3) == "Year Sales\n2022 20"
    assert table_plain(GRID, 1) == "Year Sales\n2021 10\n2022 20\n2023 30"
    assert table_plain((("h", ""), ("", ""), ("", "x")), 1) == "h\nx"


def test_header_line_of_nothing():
    assert header_line((), 0) == []


@pytest.mark.parametrize(
    ("header", "rows", "limit", "pieces"),
    [
        (2, [3, 3, 3], 8, [(0, 2), (2, 3)]),
        (2, [3, 3, 3], 11, [(0, 3)]),  # exactly full
        (2, [3, 3, 3], 10, [(0, 2), (2, 3)]),
        (2, [9, 1, 9], 8, [(0, 1), (1, 2), (2, 3)]),  # rows over the limit stand alone
        (9, [1, 1], 8, [(0, 1), (1, 2)]),
        (2, [], 8, []),
    ],
)
def test_plan(header, rows, limit, pieces):
    assert plan_pieces(header, rows, limit) == pieces
    assert plan_pieces_simply(header, rows, limit) == pieces


@given(st.integers(0, 30), st.lists(st.integers(0, 20), max_size=25), st.integers(0, 60))
def test_plan_equals_its_oracle(header, rows, limit):
    pieces = plan_pieces(header, rows, limit)
    assert pieces == plan_pieces_simply(header, rows, limit)
    assert [index for start, stop in pieces for index in range(start, stop)] == list(range(len(rows)))


cells = st.text("ab |9\n", max_size=6)


@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(cells, min_size=n, max_size=n), min_size=1, max_size=12)
    ),
    st.integers(0, 2),
    st.integers(1, 40),
)
def test_every_piece_is_the_header_and_its_rows(grid, header_rows, limit):
    header_rows = min(header_rows, len(grid) - 1)
    whole = table_markdown(grid, header_rows).split("\n")
    assert len(whole) == 2 + len(grid) - header_rows
    body: list[str] = []
    for first, last in split_table(grid, header_rows, limit, count):
        piece = table_markdown(grid, header_rows, first, last).split("\n")
        assert piece[:2] == whole[:2]
        assert last - first <= 1 or count(table_plain(grid, header_rows, first, last)) <= limit
        body.extend(piece[2:])
    assert body == whole[2:]


def test_split_counts_the_header_in_every_piece():
    grid = [["Name of it", "Value"], *([f"n{i}", str(i)] for i in range(5))]
    assert split_table(grid, 1, 8, count) == [(1, 3), (3, 5), (5, 6)]
    assert split_table(grid, 1, 7, count) == [(1, 2), (2, 3), (3, 4), (4, 5), (5, 6)]
    assert split_table(grid, 0, 4, count) == [(0, 1), (1, 3), (3, 5), (5, 6)]
    assert split_table(grid[:1], 1, 7, count) == [(1, 1)]
