"""A typed filter over document fields and page numbers.

Grammar (case-insensitive keywords)::

    expression := term ("or" term)*
    term       := factor ("and" factor)*
    factor     := "not" factor | "(" expression ")" | comparison
    comparison := field ("=" | "!=" | "<" | "<=" | ">" | ">=" | "~") value
                | field "in" "(" value ("," value)* ")"
    value      := 'text' | "text" | number | bare-word

``~`` is "contains", ignoring case. ``tag`` compares with each of a document's tags: ``tag = x``
holds when one of them is x. A comparison with an unknown value (a document without a year) does
not hold, and its ``!=`` does.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from mmrag.errors import FilterError

Scalar = str | int | None
FieldValue = Scalar | tuple[str, ...]

TEXT_FIELDS = ("added", "document", "name", "organisation", "path", "tag", "title")
NUMBER_FIELDS = ("page", "pages", "year")
FIELDS = tuple(sorted(TEXT_FIELDS + NUMBER_FIELDS))
PAGE_FIELD = "page"

_ORDER: dict[str, Callable[[Any, Any], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_TOKEN = re.compile(
    r"""\s*(?:(?P<op><=|>=|!=|=|<|>|~|\(|\)|,)|'(?P<single>[^']*)'|"(?P<double>[^"]*)"|(?P<word>[^\s()=<>!~,'"]+))"""
)


@dataclass(frozen=True, slots=True)
class Filter:
    """Base of the expression tree; build one with :meth:`parse` and join with ``&``, ``|`` and ``~``."""

    @staticmethod
    def parse(text: str) -> Filter:
        """Read an expression such as ``year >= 2020 and tag = 'finance'``.

        Raises:
            FilterError: says which part cannot be understood.
        """
        return _Parser(text).parse()

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
    """``field op value``."""

    field: str
    op: str
    value: str | int

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
        left, right = self.left.bind(fields), self.right.bind(fields)
        if left is False or right is False:
            return False
        if left is True:
            return right
        return left if right is True else And(_open(left), _open(right))


@dataclass(frozen=True, slots=True)
class Or(Filter):
    """One of the two holds."""

    left: Filter
    right: Filter

    def bind(self, fields: Mapping[str, FieldValue]) -> Filter | bool:
        """See :meth:`Filter.bind`."""
        left, right = self.left.bind(fields), self.right.bind(fields)
        if left is True or right is True:
            return True
        if left is False:
            return right
        return left if right is False else Or(_open(left), _open(right))


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
        case And(left, right):
            return f"({page_sql(left)} AND {page_sql(right)})"
        case Or(left, right):
            return f"({page_sql(left)} OR {page_sql(right)})"
        case Not(operand):
            return f"NOT ({page_sql(operand)})"
    raise FilterError(f"cannot be applied to pages: {condition}")


def _open(bound: Filter | bool) -> Filter:
    if isinstance(bound, bool):
        raise TypeError("a decided operand is handled before")
    return bound


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


class _Parser:
    """Recursive descent over the grammar in the module's docstring."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str]] = []
        at = 0
        end = len(text.rstrip())
        while at < end:
            found = _TOKEN.match(text, at)
            if found is None:
                raise self._error(f"{text[at:].strip()!r} is not understood")
            kind = found.lastgroup or ""
            self.tokens.append((kind, found.group(kind)))
            at = found.end()
        self.at = 0

    def parse(self) -> Filter:
        if not self.tokens:
            raise self._error("it is empty")
        expression = self._expression()
        if self.at < len(self.tokens):
            raise self._error(f"{self.tokens[self.at][1]!r} is left over")
        return expression

    def _expression(self) -> Filter:
        left = self._term()
        while self._keyword("or"):
            left = Or(left, self._term())
        return left

    def _term(self) -> Filter:
        left = self._factor()
        while self._keyword("and"):
            left = And(left, self._factor())
        return left

    def _factor(self) -> Filter:
        if self._keyword("not"):
            return Not(self._factor())
        if self._operator("("):
            inner = self._expression()
            if not self._operator(")"):
                raise self._error("a closing bracket is missing")
            return inner
        return self._comparison()

    def _comparison(self) -> Filter:
        kind, name = self._next("a field")
        name = {"tags": "tag"}.get(name, name)
        if kind != "word" or name not in FIELDS:
            raise self._error(f"{name!r} is not a field")
        if self._keyword("in"):
            if not self._operator("("):
                raise self._error("'in' wants a list in brackets")
            joined: Filter = Compare(name, "=", self._value(name))
            while self._operator(","):
                joined = Or(joined, Compare(name, "=", self._value(name)))
            if not self._operator(")"):
                raise self._error("a closing bracket is missing")
            return joined
        kind, op = self._next("a comparison")
        if kind != "op" or op not in ("=", "!=", "<", "<=", ">", ">=", "~"):
            raise self._error(f"{op!r} is not a comparison")
        if op == "~" and name in NUMBER_FIELDS:
            raise self._error(f"'~' compares text and {name} is a number")
        return Compare(name, op, self._value(name))

    def _value(self, name: str) -> str | int:
        kind, value = self._next("a value")
        if kind == "op":
            raise self._error(f"{value!r} stands where a value should")
        if name not in NUMBER_FIELDS:
            return value
        try:
            return int(value)
        except ValueError:
            raise self._error(f"{name} is a whole number and {value!r} is not") from None

    def _next(self, wanted: str) -> tuple[str, str]:
        if self.at >= len(self.tokens):
            raise self._error(f"it ends where {wanted} should stand")
        self.at += 1
        return self.tokens[self.at - 1]

    def _keyword(self, word: str) -> bool:
        return self._take("word", word)

    def _operator(self, op: str) -> bool:
        return self._take("op", op)

    def _take(self, kind: str, text: str) -> bool:
        if self.at < len(self.tokens):
            have, value = self.tokens[self.at]
            if have == kind and value.lower() == text:
                self.at += 1
                return True
        return False

    def _error(self, what: str) -> FilterError:
        return FilterError(
            what,
            where=f"filter {self.text!r}",
            remedy=f"Fields: {', '.join(FIELDS)}; for example: year >= 2020 and tag = 'finance'.",
        )
