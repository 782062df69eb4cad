"""The data of charts, exactly; python-pptx draws them."""

from __future__ import annotations

import datetime

import pytest
from drawn_office import add_chart, blank_deck
from lxml import etree
from pptx.chart.data import BubbleChartData, CategoryChartData, XyChartData
from pptx.enum.chart import XL_CHART_TYPE

from mmrag.ingest.files.charts import chart_tables, new_chart_tables, plain


def tables(data, kind: XL_CHART_TYPE, change=lambda chart: None):
    chart = add_chart(blank_deck().slides[0], kind, data)
    change(chart)
    return chart_tables(chart._chartSpace)


def by_port(*series: tuple[str, tuple], categories=("North", "South")) -> CategoryChartData:
    data = CategoryChartData()
    data.categories = categories
    for name, values in series:
        data.add_series(name, values)
    return data


@pytest.mark.parametrize(
    "kind",
    [
        XL_CHART_TYPE.PIE,
        XL_CHART_TYPE.DOUGHNUT,
        XL_CHART_TYPE.LINE_MARKERS,
        XL_CHART_TYPE.BAR_STACKED_100,
        XL_CHART_TYPE.AREA,
        XL_CHART_TYPE.RADAR,
    ],
)
def test_charts_over_categories(kind):
    assert tables(by_port(("Sailings", (12, 30.25))), kind) == [
        ("Chart", (("", "Sailings"), ("North", "12"), ("South", "30.25")))
    ]


def test_the_titles_of_chart_and_category_axis_are_kept():
    def name(chart):
        chart.has_title = True
        chart.chart_title.text_frame.text = "Sailings\nby port"
        chart.category_axis.has_title = True
        chart.category_axis.axis_title.text_frame.text = "Port"

    assert tables(by_port(("2024", (1, 2))), XL_CHART_TYPE.COLUMN_CLUSTERED, name) == [
        ("Sailings by port", (("Port", "2024"), ("North", "1"), ("South", "2")))
    ]


def test_categories_of_two_levels_are_joined():
    data = CategoryChartData()
    for year in ("2023", "2024"):
        category = data.add_category(year)
        category.add_sub_category("Q1")
        category.add_sub_category("Q2")
    data.add_series("Sailings", (1, 2, 3, 4))
    ((_, rows),) = tables(data, XL_CHART_TYPE.COLUMN_CLUSTERED)
    assert rows == (
        ("", "Sailings"),
        ("2023 / Q1", "1"),
        ("2023 / Q2", "2"),
        ("2024 / Q1", "3"),
        ("2024 / Q2", "4"),
    )


def test_dates_are_dates_and_numbers_as_categories_numbers():
    days = (datetime.date(2024, 1, 31), datetime.date(2024, 2, 29))
    ((_, rows),) = tables(by_port(("x", (1, 2)), categories=days), XL_CHART_TYPE.LINE)
    assert [row[0] for row in rows] == ["", "2024-01-31", "2024-02-29"]
    ((_, rows),) = tables(by_port(("x", (1, 2)), categories=(2023, 2024)), XL_CHART_TYPE.LINE)
    assert [row[0] for row in rows] == ["", "2023", "2024"]


def test_scatter_series_over_the_same_x_share_a_table():
    data = XyChartData()
    for name, values in (("a", (1.5, 2)), ("b", (3, 4))):
        series = data.add_series(name)
        for x, y in zip((10, 20.5), values, strict=True):
            series.add_data_point(x, y)
    assert tables(data, XL_CHART_TYPE.XY_SCATTER) == [
        ("Chart", (("X", "a", "b"), ("10", "1.5", "3"), ("20.5", "2", "4")))
    ]


def test_scatter_series_over_other_x_have_tables_of_their_own():
    data = XyChartData()
    data.add_series("a").add_data_point(1, 2)
    data.add_series("b").add_data_point(3, 4)
    assert [rows for _, rows in tables(data, XL_CHART_TYPE.XY_SCATTER)] == [
        (("X", "a"), ("1", "2")),
        (("X", "b"), ("3", "4")),
    ]


def test_bubbles_have_a_size():
    data = BubbleChartData()
    data.add_series("Ports").add_data_point(1, 2, 30)
    assert [rows for _, rows in tables(data, XL_CHART_TYPE.BUBBLE)] == [
        (("X", "Ports", "Size"), ("1", "2", "30"))
    ]


def test_a_chart_without_data_has_no_table():
    assert tables(by_port(), XL_CHART_TYPE.COLUMN_CLUSTERED) == []


def test_lines_over_columns_share_a_table():
    def add_line(chart):
        line = add_chart(blank_deck().slides[0], XL_CHART_TYPE.LINE, by_port(("Target", (5, 6))))
        plot = line._chartSpace.xpath("//c:lineChart")[0]
        chart._chartSpace.xpath("//c:barChart")[0].addnext(plot)

    ((_, rows),) = tables(by_port(("Sailings", (1, 2))), XL_CHART_TYPE.COLUMN_CLUSTERED, add_line)
    assert rows == (("", "Sailings", "Target"), ("North", "1", "5"), ("South", "2", "6"))


def test_series_without_names_and_categories_are_counted():
    def strip(chart):
        for element in chart._chartSpace.xpath("//c:ser/c:tx | //c:ser/c:cat"):
            element.getparent().remove(element)

    ((_, rows),) = tables(by_port(("a", (7, 8))), XL_CHART_TYPE.COLUMN_CLUSTERED, strip)
    assert rows == (("", "Series 1"), ("1", "7"), ("2", "8"))


def test_charts_of_newer_kinds():
    space = etree.fromstring(
        '<cx:chartSpace xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex" '
        'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><cx:chartData><cx:data id="0">'
        '<cx:strDim type="cat"><cx:lvl ptCount="2"><cx:pt idx="0">Start</cx:pt><cx:pt idx="1">Fuel</cx:pt>'
        '</cx:lvl></cx:strDim><cx:numDim type="val"><cx:lvl ptCount="2"><cx:pt idx="0">100</cx:pt>'
        '<cx:pt idx="1">-20.5</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData><cx:chart>'
        "<cx:title><cx:tx><cx:rich><a:p><a:r><a:t>Costs</a:t></a:r></a:p></cx:rich></cx:tx></cx:title><cx:plotArea>"
        '<cx:plotAreaRegion><cx:series layoutId="waterfall"><cx:tx><cx:txData><cx:v>Millions</cx:v>'
        '</cx:txData></cx:tx><cx:dataId val="0"/></cx:series></cx:plotAreaRegion></cx:plotArea>'
        "</cx:chart></cx:chartSpace>"
    )
    assert new_chart_tables(space) == [("Costs", (("", "Millions"), ("Start", "100"), ("Fuel", "-20.5")))]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("20.0", "20"),
        ("4.3", "4.3"),
        ("0.30000000000000004", "0.3"),
        ("-1234567.891", "-1234567.891"),
        ("1E-5", "1e-05"),
        ("123456789012", "123456789012"),
        ("nan", ""),
        ("#N/A", "#N/A"),
        ("", ""),
    ],
)
def test_numbers_are_written_as_a_person_does(text, shown):
    assert plain(text) == shown
