"""The section each line of a document stands in: from its outline, else from its headings."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from mmrag.ingest.files import OutlineEntry
from mmrag.ingest.lines import Line

_DEEPEST = 4  # levels of a path
_MOST_WORDS = 14
_PAGE_NUMBER = re.compile(r"(?:page|slide|p\.)\s*\d+(?:\s*(?:of|/)\s*\d+)?$", re.IGNORECASE)
_RUNNING = 3  # pages with the same line after which it is a running head


@dataclass(frozen=True, slots=True)
class Mark:
    """The section a line stands in, and whether the line is a heading itself."""

    section: str
    heading: bool


class Sections:
    """Follows the section path through a document's pages, which must come in order."""

    def __init__(self, outline: Sequence[OutlineEntry] = ()) -> None:
        self._outline = tuple(outline) if len(outline) > 1 else ()
        self._path: list[tuple[int, str]] = []
        self._sizes: Counter[float] = Counter()
        self._seen: Counter[str] = Counter()

    def mark(self, page: int, lines: Sequence[Line], *, ocr: bool = False) -> list[Mark]:
        """The section of each line of the next page.

        Args:
            page: its number.
            lines: its lines in reading order, tables and figures left out.
            ocr: whether sizes are heights of lines, which vary with the letters in them.
        """
        if self._outline:
            return self._by_outline(page, lines)
        return self._by_headings(lines, ocr)

    def path(self) -> str:
        """The path at the end of the pages marked so far."""
        return " > ".join(title for _, title in self._path)

    def _enter(self, level: int, title: str) -> None:
        while self._path and self._path[-1][0] >= level:
            self._path.pop()
        self._path.append((level, title))
        del self._path[:-_DEEPEST]

    def _by_outline(self, page: int, lines: Sequence[Line]) -> list[Mark]:
        starts: dict[int, list[OutlineEntry]] = {}
        position = 0
        for entry in self._outline:
            if entry.page == page:
                found = _find(entry.title, lines, position)
                starts.setdefault(0 if found is None else found, []).append(entry)
                position = position if found is None else found
        marks = []
        for index, line in enumerate(lines):
            entries = starts.get(index, ())
            for entry in entries:
                self._enter(entry.level, entry.title)
            heading = any(_matches(entry.title, line.text) for entry in entries)
            marks.append(Mark(self.path(), heading))
        if not lines:
            for entry in starts.get(0, ()):
                self._enter(entry.level, entry.title)
        return marks

    def _by_headings(self, lines: Sequence[Line], ocr: bool) -> list[Mark]:
        for line in lines:
            self._sizes[round(line.size * 2) / 2] += len(line.text)
        body = _weighted_median(self._sizes) if self._sizes else 0.0
        heavy = sum(len(line.text) for line in lines if line.bold) > 0.4 * sum(
            len(line.text) for line in lines
        )
        marks: list[Mark] = []
        last: Line | None = None
        for line in lines:
            key = re.sub(r"\d+", "#", line.text.casefold())
            heading = self._is_heading(line, body, heavy, ocr) and self._seen[key] < _RUNNING
            if heading:
                self._extend_or_enter(line, last)
            last = line if heading else None
            marks.append(Mark(self.path(), heading))
        self._seen.update({re.sub(r"\d+", "#", line.text.casefold()) for line in lines})
        return marks

    def _is_heading(self, line: Line, body: float, heavy: bool, ocr: bool) -> bool:
        text = line.text.strip()
        words = text.split()
        letters = sum(character.isalpha() for character in text)
        if len(words) > _MOST_WORDS or letters < 3 or 2 * letters < len(text) or text[-1] in ",;.":
            return False
        if _PAGE_NUMBER.match(text):
            return False
        if ocr:
            return line.size >= 1.35 * body
        larger = line.size >= 1.15 * body
        set_off = line.bold and not heavy and line.size >= 0.95 * body and text[0].isupper()
        return larger or set_off

    def _extend_or_enter(self, line: Line, last: Line | None) -> None:
        level = _level(line)
        near = last is not None and line.box.y0 - last.box.y1 < 0.8 * line.size
        if near and last is not None and self._path and _level(last) == level:
            known = self._path.pop()[1]
            self._path.append((level, f"{known} {line.text}"[:160]))
        else:
            self._enter(level, line.text)


def _level(line: Line) -> int:
    """Smaller print is a deeper level: one level a tenth in size, bold above plain."""
    return -2 * round(math.log(max(line.size, 1.0), 1.1)) - line.bold


def _weighted_median(sizes: Counter[float]) -> float:
    half, seen = sum(sizes.values()) / 2, 0
    for size in sorted(sizes):
        seen += sizes[size]
        if seen >= half:
            return size
    return 0.0


def _find(title: str, lines: Sequence[Line], start: int) -> int | None:
    for index in range(start, len(lines)):
        if _matches(title, lines[index].text):
            return index
    return None


def _matches(title: str, text: str) -> bool:
    """Whether a line is a bookmark's heading: the same letters, or the first of several lines of it."""
    wanted, given = _letters(title), _letters(text)
    if not wanted or not given:
        return False
    if given.endswith(wanted) and len(given) <= len(wanted) + 8:  # "2.1 Results" for "Results"
        return True
    return wanted.startswith(given) and len(given) >= 8


def _letters(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())
