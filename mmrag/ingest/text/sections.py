"""The section each line of a document stands in: from its outline, else from its headings."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mmrag.ingest.files.info import OutlineEntry
from mmrag.ingest.text.lines import Line, weighted_median
from mmrag.unspaced import unspaced

_DEEPEST = 4  # levels of a path
_MOST_WORDS = 20
_MOST_WORDS_OF_ALL = 30  # of all lines of a heading
_PAGE_NUMBER = re.compile(r"(?:page|slide|p\.)\s*\d+(?:\s*(?:of|/)\s*\d+)?$", re.IGNORECASE)
_RUNNING = 3  # pages with the same line after which it is a running head
_NUMBER = re.compile(r"(?:\d{1,2}(?:\.\d{1,2})*|[IVX]{1,5}|[A-Z])\.?")
_NUMBERED = re.compile(
    r"(?P<number>\d{1,2}(?:\.\d{1,2}){1,4})\.?\s+[^\W\d_]|[IVX]{1,5}\.\s+[A-Z]"
    r"|(?:chapter|section|part|article|appendix|annex|schedule|kapitel|chapitre|anhang)\s+(?:\d{1,3}|[IVX]{1,5}|[A-Z])\b",
    re.IGNORECASE,
)
_DEPTH = re.compile(r"(\d{1,2}(?:\.\d{1,2}){0,4})\.?\s")
_LEADERS = re.compile(r"\.\s?\.\s?\.|\s\d{1,4}$")
# What programs write into an outline instead of titles.
_NO_TITLE = re.compile(r"(?:page|slide|folie|seite|sheet|untitled)?\s*\d*", re.IGNORECASE)
_SLIDE = re.compile(r"(?:slide|folie)\s*\d+\s*[:.-]\s*", re.IGNORECASE)
_OPENINGS = "\"'\u201c\u2018\u00ab\u300c\u300e\u3010([\u00bf\u00a1\u00a7"
_Level = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Mark:
    """The section a line stands in, and whether the line is a heading itself."""

    section: str
    heading: bool


class Sections:
    """Follows the section path through a document's pages, which must come in order."""

    def __init__(self, outline: Sequence[OutlineEntry] = ()) -> None:
        named = [entry for entry in outline if not _NO_TITLE.fullmatch(entry.title)]
        self._outline = tuple(named) if len(named) > 1 and 2 * len(named) > len(outline) else ()
        self._path: list[tuple[_Level, str]] = []
        self._sizes: Counter[float] = Counter()
        self._seen: Counter[str] = Counter()

    def mark(self, page: int, lines: Sequence[Line], *, ocr: bool = False) -> list[Mark]:
        """The section of each line of the next page.

        Args:
            page: its number.
            lines: its lines in reading order, tables and figures left out.
            ocr: whether sizes are heights of lines, which vary with the letters in them.
        """
        joined = _with_numbers(lines)
        whole = [line for line, _ in joined]
        marks = self._by_outline(page, whole) if self._outline else self._by_headings(whole, ocr)
        return [mark for mark, (_, pieces) in zip(marks, joined, strict=True) for _ in range(pieces)]

    def path(self) -> str:
        """The path at the end of the pages marked so far."""
        return " > ".join(title for _, title in self._path)

    def _enter(self, level: _Level, title: str) -> None:
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
                self._enter((entry.level, 0), _SLIDE.sub("", entry.title) or entry.title)
            heading = any(_matches(entry.title, line.text) for entry in entries)
            marks.append(Mark(self.path(), heading))
        if not lines:
            for entry in starts.get(0, ()):
                self._enter((entry.level, 0), _SLIDE.sub("", entry.title) or entry.title)
        return marks

    def _by_headings(self, lines: Sequence[Line], ocr: bool) -> list[Mark]:
        for line in lines:
            self._sizes[round(line.size * 2) / 2] += len(line.text)
        body = weighted_median(self._sizes) if self._sizes else 0.0
        heavy = sum(len(line.text) for line in lines if line.bold) > 0.4 * sum(
            len(line.text) for line in lines
        )
        marks: list[Mark] = []
        last: Line | None = None
        following = _paragraphs(lines)
        for line, (number, words) in zip(lines, following, strict=True):
            key = re.sub(r"\d+", "#", line.text.casefold())
            heading = (
                words <= _MOST_WORDS_OF_ALL
                and self._seen[key] < _RUNNING
                and (
                    self._is_heading(line, body, heavy, ocr, last)
                    or (number == 1 and _is_numbered(line.text) and line.size >= 0.95 * body)
                )
            )
            if heading:
                self._extend_or_enter(line, last)
            last = line if heading else None
            marks.append(Mark(self.path(), heading))
        self._seen.update({re.sub(r"\d+", "#", line.text.casefold()) for line in lines})
        return marks

    def _is_heading(self, line: Line, body: float, heavy: bool, ocr: bool, last: Line | None) -> bool:
        text = line.text.strip()
        words = text.split()
        letters = sum(character.isalpha() for character in text)
        # Ideographs say in two what takes letters five.
        least = 2 if any(unspaced(character) for character in text) else 3
        if len(words) > _MOST_WORDS or letters < least or 2 * letters < len(text) or text[-1] in ",;.\u3002":
            return False
        if _PAGE_NUMBER.match(text) or not (text[0].isalnum() or text[0] in _OPENINGS):
            return False
        # A word or two in small letters are the end of a heading, or what is left of one.
        if text[0].islower() and len(words) < 4 and (last is None or not _near(line, last)):
            return False
        if ocr:
            return line.size >= 1.35 * body
        larger = line.size >= 1.15 * body
        set_off = line.bold and not heavy and line.size >= 0.95 * body and not text[0].islower()
        return larger or set_off

    def _extend_or_enter(self, line: Line, last: Line | None) -> None:
        level = _level(line)
        numbered = _DEPTH.match(line.text.strip()) is not None
        goes_on = last is not None and not numbered and _near(line, last) and _level(last)[0] == level[0]
        if goes_on and self._path:
            above, known = self._path.pop()
            self._path.append((above, f"{known} {line.text}"[:160]))
        else:
            self._enter(level, line.text)


