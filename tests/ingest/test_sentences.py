"""Lists stay lists; Chinese and Japanese lines are joined and cut as they are written."""

from __future__ import annotations

import pymupdf
import pytest

from mmrag.ingest.chunks.packing import pack
from mmrag.ingest.pages.words import text_words
from mmrag.ingest.text.lines import page_lines
from mmrag.ingest.text.sentences import Unit, join_words, units_of, units_of_text
from mmrag.records import Box, Word, WordSource
from mmrag.unspaced import words_text

from .conftest import count


def words(*lines: str, width: float = 5.0) -> list[Word]:
    found = []
    for number, text in enumerate(lines):
        x = 0.0
        for word in text.split(" "):
            box = Box(x, 12 * number, x + width * len(word), 12 * number + 10)
            found.append(Word(word, box, WordSource.TEXT_LAYER, number, 0, 10))
            x = box.x1 + 3
    return found


def units(*lines: str) -> list[Unit]:
    found = words(*lines)
    return units_of(found, page_lines(found), "", False, frozenset())


def texts(*lines: str) -> list[str]:
    return [unit.text for unit in units(*lines)]


@pytest.mark.parametrize("mark", ["\u2022", "\u25aa", "-", "\u2013", "1.", "(a)", "b)", "iv.", "\uf0b7"])
def test_items_stand_alone_with_their_continuation_lines(mark):
    made = units("The ships carry", f"{mark} oats and", "barley", f"{mark} rye")
    if mark in ("\u2022", "\u25aa", "\uf0b7"):
        assert [unit.text for unit in made] == ["The ships carry", f"{mark} oats and barley", f"{mark} rye"]
    made = units("The ships carry:", f"{mark} oats and", "barley", f"{mark} rye")
    assert [(unit.text, unit.item, unit.opens) for unit in made] == [
        ("The ships carry:", False, True),
        (f"{mark} oats and barley", True, True),
        (f"{mark} rye", True, True),
    ]


def test_a_dash_or_number_within_a_sentence_opens_no_item():
    assert texts("They sailed \u2013 in May", "\u2013 to the north") == [
        "They sailed \u2013 in May \u2013 to the north"
    ]
    assert texts("as told in chapter", "2. and elsewhere") == ["as told in chapter 2. and elsewhere"]


def test_sentences_of_an_item_stay_behind_it():
    assert [(u.text, u.item, u.opens) for u in units("\u2022 Oats. They feed horses.", "\u2022 Rye.")] == [
        ("\u2022 Oats.", True, True),
        ("They feed horses.", False, False),
        ("\u2022 Rye.", True, True),
    ]


def test_a_number_set_apart_from_its_item_is_no_row_of_figures():
    found = [
        Word("1.", Box(0, 0, 8, 10), WordSource.TEXT_LAYER, 0, 0, 10),
        Word("Oats", Box(40, 0, 60, 10), WordSource.TEXT_LAYER, 0, 0, 10),
    ]
    (unit,) = units_of(found, page_lines(found), "", False, frozenset())
    assert (unit.text, unit.row, unit.item) == ("1. Oats", False, True)


def test_chinese_lines_are_joined_without_spaces_and_cut_at_full_stops():
    assert texts("\u6e2f\u53e3\u5f88\u5927\u3002\u8239\u8fd0\u8f93", "\u8c37\u7269\u3002") == [
        "\u6e2f\u53e3\u5f88\u5927\u3002",
        "\u8239\u8fd0\u8f93\u8c37\u7269\u3002",
    ]


def test_a_closing_quote_stays_with_its_sentence():
    assert texts("\u300c\u597d\uff01\u300d\u4ed6\u8bf4\u3002") == [
        "\u300c\u597d\uff01\u300d",
        "\u4ed6\u8bf4\u3002",
    ]


def test_japanese_and_latin_words_keep_their_space():
    found = words("\u6e2f\u306e API", "\u4ed5\u69d8")
    assert join_words(found, range(3), frozenset()) == "\u6e2f\u306e API \u4ed5\u69d8"


def test_korean_is_written_with_spaces():
    assert words_text(words("\ud56d\uad6c", "\ubc30")) == "\ud56d\uad6c \ubc30"


