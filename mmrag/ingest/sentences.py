"""Lines to units of text that passages are packed from: sentences and rows of figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from mmrag.ingest.lines import Line
from mmrag.records import Word

_END = re.compile("[.!?\u2026][\"'\u201d\u2019)\\]]*$|[\u3002\uff01\uff1f]$")
_ABBREVIATION = re.compile(
    r"^\W*(?:[A-Za-z]|(?:[A-Za-z]\.)+[A-Za-z]?|dr|mr|mrs|ms|prof|st|no|nos|fig|figs|eq|sec|vol|pp?|ed|eds|inc|ltd|co"
    r"|corp|vs|etc|al|approx|est|dept|e\.g|i\.e|cf|ca|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.$",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"[-+(]?[$€£¥]?\d[\d.,]*[)%]*")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, a heading or a row of figures.

    ``words`` are indices into the page's words; ``opens`` says that a paragraph starts here,
    ``row`` that the unit stands on a line of its own.
    """

    text: str
    words: tuple[int, ...]
    section: str = ""
    heading: bool = False
    opens: bool = False
    row: bool = False


def units_of(
    words: Sequence[Word], paragraph: Sequence[Line], section: str, heading: bool, known: frozenset[str]
) -> list[Unit]:
    """Cut one paragraph into units.

    Args:
        words: the page's words.
        paragraph: lines of one block and one section.
        section: their section.
        heading: whether they are a heading, which stays whole.
        known: words of the document in lower case, to judge hyphens at line ends by.
    """
    units: list[Unit] = []
    run: list[int] = []

    def close(*, row: bool = False) -> None:
        if run:
            text = join_words(words, run, known)
            units.append(Unit(text, tuple(run), section, heading, opens=not units, row=row))
            run.clear()

    for pieces in _visual_rows(paragraph):
        members = [index for line in pieces for index in line.words]
        if not heading and _is_row(words, pieces):
            close()
            run.extend(members)
            close(row=True)
            continue
        for index in members:
            if run and not heading and _breaks(words[run[-1]].text, words[index].text):
                close()
            run.append(index)
    close()
    return units


def _breaks(before: str, after: str) -> bool:
    """Whether a sentence ends between two words."""
    if not _END.search(before) or _ABBREVIATION.match(before):
        return False
    return not after[0].islower()


def _visual_rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines that stand side by side, as one row."""
    rows: list[list[Line]] = []
    for line in lines:
        if rows:
            last = rows[-1][-1].box
            middle = (line.box.y0 + line.box.y1) / 2
            if last.y0 <= middle <= last.y1 and line.box.x0 >= last.x1:
                rows[-1].append(line)
                continue
        rows.append([line])
    return rows


def _is_row(words: Sequence[Word], pieces: Sequence[Line]) -> bool:
    """Whether a row is one of a table without rules: pieces with wide gaps, figures among them."""
    members = [words[index] for line in pieces for index in line.words]
    gaps = sum(after.box.x0 - before.box.x1 > 1.2 * after.size for before, after in pairwise(members))
    return gaps > 0 and any(_FIGURE.fullmatch(word.text) for word in members)


def join_words(words: Sequence[Word], chosen: Sequence[int], known: frozenset[str]) -> str:
    """Words as running text; a word broken by a hyphen at a line's end is made whole.

    The hyphen stays where both halves, or the whole with its hyphen, are words of the document.
    """
    parts: list[str] = []
    last: Word | None = None
    for index in chosen:
        word = words[index]
        if last is not None and parts and last.line != word.line and _is_broken(last.text, word.text):
            parts[-1] = _mended(parts[-1], word.text, known)
        else:
            parts.append(word.text)
        last = word
    return " ".join(parts)


def _is_broken(before: str, after: str) -> bool:
    return len(before) > 2 and before[-1] in "-\u2010" and before[-2].isalpha() and after[0].islower()


def _mended(before: str, after: str, known: frozenset[str]) -> str:
    first, second = _bare(before[:-1]), _bare(after)
    if first + second in known:
        return before[:-1] + after
    if f"{first}-{second}" in known or (first in known and second in known):
        return before + after
    return before[:-1] + after


def _bare(text: str) -> str:
    return text.casefold().strip("\"'\u201c\u201d\u2018\u2019()[].,;:!?")


def vocabulary(words: Sequence[Word]) -> frozenset[str]:
    """The words of a page in lower case, without punctuation around them or halves of broken ones."""
    found: set[str] = set()
    last: Word | None = None
    for word in words:
        half = last is not None and last.line != word.line and _is_broken(last.text, word.text)
        if not half and word.text[-1] not in "-\u2010":
            found.add(_bare(word.text))
        last = word
    return frozenset(found)
