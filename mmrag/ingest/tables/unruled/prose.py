"""Which words stand in paragraphs: they can't be cells of an unruled table."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import mean, median

from mmrag.ingest.tables.unruled.pieces import is_data
from mmrag.ingest.tables.unruled.runs import Row, Run, leaders_of
from mmrag.ingest.text.lines import frame
from mmrag.records import Box, Word

_LEAST_LINES = 3
_LEAST_WORDS = 4.5  # a line, on average
_LEAST_WIDTH = 11.0  # ems
_MANY_LINES = 6
_LEAST_NARROW_WORDS = 3.0
_LEAST_NARROW = 7.0  # ems
_PITCH = 1.9  # of the size, from line to line
_WIDE = 24.0  # ems, from which lines may stand further apart
_WIDE_PITCH = 2.9
_FULL = 0.78  # of the widest line: a line that is set to its measure
_SIZES = 0.25  # sizes of recognised text vary
_FEW = 4  # words of a cell beside a text
_MANY_BETWEEN = 0.2  # of the lines, from which texts between cells are cells
_OFFSET = 0.7  # of the size: a cell of the same row is no further up or down
_FURTHER = 1.2  # of the common pitch: white before what is no line of the paragraph
_BROADER = 1.35  # of a paragraph's measure: another paragraph
_EVEN = 0.35  # ems by which ends of justified lines differ
_MOST_EVEN = 0.5  # of the lines; the last may be short
_SAME_COLUMN = 6.0  # points by which edges of paragraphs in one column differ
_HEADING = 0.3  # of the measure: white between paragraphs that holds a heading
_SHIFT = 0.6  # ems by which left edges of a paragraph differ


@dataclass(slots=True)
class _Chain:
    """Runs under each other with the same left edge, and which of them have figures alone beside them."""

    runs: list[Run]
    figures: list[bool]
    between: list[bool]
    cells: list[bool]
    rows: list[int]


def prose_words(rows: Sequence[Row], words: Sequence[Word]) -> set[int]:
    """Indices of words in paragraphs: runs of many words under each other, set to one measure.

    Labels with figures beside them are none, nor is a text that starts between short ones.
    """
    open_: list[_Chain] = []
    done: list[_Chain] = []
    for number, row in enumerate(rows):
        taken: list[_Chain] = []
        for run in row.runs:
            chain = next(
                (c for c in reversed(open_) if not any(c is t for t in taken) and _goes_on(c.runs, run)), None
            )
            if chain is None:
                chain = _Chain([], [], [], [], [])
                open_.append(chain)
            chain.runs.append(run)
            chain.figures.append(_beside_figures(row, run, words))
            chain.between.append(_between_cells(rows[max(0, number - 1) : number + 2], run))
            chain.cells.append(_before_cells(row, run))
            chain.rows.append(number)
            taken.append(chain)
        still = [c for c in open_ if row.box.y0 - c.runs[-1].box.y1 < _WIDE_PITCH * c.runs[-1].size]
        done.extend(c for c in open_ if not any(c is s for s in still))
        open_ = still
    found: set[int] = set()
    places: list[Box] = []
    for chain in [*done, *open_]:
        if chain.between[0] or sum(chain.between) >= max(2, _MANY_BETWEEN * len(chain.between)):
            continue
        if _names_figures(chain, rows, words):
            continue
        runs = chain.runs if _flows(chain.runs, words) else _without_labels(chain)
        if _is_prose(runs, words):
            found.update(i for run in runs for i in run.words)
            if _is_justified(runs):
                places.append(frame([run.box for run in runs]))
    # Words of a line that is set wide stand apart, and make runs of their own within the paragraph.
    gaps = [gap for one, other in itertools.permutations(places, 2) for gap in _gaps(one, other)]
    for row in rows:
        middle = (row.box.y0 + row.box.y1) / 2
        for box in (*places, *gaps):
            held = [run for run in row.runs if box.x0 - 1 <= run.box.x0 and run.box.x1 <= box.x1 + 1]
            # Between two paragraphs of one column a heading stands, or a table of several columns.
            if box.y0 < middle < box.y1 and (box in places or len(held) == 1 < len(row.runs)):
                found.update(i for run in held for i in run.words)
    return found


def _gaps(upper: Box, lower: Box) -> list[Box]:
    """The white between two paragraphs of one column, where it has room for a heading and no more."""
    beside = abs(upper.x0 - lower.x0) + abs(upper.x1 - lower.x1) <= _SAME_COLUMN
    if not beside or not 0 < lower.y0 - upper.y1 <= _HEADING * (lower.x1 - lower.x0):
        return []
    return [Box(upper.x0, upper.y1, upper.x1, lower.y0)]


def _is_justified(runs: Sequence[Run]) -> bool:
    """Whether most lines of a paragraph end at one edge."""
    right = max(run.box.x1 for run in runs)
    even = sum(right - run.box.x1 <= _EVEN * run.size for run in runs)
    return len(runs) >= _LEAST_LINES and even >= _MOST_EVEN * len(runs)


def _flows(runs: Sequence[Run], words: Sequence[Word]) -> bool:
    """Whether most lines start within a sentence: no labels, whatever stands beside them."""
    small = sum(words[run.words[0]].text[:1].islower() for run in runs)
    return len(runs) >= _MANY_LINES and 2 * small >= len(runs)


def _without_labels(chain: _Chain) -> list[Run]:
    """A chain's runs without the labels of a table above or below; none where most are labels."""
    start, stop = 0, len(chain.runs)
    while start < stop and chain.figures[start]:
        start += 1
    while stop > start and chain.figures[stop - 1]:
        stop -= 1
    before, after = start, len(chain.runs) - stop
    if before and after and before + after > 2 and stop - start < _MANY_LINES:
        return []  # labels without figures between those that have some
    # One line of prose that ends beside a figure by chance is no label.
    start = 0 if start == 1 else start
    stop = len(chain.runs) if stop == len(chain.runs) - 1 else stop
    if stop - start > 2 and chain.cells[stop - 1]:
        # A head's first cell may stand under a paragraph at the same left edge.
        pitches = [b.box.y0 - a.box.y0 for a, b in itertools.pairwise(chain.runs[start:stop])]
        if pitches[-1] > _FURTHER * median(pitches):
            stop -= 1
    labels = sum(chain.figures[start:stop])
    return chain.runs[start:stop] if 2 * labels < stop - start else []


