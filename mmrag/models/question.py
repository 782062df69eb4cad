"""What a question is about and what kind of thing it asks for."""

from __future__ import annotations

import re

_ASKS_WHEN = re.compile(
    r"\b(when|what (date|year|day|month|time)|which (date|year|day|month)|how old)\b", re.I
)
_ASKS_NUMBER = re.compile(
    r"\b(how (many|much|long|often|far|high|large|big|fast)|percent\w*"
    r"|what (number|amount|share|rate|price|cost))\b",
    re.I,
)
_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE = re.compile(
    rf"\b(?:1[89]|20)\d\d\b|\b\d{{1,2}}[:.]\d\d\b|\b\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}}\b"
    rf"|\b{_MONTH}\.? \d|\d {_MONTH}\b",
    re.I,
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|half)\b",
    re.I,
)
WORD = re.compile(r"\w+")
_STOP_WORDS = """
    a an and any are as at be been by can could did do does for from had has have how i if in
    into is it its may me many much my no not of on or our shall should so than that the their
    them there these they this those to us was we were what when where which who whom whose
    why will with would you your according document report page figure table slide
"""
_STOP = frozenset(_STOP_WORDS.split())


def fits(question: str, text: str) -> bool:
    """Whether a text has what "when" or "how many" asks for; False for questions that ask for neither."""
    if _ASKS_WHEN.search(question):
        return bool(_DATE.search(text))
    return bool(_ASKS_NUMBER.search(question) and _NUMBER.search(text))


def content_words(text: str) -> list[str]:
    """Words that say what a question is about, folded, each once."""
    words = (word.casefold() for word in WORD.findall(text))
    return list(dict.fromkeys(word for word in words if word not in _STOP))
