"""Whether a block of aligned rows is a table, and where it starts and ends."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from mmrag.ingest.tables.cells import is_year
from mmrag.ingest.tables.rulings import Rule, Rulings
from mmrag.ingest.tables.unruled.blocks import is_item
from mmrag.ingest.tables.unruled.build import Draft
from mmrag.ingest.tables.unruled.listings import is_listing, names_sections
from mmrag.ingest.tables.unruled.pieces import Piece
from mmrag.ingest.tables.unruled.runs import Row
from mmrag.records import Word

_MOST_WORDS = 7  # of a head that spans columns
_WRAPPED = 0.5  # of the size: white between lines of one head
_RULED_OFF = 2.0  # of the size: white between heads that a rule parts
_SHORT = 5  # words of a cell in a table of texts
_MANY = 9  # words of a line of prose
_MOST_PROSE = 0.3  # of the lines
_MOST_PAGES = 3_000  # a larger number is no page's


def trimmed(block: Sequence[Row], rulings: Rulings, words: Sequence[Word]) -> list[Row]:
    """A block without single texts before its first row of several and after its last.

    A spanning head under the table's upper rule stays, and a line above the lower rule.
    """
    several = [n for n, row in enumerate(block) if len(row.runs) > 1 and not is_item(row, words)]
    if len(several) < 2:
        return []
    first, last = several[0], several[-1]
    x0 = min(run.box.x0 for n in several for run in block[n].runs)
    x1 = max(run.box.x1 for n in several for run in block[n].runs)
    while first > 0 and (
        (
            not _parted(block[first - 1], block[first], rulings.levels, x0, x1)
            and block[first - 1].box.x0 > x0 + 2 * block[first - 1].size
            and _rule_at(rulings.levels, block[first - 1], x0, x1, rows=block[: first - 1])
        )
        or _spans(block[first - 1], block[first], [block[n] for n in several], rulings.levels)
        or _begins(block[first - 1], block[first], x0)
        or _names_years(block[first - 1], [block[n] for n in several], words)
    ):
        first -= 1
    while last + 1 < len(block) and _closed(rulings.levels, block[last + 1 :], x0, x1, block[last], words):
        last += 1
    if last + 1 < len(block) and _ends_label(block, last + 1, words):
        last += 1
    return list(block[first : last + 1])


def _ends_label(block: Sequence[Row], number: int, words: Sequence[Word]) -> bool:
    """Whether a line in brackets goes on in the last row's label as such lines do in rows before."""
    found = [n for n in range(1, number + 1) if _in_brackets(block[n], words)]
    apart = [round(block[n].middle - block[n - 1].middle) for n in found]
    return len(found) > 1 and found[-1] == number and apart[-1] in apart[:-1]


def _in_brackets(row: Row, words: Sequence[Word]) -> bool:
    members = row.runs[0].words
    return (
        len(row.runs) == 1
        and len(members) > 1
        and words[members[0]].text.startswith("(")
        and words[members[-1]].text.endswith(")")
    )


def _parted(row: Row, below: Row, levels: Sequence[Rule], x0: float, x1: float) -> bool:
    """Whether a rule from the table's left edge to its right one stands between two lines."""
    return any(
        row.middle < r.at < below.middle and r.start <= x0 + row.size and r.stop >= x1 - row.size
        for r in levels
    )


def _begins(row: Row, below: Row, x0: float) -> bool:
    """Whether a single text is the first line of a head that goes on close below, beside the labels."""
    if (
        len(row.runs) > 1
        or len(row.runs[0].words) > _MOST_WORDS
        or below.box.y0 - row.box.y1 > _WRAPPED * row.size
    ):
        return False
    return any(
        abs(row.box.x0 + row.box.x1 - run.box.x0 - run.box.x1) <= row.size
        or abs(row.box.x0 - run.box.x0) <= 0.3 * row.size
        or abs(row.box.x1 - run.box.x1) <= 0.3 * row.size
        for run in below.runs
        if run.box.x0 > x0 + 2 * row.size
    )


def _names_years(row: Row, several: Sequence[Row], words: Sequence[Word]) -> bool:
    """Whether a single text names the years below it: ``Year ended December 31,``."""
    if len(row.runs) > 1 or not words[row.runs[0].words[-1]].text.endswith((",", ":")):
        return False
    if len(row.runs[0].words) > _MOST_WORDS or several[0].box.y0 - row.box.y1 > row.size:
        return False
    texts = [words[r.runs[0].words[0]].text for r in several if len(r.runs[0].words) == 1]
    return 2 * sum(map(is_year, texts)) > len(several)


