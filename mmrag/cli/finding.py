"""Where text and layout stand on a page that was read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mmrag.records import Box, Page, Word

_EDGES = ".,;:!?\"'()[]{}<>\u201c\u201d\u2018\u2019"


def find_text(page: Page, text: str) -> list[Box]:
    """The boxes of every place where the words of ``text`` follow each other, one box a line.

    Case and punctuation around words do not matter.
    """
    wanted = [folded for folded in (_fold(word) for word in text.split()) if folded]
    words = [word for word in page.words if _fold(word.text)]
    if not wanted:
        return []
    folded_words = [_fold(word.text) for word in words]
    boxes: list[Box] = []
    for start in range(len(words) - len(wanted) + 1):
        if folded_words[start : start + len(wanted)] == wanted:
            boxes.extend(_by_line(words[start : start + len(wanted)]))
    return boxes


def layout_boxes(page: Page) -> list[Box]:
    """The boxes of the page's paragraphs, then of its tables and figures."""
    blocks: dict[int, Box] = {}
    for word in page.words:
        known = blocks.get(word.block)
        blocks[word.block] = known.union(word.box) if known else word.box
    return [*blocks.values(), *(table.box for table in page.tables), *(figure.box for figure in page.figures)]


def _by_line(words: list[Word]) -> list[Box]:
    lines: dict[int, Box] = {}
    for word in words:
        known = lines.get(word.line)
        lines[word.line] = known.union(word.box) if known else word.box
    return list(lines.values())


def _fold(word: str) -> str:
    return word.casefold().strip(_EDGES)
