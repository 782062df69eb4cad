"""From a filter's text to its expression tree."""

from __future__ import annotations

import re
from collections.abc import Callable

from mmrag.errors import FilterError
from mmrag.filters.expressions import (
    COMPARISONS,
    FIELDS,
    FIELDS_ARE,
    NUMBER_FIELDS,
    And,
    Compare,
    Filter,
    Not,
    Or,
)

# A deeper tree could not be walked.
MOST_TERMS = 300
DEEPEST = 50
_SHOWN = 80

_TOKEN = re.compile(
    r"""\s*(?:(?P<op><=|>=|!=|=|<|>|~|\(|\)|,)|'(?P<single>[^']*)'|"(?P<double>[^"]*)"|(?P<word>[^\s()=<>!~,'"]+))"""
)


class Parser:
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
            if len(self.tokens) > 4 * MOST_TERMS:
                raise self._error(f"it has more than {MOST_TERMS} terms")
        self.at = 0
        self.depth = 0

    def parse(self) -> Filter:
        """The whole text as one expression; FilterError says what is wrong with it."""
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
            inner = self._deeper(self._factor)
            return inner.operand if isinstance(inner, Not) else Not(inner)
        if self._operator("("):
            inner = self._deeper(self._expression)
            if not self._operator(")"):
                raise self._error("a closing bracket is missing")
            return inner
        return self._comparison()

    def _deeper(self, read: Callable[[], Filter]) -> Filter:
        self.depth += 1
        if self.depth > DEEPEST:
            raise self._error(f"it is nested more than {DEEPEST} deep")
        found = read()
        self.depth -= 1
        return found

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
        if kind != "op" or op not in COMPARISONS:
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
        shown = self.text if len(self.text) <= _SHOWN else f"{self.text[:_SHOWN]}..."
        return FilterError(
            what,
            where=f"filter {shown!r}",
            remedy=FIELDS_ARE,
        )
