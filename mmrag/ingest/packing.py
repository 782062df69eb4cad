"""Units to passages of bounded size."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mmrag.ingest.sentences import Unit

Count = Callable[[str], int]

_GOOD_SHARE = 0.6
"""A passage this full may end at a paragraph instead of taking in the start of the next."""

_HEADING_SHARE = 0.25
"""A passage less full than this goes on over a heading, so that slides don't fall into crumbs."""


@dataclass(frozen=True, slots=True)
class Passage:
    """Units that stand together; the first ``repeated`` of them were in the last passage too."""

    units: tuple[Unit, ...]
    repeated: int = 0

    @property
    def text(self) -> str:
        """Sentences joined by spaces, paragraphs and rows by line ends."""
        text = ""
        last: Unit | None = None
        for unit in self.units:
            if last is not None:
                text += "\n" if unit.opens or unit.row or last.row else " "
            text += unit.text
            last = unit
        return text


def pack(units: Sequence[Unit], limit: int, overlap: int, count: Count) -> list[Passage]:
    """Pack units in order into passages of at most ``limit`` tokens.

    Passages end at headings, at paragraphs when well filled, else at sentences. A sentence over
    the limit is cut between words, a word over it between characters.

    Args:
        units: of one page, in reading order.
        limit: most tokens of a passage.
        overlap: most tokens of the last passage that open the next one when a paragraph is cut.
        count: tokens of a text.

    Returns:
        Passages that together hold every unit.
    """
    sized = [(part, count(part.text)) for unit in units for part in _cut(unit, limit, count)]
    passages: list[Passage] = []
    current: list[tuple[Unit, int]] = []
    repeated = 0
    for unit, tokens in sized:
        if len(current) > repeated and unit.heading and _may_end_at_heading(current, limit):
            passages.append(_passage(current, repeated))
            current, repeated = [], 0
        while current and _total(current) + tokens > limit:
            if len(current) == repeated:  # nothing but repetition, which gives way
                current, repeated = [], 0
                break
            end = _paragraph_end(current, repeated, limit)
            passages.append(_passage(current[:end], repeated))
            current, repeated = _carried(current, end, overlap, limit - tokens)
        current.append((unit, tokens))
    if len(current) > repeated:
        passages.append(_passage(current, repeated))
    return [piece for passage in passages for piece in _halved(passage, limit, count)]


def _passage(sized: Sequence[tuple[Unit, int]], repeated: int) -> Passage:
    return Passage(tuple(unit for unit, _ in sized), repeated)


def _paragraph_end(current: Sequence[tuple[Unit, int]], repeated: int, limit: int) -> int:
    """Where to end an overfull passage: before its last paragraph when what precedes fills it well."""
    for index in range(len(current) - 1, repeated, -1):
        unit, _ = current[index]
        if unit.opens and not current[index - 1][0].heading:
            filled = sum(size for _, size in current[:index])
            return index if filled >= _GOOD_SHARE * limit else len(current)
    return len(current)


def _carried(
    current: Sequence[tuple[Unit, int]], end: int, overlap: int, room: int
) -> tuple[list[tuple[Unit, int]], int]:
    """What opens the next passage, and how many units of it are repetition."""
    if current[end:]:
        return list(current[end:]), 0
    tail: list[tuple[Unit, int]] = []
    room = min(overlap, room)
    for unit, size in reversed(current):
        if size > room or unit.heading:
            break
        tail.insert(0, (unit, size))
        room -= size
    return tail, len(tail)


def _may_end_at_heading(current: Sequence[tuple[Unit, int]], limit: int) -> bool:
    return _total(current) >= _HEADING_SHARE * limit and not current[-1][0].heading


def _total(sized: Sequence[tuple[Unit, int]]) -> int:
    return sum(size for _, size in sized)


def _halved(passage: Passage, limit: int, count: Count) -> list[Passage]:
    """Cut a passage whose text counts more than the sum of its parts did."""
    if len(passage.units) < 2 or count(passage.text) <= limit:
        return [passage]
    middle = len(passage.units) // 2
    first = Passage(passage.units[:middle], min(passage.repeated, middle))
    second = Passage(passage.units[middle:], max(0, passage.repeated - middle))
    return [*_halved(first, limit, count), *_halved(second, limit, count)]


def _cut(unit: Unit, limit: int, count: Count) -> list[Unit]:
    """Cut a unit over the limit between words, and a word over it between characters."""
    if count(unit.text) <= limit:
        return [unit]
    words = unit.text.split(" ")
    if len(words) > 1:
        middle = len(words) // 2
        texts = (" ".join(words[:middle]), " ".join(words[middle:]))
    elif len(unit.text) > 1:
        middle = len(unit.text) // 2
        texts = (unit.text[:middle], unit.text[middle:])
    else:
        return [unit]
    # A mended hyphen makes one word of two, so the share of indices is by proportion, never less than all.
    at = (
        min(len(unit.words), max(1, round(len(unit.words) * middle / max(1, len(words)))))
        if len(words) > 1
        else 0
    )
    first = unit.words[:at] if len(words) > 1 else unit.words
    second = unit.words[max(0, at - 1) :] if len(words) > 1 else unit.words
    return [
        *_cut(replace(unit, text=texts[0], words=first), limit, count),
        *_cut(replace(unit, text=texts[1], words=second, opens=False), limit, count),
    ]
