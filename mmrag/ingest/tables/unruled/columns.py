"""Columns of a region: white that runs down through its rows.

The idea is that of text edges and white columns in Nurminen (2013) and Tabula's stream mode: every row
says where it has white wider than a space, and a column ends where they agree. Few rows may run over
it, since heads and group labels span columns.
"""

from __future__ import annotations

import bisect
import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from mmrag.ingest.tables.rulings import Rule
from mmrag.ingest.tables.unruled.runs import Row, leaders_of
from mmrag.records import Word

_GAP = 1.5  # spaces; narrower white is between words of one cell
_LEAST_GAP = 0.36  # ems, the same where spaces are narrow
_TIGHT = 0.3  # ems; a column so close to the next must be confirmed by several rows
_ODD = 0.12  # share of the rows that may run over a column's edge
_MOST_OF = 0.7  # of the rows' height that a rule between columns covers
_MARK = re.compile(
    r"[(\[]?(?:[a-z]|\d{1,2}|[*\u2020\u2021\u00a7\u00b6#]{1,3})[)\]]?[*,]?|[%)]|(?:[.\u00b7]\s?)+"
)
_SIGN = re.compile(r"[$\u20ac\u00a3\u00a5(]+|US\$|[<>\u2264\u2265\u00b1~=-]")
_BETWEEN = "\u00b1\u00d7"
_LEADER = re.compile(r"^(.*?)(?:[.\u2026_\u00b7]{3,}|(?:\s?\.){3,})$")


@dataclass(frozen=True, slots=True)
class Zone:
    """Where a column's texts stand: from ``x0`` to ``x1``."""

    x0: float
    x1: float


@dataclass(frozen=True, slots=True)
class Solid:
    """Words of one row with no more than a space between them; ``words`` from left to right."""

    x0: float
    x1: float
    words: tuple[int, ...]


def solids_of(row: Row, words: Sequence[Word], space: float, uprights: Sequence[Rule]) -> list[Solid]:
    """Parts of a row between white that may belong to a column's edge, or between upright rules."""
    least = least_gap(row.size, space)
    rules = [rule.at for rule in uprights if rule.start - 1 <= row.middle <= rule.stop + 1]
    leaders = leaders_of(words, [index for run in row.runs for index in run.words])
    found: list[Solid] = []
    for run in row.runs:
        members: list[int] = []
        x0 = x1 = 0.0
        for index in run.words:
            box = words[index].box
            if members and index in leaders:
                members.append(index)  # the label's, but nothing that fills a column
                continue
            if members and (
                box.x0 - x1 > least or any(x1 - 1.5 < at < box.x0 + 1.5 and box.x0 > at - 1.5 for at in rules)
            ):
                found.append(Solid(x0, x1, tuple(members)))
                members = []
            if not members:
                x0, x1 = box.x0, box.x0
            members.append(index)
            x1 = max(x1, _right(words[index], row.size))
        found.append(Solid(x0, x1, tuple(members)))
    return [solid for solid in found if solid.x1 > solid.x0] or found


def least_gap(size: float, space: float) -> float:
    """White in points that is wider than a space."""
    return max(_GAP * space, _LEAST_GAP) * size


def _right(word: Word, size: float) -> float:
    """Right edge of a word without the dots that lead on to the next column."""
    match = _LEADER.match(word.text)
    if match is None:
        return word.box.x1
    kept = match.group(1)
    if not kept:
        return word.box.x0
    return min(word.box.x1, word.box.x0 + 0.5 * size * len(kept))


def zones_of(rows: Sequence[Sequence[Solid]], size: float) -> list[Zone]:
    """Columns of rows of solids, from left to right.

    Args:
        rows: the solids of each row that has two or more.
        size: the rows' font size in points.
    """
    odd = 0 if len(rows) < 4 else max(1, int(_ODD * len(rows)))
    solids = [(s.x0, s.x1, number) for number, row in enumerate(rows) for s in row]
    strong = _intervals(solids, odd)
    kept = []
    for x0, x1, number in solids:
        # What reaches over the edge of a strong zone into another is a span, and says nothing of columns.
        if sum(min(x1, zone.x1) - max(x0, zone.x0) > 0 for zone in strong) < 2:
            kept.append((x0, x1, number))
    zones = _intervals(kept, 0)
    return _confirmed(zones, kept, size)


def with_heads(zones: Sequence[Zone], heads: Sequence[Sequence[Solid]]) -> list[Zone]:
    """Columns of the body, and those of which the body has nothing but the head has a name."""
    found = list(zones)
    for solid in heads[-1] if heads else ():
        if not any(solid.x0 < zone.x1 and zone.x0 < solid.x1 for zone in found):
            found.append(Zone(solid.x0, solid.x1))
    return sorted(found, key=lambda zone: zone.x0)


def _intervals(solids: Sequence[tuple[float, float, int]], odd: int) -> list[Zone]:
    """Where more than ``odd`` solids stand over each other."""
    events = sorted([(x0, 1) for x0, _, _ in solids] + [(x1, -1) for _, x1, _ in solids])
    depth, start = 0, 0.0
    found: list[Zone] = []
    for x, step in events:
        before = depth
        depth += step
        if before <= odd < depth:
            start = x
        elif depth <= odd < before and x > start:
            found.append(Zone(start, x))
    return found


