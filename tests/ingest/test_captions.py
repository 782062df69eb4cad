"""Captions are bound to their table or figure, above or below, over lines, and never to two."""

from __future__ import annotations

import pytest

from mmrag.ingest.text.captions import FIGURE, TABLE, find_caption, find_captions
from mmrag.ingest.text.lines import Line
from mmrag.records import Box

BOX = Box(100, 200, 400, 300)


def line(
    number: int, text: str, y: float, *, block: int | None = None, bold=False, x=100.0, size=10.0
) -> Line:
    box = Box(x, y, x + 5 * len(text), y + size)
    return Line((number,), text, box, number if block is None else block, size, bold)


@pytest.mark.parametrize(
    ("text", "table", "figure"),
    [
        ("Table 3 (continued)", True, False),
        ("TABLE IV. Ships", True, False),
        ("Tab. 2: Ships", True, False),
        ("Tabla 2. Barcos", True, False),
        ("\u8868 3 \u8239\u8236", True, False),
        ("Fig. 2a Ships", False, True),
        ("Figure S1", False, True),
        ("\u56fe1 \u8239\u8236", False, True),
        ("Exhibit 4", True, True),
        ("Table of contents", False, False),
        ("Tables are wooden", False, False),
        ("Figures rose in May", False, False),
        ("Table A-1: Ships", True, False),
        ("Figure a good sailor", False, False),
    ],
)
def test_what_a_caption_begins_with(text, table, figure):
    assert (TABLE.match(text) is not None, FIGURE.match(text) is not None) == (table, figure)


def test_a_caption_above_and_its_further_lines():
    lines = [line(0, "Table 1: Ships by port", 175, block=4), line(1, "and by year", 187, block=4)]
    assert find_caption(BOX, lines, TABLE, below_first=False) == (
        "Table 1: Ships by port and by year",
        (0, 1),
    )


def test_a_label_alone_goes_on_in_the_title_below_it():
    lines = [line(0, "Table 1", 170, bold=True), line(1, "Ships by port", 184)]
    assert find_caption(BOX, lines, TABLE, below_first=False) == ("Table 1 Ships by port", (0, 1))


def test_a_caption_below():
    lines = [line(0, "Figure 1. Ships", 305), line(1, "The text goes on below.", 360)]
    assert find_caption(BOX, lines, FIGURE, below_first=True) == ("Figure 1. Ships", (0,))


@pytest.mark.parametrize(("y", "x"), [(100, 100), (360, 100), (180, 450)])
def test_lines_away_from_the_region_are_no_captions(y, x):
    assert find_caption(BOX, [line(0, "Table 1: Ships", y, x=x)], TABLE, below_first=False) == ("", ())


UPPER, LOWER = Box(100, 200, 400, 300), Box(100, 330, 400, 430)


def test_between_two_tables_with_captions_above_it_is_the_lower_one_s():
    lines = [line(0, "Table 1: Ships", 185), line(1, "Table 2: Ports", 314)]
    assert [c for c, _ in find_captions([UPPER, LOWER], lines, TABLE, below_first=False)] == [
        "Table 1: Ships",
        "Table 2: Ports",
    ]


def test_between_two_tables_with_captions_below_it_is_the_upper_one_s():
    lines = [line(0, "Table 1: Ships", 304), line(1, "Table 2: Ports", 435)]
    assert [c for c, _ in find_captions([UPPER, LOWER], lines, TABLE, below_first=False)] == [
        "Table 1: Ships",
        "Table 2: Ports",
    ]


def test_one_caption_is_not_given_to_two_tables():
    lines = [line(0, "Table 2: Ports", 314)]
    assert find_captions([UPPER, LOWER], lines, TABLE, below_first=False) == [
        ("", ()),
        ("Table 2: Ports", (0,)),
    ]
