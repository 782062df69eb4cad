"""Captions: the line above or below a table or figure that names it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mmrag.ingest.lines import Line
from mmrag.records import Box

_NUMBER = r"\s*(?:\d|[IVXLC]+\b|[A-Z]\b|[A-Z]?[.-]?\d|[:.])"
TABLE = re.compile(r"(?:Table|Tab\.|Exhibit|Schedule|Tabelle|Tableau)" + _NUMBER, re.IGNORECASE)
FIGURE = re.compile(
    r"(?:Figure|Fig\.?|Chart|Exhibit|Graph|Diagram|Image|Photo|Abbildung|Abb\.)" + _NUMBER, re.IGNORECASE
)

_LONGEST = 600  # characters; a caption that runs on is a paragraph


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
    sides = (True, False) if below_first else (False, True)
    for below in sides:
        found = [
            (_distance(line.box, box, below), position)
            for position, line in enumerate(lines)
            if pattern.match(line.text) and _near(line, box, below)
        ]
        if found:
            return _collect(min(found)[1], lines, box)
    return "", ()


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
    if line.block == last.block:
        return True
    height = last.box.y1 - last.box.y0
    close = -0.3 * height <= line.box.y0 - last.box.y1 <= 0.5 * height
    return (
        close
        and abs(line.size - last.size) < 0.3
        and line.bold == last.bold
        and abs(line.box.x0 - last.box.x0) < 3
    )