def _confirmed(zones: list[Zone], solids: Sequence[tuple[float, float, int]], size: float) -> list[Zone]:
    """Join zones that stand so close that only agreement of several rows can part them."""
    found: list[Zone] = []
    for zone in zones:
        if found and zone.x0 - found[-1].x1 < _TIGHT * size:
            left = {n for x0, x1, n in solids if found[-1].x0 <= x0 and x1 <= found[-1].x1}
            right = {n for x0, x1, n in solids if zone.x0 <= x0 and x1 <= zone.x1}
            if len(left & right) < 4:
                found[-1] = Zone(found[-1].x0, zone.x1)
                continue
        found.append(zone)
    return found


def between_rules(
    zones: Sequence[Zone],
    body: Sequence[Sequence[Solid]],
    rows: Sequence[Row],
    uprights: Sequence[Rule],
    words: Sequence[Word],
) -> list[Zone]:
    """Columns of texts between the same two upright rules joined: white within a text parts no column.

    Columns of figures stay apart, since rules may part groups of columns alone.
    """
    top, bottom = rows[0].middle, rows[-1].middle
    ats = sorted(
        r.at for r in uprights if min(r.stop, bottom) - max(r.start, top) >= _MOST_OF * (bottom - top)
    )
    if not ats:
        return list(zones)
    found: list[Zone] = []
    groups: dict[int, list[Zone]] = {}
    for zone in zones:
        groups.setdefault(bisect.bisect(ats, (zone.x0 + zone.x1) / 2), []).append(zone)
    if len(groups) == 1:
        return list(zones)  # an outer frame says nothing of the columns in it
    for place, members in sorted(groups.items()):
        closed = 0 < place < len(ats)
        if closed and len(members) > 1 and not all(_figures_in(z, body, words) for z in members[1:]):
            found.append(Zone(members[0].x0, members[-1].x1))
        else:
            found.extend(members)
    return found


def _figures_in(zone: Zone, body: Sequence[Sequence[Solid]], words: Sequence[Word]) -> bool:
    held = [
        any(c.isdigit() for c in words[solid.words[0]].text)
        for row in body
        for solid in row
        if zone.x0 - 0.5 <= solid.x0 and solid.x1 <= zone.x1 + 0.5
    ]
    return 2 * sum(held) >= len(held)


def without_marks(
    zones: Sequence[Zone], rows: Sequence[Sequence[Solid]], words: Sequence[Word]
) -> list[Zone]:
    """Join columns of footnote marks and of currency signs with the column they belong to."""
    texts: list[list[str]] = [[] for _ in zones]
    for row in rows:
        for solid in row:
            for number, zone in enumerate(zones):
                if zone.x0 - 0.5 <= solid.x0 and solid.x1 <= zone.x1 + 0.5:
                    texts[number].append(" ".join(words[i].text for i in solid.words))
    found: list[Zone] = []
    pending: Zone | None = None
    for zone, held in zip(zones, texts, strict=True):
        if pending is not None:
            zone, pending = Zone(pending.x0, zone.x1), None
        few = 2 * len(held) < len(rows)
        if held and all(_SIGN.fullmatch(text) for text in held):
            pending = zone
        elif found and (_are_marks(held, few=few) or _is_pair(found[-1], zone, rows, words)):
            found[-1] = Zone(found[-1].x0, zone.x1)
        else:
            found.append(zone)
    return [*found, pending] if pending is not None else found


def _are_marks(held: Sequence[str], *, few: bool) -> bool:
    """Whether texts are footnote marks of some rows, or what closes a figure in the column before."""
    if not held:
        return False
    return (few and all(map(_MARK.fullmatch, held))) or all(text in ("%", ")", "%)") for text in held)


def _is_pair(left: Zone, right: Zone, rows: Sequence[Sequence[Solid]], words: Sequence[Word]) -> bool:
    """Whether two columns hold the two sides of one figure: ``0.12`` and ``\u00b1 0.03``."""
    held = signs = 0
    for row in rows:
        for one, other in itertools.pairwise(row):
            if left.x0 - 0.5 <= one.x0 <= left.x1 and right.x0 - 0.5 <= other.x0 <= right.x1:
                held += 1
                signs += (
                    words[one.words[-1]].text[-1] in _BETWEEN or words[other.words[0]].text[0] in _BETWEEN
                )
    return held > 0 and 2 * signs > held


def columns_over(x0: float, x1: float, zones: Sequence[Zone], size: float) -> tuple[int, int]:
    """First and last column that a text from ``x0`` to ``x1`` stands in."""
    over = [
        (min(x1, zone.x1) - max(x0, zone.x0), number)
        for number, zone in enumerate(zones)
        if min(x1, zone.x1) - max(x0, zone.x0) > 0
    ]
    if not over:
        middle = (x0 + x1) / 2
        nearest = min(range(len(zones)), key=lambda n: (max(zones[n].x0 - middle, middle - zones[n].x1), n))
        return nearest, nearest
    # A text that only touches a column doesn't stand in it.
    most = max(share for share, _ in over)
    real = [
        n for share, n in over if share == most or share > min(0.8 * size, 0.5 * (zones[n].x1 - zones[n].x0))
    ]
    return min(real), max(real)
