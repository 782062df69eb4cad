"""Whether words stand on a page, told so that no number can change on the way.

Spacing, case, quotation marks, hyphens between letters and punctuation around a word do not matter. Within
and before numbers everything does: points, commas, signs, ranges, fractions, powers, times.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from mmrag.records import Word

_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))
_EDGES = "\"'\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb.,;:!?\u2026\u2022\u00b7[]{}*|"
_KEPT_BESIDE_LETTERS = frozenset("%\u2030$\u20ac\u00a3\u00a5")
_THOUSANDS = re.compile(r"\d{3}(?!\d)")
_ENDS_IN_GROUP = re.compile(r"(?<![\d.,])\d{1,3}(?:,?\d{3})*$")
# A sign that stands alone before a number belongs to it.
_SIGNS = frozenset({"-", "+", "<", ">", "\u2264", "\u2265", "\u00b1", "~", "\u2248"})


def normalise(text: str) -> str:
    """What of a text must stand on a page.

    >>> normalise("The \u201cRe-sults\u201d rose by 1,240 (12.5 %).")
    'theresultsroseby1,24012.5%'
    """
    joined = ""
    for token in _tokens(text.split()):
        joined = _join(joined, token)
    return joined


def find(text: str, words: Sequence[Word]) -> tuple[Word, ...]:
    """The first run of words that says what ``text`` says; empty when there is none.

    Words may be cut differently (``2 024`` for ``2024``) but must begin and end together, and a number
    is not found behind a sign that ``text`` lacks.
    """
    wanted = normalise(text)
    tokens = _tokens([word.text for word in words])
    for start, first in enumerate(tokens):
        if not first or not wanted.startswith(first) or _signed(words, start):
            continue
        joined = ""
        for end in range(start, len(words)):
            joined = _join(joined, tokens[end])
            if joined == wanted:
                return tuple(words[start : end + 1])
            if not wanted.startswith(joined):
                break
    return ()


def _tokens(raw: Sequence[str]) -> list[str]:
    """One text a run; a sign that stands alone is kept before a number only."""
    tokens = [_token(run) for run in raw]
    for at, run in enumerate(raw):
        if run.translate(_DASHES) in _SIGNS:
            follows = raw[at + 1] if at + 1 < len(raw) else ""
            tokens[at] = run.translate(_DASHES) if follows[:1].isdigit() else ""
    return tokens


def _token(raw: str) -> str:
    """One run without spaces. Superscripts and fractions stay what they are: 10\u00b2 is not 102."""
    folded = "".join(c if unicodedata.category(c) == "No" else unicodedata.normalize("NFKC", c) for c in raw)
    text = folded.translate(_DASHES).casefold().strip(_EDGES)
    if not any(unicodedata.category(c) in ("Nd", "No") for c in text):
        return "".join(c for c in text if c.isalnum() or c in _KEPT_BESIDE_LETTERS)
    if text[0] == "(" and text[-1] == ")":
        return text  # a negative amount, in accounts
    return text.strip("()" + _EDGES)


def _join(before: str, token: str) -> str:
    """Two runs as one text; two numbers stay two unless the second is a group of thousands of the first."""
    if before[-1:].isdigit() and token[:1].isdigit():
        group = _THOUSANDS.match(token) and _ENDS_IN_GROUP.search(before)
        return before + token if group else f"{before} {token}"
    return before + token


def _signed(words: Sequence[Word], start: int) -> bool:
    """Whether a number is preceded, close by on its line, by a sign that stands alone."""
    if not start or not words[start].text[:1].isdigit():
        return False
    before, number = words[start - 1], words[start]
    near = number.box.x0 - before.box.x1 < 0.6 * max(number.size, 1.0)
    return before.line == number.line and near and before.text.translate(_DASHES) in _SIGNS
