"""Cutting tables into pieces that fit."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmrag.ingest.chunks.pieces import Piece, fitted, plan_pieces, plan_pieces_simply, table_pieces
from mmrag.markdown import parse_markdown

from .conftest import count


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


def test_the_header_counts_in_every_piece():
    grid = [["Name of it", "Value"], *([f"n{i}", str(i)] for i in range(5))]
    assert [(p.first, p.stop) for p in table_pieces(grid, 1, 9, count)] == [(1, 3), (3, 5), (5, 6)]
    assert [p.plain for p in table_pieces(grid, 1, 9, count)][1] == "Name of it Value\nn2 2\nn3 3"
    assert [(p.first, p.stop) for p in table_pieces(grid, 0, 8, count)] == [(0, 3), (3, 6)]


def test_a_table_of_header_alone_is_one_piece():
    assert table_pieces([["a", "b"]], 1, 9, count) == [Piece(1, 1, "| a | b |\n| --- | --- |", "a b")]


def test_a_row_over_the_limit_is_dealt_over_pieces_with_header_and_label():
    grid = [["Item", "Note"], ["x", "1 2 3 4 5 6 7 8 9"], ["y", "ok"]]
    assert [(p.first, p.stop, p.part, p.parts, p.plain) for p in table_pieces(grid, 1, 8, count)] == [
        (1, 2, 1, 2, "Item Note\nx 1 2 3 4 5"),
        (1, 2, 2, 2, "Item Note\nx 6 7 8 9"),
        (2, 3, 1, 1, "Item Note\ny ok"),
    ]
    assert [parse_markdown(p.markdown) for p in table_pieces(grid, 1, 8, count)][1] == (
        ["Item", "Note"],
        [["x", "6 7 8 9"]],
    )


def test_a_long_first_cell_is_dealt_like_any_other():
    (first, second) = table_pieces([["1 2 3 4 5 6", "7 8 9"]], 0, 8, count)
    assert first.plain == "1 2 3 4 5 6 7 8"
    assert parse_markdown(second.markdown) == (["", ""], [["", "9"]])


def test_a_word_over_the_limit_is_cut():
    def letters(text: str) -> int:
        return len(text.replace(" ", ""))

    pieces = table_pieces([["abcdefghijklmnopqrst"]], 0, 8, letters)
    assert [p.plain for p in pieces] == ["abcdefgh", "ijklmnop", "qrst"]


def test_a_header_over_half_of_the_limit_is_shortened_in_the_plain_text_alone():
    (piece,) = table_pieces([["a b c d e f g h i j"], ["1"]], 1, 8, count)
    assert piece.plain == "a b c …\n1"
    assert piece.markdown.split("\n")[0] == "| a b c d e f g h i j |"


def test_the_plain_text_may_say_less_than_the_markdown():
    (piece,) = table_pieces([["all", "all"]], 0, 8, count, plain=[["all", ""]])
    assert piece.plain == "all"
    assert parse_markdown(piece.markdown)[1] == [["all", "all"]]


def test_a_tokenizer_that_counts_more_in_the_whole_is_still_held_to_the_limit():
    def whole(text: str) -> int:
        return len(text.split()) + 2 * text.count("\n")

    pieces = table_pieces([["h"], *([str(i)] for i in range(9))], 1, 8, whole)
    assert max(whole(p.plain) for p in pieces) <= 8
    assert [row for p in pieces for row in range(p.first, p.stop)] == list(range(1, 10))


@pytest.mark.parametrize(
    ("text", "limit", "cut"),
    [
        ("one two three", 3, "one two three"),
        ("one  two\nthree", 3, "one two three"),
        ("one two three four", 3, "one two …"),
        ("one two", 1, "one"),
        ("", 1, ""),
    ],
)
def test_fitted(text, limit, cut):
    assert fitted(text, limit, count) == cut
