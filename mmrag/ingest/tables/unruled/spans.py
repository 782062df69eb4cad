"""Which heads span columns: over a rule of their own, in the middle of heads below, or as the unit of all."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from mmrag.ingest.tables.rulings import Rule
from mmrag.ingest.tables.unruled.columns import Zone
from mmrag.ingest.tables.unruled.pieces import Piece, stacked

_WORDS_APART = 1.0  # ems between words of one head
_SMALLER = 0.85  # of the height of the line above: another head
_FLUSH = 0.1  # of the size: edges that stand under each other
_UNIT = re.compile(
    r"\(?(?:amounts? )?(?:in|\$|dollars in) (?:thousands|millions|billions)\b.*", re.IGNORECASE
)


def over_one_rule(
    line: Sequence[Piece], levels: Sequence[Rule], zones: Sequence[Zone], below: float, size: float
) -> list[Piece]:
    """Pieces of one head joined: those that stand close together over a rule that ends with them."""
    found: list[Piece] = []
    for piece in line:
        last = found[-1] if found else None
        if last is not None and piece.box.x0 - last.box.x1 <= _WORDS_APART * size:
            rules = [
                r
                for r in levels
                if last.box.y1 - 0.4 * size <= r.at <= max(below, last.box.y1 + 0.4 * size)
                and r.start - 2 <= last.box.x0
                and piece.box.x1 <= r.stop + 2
                and r.length < 0.6 * (zones[-1].x1 - zones[0].x0)
            ]
            others = [p for p in line if p is not last and p is not piece]
            if any(not any(r.start < (p.box.x0 + p.box.x1) / 2 < r.stop for p in others) for r in rules):
                found[-1] = stacked([last, piece])
                continue
        found.append(piece)
    return found


def widened(
    piece: Piece,
    line: Sequence[Piece],
    levels: Sequence[Rule],
    zones: Sequence[Zone],
    below: float,
    size: float,
) -> Piece:
    """A head over a rule of its own spans the columns that the rule runs over."""
    middle = (piece.box.x0 + piece.box.x1) / 2
    for rule in levels:
        under = piece.box.y1 - 0.4 * size <= rule.at <= max(below, piece.box.y1 + 0.4 * size)
        if not under or not rule.start - 2 <= middle <= rule.stop + 2:
            continue
        over = [n for n, z in enumerate(zones) if rule.start - 2 <= (z.x0 + z.x1) / 2 <= rule.stop + 2]
        others = [p for p in line if p is not piece and rule.start < (p.box.x0 + p.box.x1) / 2 < rule.stop]
        if over and not others:
            return replace(piece, first=min(over[0], piece.first), last=max(over[-1], piece.last))
    return piece


def centred(
    piece: Piece,
    line: Sequence[Piece],
    below: Sequence[Sequence[Piece]],
    zones: Sequence[Zone],
    size: float,
    levels: Sequence[Rule],
    beside: Sequence[Piece],
) -> Piece:
    """A head that stands in the middle over several heads, and not over one of them, spans them."""
    first, last = piece.first, piece.last
    while first > 1 and not any(p.first <= first - 1 <= p.last for p in line):
        first -= 1
    while last + 1 < len(zones) and not any(p.first <= last + 1 <= p.last for p in line):
        last += 1
    reaches = [(a, b) for a in range(first, piece.first + 1) for b in range(piece.last, last + 1)]
    for a, b in sorted(reaches, key=lambda reach: (reach[0] - reach[1], reach)):
        under = [p for later in below for p in later if a <= p.first and p.last <= b]
        columns = {p.first for p in under}
        whole = (a, b) == (first, last)
        if (a, b) == (piece.first, piece.last) or not columns >= ({a, b} if whole else set(range(a, b + 1))):
            continue
        if any(_begun(piece, p, size, levels, [q for q in beside if not a <= q.first <= b]) for p in under):
            continue
        left, right = min(p.box.x0 for p in under), max(p.box.x1 for p in under)
        if not whole:
            left, right = min(left, zones[a].x0), max(right, zones[b].x1)
        off = abs(piece.box.x0 + piece.box.x1 - left - right) / 2
        if off <= (max(1.5 * size, 0.08 * (right - left)) if whole else size):
            return replace(piece, first=a, last=b)
    return piece


def _begun(piece: Piece, lower: Piece, size: float, levels: Sequence[Rule], beside: Sequence[Piece]) -> bool:
    """Whether a text is the first line of the head under it: over its middle or flush, in the same type.

    It is not where a rule parts the two, or where a head of another column stands half-way between
    them: that one is set in the middle of two heads, one above the other.
    """
    middle = (piece.box.x0 + piece.box.x1) / 2
    top, bottom = (piece.box.y0 + piece.box.y1) / 2, (lower.box.y0 + lower.box.y1) / 2
    flush = min(abs(lower.box.x0 - piece.box.x0), abs(lower.box.x1 - piece.box.x1)) <= _FLUSH * size
    if abs((lower.box.x0 + lower.box.x1) / 2 - middle) >= 0.8 * size and not flush:
        return False
    if lower.box.y1 - lower.box.y0 <= _SMALLER * (piece.box.y1 - piece.box.y0):
        return False
    if any(top < r.at < bottom and r.start <= middle <= r.stop for r in levels):
        return False
    quarter = (bottom - top) / 4
    return not any(top + quarter < (q.box.y0 + q.box.y1) / 2 < bottom - quarter for q in beside)


def unit_of_all(piece: Piece, line: Sequence[Piece], zones: Sequence[Zone], size: float) -> Piece:
    """The head's last line spans all columns beside the labels when it is their unit, in their middle."""
    if len(line) > 1 or len(zones) < 3 or not _UNIT.match(piece.text):
        return piece
    left, right = zones[1].x0, zones[-1].x1
    if abs(piece.box.x0 + piece.box.x1 - left - right) / 2 > max(1.5 * size, 0.08 * (right - left)):
        return piece
    return replace(piece, first=1, last=len(zones) - 1)