def _spans(row: Row, below: Row, several: Sequence[Row], levels: Sequence[Rule]) -> bool:
    """Whether a single text stands as a head over the columns beside the labels.

    A rule under it may set it further apart; one across the whole table parts it from the table.
    """
    starts = sorted(r.runs[1].box.x0 for r in several)
    left = starts[len(starts) // 4]
    right = max(r.box.x1 for r in several)
    middle = (row.box.x0 + row.box.x1) / 2
    under = [r for r in levels if row.middle < r.at < below.middle and r.start <= middle <= r.stop]
    if _parted(row, below, levels, min(r.box.x0 for r in several), right):
        return False
    return (
        len(row.runs) == 1
        and len(row.runs[0].words) <= _MOST_WORDS
        and row.box.x0 >= left - row.size
        and row.box.x1 <= right + row.size
        and below.box.y0 - row.box.y1 <= (_RULED_OFF if under else 1.0) * row.size
    )


def _across(rule: Rule, x0: float, x1: float) -> bool:
    return min(rule.stop, x1) - max(rule.start, x0) >= 0.7 * (x1 - x0)


def _rule_at(levels: Sequence[Rule], row: Row, x0: float, x1: float, *, rows: Sequence[Row]) -> bool:
    """Whether a rule across the table stands above a row, with nothing but the block between."""
    top = min([row.box.y0, *(r.box.y0 for r in rows)])
    return any(_across(r, x0, x1) and top - 2.5 * row.size <= r.at < row.middle for r in levels)


def _closed(
    levels: Sequence[Rule], rest: Sequence[Row], x0: float, x1: float, last: Row, words: Sequence[Word]
) -> bool:
    """Whether a rule across the table stands below the next rows but not before them."""
    if any(_across(r, x0, x1) and last.middle < r.at < rest[0].middle for r in levels):
        return False
    above = last
    for row in rest[:3]:
        if row.box.y0 - above.box.y1 > 1.3 * row.size or words[row.runs[0].words[0]].text.isdigit():
            return False
        if any(_across(r, x0, x1) and row.middle < r.at <= row.box.y1 + row.size for r in levels):
            return True
        above = row
    return False


def is_table_draft(draft: Draft, rulings: Rulings, caption: str) -> bool:
    """Whether a block's columns make a table.

    Rules across it or a caption speak for it, and figures beside labels; lines of prose, numbers of
    pages and columns that are empty for the most part speak against it.
    """
    lines = draft.lines[draft.head :]
    body = [line for line in lines if len(line) > 1]
    columns = len(draft.zones)
    if not body or is_listing(draft) or (not caption and _is_contents(draft)):
        return False
    box, size = draft.box, draft.rows[0].size
    across = {
        round(r.at / 2)
        for r in rulings.levels
        if box.y0 - 2 * size <= r.at <= box.y1 + 2 * size and _across(r, box.x0, box.x1)
    }
    beside = [piece for line in body for piece in line if piece.first > 0]
    data = sum(piece.is_data for piece in beside) / len(beside)
    fill = sum(len(line) for line in body) / (len(body) * columns)
    prose = sum(len(p.words) >= _MANY for line in lines for p in line) / len(lines)
    if prose > _MOST_PROSE and data < 0.3:
        return False
    if caption:
        return columns >= 3 or data >= 0.4 or len(across) >= 2
    if len(across) >= 2 and fill >= 0.4:
        return data >= 0.3 or fill >= (0.6 if columns >= 3 else 0.9) or len(across) >= 3
    if fill < 0.45:
        return False
    if columns >= 3 and len(body) >= 4 and fill >= 0.95 and _are_lists(body, columns, size):
        return True
    if columns >= 3:
        return data >= 0.5 and (len(body) >= 3 or (len(body) == 2 and data >= 0.9 and draft.head > 0))
    return data >= 0.8 and (len(body) >= 4 or (len(body) == 3 and _are_amounts(body)))


def _are_lists(body: Sequence[Sequence[Piece]], columns: int, size: float) -> bool:
    """Whether all columns are short texts that are flush at the left or at the right.

    Blocks of names and addresses beside each other are centred, or of different lengths.
    """
    for column in range(columns):
        pieces = [p for line in body for p in line if p.first == column]
        lefts, rights = [p.box.x0 for p in pieces], [p.box.x1 for p in pieces]
        flush = min(max(lefts) - min(lefts), max(rights) - min(rights)) <= 0.4 * size
        if not flush or any(len(p.words) > _SHORT or "@" in p.text for p in pieces):
            return False
    return True


def _are_amounts(body: Sequence[Sequence[Piece]]) -> bool:
    """Whether the last texts of all lines are amounts: with a comma, a point, a sign of money or per cent."""
    return all(any(c in ",.%$\u20ac\u00a3" for c in line[-1].text) and line[-1].is_data for line in body)


def _is_contents(draft: Draft) -> bool:
    """Whether it is a table of contents: texts, dots or white, and page numbers that rise."""
    numbers: list[int] = []
    dots = others = 0
    for line in draft.lines:
        if len(line) > 1 and line[-1].text.isdigit():
            numbers.append(int(line[-1].text))
        others += any(piece.is_data for piece in line[1:-1])
        dots += any("...." in piece.text.replace(" ", "") for piece in line)
    if dots >= 0.5 * len(draft.lines) and _is_index(draft):
        return True
    if len(numbers) < 0.6 * len(draft.lines) or others > 0.3 * len(draft.lines):
        return False
    rising = all(a <= b for a, b in itertools.pairwise(numbers)) and (
        numbers[0] < numbers[-1] or names_sections(draft)
    )
    return rising and (dots >= 0.5 * len(numbers) or (len(numbers) > 2 and numbers[-1] < _MOST_PAGES))


def _is_index(draft: Draft) -> bool:
    """Whether terms in the order of the alphabet have dots and page numbers after them, column by column."""
    pairs: dict[int, list[str]] = {}
    for line in draft.lines:
        for term, page in itertools.pairwise(line):
            if page.text.replace(",", "").replace(" ", "").isdigit() and not term.is_data:
                pairs.setdefault(term.first, []).append(term.text.casefold())
    held = sum(map(len, pairs.values()))
    beside = sum(piece.is_data for line in draft.lines for piece in line)
    ordered = sum(a <= b for terms in pairs.values() for a, b in itertools.pairwise(terms))
    return held >= 0.8 * beside and ordered >= 0.8 * (held - len(pairs)) > 0