def _near(line: Line, last: Line) -> bool:
    return -0.5 * line.size < line.box.y0 - last.box.y1 < 0.8 * line.size


def _with_numbers(lines: Sequence[Line]) -> list[tuple[Line, int]]:
    """Lines, a number or bullet that stands apart before one on the same row being joined to it.

    Each comes with the number of lines that it is made of.
    """
    joined: list[tuple[Line, int]] = []
    index = 0
    while index < len(lines):
        line = lines[index]
        after = lines[index + 1] if index + 1 < len(lines) else None
        if after is not None and _leads(line, after):
            text = f"{line.text.strip()} {after.text}"
            joined.append((replace(after, text=text, box=line.box.union(after.box)), 2))
            index += 2
        else:
            joined.append((line, 1))
            index += 1
    return joined


def _leads(mark: Line, line: Line) -> bool:
    text = mark.text.strip()
    alike = abs(mark.size - line.size) <= 0.1 * line.size and mark.bold == line.bold
    if not (_NUMBER.fullmatch(text) and alike) and not (len(text) == 1 and not text.isalnum()):
        return False
    middle = (mark.box.y0 + mark.box.y1) / 2
    return line.box.y0 < middle < line.box.y1 and 0 <= line.box.x0 - mark.box.x1 <= 4 * line.size


def _paragraphs(lines: Sequence[Line]) -> list[tuple[int, int]]:
    """For each line how many lines and words the run of like lines has that it stands in."""
    runs: list[list[Line]] = []
    for line in lines:
        last = runs[-1][-1] if runs else None
        alike = last is not None and abs(line.size - last.size) < 0.3 and line.bold == last.bold
        if last is not None and alike and -0.5 * line.size < line.box.y0 - last.box.y1 < 0.5 * line.size:
            runs[-1].append(line)
        else:
            runs.append([line])
    counts = [(len(run), sum(len(line.text.split()) for line in run)) for run in runs]
    return [counts[number] for number, run in enumerate(runs) for _ in run]


def _is_numbered(text: str) -> bool:
    """Whether a line standing alone is a heading by its number: "2.1 Results", "Appendix B"."""
    text = text.strip()
    found = _NUMBERED.match(text)
    short = len(text.split()) <= 12 and text[-1:] not in ".,;:"
    return short and found is not None and not _LEADERS.search(text, found.end())


def _level(line: Line) -> _Level:
    """Smaller print is a deeper level: one level a tenth in size, bold above plain; then by the number."""
    found = _DEPTH.match(line.text.strip())
    depth = found[1].rstrip(".").count(".") if found else 0
    return -2 * round(math.log(max(line.size, 1.0), 1.1)) - line.bold, depth


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
