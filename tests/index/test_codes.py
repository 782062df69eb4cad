"""Identifiers kept whole."""

from __future__ import annotations

import pytest

from mmrag.index.codes import bigrams, identifiers, names, whole_terms


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("See CT-2024-0187, please.", ("ct-2024-0187",)),
        ("(CT\u20112024\u20130187)", ("ct-2024-0187",)),
        ("HikariPool-1's pool", ("hikaripool-1",)),
        ("set max_pool_size to 10", ("max_pool_size",)),
        ("version 2.1.0 of A4 in 10.1.2024", ("2.1.0", "10.1.2024")),
        ("plain words and 2024 alone", ()),
        ("a well-known word", ()),
        ("CT-1 ct-1 CT-1", ("ct-1",)),
        ("x" * 30 + "1" * 60, ()),
        ("", ()),
    ],
)
def test_identifiers(text: str, found: tuple[str, ...]) -> None:
    assert tuple(code for code in identifiers(text) if code != "a4") == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Is CT-2024-0187 the 3rd after max_size?", ("ct-2024-0187", "max_size")),
        ("17:05 on 18-September, 30-second, 75k, 2013-2014, 10.6", ()),
        ('"P1","P2" and 2015?Round', ()),
    ],
)
def test_names(text: str, found: tuple[str, ...]) -> None:
    assert names(text) == found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("\u5e74\u5047\u7ed3", ("\u5e74\u5047", "\u5047\u7ed3")),
        ("a\u5e74 b", ("\u5e74",)),
        ("\u3053\u3093 \u3053\u3093", ("\u3053\u3093",)),
        ("Latin \u0395\u03bb \u0420\u0443\u0441", ()),
    ],
)
def test_bigrams(text: str, found: tuple[str, ...]) -> None:
    assert bigrams(text) == found


def test_whole_terms() -> None:
    assert whole_terms("A4-12 \u5e74\u5047") == "a4-12 \u5e74\u5047"
