"""Words to lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from mmrag.records import Box, Word
from mmrag.unspaced import words_text


@dataclass(frozen=True, slots=True)
class Line:
    """Words that stand on one line of one block.

    ``words`` are indices into the page's words; ``size`` is their median font size in points,
    ``bold`` whether most of the characters are bold.
    """

    words: tuple[int, ...]
    text: str
    box: Box
    block: int
    size: float
    bold: bool


def page_lines(words: Sequence[Word]) -> list[Line]:
    """Lines of a page in reading order (words of one line stand together in it)."""
    groups: dict[tuple[int, int], list[int]] = {}
    for index, word in enumerate(words):
        groups.setdefault((word.block, word.line), []).append(index)
    return [_line(words, members) for members in groups.values()]


def _line(words: Sequence[Word], members: list[int]) -> Line:
    chosen = [words[i] for i in members]
    characters = sum(len(word.text) for word in chosen)
    heavy = sum(len(word.text) for word in chosen if word.bold)
    return Line(
        words=tuple(members),
        text=words_text(chosen),
        box=frame([word.box for word in chosen]),
        block=chosen[0].block,
        size=median(word.size for word in chosen),
        bold=2 * heavy > characters,
    )


def body_size(lines: Sequence[Line]) -> float:
    """The size that half of the characters of lines don't exceed, in points; 0 without any."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[round(line.size * 2) / 2] += len(line.text)
    return weighted_median(sizes)


def weighted_median(sizes: Counter[float]) -> float:
    """The size at which half of the counted characters are reached; 0 without any."""
    half, seen = sum(sizes.values()) / 2, 0
    for size in sorted(sizes):
        seen += sizes[size]
        if seen >= half:
            return size
    return 0.0


def frame(boxes: Sequence[Box]) -> Box:
    """The smallest box that holds all of at least one box."""
    return Box(
        min(box.x0 for box in boxes),
        min(box.y0 for box in boxes),
        max(box.x1 for box in boxes),
        max(box.y1 for box in boxes),
    )


def inside(word: Box, box: Box) -> bool:
    """Whether the middle of a word lies in a box (left and top edges belong to it)."""
    x, y = (word.x0 + word.x1) / 2, (word.y0 + word.y1) / 2
    return box.x0 <= x < box.x1 and box.y0 <= y < box.y1