def _before_cells(row: Row, run: Run) -> bool:
    """Whether short texts, and nothing else, stand to the right of a run."""
    right = [other for other in row.runs if other.box.x0 > run.box.x1]
    return bool(right) and all(len(other.words) <= _FEW for other in right)


def _between_cells(rows: Sequence[Row], run: Run) -> bool:
    """Whether short texts stand to the left and to the right of a run, if a little higher or lower."""
    middle = (run.box.y0 + run.box.y1) / 2
    others = [
        other
        for row in rows
        for other in row.runs
        if other is not run and abs((other.box.y0 + other.box.y1) / 2 - middle) < _OFFSET * run.size
    ]
    left = any(other.box.x1 <= run.box.x0 for other in others)
    right = any(other.box.x0 >= run.box.x1 for other in others)
    return left and right and all(len(other.words) <= _FEW for other in others)


def _names_figures(chain: _Chain, rows: Sequence[Row], words: Sequence[Word]) -> bool:
    """Whether a few lines stand as labels between two rows of figures, left of where the figures begin."""
    if chain.figures.count(False) >= _MANY_LINES:
        return False
    above = rows[chain.rows[0] - 1] if chain.rows[0] > 0 else None
    last = chain.rows[-1]
    below = rows[last] if chain.figures[-1] else rows[last + 1] if last + 1 < len(rows) else None
    if above is None or below is None or chain.figures[0]:
        return False
    size = chain.runs[0].size
    if chain.runs[0].box.y0 - above.box.y0 > _PITCH * size:
        return False
    if below.box.y0 - chain.runs[-1].box.y0 > _PITCH * size:
        return False
    right = max(run.box.x1 for run in chain.runs)
    return all(
        len(row.runs) > 1
        and row.runs[1].box.x0 > right
        and _beside_figures(row, row.runs[0], words)
        and row.runs[0].box.x0 < right
        for row in (above, below)
    )


def _beside_figures(row: Row, run: Run, words: Sequence[Word]) -> bool:
    """Whether figures stand to the right of a run, and nothing else does."""
    right = [other for other in row.runs if other.box.x0 > run.box.x1]
    return bool(right) and all(is_data(" ".join(words[i].text for i in other.words)) for other in right)


def _goes_on(chain: Sequence[Run], run: Run) -> bool:
    last = chain[-1]
    size = max(last.size, run.size)
    if abs(last.size - run.size) > _SIZES * size:
        return False
    width = run.box.x1 - run.box.x0
    if len(chain) >= _LEAST_LINES and width > _BROADER * max(r.box.x1 - r.box.x0 for r in chain):
        return False  # text beside a table, and the text below both
    widest = max(last.box.x1 - last.box.x0, width)
    pitch = run.box.y0 - last.box.y0
    if not 0.5 * size < pitch <= (_WIDE_PITCH if widest >= _WIDE * size else _PITCH) * size:
        return False
    shift = run.box.x0 - last.box.x0
    # A first line may be indented, or hang out to the left of the lines after it.
    return abs(shift) <= _SHIFT * size or (
        len(chain) == 1 and abs(shift) <= 4 * size and widest >= _LEAST_WIDTH * size
    )


def _is_prose(chain: Sequence[Run], words: Sequence[Word]) -> bool:
    if 2 * sum(bool(leaders_of(words, run.words)) for run in chain) >= len(chain) > 0:
        return False  # terms of an index, or labels with dots after them
    if len(chain) < _LEAST_LINES:
        return False
    # Many lines of a narrow column tell as much as a few of a wide one.
    narrow = len(chain) >= _MANY_LINES
    if mean(len(run.words) for run in chain) < (_LEAST_NARROW_WORDS if narrow else _LEAST_WORDS):
        return False
    left = min(run.box.x0 for run in chain)
    widest = max(run.box.x1 for run in chain) - left
    size = mean(run.size for run in chain)
    if widest < (_LEAST_NARROW if narrow else _LEAST_WIDTH) * size:
        return False
    full = sum(run.box.x1 - left >= _FULL * widest for run in chain[:-1])
    if full < 0.6 * (len(chain) - 1):
        return False
    texts = [words[i].text for run in chain for i in run.words]
    return 3 * sum(any(c.isdigit() for c in text) for text in texts) < len(texts)
