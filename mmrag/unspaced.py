"""Words to running text, with scripts in mind that are written without spaces (Chinese, Japanese)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mmrag.records import Word

_GAP = 0.35  # font sizes between words of one line that are set apart on purpose
# Radicals, CJK punctuation, kana, ideographs and full-width forms; Korean is written with spaces.
_UNSPACED = re.compile(
    "[\u2e80-\u312f\u3190-\u9fff\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff65\U00020000-\U0003ffff]"
)


def words_text(words: Sequence[Word]) -> str:
    """Words as running text: a space between them, none between words of scripts without spaces."""
    text = words[0].text if words else ""
    for last, word in pairwise(words):
        text += glue(last, word) + word.text
    return text


def glue(last: Word, word: Word) -> str:
    """What stands between two words: nothing within Chinese or Japanese text, where a space is only a gap."""
    if not (unspaced(last.text[-1]) and unspaced(word.text[0])):
        return " "
    apart = last.line == word.line and word.box.x0 - last.box.x1 > _GAP * word.size
    return " " if apart else ""


def unspaced(character: str) -> bool:
    """Whether a character belongs to a script that is written without spaces (Chinese, Japanese)."""
    return character >= "\u2e80" and _UNSPACED.match(character) is not None
