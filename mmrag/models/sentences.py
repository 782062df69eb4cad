"""A page's words to sentences, each with the words it is made of."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from mmrag.records import Box, Table, Word, WordSource
from mmrag.unspaced import words_text

_END = re.compile(r"[.!?\u3002\uff01\uff1f][\"'\u201d\u2019)\]]*$")
_ABBREVIATION = re.compile(
    r"^(?:[A-Za-z]|[A-Z][a-z]?|e\.g|i\.e|etc|vs|cf|no|fig|figs|approx|inc|corp|ltd|mr|mrs|ms|dr|u\.s)\.$",
    re.I,
)
_BULLET = re.compile(
    r"^(?:[\u2022\u2023\u25aa\u25cf\u25e6\u2013\u2014*\u00b7\u27a2\uf0b7-]|\(?[0-9a-z]{1,2}[.)])$"
)
_LONGEST = 60
# Sizes of words read by OCR are heights of their letters, which differ within a sentence.
_SAME_SIZE = {WordSource.TEXT_LAYER: 1.2, WordSource.OCR: 1.6}


@dataclass(frozen=True, slots=True)
class Sentence:
    """Consecutive words of one page."""

    words: tuple[Word, ...]

    @property
    def text(self) -> str:
        """The words as running text."""
        return words_text(self.words)

    def line_boxes(self) -> tuple[Box, ...]:
        """One box a line of the page."""
        lines: dict[int, Box] = {}
        for word in self.words:
            held = lines.get(word.line)
            lines[word.line] = word.box if held is None else held.union(word.box)
        return tuple(lines.values())


def sentences(words: Sequence[Word], tables: Sequence[Table] = ()) -> list[Sentence]:
    """Cut the words outside ``tables`` at sentence ends, blocks, bullets and changes of type size."""
    outside = [word for word in words if not any(inside(word.box, table.box) for table in tables)]
    return [Sentence(tuple(run)) for run in _runs(outside) if any(c.isalnum() for w in run for c in w.text)]


def split_text(text: str) -> list[str]:
    """Cut running text at line ends and sentence ends."""
    nowhere = Box(0.0, 0.0, 0.0, 0.0)
    words = [
        Word(run, nowhere, WordSource.TEXT_LAYER, number, number, 1.0)
        for number, line in enumerate(text.splitlines())
        for run in line.split()
    ]
    by_line = [list(run) for _, run in groupby(words, key=lambda word: word.line)]
    runs = [run for line in by_line for run in _runs(line)]
    return [
        " ".join(word.text for word in run) for run in runs if any(c.isalnum() for w in run for c in w.text)
    ]


def inside(box: Box, region: Box) -> bool:
    """Whether the centre of ``box`` lies in ``region``."""
    x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    return region.x0 <= x <= region.x1 and region.y0 <= y <= region.y1


def _runs(words: Sequence[Word]) -> Iterator[list[Word]]:
    run: list[Word] = []
    for word in words:
        if run and _breaks(run, word):
            yield run
            run = []
        run.append(word)
    if run:
        yield run


def _breaks(run: Sequence[Word], word: Word) -> bool:
    last = run[-1]
    ended = bool(_END.search(last.text)) and not _ABBREVIATION.match(last.text)
    if len(run) >= _LONGEST:
        return True
    if word.line != last.line:
        larger, smaller = max(word.size, last.size), min(word.size, last.size)
        if (
            larger > _SAME_SIZE[word.source] * max(smaller, 0.1)
            or word.bold != last.bold
            or _BULLET.match(word.text)
        ):
            return True
    if word.block != last.block:
        # Widely set lines are blocks of their own: a small letter goes on with the sentence.
        return ended or not word.text[:1].islower()
    return ended and not word.text[:1].islower()
