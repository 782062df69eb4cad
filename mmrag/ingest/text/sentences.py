"""Lines to units of text that passages are packed from: sentences and rows of figures."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from mmrag.ingest.text.lines import Line
from mmrag.records import Word
from mmrag.unspaced import glue

# In Chinese and Japanese a line is one "word", so its sentences end within it.
_WITHIN = re.compile(
    "[^\u3002\uff01\uff1f]*[\u3002\uff01\uff1f]+[\u300d\u300f\uff09\"'\u201d\u2019)\\]]*|[^\u3002\uff01\uff1f]+"
)
_BULLET = re.compile(
    "[\u2022\u2023\u25a0\u25aa\u25ab\u25cb\u25cf\u25e6\u2013\u2014*\u00b7\u27a2\u2713\u2714\uf000-\uf0ff\u30fb-]"
)
_NUMBERED = re.compile(
    r"\(?(?:\d{1,2}|[A-Za-z]|[ivx]{1,4})[.)]|[(\uff08][\u4e00-\u5341\d]{1,2}[)\uff09]|\d{1,2}\u3001.*"
)
_END = re.compile(
    "[.!?\u2026\u061f\u06d4\u0964][\"'\u201d\u2019)\\]]*$|[\u3002\uff01\uff1f][\u300d\u300f\uff09\"'\u201d\u2019)\\]]*$"
)
_ABBREVIATION = re.compile(
    r"^\W*(?:[A-Za-z]|(?:[A-Za-z]\.)+[A-Za-z]?|dr|mr|mrs|ms|prof|st|no|nos|fig|figs|eq|sec|vol|pp?|ed|eds|inc|ltd|co"
    r"|corp|vs|etc|al|approx|est|dept|e\.g|i\.e|cf|ca|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.$",
    re.IGNORECASE,
)
_FIGURE = re.compile(r"[-+(]?[$€£¥]?\d[\d.,]*[)%]*")


@dataclass(frozen=True, slots=True)
class Unit:
    """A sentence, a heading or a row of figures.

    ``words`` are indices into the page's words; ``opens`` says that a paragraph or an item of a list
    starts here, ``row`` that the unit stands on a line of its own, ``item`` that it starts an item.
    """

    text: str
    words: tuple[int, ...]
    section: str = ""
    heading: bool = False
    opens: bool = False
    row: bool = False
    item: bool = False


def units_of(
    words: Sequence[Word], paragraph: Sequence[Line], section: str, heading: bool, known: frozenset[str]
) -> list[Unit]:
    """Cut one paragraph into units.

    A line that begins with a bullet or a number of a list starts an item, which the lines after it go on.

    Args:
        words: the page's words.
        paragraph: lines of one block and one section.
        section: their section.
        heading: whether they are a heading, which stays whole.
        known: words of the document in lower case, to judge hyphens at line ends by.
    """
    units: list[Unit] = []
    run: list[tuple[int, str]] = []
    item = fresh = False

    def close(*, row: bool = False) -> None:
        nonlocal fresh
        if run:
            text = _joined(words, run, known)
            members = tuple(dict.fromkeys(index for index, _ in run))
            units.append(Unit(text, members, section, heading, not units or fresh, row, fresh))
            run.clear()
            fresh = False

    for pieces in _visual_rows(paragraph):
        members = [index for line in pieces for index in line.words]
        starts = not heading and _starts_item(words, members, run, item)
        if starts:
            close()
            item = fresh = True
        if not heading and _is_row(words, members[starts:]):
            close()
            run.extend((index, words[index].text) for index in members)
            close(row=True)
            continue
        for index in members:
            for part in _WITHIN.findall(words[index].text) if not heading else (words[index].text,):
                if run and not heading and len(run) > fresh and _breaks(run[-1][1], part):
                    close()
                run.append((index, part))
    close()
    return units


def units_of_text(text: str) -> list[Unit]:
    """Cut a text that stands on no page into units, every line of it a paragraph."""
    units: list[Unit] = []
    for line in text.splitlines():
        words = line.split()
        start = 0
        for end in range(1, len(words) + 1):
            if end == len(words) or (_breaks(words[end - 1], words[end]) and end > 1):
                units.append(Unit(" ".join(words[start:end]), (), opens=start == 0))
                start = end
    return units


def _starts_item(
    words: Sequence[Word], members: Sequence[int], run: Sequence[tuple[int, str]], item: bool
) -> bool:
    """Whether a row begins with a bullet, or with a number where a list may go on or begin."""
    if len(members) < 2 and not _NUMBERED.fullmatch(words[members[0]].text):
        return False
    first = words[members[0]].text
    if _BULLET.fullmatch(first):
        # A dash may be one within a sentence, broken before it.
        return first not in "-\u2013\u2014*\u00b7" or item or not run or ends_sentence(run[-1][1])
    if not _NUMBERED.fullmatch(first):
        return False
    if len(members) < 2:
        return "\u3001" in first
    return not run or item or ends_sentence(run[-1][1])


def ends_sentence(text: str) -> bool:
    """Whether a text ends a sentence, or leads in to what stands below it."""
    return text[-1] in ":;\uff1a\uff1b\u3002" or bool(_END.search(text))


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


def _is_row(words: Sequence[Word], members: Sequence[int]) -> bool:
    """Whether a row is one of a table without rules: pieces with wide gaps, figures among them."""
    row = [words[index] for index in members]
    gaps = sum(after.box.x0 - before.box.x1 > 1.2 * after.size for before, after in pairwise(row))
    return gaps > 0 and any(_FIGURE.fullmatch(word.text) for word in row)


def join_words(words: Sequence[Word], chosen: Sequence[int], known: frozenset[str]) -> str:
    """Words as running text; a word broken by a hyphen at a line's end is made whole.

    The hyphen stays where both halves, or the whole with its hyphen, are words of the document. Chinese
    and Japanese words are joined without spaces.
    """
    return _joined(words, [(index, words[index].text) for index in chosen], known)


def _joined(words: Sequence[Word], pieces: Sequence[tuple[int, str]], known: frozenset[str]) -> str:
    text = ""
    start = 0  # of the last word in text
    last: int | None = None
    for index, piece in pieces:
        if last is None or last == index:
            text += piece
        elif words[last].line != words[index].line and _is_broken(words[last].text, piece):
            text = text[:start] + _mended(text[start:], piece, known)
        else:
            text += glue(words[last], words[index])
            start = len(text)
            text += piece
        last = index
    return text


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
