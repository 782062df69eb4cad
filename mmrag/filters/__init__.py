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

from mmrag.filters.expressions import FIELDS, PAGE_FIELD, And, Compare, FieldValue, Filter, Not, Or, page_sql

__all__ = ["FIELDS", "PAGE_FIELD", "And", "Compare", "FieldValue", "Filter", "Not", "Or", "page_sql"]
