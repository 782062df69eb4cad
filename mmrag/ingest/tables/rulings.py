"""Straight rules drawn on a page: where they stand and how far they reach."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from mmrag.ingest._mupdf import display_matrix, mupdf
from mmrag.records import Box

_THIN = 2.5  # points: a filled shape thinner than this is a rule
_LEAST = 6.0  # points: a shorter stroke is part of a sign
_SAME = 1.5  # points within which two rules stand at one place
_JOINED = 2.0  # points of white over which pieces of one rule are joined


@dataclass(frozen=True, slots=True)
class Rule:
    """A rule at ``at`` (y of a horizontal one, x of an upright one) that runs from ``start`` to ``stop``."""

    at: float
    start: float
    stop: float

    @property
    def length(self) -> float:
        """In points."""
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class Rulings:
    """Horizontal and upright rules of a page in points of the displayed page, sorted by place."""

    levels: tuple[Rule, ...] = ()
    uprights: tuple[Rule, ...] = ()


def drawn_rulings(page: Any) -> Rulings:
    """Rules of a PyMuPDF page: lines, edges of outlined boxes, and filled shapes thin as a line."""
    matrix = display_matrix(page)
    levels: list[Rule] = []
    uprights: list[Rule] = []
    for path in page.get_cdrawings():
        stroked = "s" in path["type"]
        for item in path["items"]:
            for box in _straight(item, stroked):
                if matrix is not None:
                    box = Box(*(mupdf.Rect(*box) * matrix))
                _sort_in(box, levels, uprights)
    return Rulings(joined(levels), joined(uprights))


def rulings_of(levels: Iterable[Sequence[float]], uprights: Iterable[Sequence[float]]) -> Rulings:
    """Rules given as ``(y, x0, x1)`` and ``(x, y0, y1)``, such as those found in pixels."""
    return Rulings(joined([Rule(*rule) for rule in levels]), joined([Rule(*rule) for rule in uprights]))


def joined(rules: Sequence[Rule]) -> tuple[Rule, ...]:
    """Pieces that lie on one line and touch, joined."""
    found: list[Rule] = []
    rows: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda r: (r.at, r.start)):
        if rows and rule.at - rows[-1][-1].at <= _SAME and rule.at - rows[-1][0].at <= 2 * _SAME:
            rows[-1].append(rule)
        else:
            rows.append([rule])
    for row in rows:
        pieces: list[Rule] = []
        for rule in sorted(row, key=lambda r: (r.start, r.stop)):
            if pieces and rule.start - pieces[-1].stop <= _JOINED:
                last = pieces[-1]
                pieces[-1] = Rule(last.at, last.start, max(last.stop, rule.stop))
            else:
                pieces.append(rule)
        found.extend(rule for rule in pieces if rule.length >= _LEAST)
    return tuple(found)


def longest(rulings: Rulings, most: int) -> Rulings:
    """The longest rules of both directions, no more than ``most`` of each."""
    return Rulings(_longest(rulings.levels, most), _longest(rulings.uprights, most))


def _longest(rules: tuple[Rule, ...], most: int) -> tuple[Rule, ...]:
    if len(rules) <= most:
        return rules
    kept = sorted(rules, key=lambda r: (-r.length, r.at, r.start))[:most]
    return tuple(sorted(kept, key=lambda r: (r.at, r.start)))


def _straight(item: Any, stroked: bool) -> list[Box]:
    """Flat boxes of the straight edges of one drawing item."""
    kind = item[0]
    if kind == "l":
        (x0, y0), (x1, y1) = item[1][:2], item[2][:2]
        return [Box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))]
    if kind == "re":
        x0, y0, x1, y1 = item[1][:4]
    elif kind == "qu":
        xs, ys = [point[0] for point in item[1]], [point[1] for point in item[1]]
        x0, y0, x1, y1 = min(xs), min(ys), max(xs), max(ys)
    else:
        return []
    x0, x1, y0, y1 = min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1)
    if min(x1 - x0, y1 - y0) <= _THIN:
        return [Box(x0, y0, x1, y1)]
    if not stroked:
        return []
    return [Box(x0, y0, x1, y0), Box(x0, y1, x1, y1), Box(x0, y0, x0, y1), Box(x1, y0, x1, y1)]


def _sort_in(box: Box, levels: list[Rule], uprights: list[Rule]) -> None:
    width, height = box.x1 - box.x0, box.y1 - box.y0
    if height <= _THIN and width > height:
        levels.append(Rule((box.y0 + box.y1) / 2, box.x0, box.x1))
    elif width <= _THIN and height > width:
        uprights.append(Rule((box.x0 + box.x1) / 2, box.y0, box.y1))