def test_chinese_words_set_apart_on_a_line_stay_apart():
    near = words("\u59d3\u540d \u7537")
    apart = [near[0], Word("\u7537", Box(60, 0, 70, 10), WordSource.TEXT_LAYER, 0, 0, 10)]
    assert words_text(near) == "\u59d3\u540d\u7537"
    assert words_text(apart) == "\u59d3\u540d \u7537"


def test_a_drawn_chinese_page():
    document = pymupdf.open()
    page = document.new_page()
    page.insert_text(
        (72, 100), "\u6e2f\u53e3\u5f88\u5927\u3002\u8239\u8fd0\u8f93", fontname="china-s", fontsize=12
    )
    page.insert_text((72, 116), "\u8c37\u7269\u3002", fontname="china-s", fontsize=12)
    found = text_words(page)
    made = units_of(found, page_lines(found), "", False, frozenset())
    assert [unit.text for unit in made] == [
        "\u6e2f\u53e3\u5f88\u5927\u3002",
        "\u8239\u8fd0\u8f93\u8c37\u7269\u3002",
    ]


def test_chinese_passages_join_sentences_without_spaces():
    made = [Unit("\u6e2f\u3002", (0,), opens=True), Unit("\u8239\u3002", (1,)), Unit("Oats.", (2,))]
    assert [passage.text for passage in pack(made, 99, 0, count)] == ["\u6e2f\u3002\u8239\u3002 Oats."]


def test_a_long_chinese_sentence_is_cut_at_a_pause():
    text = "\u6e2f\u53e3\u5f88\u5927\u5f88\u5927\uff0c\u8239\u8fd0\u8f93\u8c37\u7269"
    made = [Unit(text, (0,), opens=True)]
    assert [passage.text for passage in pack(made, 8, 0, len)] == [text[:7], text[7:]]


def test_texts_without_a_page_are_cut_like_those_on_one():
    assert [(u.text, u.opens) for u in units_of_text("Say this. Then that.\n\nThe end")] == [
        ("Say this.", True),
        ("Then that.", False),
        ("The end", True),
    ]


def items(*texts: str, first: int = 1) -> list[Unit]:
    """Units of which those from ``first`` on are items."""
    return [Unit(text, (i,), opens=True, item=i >= first) for i, text in enumerate(texts)]


def packed(made: list[Unit], limit: int, overlap: int = 0) -> list[str]:
    return [passage.text for passage in pack(made, limit, overlap, str.__len__)]


def test_a_list_s_lead_in_stays_with_its_first_items():
    made = items("Before it all.", "Ships carry:", "- oats", "- rye", "- corn", first=2)
    assert [passage.text for passage in pack(made, 8, 0, count)] == [
        "Before it all.",
        "Ships carry:\n- oats\n- rye",
        "- corn",
    ]


def test_a_heading_never_ends_a_passage():
    made = [
        Unit("aaaa bbbb", (0,), opens=True),
        Unit("H", (1,), heading=True, opens=True),
        Unit("c" * 8, (2,)),
    ]
    assert packed(made, 12) == ["aaaa bbbb", "H\n" + "c" * 8] or packed(made, 12) == [
        "aaaa bbbb",
        "H " + "c" * 8,
    ]


def test_where_length_parts_passages_the_last_words_are_repeated():
    made = [Unit("one two three four five six", (0, 1, 2, 3, 4, 5), opens=True), Unit("a b c d e f", (6,))]
    passages = pack(made, 10, 3, count)
    assert [passage.text for passage in passages] == [
        "one two three four five six",
        "four five six a b c d e f",
    ]
    assert passages[1].repeated == 1
    assert passages[1].units[0].words == (3, 4, 5)


def test_repeated_words_begin_a_clause_where_one_is_near():
    made = [Unit("one two three, four five six", (0, 1, 2, 3, 4, 5), opens=True), Unit("a b c d e f", (6,))]
    assert [p.text for p in pack(made, 12, 5, count)][1] == "four five six a b c d e f"


@pytest.mark.parametrize("stop", ["\u061f", "\u06d4", "\u0964"])
def test_sentences_end_at_the_stops_of_other_scripts(stop):
    assert texts(f"\u0647\u0644{stop} \u0646\u0639\u0645") == [f"\u0647\u0644{stop}", "\u0646\u0639\u0645"]
