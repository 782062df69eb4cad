"""Tables as Markdown: what is written, and that it is read back."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmrag.markdown import cell_text, header_line, parse_markdown, rows_plain, table_markdown

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


@pytest.mark.parametrize(
    ("cell", "written"),
    [
        ("a|b", r"a\|b"),
        ("e|", r"e\|"),
        ("c\n d", "c<br>d"),
        ("c\r\nd\u2028e\x0bf", "c<br>d<br>e<br>f"),
        ("a\n\nb", "a<br><br>b"),
        ("\n a \t b \n", "a b"),
        ("a\\", r"a\\"),
        ("\\|", r"\\\|"),
        ("\\\\|", r"\\\\\|"),
        ("a<br>b", r"a\<br>b"),
        ("a<BR/>b", r"a\<BR/>b"),
        ("\\<br>", r"\\\<br>"),
        ("<b>a</b> <brand>", "<b>a</b> <brand>"),
        ("*a* _b_ `c`", "*a* _b_ `c`"),
        ("\xa0", ""),
        ("", ""),
        ("---", "---"),
    ],
)
def test_a_cell_is_escaped_and_read_back(cell, written):
    markdown = table_markdown((("h",), (cell,)), 1)
    assert markdown == f"| h |\n| --- |\n| {written} |"
    assert parse_markdown(markdown) == (["h"], [[cell_text(cell)]])


def test_a_line_end_in_a_header_is_a_space_and_its_bars_are_escaped_once():
    assert header_line((("a|b\nc", "x"),), 1) == ["a|b c", "x"]
    assert table_markdown((("a|b\nc", "x"), ("1", "2")), 1).split("\n")[0] == "| a\\|b c | x |"


def test_plain_is_the_words_alone():
    assert rows_plain(("Year", "Sales"), GRID[2:]) == "Year Sales\n2022 20\n2023 30"
    assert rows_plain((), GRID[1:2]) == "2021 10"
    assert rows_plain(("h", ""), (("", ""), ("", "x|\ny"))) == "h\nx| y"


def test_header_line_of_nothing():
    assert header_line((), 0) == []


def test_a_table_is_found_between_other_lines():
    text = (
        "| a line of bars |\n\nTable 1: a | b\n\n| a | b |\n| --- | --- |\n| 1 |  |\n|  | 2 |\n\n| no more |"
    )
    assert parse_markdown(text) == (["a", "b"], [["1", ""], ["", "2"]])


def test_rules_with_colons_and_without_spaces_are_read_too():
    assert parse_markdown("|a|b|\n|:--|--:|\n|1|2|") == (["a", "b"], [["1", "2"]])


@pytest.mark.parametrize("text", ["", "a | b", "| a |", "| a | b |\n| --- |\n| 1 | 2 |", "| a |\n| b |"])
def test_a_text_without_a_table_is_an_error(text):
    with pytest.raises(ValueError, match="no Markdown table is in this text"):
        parse_markdown(text)


cells = st.text("ab |\\9\n<br>-/\u2029\t", max_size=8) | st.text(max_size=4)


@given(
    st.integers(1, 4).flatmap(
        lambda n: st.lists(st.lists(cells, min_size=n, max_size=n), min_size=1, max_size=12)
    ),
    st.integers(0, 3),
)
def test_whatever_is_written_is_read_back(grid, header_rows):
    header_rows = min(header_rows, len(grid))
    header, rows = parse_markdown(table_markdown(grid, header_rows))
    assert header == header_line(grid, header_rows)
    assert rows == [[cell_text(cell) for cell in row] for row in grid[header_rows:]]
