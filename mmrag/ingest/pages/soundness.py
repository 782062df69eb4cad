"""Can the text layer be trusted, or must the page be read by OCR?"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from mmrag.records import Box, Word

UNMAPPED_SHARE = 0.3
"""Share of a page's characters without a meaning above which its text layer is garbage."""

WORDLESS_SHARE = 0.4
"""Share of letters and digits below which a page's text layer is garbage in plain characters."""

FEW_CHARACTERS = 120
"""A page under a full picture with fewer text-layer characters than this is taken for a scan with a stamp."""

PICTURE_SHARE = 0.6
"""Share of the page pictures must cover to count as a picture of a page."""


def unsound(words: Sequence[Word], coverage: float) -> str:
    """Say why a text layer is not sound; "" when it is.

    Args:
        words: the text layer's words.
        coverage: share of the page that pictures cover, 0 to 1.
    """
    if not words:
        return "the page has no text layer"
    share = unmapped_share(words)
    if share > UNMAPPED_SHARE:
        return f"{share:.0%} of the text layer's characters have no meaning"
    characters = sum(len(word.text) for word in words)
    if characters >= 50 and meaningful_share(words) < WORDLESS_SHARE:
        return "the text layer's characters have no meaning: hardly any is a letter or digit"
    if characters < FEW_CHARACTERS and coverage >= PICTURE_SHARE:
        return f"the text layer holds {len(words)} words over a picture of {coverage:.0%} of the page"
    return ""


def unmapped_share(words: Sequence[Word]) -> float:
    """Share of characters that no encoding gives a meaning: U+FFFD, private use, control, unassigned."""
    text = "".join(word.text for word in words)
    return sum(map(_unmapped, text)) / len(text) if text else 0.0


def meaningful_share(words: Sequence[Word]) -> float:
    """Share of letters, digits and marks among a page's characters; leaders ("....") count for nothing."""
    text = "".join(word.text for word in words).replace(".", "").replace("_", "").replace("-", "")
    return sum(unicodedata.category(c)[0] in "LNM" for c in text) / len(text) if text else 1.0


def _unmapped(character: str) -> bool:
    if character.isascii():
        return not character.isprintable()
    return character == "\ufffd" or unicodedata.category(character) in ("Co", "Cc", "Cn", "Cs")


def coverage(boxes: Sequence[Box], width: float, height: float, cells: int = 24) -> float:
    """Share of a page that boxes cover, overlaps counted once, on a ``cells`` by ``cells`` grid."""
    if not boxes:
        return 0.0
    covered = 0
    for row in range(cells):
        y = (row + 0.5) * height / cells
        band = [box for box in boxes if box.y0 <= y <= box.y1]
        for column in range(cells):
            x = (column + 0.5) * width / cells
            covered += any(box.x0 <= x <= box.x1 for box in band)
    return covered / cells**2
