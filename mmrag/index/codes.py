"""Terms that the full-text tokenizer would break, kept whole in a field of their own.

It splits identifiers at hyphens and ranks a shuffled code as well as the right one, so
``CT-2024-0187`` is indexed a second time, whole. It takes a run of Chinese, Japanese, Korean or Thai,
which has no spaces between words, as one word, so such runs are indexed as overlapping pairs of
characters (the bigrams of Lucene's CJKAnalyzer). The tokenizer that segments such text itself cost
2 points of recall@10 on English documents (docs/search.md).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_DASHES = str.maketrans(dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2212", "-"))
_EDGE = re.compile(r"^[^\w#]+|[^\w+#%]+$")
# Thai, Lao, Myanmar, Khmer, kana, Han, Hangul
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]+"
)
_NAME = re.compile(r"[^\W\d_][\w./:-]*")
_POSSESSIVE = re.compile("['\u2019]s$")


def identifiers(text: str) -> tuple[str, ...]:
    """The identifiers in a text, in order, folded to lower case, each once.

    An identifier is a run without spaces that mixes letters and digits, or joins digits or words
    by ``-``, ``_``, ``/``, ``.`` or ``:`` with at least one digit or underscore among them.

    >>> identifiers("See CT-2024-0187, HikariPool-1 (and max_size).")
    ('ct-2024-0187', 'hikaripool-1', 'max_size')
    """
    return tuple(dict.fromkeys(_found(text)))


def names(text: str) -> tuple[str, ...]:
    """The identifiers that name one thing: those that begin with a letter.

    Those that begin with a digit are mostly measures, ranges, times and ordinals.

    >>> names("KV-105 opened at 17:05 for the 3rd time, a 30-second test in 2013-2014")
    ('kv-105',)
    """
    return tuple(word for word in identifiers(text) if _NAME.fullmatch(word))


def bigrams(text: str) -> tuple[str, ...]:
    """Pairs of neighbouring characters of scripts written without spaces, in order, each once.

    >>> bigrams("\u5e74\u5047\u7ed3 ok")
    ('\u5e74\u5047', '\u5047\u7ed3')
    """
    runs = _UNSPACED.findall(unicodedata.normalize("NFKC", text))
    pairs = (run[at : at + 2] for run in runs for at in range(max(1, len(run) - 1)))
    return tuple(dict.fromkeys(pairs))


def whole_terms(text: str) -> str:
    """What the field of whole terms holds for a text, separated by spaces."""
    return " ".join((*identifiers(text), *bigrams(text)))


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
