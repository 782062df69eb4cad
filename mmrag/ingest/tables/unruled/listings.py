"""Texts in columns that are no tables: numbered lists beside each other, and dumps of bytes."""

from __future__ import annotations

import re

from mmrag.ingest.tables.unruled.build import Draft

_LEAST_ITEMS = 6
_ITEM = re.compile(
    r"(?:[\u2022\u25aa\u25cf\u25e6\u25a0\u25a1\u2610-\u2612]|\(?(?:\d{1,2}|[A-Za-z])[.)])\s+\S"
)
_LEAST_BYTES = 16
_BYTE = re.compile(r"(?:[0-9a-f]{2}|[0-9A-F]{2})")
_MOST_OF = 0.8
_SECTION = re.compile(r"(?:item|part|chapter|section|appendix|annex|lesson|unit)\s+\w{1,4}\b", re.IGNORECASE)


def is_listing(draft: Draft) -> bool:
    """Whether a draft is a list in several columns, or bytes with their addresses."""
    return _is_list(draft) or _is_dump(draft)


def _is_list(draft: Draft) -> bool:
    """Whether in every column nearly all texts have the number or bullet of an item."""
    for column in range(len(draft.zones)):
        texts = [piece.text for line in draft.lines for piece in line if piece.first == column]
        items = sum(bool(_ITEM.match(text)) for text in texts)
        if items < max(2, _MOST_OF * len(texts)):
            return False
    return sum(map(len, draft.lines)) >= _LEAST_ITEMS


def _is_dump(draft: Draft) -> bool:
    """Whether most texts are bytes as two hexadecimal digits, with letters among them."""
    texts = [piece.text for line in draft.lines for piece in line]
    held = [text for text in texts if _BYTE.fullmatch(text)]
    letters = sum(not text.isdigit() for text in held)
    return len(held) >= max(_LEAST_BYTES, _MOST_OF * len(texts)) and letters > 2


def names_sections(draft: Draft) -> bool:
    """Whether nearly all lines start with the name of a part: ``Item 10.``, ``Chapter 2``."""
    named = sum(bool(line and _SECTION.match(line[0].text)) for line in draft.lines)
    return named >= _MOST_OF * len(draft.lines)
