"""The data of a chart, from the cache that the office file keeps of it.

Element names are those of DrawingML charts (ECMA-376 part 1, section 21.2) and of the newer charts
(waterfall, treemap and their like, MS-ODRAWXML section 2.24.3).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

C = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
CX = "{http://schemas.microsoft.com/office/drawing/2014/chartex}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"

Rows = tuple[tuple[str, ...], ...]
_MOST_POINTS = 10_000  # of one series: more is a drawing, not something to read
_XY = frozenset({C + "scatterChart", C + "bubbleChart"})
_QUOTED = re.compile(r'"[^"]*"|\[[^\]]*\]|\\.')


def chart_tables(chart_space: Any) -> list[tuple[str, Rows]]:
    """Title and rows of every table of data behind a chart (``c:chartSpace``).

    Series over the same categories share a table: the first row holds the name of the category axis
    and the names of the series, each other row a category and its values. Scatter and bubble charts
    give ``x``, ``y`` (and size) of each point.
    """
    title = _rich_text(chart_space.find(f"{C}chart/{C}title")) or "Chart"
    plot_area = chart_space.find(f"{C}chart/{C}plotArea")
    if plot_area is None:
        return []
    since_1904 = chart_space.find(f"{C}date1904")
    epoch = 1904 if since_1904 is not None and since_1904.get("val", "1") in ("1", "true") else 1900
    tables: list[Rows] = []
    grouped: dict[tuple[str, ...], list[tuple[str, list[str]]]] = {}
    axes = _axis_titles(plot_area)
    for plot in plot_area:
        series = plot.findall(f"{C}ser")
        if plot.tag in _XY:
            tables.extend(_points_table(series, axes))
            continue
        shared: tuple[str, ...] = ()
        for position, one in enumerate(series, 1):
            values = _cached(one.find(f"{C}val"), epoch)
            labels = _categories(one.find(f"{C}cat"), epoch) or shared
            shared = shared or labels  # later series may leave out what they share with the first
            count = max([*values, -1]) + 1
            labels = labels or tuple(str(number) for number in range(1, count + 1))
            if values:
                name = _text_of(one.find(f"{C}tx")) or f"Series {position}"
                column = [values.get(index, "") for index in range(len(labels))]
                grouped.setdefault(labels, []).append((name, column))
    for labels, columns in grouped.items():
        header = (axes.get("category", ""), *(name for name, _ in columns))
        body = zip(labels, *(column for _, column in columns), strict=True)
        tables.append((header, *body))
    return [(title, rows) for rows in tables]


def new_chart_tables(chart_space: Any) -> list[tuple[str, Rows]]:
    """As :func:`chart_tables`, for the charts of Office 2016 and later (``cx:chartSpace``)."""
    title = (
        " ".join(t.text or "" for t in chart_space.iterfind(f"{CX}chart/{CX}title//{A}t")).strip() or "Chart"
    )
    names = {}
    for series in chart_space.iter(f"{CX}series"):
        reference = series.find(f"{CX}dataId")
        if reference is not None:
            names[reference.get("val")] = _first_text(series.iterfind(f"{CX}tx//{CX}v"))
    tables = []
    for data in chart_space.iterfind(f"{CX}chartData/{CX}data"):
        texts = [_levels(one) for one in data.findall(f"{CX}strDim")]
        numbers = [_levels(one) for one in data.findall(f"{CX}numDim")]
        labels = [" / ".join(filter(None, parts)) for parts in zip(*texts[0], strict=False)] if texts else []
        columns = [[plain(value) for value in levels[0]] for levels in numbers if levels]
        if not columns:
            continue
        count = max(len(labels), *(len(column) for column in columns))
        labels = labels or [str(number) for number in range(1, count + 1)]
        filled = [[*one, *[""] * (count - len(one))] for one in (labels, *columns)]
        header = ("", names.get(data.get("id")) or "Value", *("Value" for _ in columns[1:]))
        tables.append((title, (header, *zip(*filled, strict=True))))
    return tables


def plain(text: str) -> str:
    """A number as a person writes it: ``4.3``, ``20``, not ``20.0`` or ``0.30000000000000004``."""
    try:
        number = float(text)
    except ValueError:
        return " ".join(text.split())
    if number != number or number in (float("inf"), float("-inf")):
        return ""
    return str(int(number)) if number.is_integer() and abs(number) < 1e15 else f"{number:.12g}"


def _points_table(series: Sequence[Any], axes: dict[str, str]) -> list[Rows]:
    """One table when all series stand over the same x, else one for each."""
    read = []
    for position, one in enumerate(series, 1):
        name = _text_of(one.find(f"{C}tx")) or f"Series {position}"
        x, y, size = (_cached(one.find(C + tag), 1900) for tag in ("xVal", "yVal", "bubbleSize"))
        if y:
            x = x or {index: str(index + 1) for index in y}  # without x, points are counted
            read.append((name, x, y, size))
    across = axes.get("x", "") or "X"
    if len({tuple(sorted(x.items())) for _, x, _, _ in read}) == 1 and not any(size for *_, size in read):
        order = sorted(read[0][1])
        header = (across, *(name for name, *_ in read))
        return [(header, *((read[0][1][i], *(y.get(i, "") for _, _, y, _ in read)) for i in order))]
    tables: list[Rows] = []
    for name, x, y, size in read:
        header = (across, name, *(("Size",) if size else ()))
        body = ((x.get(i, ""), y[i], *((size.get(i, ""),) if size else ())) for i in sorted(y))
        tables.append((header, *body))
    return tables


def _categories(element: Any, epoch: int) -> tuple[str, ...]:
    """The labels below a plot; those of several levels are joined, the widest first (``2024 / Q1``)."""
    if element is None:
        return ()
    levels = element.findall(f"{C}multiLvlStrRef/{C}multiLvlStrCache/{C}lvl")
    if not levels:
        found = _cached(element, epoch)
        return tuple(found.get(index, "") for index in range(_count(element, found)))
    narrow, *wide = [_points(level) for level in levels]
    labels = []
    for index in range(_count(element, narrow)):
        # A wider label is kept once, at the first of the places it stands over.
        above = [
            level[max(i for i in level if i <= index)] for level in reversed(wide) if min(level) <= index
        ]
        labels.append(" / ".join([*above, narrow.get(index, "")]))
    return tuple(labels)


def _count(element: Any, found: dict[int, str]) -> int:
    declared = next(element.iter(f"{C}ptCount"), None)
    count = int(declared.get("val", "0")) if declared is not None else 0
    return min(_MOST_POINTS, max(count, max(found, default=-1) + 1))


def _cached(element: Any, epoch: int) -> dict[int, str]:
    """Position and text of every point; dates as ISO dates, numbers plainly."""
    if element is None:
        return {}
    code = next((one.text or "" for one in element.iter(f"{C}formatCode")), "")
    found = _points(element)
    numeric = next(element.iter(f"{C}numCache", f"{C}numLit"), None) is not None
    if not numeric:
        return found
    if _is_date_format(code):
        return {index: _date(text, epoch) for index, text in found.items()}
    return {index: plain(text) for index, text in found.items()}


def _points(element: Any) -> dict[int, str]:
    found: dict[int, str] = {}
    for point in element.iter(f"{C}pt"):
        value = point.find(f"{C}v")
        index = int(point.get("idx", "0"))
        if value is not None and 0 <= index < _MOST_POINTS:
            found[index] = " ".join((value.text or "").split())
    return found


def _is_date_format(code: str) -> bool:
    bare = _QUOTED.sub("", code.split(";")[0]).lower()
    return "y" in bare or ("d" in bare and "m" in bare) or "mmm" in bare


def _date(text: str, epoch: int) -> str:
    """A serial day number as a date (day 1 is 1900-01-01, with the 29 February 1900 that never was)."""
    try:
        start = datetime(1904, 1, 1) if epoch == 1904 else datetime(1899, 12, 30)
        moment = start + timedelta(days=float(text))
    except (ValueError, OverflowError):
        return text
    return moment.date().isoformat() if float(text).is_integer() else moment.isoformat(" ", "minutes")


def _axis_titles(plot_area: Any) -> dict[str, str]:
    titles: dict[str, str] = {}
    for axis in plot_area:
        if axis.tag in (f"{C}catAx", f"{C}dateAx"):
            titles.setdefault("category", _rich_text(axis.find(f"{C}title")))
        elif axis.tag == f"{C}valAx":
            position = axis.find(f"{C}axPos")
            if position is not None and position.get("val") in ("b", "t"):
                titles.setdefault("x", _rich_text(axis.find(f"{C}title")))
    return titles


def _rich_text(element: Any) -> str:
    """The text of a title, typed in or taken from a cell."""
    if element is None:
        return ""
    paragraphs = ["".join(t.text or "" for t in p.iter(f"{A}t")) for p in element.iter(f"{A}p")]
    return " ".join(" ".join(paragraphs).split()) or _text_of(element.find(f"{C}tx"))


def _text_of(element: Any) -> str:
    return _first_text(element.iter(f"{C}v")) if element is not None else ""


def _first_text(elements: Iterable[Any]) -> str:
    return next((" ".join((one.text or "").split()) for one in elements), "")


def _levels(dimension: Any) -> list[list[str]]:
    """The points of each level of a dimension of a newer chart, the widest level first."""
    levels = []
    for level in dimension.findall(f"{CX}lvl"):
        found = {
            int(one.get("idx", "0")): " ".join((one.text or "").split()) for one in level.iter(f"{CX}pt")
        }
        count = min(_MOST_POINTS, max([int(level.get("ptCount", "0")), *(index + 1 for index in found)]))
        levels.append([found.get(index, "") for index in range(count)])
    return levels[::-1]
