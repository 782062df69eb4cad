"""Filters: what is understood, what holds, what is refused."""

from __future__ import annotations

import pytest

from mmrag.errors import FilterError
from mmrag.filters import Compare, Filter, page_sql

FIELDS = {
    "added": "2026-03-01",
    "document": "ab12",
    "name": "report.pdf",
    "organisation": "Acme",
    "pages": 12,
    "path": "/papers/report.pdf",
    "tag": ("finance", "q3"),
    "title": "Annual report",
    "year": 2024,
}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("year = 2024", True),
        ("year != 2024", False),
        ("year < 2024", False),
        ("year <= 2024", True),
        ("year > 2023", True),
        ("year >= 2025", False),
        ("tag = finance", True),
        ("tag = 'hr'", False),
        ("tag != hr", True),
        ("tag != q3", False),
        ("tags = q3", True),
        ("title ~ ANNUAL", True),
        ("name ~ xls", False),
        ("year in (2023, 2024)", True),
        ("year in (2022, 2023)", False),
        ("not year = 2024", False),
        ("year = 2023 or tag = q3 and pages > 10", True),
        ("(year = 2023 or tag = q3) and pages > 100", False),
        ('organisation = "Acme" AND NOT tag = hr', True),
    ],
)
def test_holds(text: str, holds: bool) -> None:
    assert Filter.parse(text).bind(FIELDS) is holds


def test_an_unknown_year_holds_for_no_comparison_but_unequal() -> None:
    unknown = {**FIELDS, "year": None}
    assert Filter.parse("year > 1").bind(unknown) is False
    assert Filter.parse("year = 2024").bind(unknown) is False
    assert Filter.parse("year != 2024").bind(unknown) is True


def test_what_is_left_open_is_the_page() -> None:
    left = Filter.parse("year = 2024 and (page >= 3 and not page = 5 or year = 1)").bind(FIELDS)
    assert isinstance(left, Filter)
    assert page_sql(left) == "(page >= 3 AND NOT (page = 5))"
    assert left.bind({"page": 4}) is True
    assert left.bind({"page": 5}) is False
    assert Filter.parse("year = 1 and page = 3").bind(FIELDS) is False
    assert Filter.parse("year = 2024 or page = 3").bind(FIELDS) is True
    either = Filter.parse("page = 1 or page = 2").bind(FIELDS)
    assert isinstance(either, Filter)
    assert page_sql(either) == "(page IN (1, 2))"
    mixed = Filter.parse("page = 7 or page > 9 or page = 3 or (page = 1 and page < 5)").bind(FIELDS)
    assert isinstance(mixed, Filter)
    assert page_sql(mixed) == "(page IN (3, 7) OR page > 9 OR (page = 1 AND page < 5))"


def test_operators_of_python() -> None:
    built = (Compare("year", ">=", 2020) & ~Compare("tag", "=", "hr")) | Compare("name", "=", "x")
    assert built.bind(FIELDS) is True


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("colour = red", "'colour' is not a field"),
        ("year = soon", "whole number"),
        ("year", "ends where a comparison"),
        ("year =", "ends where a value"),
        ("year ~ 20", "is a number"),
        ("(year = 2024", "closing bracket"),
        ("year in 2024", "list in brackets"),
        ("year in (2024", "closing bracket"),
        ("year = 2024 2025", "left over"),
        ("year = )", "stands where a value"),
        ("year is 2024", "not a comparison"),
        ("name = 'half", "not understood"),
    ],
)
def test_refused(text: str, says: str) -> None:
    with pytest.raises(FilterError, match=says) as caught:
        Filter.parse(text)
    assert "Fields: added" in str(caught.value)


def test_a_value_is_never_sql() -> None:
    evil = "x' OR 1=1 --"
    assert Compare("name", "=", evil).bind(FIELDS) is False
    assert Compare("name", "=", evil).bind({}) == Compare("name", "=", evil)
    with pytest.raises(FilterError):
        page_sql(Compare("name", "=", evil))


@pytest.mark.parametrize(
    ("field", "op", "value"),
    [
        ("colour", "=", "red"),
        ("page", "= 1 OR 1 =", 1),
        ("page", "=", "1"),
        ("name", "=", 1),
        ("page", "~", 1),
        ("page", "=", 2**31),
    ],
)
def test_a_comparison_made_by_hand_is_checked(field: str, op: str, value: object) -> None:
    with pytest.raises(FilterError):
        Compare(field, op, value)


def test_a_filter_that_could_not_be_walked_is_refused() -> None:
    with pytest.raises(FilterError, match="more than 300 terms"):
        Filter.parse("not " * 3000 + "page = 1")
    with pytest.raises(FilterError, match="beyond"):
        Filter.parse("page = 99999999999")


def test_many_pages_are_one_list() -> None:
    left = Filter.parse(f"page in ({', '.join(map(str, range(300)))})").bind({})
    assert isinstance(left, Filter)
    assert page_sql(left) == f"(page IN ({', '.join(map(str, range(300)))}))"


def test_nesting_has_an_end() -> None:
    assert Filter.parse("not not not page = 1") == ~Compare("page", "=", 1)
    for deep in ("(" * 60 + "page = 1" + ")" * 60, "not (" * 60 + "page = 1" + ")" * 60):
        with pytest.raises(FilterError, match="nested more than 50 deep") as caught:
            Filter.parse(deep)
        assert len(str(caught.value)) < 400
