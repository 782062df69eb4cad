"""Which lines are headings, and the path that each line stands under."""

from __future__ import annotations

import pytest

from mmrag.ingest.files.info import OutlineEntry
from mmrag.ingest.text.lines import Line
from mmrag.ingest.text.sections import Sections
from mmrag.records import Box

BODY = [(f"This is body line {i} with its words going on and on", 10.0, False) for i in range(6)]


def lines(*texts: tuple[str, float, bool], x: float = 72) -> list[Line]:
    """Lines down a page: text, size, bold; a change of size or weight leaves a gap."""
    found: list[Line] = []
    y = 100.0
    for number, (text, size, bold) in enumerate(texts):
        if found and (found[-1].size, found[-1].bold) != (size, bold):
            y += size
        found.append(Line((number,), text, Box(x, y, x + 5 * len(text), y + size), number, size, bold))
        y += 1.2 * size
    return found


def headings(*texts: tuple[str, float, bool]) -> list[str]:
    given = lines(*texts, *BODY)
    marks = Sections().mark(1, given)
    return [line.text for line, mark in zip(given, marks, strict=True) if mark.heading]


def paths(*texts: tuple[str, float, bool]) -> list[str]:
    marks = Sections().mark(1, lines(*texts, *BODY))
    return [mark.section for mark in marks[: len(texts)]]


def test_larger_and_bold_lines_are_headings():
    assert headings(("Ports", 16, False), *BODY, ("Prices", 10, True), *BODY) == ["Ports", "Prices"]


@pytest.mark.parametrize(
    "text",
    ["7", "Page 3 of 9", "12.5", "of ports", "ports", "ends with a comma,", "and stops.", "x1", "." * 30],
)
def test_larger_lines_that_are_no_headings(text):
    assert headings((text, 16, False)) == []


def test_a_paragraph_in_larger_print_is_no_heading():
    long = [(f"Preface line {i} is set larger than the body of the book", 12.0, False) for i in range(4)]
    assert headings(*long, *BODY, *BODY, *BODY) == []


def test_lines_of_one_heading_are_one_title():
    assert paths(("A history of the", 16, False), ("ports of Bavaria", 16, False)) == [
        "A history of the",
        "A history of the ports of Bavaria",
    ]


@pytest.mark.parametrize("text", ["2.1 Results", "3.2.1 Wear of ropes", "Appendix B", "Chapter 4", "Part II"])
def test_a_numbered_line_alone_is_a_heading_in_plain_print(text):
    given = lines(*BODY, ("", 8.0, True), (text, 10.0, False), ("", 8.0, True), *BODY)
    given = [line for line in given if line.text]
    marks = Sections().mark(1, given)
    assert [line.text for line, mark in zip(given, marks, strict=True) if mark.heading] == [text]


@pytest.mark.parametrize(
    "text", ["2.1 Results ........ 14", "2.1 Results 14", "2.5 tons of grain.", "1. Oats"]
)
def test_numbered_lines_that_are_no_headings(text):
    given = lines(*BODY, ("", 8.0, True), (text, 10.0, False), ("", 8.0, True), *BODY)
    marks = Sections().mark(1, [line for line in given if line.text])
    assert not any(mark.heading for mark in marks)


def test_numbers_order_headings_of_one_print():
    found = paths(
        ("1 Ports", 14, True),
        *BODY,
        ("1.1 Grain", 14, True),
        *BODY,
        ("1.2 Wine", 14, True),
        *BODY,
        ("2 Ships", 14, True),
    )
    assert [found[i] for i in (0, 7, 14, 21)] == [
        "1 Ports",
        "1 Ports > 1.1 Grain",
        "1 Ports > 1.2 Wine",
        "2 Ships",
    ]


def test_a_number_that_stands_apart_belongs_to_its_heading():
    given = lines(("2", 14, True), ("Related work", 14, True), *BODY)
    number, title = given[:2]
    beside = Line(title.words, title.text, Box(100, number.box.y0, 200, number.box.y1), 1, 14, True)
    marks = Sections().mark(1, [number, beside, *given[2:]])
    assert [(mark.section, mark.heading) for mark in marks[:3]] == [
        ("2 Related work", True),
        ("2 Related work", True),
        ("2 Related work", False),
    ]


def test_headings_in_chinese_may_be_short():
    assert headings(("\u7ed3\u679c", 16, False)) == ["\u7ed3\u679c"]


def test_an_outline_that_names_pages_is_none():
    outline = [OutlineEntry(1, f"Slide {n}", n) for n in (1, 2, 3)]
    marks = Sections(outline).mark(1, lines(("Ports", 16, False), *BODY))
    assert marks[0].section == "Ports"


def test_an_outline_s_numbers_of_slides_are_left_out():
    outline = [OutlineEntry(1, "Slide 1: Ports", 1), OutlineEntry(1, "Slide 2: Ships", 2)]
    sections = Sections(outline)
    assert sections.mark(1, lines(*BODY))[0].section == "Ports"
    assert sections.mark(2, lines(*BODY))[0].section == "Ships"


def test_an_outline_goes_on_over_pages_without_lines():
    sections = Sections([OutlineEntry(1, "Ports", 1), OutlineEntry(1, "Ships", 2)])
    assert sections.mark(1, ()) == []
    assert sections.path() == "Ports"
    assert sections.mark(3, lines(*BODY))[0].section == "Ports"


@pytest.mark.parametrize("text", ["> Add > Smart", "\u25cf For sailors:", "\u2192 Ports"])
def test_bold_print_after_a_bullet_or_sign_is_no_heading(text):
    assert headings(*BODY, (text, 10, True), *BODY) == []


def test_bold_print_beside_a_bullet_is_no_heading():
    given = lines(*BODY, ("For sailors:", 10, True), *BODY)
    box = given[6].box
    bullet = Line((99,), "\u25cf", Box(50, box.y0, 60, box.y1), 6, 10, False)
    marks = Sections().mark(1, [*given[:6], bullet, *given[6:]])
    assert not any(mark.heading for mark in marks)
