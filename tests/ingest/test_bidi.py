# ruff: noqa: RUF001 - letters of other scripts are what this is about
"""Right-to-left text in logical order."""

from __future__ import annotations

from pathlib import Path

import pymupdf
import pytest

from mmrag.ingest.pages.words import text_words
from mmrag.ingest.text.bidi import is_rtl, logical_order, mend_ligatures, mostly_rtl
from mmrag.ingest.text.lines import page_lines
from mmrag.ingest.text.order import reading_order
from mmrag.records import Box, Word, WordSource

NOTO = Path("/usr/share/fonts/truetype/noto/NotoSansHebrew-Regular.ttf")


def row(*texts: str, line: int = 0, gap: float = 4.0, lines: tuple[int, ...] = ()) -> list[Word]:
    """Words side by side from left to right."""
    words, x = [], 50.0
    for place, text in enumerate(texts):
        box = Box(x, 100, x + 6 * len(text), 112)
        number = lines[place] if lines else line
        words.append(Word(text, box, WordSource.TEXT_LAYER, number, 0, 10))
        x = box.x1 + gap
    return words


def read(*texts: str, **how: object) -> list[str]:
    return [word.text for word in logical_order(row(*texts, **how))]  # type: ignore[arg-type]


def test_scripts():
    assert is_rtl("שלום")
    assert is_rtl("سلام")
    assert not is_rtl("12.5")
    assert not is_rtl("Größe")
    assert mostly_rtl(row("שלום", "iOS"))
    assert not mostly_rtl(row("א", "word"))


def test_a_line_is_read_from_the_right():
    assert read("ג", "ב", "א") == ["א", "ב", "ג"]


def test_a_latin_name_and_its_figure_within_it_are_read_from_the_left():
    assert read("שקלים", "iPad", "15", "Pro", "עולה") == ["עולה", "iPad", "15", "Pro", "שקלים"]


def test_a_line_with_more_latin_than_hebrew_follows_its_page():
    hebrew = [Word("שלום לעולם", Box(50, 300, 90, 312), WordSource.TEXT_LAYER, 9, 1, 10)]
    line = row("Advanced", "Micro", "Devices", "של")
    assert [w.text for w in logical_order([*line, *hebrew])][:4] == ["Advanced", "Micro", "Devices", "של"]
    ordered = logical_order([*line, *hebrew * 4])
    assert [w.text for w in ordered][:4] == ["של", "Advanced", "Micro", "Devices"]


def test_figures_alone_stay_where_they_stand_between_words():
    assert read("שקל", "1,200", "עולה") == ["עולה", "1,200", "שקל"]
    assert read("שקל", "1,200", "2024", "עולה") == ["עולה", "2024", "1,200", "שקל"]


def test_a_hebrew_name_within_a_latin_line_is_read_from_the_right():
    assert read("The", "song", "חדש", "שיר", "was", "sung") == ["The", "song", "שיר", "חדש", "was", "sung"]


def test_the_file_s_own_order_does_not_matter():
    words = row("ג", "ב", "א")
    for given in (words, words[::-1], [words[1], words[0], words[2]]):
        assert [word.text for word in logical_order(given)] == ["א", "ב", "ג"]


def test_pieces_of_a_line_become_one_line():
    ordered = logical_order(row("שקל", "1,200", "עולה", lines=(2, 1, 0)))
    assert [word.text for word in ordered] == ["עולה", "1,200", "שקל"]
    assert {word.line for word in ordered} == {0}


def test_cells_far_apart_stay_lines_of_their_own():
    ordered = logical_order(row("שקל", "עולה", gap=80))
    assert [(w.text, w.line) for w in ordered] == [("עולה", 0), ("שקל", 1)]


def test_pieces_that_touch_are_one_word():
    assert read("2024", "-", "ב", gap=0) == ["ב-2024"]
    assert read(".", "2024", "ב", gap=0, lines=(0, 1, 2)) == ["ב2024."]


def test_stops_and_brackets_that_the_file_holds_apart_find_their_words():
    words = row(".", "50", "(", "חדש", ")", "הוא", gap=0, lines=(9, 3, 7, 3, 8, 3))
    assert [word.text for word in logical_order(sorted(words, key=lambda w: w.line))] == ["הוא)חדש(50."]


def test_a_date_in_pieces_is_one_word_on_a_right_to_left_page():
    words = [*row("1403", "/", "09", "/", "19", gap=0, lines=(4, 3, 2, 1, 0)), *row("سلام", line=9)]
    words[-1] = Word("سلام", Box(300, 300, 330, 312), WordSource.TEXT_LAYER, 9, 1, 10)
    assert [word.text for word in logical_order(words)] == ["1403/09/19", "سلام"]


def test_left_to_right_pages_are_left_alone():
    words = row("c", "b", "a")[::-1]
    assert logical_order(words) == tuple(words)


def test_letters_of_a_ligature_are_put_the_right_way_round():
    # As MuPDF gives "kalay": the alef of lam-alef without width and before its lam.
    characters = [("ک", 20, 24), ("ا", 17, 20), ("ا", 17, 17), ("ل", 11, 17), ("ی", 4, 11)]
    assert mend_ligatures(["کاالی"], characters) == ["کالای"]


def test_ligatures_are_mended_across_the_words_of_a_line():
    characters = [("ب", 30, 34), (" ", 28, 30), ("ا", 20, 20), ("ل", 14, 20), (" ", 12, 14), ("م", 8, 12)]
    assert mend_ligatures(["ب", "ال", "م"], characters) == ["ب", "لا", "م"]


def test_a_mark_without_width_stays_behind_its_letter():
    characters = [("ב", 20, 26), ("\u05bc", 20, 20), ("א", 14, 20)]
    assert mend_ligatures(["בּא"], characters) == ["בּא"]


def test_words_that_the_characters_do_not_spell_stay():
    assert mend_ligatures(["אב"], [("א", 0, 1)]) == ["אב"]


@pytest.mark.skipif(not NOTO.is_file(), reason=f"no Hebrew font at {NOTO}")
def test_a_drawn_hebrew_page():
    document = pymupdf.open()
    page = document.new_page()
    page.insert_font(fontname="hebrew", fontfile=str(NOTO))
    # A renderer draws glyphs from left to right: the line's last letter first.
    page.insert_text((72, 100), "םלועל םולש", fontname="hebrew", fontsize=12)
    page.insert_text((72, 120), "הרוש הינש", fontname="hebrew", fontsize=12)
    lines = [line.text for line in page_lines(reading_order(text_words(page)))]
    assert lines == ["שלום לעולם", "שניה שורה"]
