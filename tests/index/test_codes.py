"""Identifiers kept whole."""

from __future__ import annotations

import pytest

from mmrag.index.codes import identifiers


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
