"""Abbreviations of a question spelt out by the pages it is asked of."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mmrag.records import Word

_ACRONYM = re.compile(r"\b[A-Z]{2,6}s?\b")
# Words that initials pass over: "Department of Energy" is DoE and DE.
_SMALL = frozenset({"a", "and", "for", "in", "of", "on", "the", "to"})


def spell_out(question: str, pages: Sequence[Sequence[Word]]) -> str:
    """The question with each capital abbreviation followed by what the first page that spells it says.

    Capitalised words in a row whose initials are the abbreviation spell it (the long form of
    Schwartz and Hearst, PSB 2003, held to whole initials): "How many EL ..." becomes
    "How many EL (Earned Leave) ..." on a page that says "Earned Leave".
    """

    def spelt(found: re.Match[str]) -> str:
        letters = found.group().removesuffix("s")
        for words in pages:
            long = long_form(letters, words)
            if long:
                return f"{found.group()} ({long})"
        return found.group()

    return _ACRONYM.sub(spelt, question)


def long_form(letters: str, words: Sequence[Word]) -> str:
    """The first run of capitalised words with these initials, or an empty text."""
    texts = [word.text.strip("()[],.;:\u201c\u201d\"'") for word in words]
    for start in range(len(texts)):
        run: list[str] = []
        matched = 0
        for text in texts[start:]:
            if matched == len(letters) or not text:
                break
            if text[0] == letters[matched] and text != letters:
                matched += 1
            elif not (run and text.casefold() in _SMALL):
                break
            run.append(text)
        if matched == len(letters):
            return " ".join(run)
    return ""
