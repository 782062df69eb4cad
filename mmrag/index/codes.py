"""Identifiers kept whole: ``CT-2024-0187`` must not be found by ``CT-2024-0178``.

Full-text tokenizers split identifiers at hyphens and rank a shuffled code as well as the right one,
so identifiers are indexed a second time, whole, in a field of their own.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))
_EDGE = re.compile(r"^[^\w#]+|[^\w+#%]+$")
_POSSESSIVE = re.compile("['\u2019]s$")


def identifiers(text: str) -> tuple[str, ...]:
    """The identifiers in a text, in order, folded to lower case, each once.

    An identifier is a run without spaces that mixes letters and digits, or joins digits or words
    by ``-``, ``_``, ``/``, ``.`` or ``:`` with at least one digit or underscore among them.

    >>> identifiers("See CT-2024-0187, HikariPool-1 (and max_size).")
    ('ct-2024-0187', 'hikaripool-1', 'max_size')
    """
    return tuple(dict.fromkeys(_found(text)))


def _found(text: str) -> Iterator[str]:
    for run in unicodedata.normalize("NFKC", text).translate(_DASHES).split():
        word = _POSSESSIVE.sub("", _EDGE.sub("", run)).casefold()
        if len(word) < 3 or len(word) > 64:
            continue
        digits = any(c.isdigit() for c in word)
        letters = any(c.isalpha() for c in word)
        joined = any(c in "-/:." for c in word)
        if (digits and (letters or joined)) or "_" in word:
            yield word
