"""Straight rules drawn on a page: where they stand and how far they reach."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

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
