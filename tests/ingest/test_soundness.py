from __future__ import annotations

import pytest

from mmrag.ingest.soundness import coverage, meaningful_share, unmapped_share, unsound
from mmrag.records import Box, Word, WordSource


def words(text: str) -> list[Word]:
    return [Word(t, Box(0, 0, 1, 1), WordSource.TEXT_LAYER, 0, 0, 10) for t in text.split()]


PROSE = "The quick brown fox jumps over the lazy dog and on it goes, " * 4


@pytest.mark.parametrize(
    ("text", "covered", "reason"),
    [
        ("", 0.0, "no text layer"),
        (PROSE, 1.0, ""),
        ("Draft copy", 0.0, ""),
        ("Draft copy", 0.59, ""),
        ("Draft copy", 0.6, "2 words over a picture of 60%"),
        ("\ue001\ue002\ue003 abcd", 0.0, "43% of the text layer's characters have no meaning"),
        ("\ufffd\ufffd\ufffd abcdefg", 0.0, ""),
        ("! % ' / * $%& " * 12, 0.0, "hardly any is a letter"),
        ("Contents .................................................... 7", 0.0, ""),
        ("\u4f60\u597d\u4e16\u754c " * 30, 0.0, ""),
    ],
)
def test_unsound(text, covered, reason):
    found = unsound(words(text), covered)
    assert reason in found
    assert bool(found) == bool(reason)


def test_shares():
    assert unmapped_share(words("ab\ue000\x01")) == 0.5
    assert unmapped_share([]) == 0.0
    assert meaningful_share(words("a1+* ....")) == 0.5
    assert meaningful_share([]) == 1.0


def test_coverage_counts_overlaps_once():
    half = Box(0, 0, 50, 100)
    assert coverage([half], 100, 100) == pytest.approx(0.5)
    assert coverage([half, half], 100, 100) == pytest.approx(0.5)
    assert coverage([], 100, 100) == 0.0
    assert coverage([Box(0, 0, 100, 100)], 100, 100) == 1.0
