"""A table as HTML and as rows for code."""

from __future__ import annotations

from mmrag.records import Box
from mmrag.records.pages import Cell, Table
from mmrag.records.table_html import unique_names

BOX = Box(0, 0, 1, 1)


def cell(text: str, row: int, column: int, tall: int = 1, wide: int = 1) -> Cell:
    return Cell(text, row, column, BOX, tall, wide)


def table(*cells: Cell, header_rows: int = 1, **more: object) -> Table:
    rows = max(c.row + c.row_span for c in cells)
    columns = max(c.column + c.column_span for c in cells)
    return Table(cells, rows, columns, header_rows, BOX, **more)


SALES = table(
    cell("Region", 0, 0, tall=2),
    cell("Sales", 0, 1, wide=2),
    cell("2022", 1, 1),
    cell("2023", 1, 2),
    cell("North", 2, 0, tall=2),
    cell("1", 2, 1),
    cell("2", 2, 2),
    cell("3", 3, 1, wide=2),
    header_rows=2,
    caption="Sales by region",
)


def test_html_has_spans_and_header_cells():
    assert SALES.to_html().split("\n") == [
        "<table>",
        "<caption>Sales by region</caption>",
        "<thead>",
        '<tr><th rowspan="2">Region</th><th colspan="2">Sales</th></tr>',
        "<tr><th>2022</th><th>2023</th></tr>",
        "</thead>",
        "<tbody>",
        '<tr><td rowspan="2">North</td><td>1</td><td>2</td></tr>',
        '<tr><td colspan="2">3</td></tr>',
        "</tbody>",
        "</table>",
    ]


def test_rows_repeat_what_spans():
    assert SALES.to_rows() == [
        {"Region": "North", "Sales / 2022": "1", "Sales / 2023": "2"},
        {"Region": "North", "Sales / 2022": "3", "Sales / 2023": "3"},
    ]


def test_markdown_repeats_what_spans():
    assert SALES.to_markdown().split("\n") == [
        "| Region | Sales / 2022 | Sales / 2023 |",
        "| --- | --- | --- |",
        "| North | 1 | 2 |",
        "| North | 3 | 3 |",
    ]


def test_html_is_escaped_and_keeps_line_ends():
    small = table(cell('a < "b"\n& c', 0, 0), header_rows=0, caption="<i>")
    assert small.to_html().split("\n")[1:4] == [
        "<caption>&lt;i&gt;</caption>",
        "<tbody>",
        "<tr><td>a &lt; &quot;b&quot;<br>&amp; c</td></tr>",
    ]


def test_positions_without_a_cell_are_empty_cells():
    assert "<tr><td></td><td>b</td></tr>" in table(cell("b", 0, 1), header_rows=0).to_html()


def test_a_table_that_is_all_header_has_no_body():
    assert table(cell("a", 0, 0)).to_html() == "<table>\n<thead>\n<tr><th>a</th></tr>\n</thead>\n</table>"


def test_a_cell_from_header_into_body_is_told_in_both():
    html = table(cell("a", 0, 0, tall=3), cell("b", 0, 1), cell("c", 1, 1), cell("d", 2, 1)).to_html()
    assert "<tr><th>a</th><th>b</th></tr>" in html
    assert '<tr><td rowspan="2">a</td><td>c</td></tr>\n<tr><td>d</td></tr>' in html


def test_of_cells_over_one_another_the_later_is_told():
    html = table(cell("wide", 0, 0, wide=3), cell("over", 0, 1), header_rows=0).to_html()
    assert "<tr><td>wide</td><td>over</td><td>wide</td></tr>" in html


def test_a_carried_header_is_header_everywhere():
    lower = table(
        cell("x", 0, 0), cell("1", 0, 1), header_rows=0, carried=(("Name", "Sales"), ("Name", "2023"))
    )
    assert lower.to_html().split("\n")[1:7] == [
        "<thead>",
        "<tr><th>Name</th><th>Sales</th></tr>",
        "<tr><th>Name</th><th>2023</th></tr>",
        "</thead>",
        "<tbody>",
        "<tr><td>x</td><td>1</td></tr>",
    ]
    assert lower.to_rows() == [{"Name": "x", "Sales / 2023": "1"}]


def test_columns_without_header_are_numbered():
    assert table(cell("a", 0, 0), cell("b", 0, 1), header_rows=0).to_rows() == [
        {"column 1": "a", "column 2": "b"}
    ]


def test_names_of_columns_are_unique():
    assert unique_names(["2023", "", "2023", "2023"]) == ["2023", "column 2", "2023 (2)", "2023 (3)"]
    assert unique_names(["a", "a", "a (2)"]) == ["a", "a (3)", "a (2)"]
    assert unique_names(["", "column 1"]) == ["column 1 (2)", "column 1"]
