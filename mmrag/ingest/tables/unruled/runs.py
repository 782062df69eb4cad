"""Words to rows of runs: what stands on one base line, parted where the white is wider than a space."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from mmrag.ingest.text.lines import frame
from mmrag.records import Box, Word

_LEAST_BREAK = 0.75  # ems; the least white that parts two runs
_BREAK = 1.7  # the same in spaces, for typewriter fonts
_SPACE = (0.22, 0.62)  # ems; the narrowest and the widest space of common fonts
_LEVEL = 0.36  # of a line's height: middles of one row are no further apart
_DOTS = ".\u2026\u00b7_"
_LEAST_DOTS = 4  # of a leader; three stand for what is left out


@dataclass(frozen=True, slots=True)
class Run:
    """Words with no more than a space between them; ``words`` are indices from left to right."""

    words: tuple[int, ...]
    box: Box
    size: float


@dataclass(frozen=True, slots=True)
class Row:
    """The runs on one base line from left to right."""

    runs: tuple[Run, ...]
    box: Box
    size: float

    @property
    def middle(self) -> float:
        """Height of the line's middle in points."""
        return (self.box.y0 + self.box.y1) / 2


def space_of(words: Sequence[Word]) -> float:
    """Width of a space in ems, as most words of the page are apart."""
    gaps = []
    for last, word in itertools.pairwise(words):
        gap = word.box.x0 - last.box.x1
        if last.text[-1:] in _DOTS and word.text[:1] in _DOTS:
            continue  # dots of a leader
        if word.line == last.line and word.size > 0 and 0.1 * word.size < gap < 0.9 * word.size:
            gaps.append(gap / word.size)
    low, high = _SPACE
    return min(high, max(low, sorted(gaps)[len(gaps) * 2 // 5])) if gaps else 0.28


def leaders_of(words: Sequence[Word], members: Sequence[int]) -> set[int]:
    """Which of a row's words are dots that lead from a label on to its figures."""
    found: set[int] = set()
    for dotted, group in itertools.groupby(members, lambda i: not words[i].text.strip(_DOTS)):
        chain = list(group)
        if dotted and sum(len(words[i].text) for i in chain) >= _LEAST_DOTS:
            found.update(chain)
    return found


def rows_of(words: Sequence[Word], chosen: Sequence[int], space: float) -> list[Row]:
    """Rows of the chosen words from top to bottom.

    Args:
        words: the page's words.
        chosen: indices of those that count.
        space: width of a space in ems.
    """
    units: dict[int, list[int]] = {}
    for index in chosen:
        units.setdefault(words[index].line, []).append(index)
    placed = sorted((_middle(words, members), tuple(members)) for members in units.values())
    groups: list[tuple[list[int], float, float]] = []
    for middle, members in placed:
        height = median(words[i].box.y1 - words[i].box.y0 for i in members)
        if groups:
            known, at, tall = groups[-1]
            if middle - at <= _LEVEL * min(height, tall):
                total = len(known) + len(members)
                at = (at * len(known) + middle * len(members)) / total
                groups[-1] = ([*known, *members], at, max(height, tall))
                continue
        groups.append((list(members), middle, height))
    return [_row(words, members, space) for members, _, _ in groups]


def _middle(words: Sequence[Word], members: Sequence[int]) -> float:
    largest = max(words[i].size for i in members)
    return median((words[i].box.y0 + words[i].box.y1) / 2 for i in members if words[i].size >= 0.8 * largest)


def _row(words: Sequence[Word], members: list[int], space: float) -> Row:
    ordered = sorted(members, key=lambda i: (words[i].box.x0, i))
    size = median(words[i].size for i in ordered)
    least = max(_LEAST_BREAK, _BREAK * space) * size
    leaders = leaders_of(words, ordered)
    pieces: list[list[int]] = []
    reach = float("-inf")
    for index in ordered:
        near = pieces and pieces[-1][-1] not in leaders and words[index].box.x0 - reach <= least
        if near or (pieces and index in leaders):
            pieces[-1].append(index)
        else:
            pieces.append([index])
            reach = float("-inf")
        reach = max(reach, words[index].box.x1)
    runs = tuple(run_of(words, piece) for piece in pieces)
    return Row(runs, frame([run.box for run in runs]), size)


def run_of(words: Sequence[Word], members: Sequence[int]) -> Run:
    """A run of at least one word."""
    return Run(tuple(members), frame([words[i].box for i in members]), median(words[i].size for i in members))
