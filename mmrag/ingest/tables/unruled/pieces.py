"""Pieces: what one row holds of one cell, and the columns it stands in."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, replace

from mmrag.ingest.tables.cells import is_figure, is_year
from mmrag.ingest.tables.rulings import Rule
from mmrag.ingest.tables.unruled.columns import Solid, Zone, columns_over
from mmrag.ingest.tables.unruled.runs import Row
from mmrag.ingest.text.bidi import mostly_rtl
from mmrag.ingest.text.lines import frame
from mmrag.records import Box, Word
from mmrag.unspaced import words_text

_DASHES = (
    "-",
    "\u2013",
    "\u2014",
    "\u2212",
    "--",
    "---",
    "*",
    "**",
    "***",
    "*****",
    ".",
    "..",
    "...",
    "\u2026",
)
_ABSENT = ("x", "(x)", "na", "n/a", "n.a.", "nil", "nr", "ref", "ref.", "ns", "n.s.")
_NOTHING = frozenset({*_DASHES, *_ABSENT})


@dataclass(frozen=True, slots=True)
class Piece:
    """A text on one row, from column ``first`` to column ``last``."""

    words: tuple[int, ...]
    text: str
    box: Box
    first: int
    last: int

    @property
    def is_data(self) -> bool:
        """Whether it is a number, a sign for none, or a short text that is mostly digits."""
        return is_data(self.text)


def is_data(text: str) -> bool:
    """Whether a text is a number, a year, a sign for none, or made of digits for the most part."""
    folded = text.strip().casefold()
    if folded.lstrip("$\u20ac\u00a3\u00a5 ") in _NOTHING or is_figure(text) or is_year(text):
        return True
    digits = sum(c.isdigit() for c in folded)
    letters = sum(c.isalpha() for c in folded)
    return digits > 0 and digits >= letters and len(folded.split()) <= 5


def pieces_of(
    solids: Sequence[Solid], words: Sequence[Word], zones: Sequence[Zone], size: float
) -> list[Piece]:
    """The pieces of one row from left to right; solids that stand in one column are one piece."""
    found: list[Piece] = []
    for solid in solids:
        first, last = columns_over(solid.x0, solid.x1, zones, size)
        if found and first <= found[-1].last:
            if last <= found[-1].last or found[-1].first == found[-1].last:
                found[-1] = _joined(found[-1], solid.words, max(last, found[-1].last), words)
                continue
            first = found[-1].last + 1
        found.append(_piece(solid.words, first, max(first, last), words))
    return found


def over_open_edges(
    lines: Sequence[list[Piece]], rows: Sequence[Row], uprights: Sequence[Rule], zones: Sequence[Zone]
) -> list[list[Piece]]:
    """Pieces widened over the edges of columns that are ruled in most rows but not in theirs."""
    edges = [_ruled_rows(a.x1, b.x0, rows, uprights) for a, b in itertools.pairwise(zones)]
    ruled = [2 * len(held) >= len(rows) for held in edges]
    if not any(ruled):
        return list(lines)
    found = []
    for number, line in enumerate(lines):
        wide: list[Piece] = []
        for piece in line:
            first, last = piece.first, piece.last
            others = {c for p in line if p is not piece for c in range(p.first, p.last + 1)}
            while (
                first > 0 and ruled[first - 1] and number not in edges[first - 1] and first - 1 not in others
            ):
                first -= 1
            while last < len(edges) and ruled[last] and number not in edges[last] and last + 1 not in others:
                last += 1
            wide.append(replace(piece, first=first, last=last))
        found.append(
            wide
            if len({c for p in wide for c in range(p.first, p.last + 1)})
            == sum(p.last - p.first + 1 for p in wide)
            else line
        )
    return found


def _ruled_rows(left: float, right: float, rows: Sequence[Row], uprights: Sequence[Rule]) -> set[int]:
    rules = [rule for rule in uprights if left - 2 <= rule.at <= right + 2]
    return {
        number
        for number, row in enumerate(rows)
        if any(rule.start - 1 <= row.middle <= rule.stop + 1 for rule in rules)
    }


def _piece(members: Sequence[int], first: int, last: int, words: Sequence[Word]) -> Piece:
    return Piece(
        tuple(members),
        _text([words[i] for i in members]),
        frame([words[i].box for i in members]),
        first,
        last,
    )


def _text(members: Sequence[Word]) -> str:
    """Words from left to right as text; those of right-to-left scripts are read from the right."""
    return words_text(members[::-1] if mostly_rtl(members) else members)


def _joined(piece: Piece, more: Sequence[int], last: int, words: Sequence[Word]) -> Piece:
    return _piece((*piece.words, *more), piece.first, last, words)


def stacked(pieces: Sequence[Piece]) -> Piece:
    """Pieces of one cell from top to bottom as one."""
    whole = pieces[0]
    for piece in pieces[1:]:
        whole = replace(
            whole,
            words=whole.words + piece.words,
            text=f"{whole.text} {piece.text}",
            box=whole.box.union(piece.box),
            first=min(whole.first, piece.first),
            last=max(whole.last, piece.last),
        )
    return whole
