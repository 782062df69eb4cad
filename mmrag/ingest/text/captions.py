"""Captions: the line above or below a table or figure that names it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mmrag.ingest.text.lines import Line
from mmrag.records import Box

# Letters count in capitals and after a space: "Table A", but not "Tables" or "Figure a man".
_NUMBER = r"(?:\s*(?:\d|[:.]|(?-i:[A-Z])?[.-]?\d)|\s+(?-i:[IVXLC]+|[A-Z])\b)"
TABLE = re.compile(
    r"(?:Table|Tab\.|(?:Exhibit|Schedule)(?!\s+\w{1,3}\s+(?:here|there)(?:to|of|in|by|with)\b)|Tabelle|Tableau|Tabla|Tabela|Tabella|\u0422\u0430\u0431\u043b\u0438\u0446\u0430)"
    + _NUMBER
    + r"|\u8868\s*[\d\u4e00-\u5341]",
    re.IGNORECASE,
)
FIGURE = re.compile(
    r"(?:Figure|Fig\.?|Chart|Exhibit|Graph|Diagram|Image|Photo|Abbildung|Abb\.|Figura|\u0420\u0438\u0441\.)"
    + _NUMBER
    + r"|[\u56fe\u5716\u56f3]\s*[\d\u4e00-\u5341]",
    re.IGNORECASE,
)

_LONGEST = 600  # characters; a caption that runs on is a paragraph
_LABEL = re.compile(r"\S+\s*[\w.-]{1,6}[.:]?")
"""A caption's first line that is only a label, such as "Table 4", whose title stands below in other type."""


def find_caption(
    box: Box, lines: Sequence[Line], pattern: re.Pattern[str], *, below_first: bool
) -> tuple[str, tuple[int, ...]]:
    """The caption of a region, with the indices of its words; ("", ()) when there is none.

    A caption starts with the pattern on a line within three line heights of the region and within
    its width; the rest of its block that follows belongs to it.

    Args:
        box: the table or figure.
        lines: the page's lines in reading order.
        pattern: what a caption starts with.
        below_first: look under the region before above it.
    """
    return find_captions([box], lines, pattern, below_first=below_first)[0]


def find_captions(
    boxes: Sequence[Box], lines: Sequence[Line], pattern: re.Pattern[str], *, below_first: bool
) -> list[tuple[str, tuple[int, ...]]]:
    """The caption of each region as :func:`find_caption` has it, none being given to two regions.

    Where regions are stacked a line between two of them may be either's: the side on which more
    regions have a caption decides for the page, then ``below_first``.
    """
    sides = (True, False) if below_first else (False, True)
    # max takes the first of equals, so the wanted side comes first.
    chosen = max((_matched(boxes, lines, pattern, order) for order in (sides, sides[::-1])), key=len)
    return [
        _collect(chosen[number], lines, box) if number in chosen else ("", ())
        for number, box in enumerate(boxes)
    ]


def _matched(
    boxes: Sequence[Box], lines: Sequence[Line], pattern: re.Pattern[str], sides: Sequence[bool]
) -> dict[int, int]:
    """Region to the line that its caption starts at: the nearest pairs first, one side after the other."""
    chosen: dict[int, int] = {}
    starts = [position for position, line in enumerate(lines) if pattern.match(line.text)]
    for below in sides:
        pairs = sorted(
            (_distance(lines[position].box, box, below), number, position)
            for number, box in enumerate(boxes)
            for position in starts
            if _near(lines[position], box, below)
        )
        for _, number, position in pairs:
            if number not in chosen and position not in chosen.values():
                chosen[number] = position
    return chosen


def _distance(line: Box, box: Box, below: bool) -> float:
    return line.y0 - box.y1 if below else box.y0 - line.y1


def _near(line: Line, box: Box, below: bool) -> bool:
    distance = _distance(line.box, box, below)
    height = line.box.y1 - line.box.y0
    # Above, a caption of several lines starts further away.
    reach = 3 * height if below else 5 * height
    beside = line.box.x0 < box.x1 and line.box.x1 > box.x0
    return beside and -height <= distance <= reach


def _collect(start: int, lines: Sequence[Line], box: Box) -> tuple[str, tuple[int, ...]]:
    text, words, last = lines[start].text, lines[start].words, lines[start]
    for line in lines[start + 1 :]:
        overlaps = line.box.overlap(box) > 0.5 * line.box.area
        if overlaps or len(text) + len(line.text) > _LONGEST or not _goes_on(last, line):
            break
        text, words, last = f"{text} {line.text}", words + line.words, line
    return text, words


def _goes_on(last: Line, line: Line) -> bool:
    """Whether a line belongs to the block before it, or looks like its next line."""
    height = last.box.y1 - last.box.y0
    if line.block == last.block or (_LABEL.fullmatch(last.text) and 0 <= line.box.y0 - last.box.y1 <= height):
        return True
    close = -0.3 * height <= line.box.y0 - last.box.y1 <= 0.5 * height
    return (
        close
        and abs(line.size - last.size) < 0.3
        and line.bold == last.bold
        and abs(line.box.x0 - last.box.x0) < 3
    )
