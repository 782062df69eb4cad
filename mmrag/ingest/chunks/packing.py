"""Units to passages of bounded size."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from mmrag.ingest.text.sentences import Unit
from mmrag.unspaced import unspaced

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
                apart = unit.opens or unit.row or last.row
                text += "\n" if apart else "" if unspaced(text[-1]) and unspaced(unit.text[0]) else " "
            text += unit.text
            last = unit
        return text


def pack(units: Sequence[Unit], limit: int, overlap: int, count: Count) -> list[Passage]:
    """Pack units in order into passages of at most ``limit`` tokens.

    Passages end at headings, at paragraphs when well filled, else at sentences; never after a heading,
    nor between a list and the line that leads in to it, where there is a way round. A sentence over the
    limit is cut between words, a word over it between characters.

    Args:
        units: of one page, in reading order.
        limit: most tokens of a passage.
        overlap: most tokens of the last passage that open the next one, where length and not a heading parts
            them.
        count: tokens of a text.

    Returns:
        Passages that together hold every unit.
    """
    sized = [(part, count(part.text)) for unit in units for part in _cut(unit, limit, count)]
    passages: list[Passage] = []
    current: list[tuple[Unit, int]] = []
    repeated = 0
    for index, (unit, tokens) in enumerate(sized):
        new_part = unit.heading and _may_end_at_heading(current, limit)
        if len(current) > repeated and (new_part or _list_fits_only_next(sized, index, current, limit)):
            passages.append(_passage(current, repeated))
            current, repeated = [], 0
        while current and _total(current) + tokens > limit:
            if len(current) == repeated:  # nothing but repetition, which gives way
                current, repeated = [], 0
                break
            end = _end(current, repeated, limit, unit)
            passages.append(_passage(current[:end], repeated))
            current, repeated = _carried(current, end, overlap, limit - tokens, count)
        current.append((unit, tokens))
    if len(current) > repeated:
        passages.append(_passage(current, repeated))
    return [piece for passage in passages for piece in _halved(passage, limit, count)]


def _leads_in(unit: Unit, following: Unit) -> bool:
    """Whether a unit must not be parted from the next: a heading, or what a list is introduced by."""
    return unit.heading or (following.item and not unit.item and unit.text.rstrip().endswith((":", "\uff1a")))


def _list_fits_only_next(
    sized: Sequence[tuple[Unit, int]], index: int, current: Sequence[tuple[Unit, int]], limit: int
) -> bool:
    """Whether a lead-in and the first two items after it fit into a passage, but no longer into this one."""
    if (
        index + 1 >= len(sized)
        or sized[index][0].heading
        or not _leads_in(sized[index][0], sized[index + 1][0])
    ):
        return False
    first = tokens = 0
    for unit, size in sized[index:]:
        first += unit.item
        if first > 2 or (first and unit.opens and not unit.item):
            break
        tokens += size
    return tokens <= limit < _total(current) + tokens and _total(current) >= _HEADING_SHARE * limit


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


def _end(current: Sequence[tuple[Unit, int]], repeated: int, limit: int, following: Unit) -> int:
    """Where to end an overfull passage, so that nothing that leads in to what follows stays behind."""
    whole = len(current) if following.opens else _paragraph_end(current, repeated, limit)
    end = whole
    while end > repeated + 1:
        after = current[end][0] if end < len(current) else following
        if not _leads_in(current[end - 1][0], after):
            return end
        end -= 1
    return whole


def _carried(
    current: Sequence[tuple[Unit, int]], end: int, overlap: int, room: int, count: Count
) -> tuple[list[tuple[Unit, int]], int]:
    """What opens the next passage, and how many units of it are repetition.

    Whole sentences are repeated as far as they fit, and of the one before them its last words.
    """
    rest = list(current[end:])
    tail: list[tuple[Unit, int]] = []
    room = min(overlap, room - _total(rest))
    for unit, size in reversed(current[:end]):
        if unit.heading or room <= 0:
            break
        if size > room:
            part = _last_words(unit, room, count)
            if part is not None:
                tail.insert(0, part)
            break
        tail.insert(0, (unit, size))
        room -= size
    return [*tail, *rest], len(tail)


def _last_words(unit: Unit, room: int, count: Count) -> tuple[Unit, int] | None:
    """The last words of a sentence that fit, from the start of a clause where one is near; none of a row."""
    words = unit.text.split(" ")
    if unit.row or len(words) < 4:
        return None
    sizes = range(1, min(len(words), room + 1))  # a word has a token at least
    kept = bisect_right(sizes, room, key=lambda n: count(" ".join(words[-n:])))
    clauses = (n for n in range(kept, kept // 2, -1) if words[-n - 1][-1] in ",;:\u2014")
    kept = next(clauses, kept)
    if kept < 3:
        return None
    text = " ".join(words[-kept:])
    # Hyphens mended at line ends make fewer words of the text than of the page: rather one too many.
    members = unit.words[-kept - 1 :] if len(unit.words) > len(words) else unit.words[-kept:]
    return replace(unit, text=text, words=members, opens=False, item=False), count(text)


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
        middle = _pause(unit.text)
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


def _pause(text: str) -> int:
    """Where to cut a text without spaces: after the mark nearest to its middle, if any is near."""
    middle = len(text) // 2
    near = range(max(1, middle - len(text) // 4), min(len(text) - 1, middle + len(text) // 4) + 1)
    marks = [place for place in near if text[place - 1] in "\u3001\uff0c\uff1b\uff1a,;:"]
    return min(marks, key=lambda place: (abs(place - middle), place), default=middle)
