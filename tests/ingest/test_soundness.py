from __future__ import annotations

import pymupdf
import pytest

from mmrag.ingest.pages.soundness import coverage, meaningful_share, unmapped_share, unsound
from mmrag.ingest.pages.words import text_words
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


def test_glyphs_without_a_meaning_do_not_pass_for_text():
    """A font of drawings without names: their codes spell "ÈÉÉ", which nobody sees on the page."""
    document = pymupdf.open()
    page = document.new_page(width=420, height=300)
    glyph, font = document.get_new_xref(), document.get_new_xref()
    document.update_object(glyph, "<<>>")
    document.update_stream(glyph, b"1000 0 0 0 750 750 d1 0 0 750 750 re f")
    document.update_object(
        font,
        "<</Type/Font/Subtype/Type3/FontBBox[0 0 750 750]/FontMatrix[0.001 0 0 0.001 0 0]/FirstChar 200"
        f"/LastChar 201/Widths[1000 1000]/CharProcs<</.dot {glyph} 0 R/.bar {glyph} 0 R>>"
        "/Encoding<</Type/Encoding/Differences[200/.dot/.bar]>>>>",
    )
    page.insert_text((60, 280), " ")
    document.xref_set_key(page.xref, "Resources", f"<</Font<</F3 {font} 0 R>>>>")
    document.update_stream(
        page.get_contents()[0], b"BT /F3 12 Tf 60 200 Td (\\310\\311\\311 \\311\\310\\310) Tj ET"
    )
    found = text_words(pymupdf.open(stream=document.tobytes())[0])
    assert {word.text.strip("\ufffd ") for word in found} == {""}
    assert unsound(found, 0.0) == "100% of the text layer's characters have no meaning"
