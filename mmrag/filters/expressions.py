"""The expression tree of a filter."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

from mmrag.errors import FilterError

Scalar = str | int | None
FieldValue = Scalar | tuple[str, ...]

TEXT_FIELDS = ("added", "document", "name", "organisation", "path", "tag", "title")
NUMBER_FIELDS = ("page", "pages", "year")
FIELDS = tuple(sorted(TEXT_FIELDS + NUMBER_FIELDS))
PAGE_FIELD = "page"

FIELDS_ARE = f"Fields: {', '.join(FIELDS)}; for example: year >= 2020 and tag = 'finance'."
COMPARISONS = ("=", "!=", "<", "<=", ">", ">=", "~")
# Page numbers and years are 32-bit columns.
_LARGEST = 2**31 - 1

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True, slots=True)
class Filter:
    """Base of the expression tree; build one with :meth:`parse` and join with ``&``, ``|`` and ``~``."""

    @staticmethod
    def parse(text: str) -> Filter:
        """Read an expression such as ``year >= 2020 and tag = 'finance'``.

        Raises:
            FilterError: says which part cannot be understood.
        """
        from mmrag.filters.parser import Parser

        return Parser(text).parse()

    def __and__(self, other: Filter) -> Filter:
        return And(self, other)

    def __or__(self, other: Filter) -> Filter:
        return Or(self, other)

    def __invert__(self) -> Filter:
        return Not(self)

    def bind(self, fields: Mapping[str, FieldValue]) -> Filter | bool:
        """Put known values in: a bool when that decides it, else the condition that is left over.

        Args:
            fields: field name to value; a field that is absent stays open (``page``, usually).
        """
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Compare(Filter):
    """``field op value``.

    Raises:
        FilterError: no such field or comparison, or a value of the wrong kind.
    """

    field: str
    op: str
    value: str | int

    def __post_init__(self) -> None:
        """Check the parts, which may not come from :meth:`Filter.parse`."""
        where = f"filter {self.field} {self.op} {self.value!r}"
        if self.field not in FIELDS:
            raise FilterError(f"{self.field!r} is not a field", where=where, remedy=FIELDS_ARE)
        numeric = self.field in NUMBER_FIELDS
        if self.op not in COMPARISONS or (numeric and self.op == "~"):
            raise FilterError(f"{self.op!r} does not compare {self.field}", where=where, remedy=FIELDS_ARE)
        if numeric != isinstance(self.value, int):
            kind = "a whole number" if numeric else "a text"
            raise FilterError(f"{self.field} is {kind}", where=where, remedy=FIELDS_ARE)
        if isinstance(self.value, int) and abs(self.value) > _LARGEST:
            raise FilterError(f"{self.value} is beyond {_LARGEST}", where=where, remedy=FIELDS_ARE)

    def bind(self, fields: Mapping[str, FieldValue]) -> Filter | bool:
        """See :meth:`Filter.bind`."""
        if self.field not in fields:
            return self
        known = fields[self.field]
        if isinstance(known, tuple):
            if self.op == "!=":
                return self.value not in known
            return any(_holds(one, self.op, self.value) for one in known)
        return _holds(known, self.op, self.value)


@dataclass(frozen=True, slots=True)
class And(Filter):
    """Both hold."""

    left: Filter
    right: Filter

    def bind(self, fields: Mapping[str, FieldValue]) -> Filter | bool:
        """See :meth:`Filter.bind`."""
        return _joined(And, self.left.bind(fields), self.right.bind(fields), decisive=False)


@dataclass(frozen=True, slots=True)
class Or(Filter):
    """One of the two holds."""

    left: Filter
    right: Filter

    def bind(self, fields: Mapping[str, FieldValue]) -> Filter | bool:
        """See :meth:`Filter.bind`."""
        return _joined(Or, self.left.bind(fields), self.right.bind(fields), decisive=True)


@dataclass(frozen=True, slots=True)
class Not(Filter):
    """The operand does not hold."""

    operand: Filter

    def bind(self, fields: Mapping[str, FieldValue]) -> Filter | bool:
        """See :meth:`Filter.bind`."""
        bound = self.operand.bind(fields)
        return not bound if isinstance(bound, bool) else Not(bound)


def page_sql(condition: Filter) -> str:
    """SQL over the integer column ``page`` of a condition in which only ``page`` is left open."""
    match condition:
        case Compare(field, op, value) if field == PAGE_FIELD and isinstance(value, int):
            return f"page {op} {value}"
        case And():
            return "(" + " AND ".join(page_sql(part) for part in _chain(condition, And)) + ")"
        case Or():
            parts = _chain(condition, Or)
            pages = sorted({int(part.value) for part in parts if _is_page(part)})
            others = [page_sql(part) for part in parts if not _is_page(part)]
            listed = [f"page IN ({', '.join(map(str, pages))})"] if pages else []
            return "(" + " OR ".join([*listed, *others]) + ")"
        case Not(operand):
            return f"NOT ({page_sql(operand)})"
    raise FilterError(f"cannot be applied to pages: {condition}")


def _is_page(part: Filter) -> TypeGuard[Compare]:
    return isinstance(part, Compare) and part.field == PAGE_FIELD and part.op == "="


def _chain(condition: Filter, kind: type[And] | type[Or]) -> list[Filter]:
    """The operands of nested conditions of one kind, flat, left to right: SQL parsers limit nesting."""
    waiting, flat = [condition], []
    while waiting:
        part = waiting.pop()
        if isinstance(part, kind):
            waiting += [part.right, part.left]
        else:
            flat.append(part)
    return flat


def _joined(
    kind: type[And] | type[Or], left: Filter | bool, right: Filter | bool, *, decisive: bool
) -> Filter | bool:
    """Two bound operands as one: the decisive value wins, the other one leaves what stands beside it."""
    if left is decisive or right is decisive:
        return decisive
    if isinstance(left, bool):
        return right
    return left if isinstance(right, bool) else kind(left, right)


def _holds(known: Scalar, op: str, value: str | int) -> bool:
    if known is None:
        return op == "!="
    if op == "=":
        return known == value
    if op == "!=":
        return known != value
    if op == "~":
        return str(value).casefold() in str(known).casefold()
    return _ORDER[op](known, value)
