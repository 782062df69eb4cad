"""Blocks: rows under each other that may be one table."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from mmrag.ingest.tables.rulings import Rule
from mmrag.ingest.tables.unruled.pieces import is_data
from mmrag.ingest.tables.unruled.runs import Row
from mmrag.ingest.text.captions import FIGURE, TABLE
from mmrag.records import Box, Word

_LEADING = 1.3  # of the size: white between rows of one table
_FRAMED_LEADING = 5.0  # the same between two rules of one table
_SAME_END = 5.0  # points by which the ends of one table's rules differ
_LEAST_RULE = 8.0  # ems; a shorter rule says nothing of the table's width
_LONG = 9  # words of a line of prose
_LEAST_LETTERS = 8  # of a name set letter by letter
_FEW_ROWS = 4
_SET_OFF = 3.0  # of the size: white before signatures
_NOTE = re.compile(
    r"(?:(?:other |data )?sources?|notes?|abbreviations?|quelle|legend)\b\s*[:.]", re.IGNORECASE
)
_ITEM = re.compile(
    r"[\u2022\u25aa\u25cf\u25e6\u25a0\u25a1\u2013\u2014*\uf0b7\uf0a7\u00b7o+-]|\(?(?:\d{1,2}|[a-zA-Z]|[ivx]{1,4})[.)]|\d{1,2}(?:\.\d{1,2}){1,3}\.?"
)


@dataclass(frozen=True, slots=True)
class Frame:
    """The place between two rules of the same extent."""

    top: float
    bottom: float
    x0: float
    x1: float


def frames_of(
    levels: Sequence[Rule], rows: Sequence[Row], prose: Sequence[Box], words: Sequence[Word]
) -> list[Frame]:
    """Places between neighbouring rules of the same extent that hold rows of a table."""
    wide = [rule for rule in _bridged(levels)]
    found: list[Frame] = []
    for number, rule in enumerate(wide):
        below = next(
            (
                r
                for r in wide[number + 1 :]
                if r.at - rule.at > 4
                and abs(r.start - rule.start) <= _SAME_END
                and abs(r.stop - rule.stop) <= _SAME_END
            ),
            None,
        )
        if below is None:
            continue
        frame = Frame(rule.at, below.at, min(rule.start, below.start), max(rule.stop, below.stop))
        held = [row for row in rows if _holds(frame, row.box)]
        size = held[0].size if held else 10.0
        if rule.length < _LEAST_RULE * size or not any(len(row.runs) > 1 for row in held):
            continue
        if any(is_caption(row, words) for row in held):
            continue
        if any(_holds(frame, box) for box in prose):
            continue
        if any(_holds(frame, row.box) and _stands_alone(rows, n, words) for n, row in enumerate(rows)):
            continue
        found.append(frame)
    return found


def _bridged(levels: Sequence[Rule]) -> list[Rule]:
    """Rules of one height joined over the gaps that part columns."""
    found: list[Rule] = []
    for rule in levels:
        last = found[-1] if found else None
        if last is not None and abs(last.at - rule.at) < 1.0 and -1 <= rule.start - last.stop <= 12:
            found[-1] = Rule(last.at, last.start, rule.stop)
        else:
            found.append(rule)
    return found


def _holds(frame: Frame, box: Box) -> bool:
    middle = (box.y0 + box.y1) / 2
    return frame.top < middle < frame.bottom and box.x0 < frame.x1 and box.x1 > frame.x0


def is_caption(row: Row, words: Sequence[Word]) -> bool:
    """Whether a row starts as the caption of a table or figure does, or as a note under one."""
    for run in row.runs:
        text = " ".join(words[i].text for i in run.words[:6])
        if TABLE.match(text) or FIGURE.match(text) or _NOTE.match(text):
            return True
    return False


def is_item(row: Row, words: Sequence[Word]) -> bool:
    """Whether a row is an item of a list: a bullet or a number, and one text."""
    first = row.runs[0]
    return len(row.runs) == 2 and len(first.words) == 1 and bool(_ITEM.fullmatch(words[first.words[0]].text))


def is_long(row: Row, words: Sequence[Word]) -> bool:
    """Whether a row is a line of prose."""
    return len(row.runs) <= 2 and any(
        len(run.words) >= _LONG
        and run.box.x1 - run.box.x0 >= 20 * run.size
        and 2 * sum(any(c.isdigit() for c in words[i].text) for i in run.words) < len(run.words)
        for run in row.runs
    )


def is_masthead(row: Row, words: Sequence[Word]) -> bool:
    """Whether a row is words set letter by letter, as names of publishers are."""
    texts = [words[i].text for run in row.runs for i in run.words]
    return len(texts) >= _LEAST_LETTERS and sum(len(t) == 1 and t.isalpha() for t in texts) >= 0.9 * len(
        texts
    )


def blocks_of(rows: Sequence[Row], frames: Sequence[Frame], words: Sequence[Word]) -> list[list[Row]]:
    """Rows that follow each other closely, parted at captions, lines of prose and wide white."""
    blocks: list[list[Row]] = []
    open_ = False
    for number, row in enumerate(rows):
        framed = any(_holds(f, row.box) for f in frames)
        if (
            is_caption(row, words)
            or is_masthead(row, words)
            or (not framed and is_long(row, words) and not _is_label(rows, number))
        ):
            open_ = False
            continue
        if open_ and _linked(blocks[-1][-1], row, frames) and not _signs(blocks[-1], rows[number:], words):
            blocks[-1].append(row)
        else:
            blocks.append([row])
        open_ = True
    return blocks


def _signs(block: Sequence[Row], rest: Sequence[Row], words: Sequence[Word]) -> bool:
    """Whether names of those who sign stand under a table of figures: set off, and no figure among them."""
    row = rest[0]
    if row.box.y0 - block[-1].box.y1 < _SET_OFF * max(row.size, block[-1].size) or len(row.runs) < 2:
        return False
    beside = [_texts(r, words)[1:] for r in (*block, row)]
    figures = sum(any(map(is_data, texts)) for texts in beside[:-1])
    below = [text for r in rest[:_FEW_ROWS] for text in _texts(r, words)[1:]]
    return 2 * figures >= len(block) and not any(map(is_data, below))


def _texts(row: Row, words: Sequence[Word]) -> list[str]:
    return [" ".join(words[i].text for i in run.words) for run in row.runs]


def _stands_alone(rows: Sequence[Row], number: int, words: Sequence[Word]) -> bool:
    """Whether a row is one line of prose."""
    return len(rows[number].runs) == 1 and is_long(rows[number], words) and not _is_label(rows, number)


def _is_label(rows: Sequence[Row], number: int) -> bool:
    """Whether a long line stands between rows of a table, left of what they hold beside the text above it."""
    row = rows[number]
    if len(row.runs) > 1:
        return False
    above = next((r for r in reversed(rows[max(0, number - 2) : number]) if len(r.runs) > 1), None)
    below = next((r for r in rows[number + 1 : number + 3] if len(r.runs) > 1), None)
    if above is None or below is None or below.box.y0 - above.box.y1 > 6 * row.size:
        return False
    beside = [[r for r in side.runs if r.box.x0 > row.box.x0 + row.size] for side in (above, below)]
    return all(runs and row.box.x1 < runs[0].box.x0 for runs in beside)


def _linked(last: Row, row: Row, frames: Sequence[Frame]) -> bool:
    gap = row.box.y0 - last.box.y1
    size = max(last.size, row.size)
    if gap <= _LEADING * size:
        return True
    one = [f for f in frames if _holds(f, last.box)]
    other = [f for f in frames if _holds(f, row.box)]
    joined = any(a is b or abs(a.bottom - b.top) < 3 for a in one for b in other)
    return joined and gap <= _FRAMED_LEADING * size
