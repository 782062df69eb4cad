"""Running heads, feet and page numbers: known, kept out of chunks, and nothing else with them."""

from __future__ import annotations

import pymupdf
import pytest

from mmrag.ingest import Chunker
from mmrag.ingest.pages.words import text_words
from mmrag.ingest.text.lines import page_lines
from mmrag.ingest.text.page_numbers import is_page_number
from mmrag.ingest.text.running import Running, running_keys, scan_running
from mmrag.records import Identity, Page, PageStatus
from mmrag.settings import ChunkSettings

from .conftest import count, draw_grid

HEIGHT = 800.0


def book(pages: int, *, head: str = "A History of Ports", foot: str = "Page {} of 40") -> pymupdf.Document:
    document = pymupdf.open()
    for number in range(1, pages + 1):
        page = document.new_page(width=600, height=HEIGHT)
        if head:
            page.insert_text((72, 40), head, fontsize=9)
        for line in range(20):
            page.insert_text((72, 120 + 14 * line), f"Body {number} line {line} of many words.", fontsize=10)
        if foot:
            page.insert_text((280, 770), foot.format(number), fontsize=8)
    return document


def pages_of(document: pymupdf.Document) -> list[Page]:
    return [
        Page("d" * 32, n, page.rect.width, page.rect.height, PageStatus.INDEXED, words=text_words(page))
        for n, page in enumerate(document, 1)
    ]


def dropped(document: pymupdf.Document, known: frozenset[str] | None = None) -> list[list[str]]:
    """The running lines of each page."""
    running = Running(scan_running(document) if known is None else known)
    found = []
    for page in pages_of(document):
        lines = page_lines(page.words)
        members = running.find(page, lines)
        found.append([line.text for line in lines if members.issuperset(line.words)])
    return found


@pytest.mark.parametrize(
    ("text", "page", "keys"),
    [
        ("Annual Report 2024", 3, {"annualreport2024"}),
        ("Annual Report 2024 | 17", 3, {"annualreport2024|17", "annualreport2024|#+14"}),
        ("Annual Report \u2013 3/9", 3, {"annualreport\u20133/9", "annualreport\u2013#+0/9"}),
        ("Annual Report, p. 4", 3, {"annualreport,p.4", "annualreport,p.#+1"}),
        ("Page 7 of 90", 5, {"page7of90", "page#+2of90"}),
        ("Stra\u00dfe 12.5", 1, {"strasse12.5"}),
        ("Invoice 1001", 1, {"invoice1001"}),
        ("- 9 -", 3, {"-9-", "-#+6-"}),
        ("2) Apples", 1, {"2)apples"}),
        ("20 degrees", 1, {"20degrees"}),
        ("17 Results", 20, {"17results", "#-3results"}),
        ("Amount due 77.50", 1, {"amountdue77.50"}),
        ("Temperature 21 degrees", 1, {"temperature21degrees"}),
    ],
)
def test_numbers_are_folded_where_a_page_number_may_stand(text: str, page: int, keys: set[str]):
    assert running_keys(text, page) == keys


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", True),
        ("xii", True),
        ("- 7 -", True),
        ("\u2014 7 \u2014", True),
        ("Page 3 of 9", True),
        ("Seite 3 von 9", True),
        ("3/9", True),
        ("\u7b2c3\u9875", True),
        ("9/3", False),
        ("2024", False),
        ("(ii)", False),
        ("v)", False),
        ("12.5", False),
        ("7 ships", False),
        ("Page", False),
        ("", False),
    ],
)
def test_page_numbers(text, number):
    assert is_page_number(text) is number


def test_a_year_is_the_number_of_that_page_alone():
    assert is_page_number("2024", page=2024)
    assert not is_page_number("2024", page=2023)


def test_heads_and_feet_are_found_from_the_first_page_on():
    document = book(5)
    assert scan_running(document) == {"top 9 ahistoryofports", "bottom 8 page#+0of40"}
    assert dropped(document) == [["A History of Ports", f"Page {n} of 40"] for n in range(1, 6)]


def test_long_documents_are_sampled():
    assert scan_running(book(200)) == {"top 9 ahistoryofports", "bottom 8 page#+0of40"}


def test_without_a_scan_lines_are_learnt_and_page_numbers_known():
    found = dropped(book(6), frozenset())
    assert found[:3] == [[f"Page {n} of 40"] for n in (1, 2, 3)]
    assert found[3:] == [["A History of Ports", f"Page {n} of 40"] for n in (4, 5, 6)]


def test_a_title_that_later_is_a_running_head_stays():
    document = book(5, head="", foot="")
    for number, page in enumerate(document):
        page.insert_text((72, 60 if not number else 40), "A History of Ports", fontsize=9 if number else 26)
    assert dropped(document) == [[], *[["A History of Ports"]] * 4]


def test_heads_of_facing_pages_are_told_apart():
    document = book(6, head="", foot="")
    for number, page in enumerate(document):
        page.insert_text((72, 40), ("Left head", "Right head")[number % 2], fontsize=9)
    assert dropped(document) == [["Left head"], ["Right head"]] * 3


def test_a_repeated_line_next_to_the_body_is_body():
    document = book(5, head="", foot="")
    for page in document:
        page.insert_text((72, 80), "Name and address of the applicant", fontsize=10)
        page.insert_text((72, 92), "as they stand in the register,", fontsize=10)
        page.insert_text((72, 104), "with the date of entry", fontsize=10)
        page.insert_text((72, 116), "and the clerk's initials.", fontsize=10)
    assert dropped(document) == [[]] * 5


def test_the_head_of_a_table_repeated_on_each_page_is_none():
    document = pymupdf.open()
    for number in range(5):
        page = document.new_page(width=600, height=HEIGHT)
        for place, text in enumerate(("Item", "Unit", "Count", "Price")):
            page.insert_text((72 + 100 * place, 60), text, fontsize=9)
        for row in range(10):
            page.insert_text((72, 90 + 20 * row), f"Part {number}{row}", fontsize=9)
    assert dropped(document) == [[]] * 5


def test_a_slide_s_title_that_comes_again_is_a_title():
    document = pymupdf.open()
    for number, title in enumerate(
        ["Results", "Results", "Results", "Method", "Outlook", "Method", "Thanks"]
    ):
        page = document.new_page(width=600, height=HEIGHT)
        page.insert_text((72, 70), title, fontsize=28)
        page.insert_text((72, 200), f"Point {number} is made here in some words", fontsize=14)
    assert dropped(document) == [[]] * 7


def test_captions_and_bullets_never_run():
    document = book(5, head="Table 3 (continued)", foot="\u2022")
    assert dropped(document) == [[]] * 5


def test_figures_in_a_row_of_figures_are_no_page_numbers():
    document = pymupdf.open()
    page = document.new_page(width=600, height=HEIGHT)
    page.insert_text((72, 200), "Some body text", fontsize=10)
    for place, figure in enumerate(("12", "15", "19")):
        page.insert_text((200 + 90 * place, 760), figure, fontsize=10)
    assert dropped(document, frozenset()) == [[]]


@pytest.mark.parametrize(("first", "found"), [(1, [1, 2, 3, 4]), (31, [33, 34])])
def test_a_page_number_below_the_last_line_of_a_short_page(first, found):
    document = book(4, head="", foot="")
    for number, page in enumerate(document):
        page.insert_text((300, 430), str(first + number), fontsize=9)
    numbers = [int(line) for lines in dropped(document, frozenset()) for line in lines]
    assert numbers == found


def test_a_figure_below_the_last_line_is_no_page_number():
    document = book(4, head="", foot="")
    for page, figure in zip(document, (17, 250, 4, 88), strict=True):
        page.insert_text((300, 430), str(figure), fontsize=9)
    assert dropped(document, frozenset()) == [[]] * 4


def test_pages_that_cannot_be_read_are_passed_over():
    class Broken:
        page_count = 4

        def load_page(self, number: int) -> object:
            raise RuntimeError("no such page")

    assert scan_running(Broken()) == frozenset()


def chunked(document: pymupdf.Document) -> list[str]:
    chunker = Chunker(
        "d" * 32, Identity("T"), (), ChunkSettings(tokens=480, overlap=0), count, scan_running(document)
    )
    return [" ".join(chunk.text for chunk in chunker.feed(page)) for page in pages_of(document)]


def test_running_lines_are_in_the_page_s_words_but_in_no_chunk():
    document = book(5)
    assert [word.text for word in pages_of(document)[0].words[:4]] == ["A", "History", "of", "Ports"]
    for number, text in enumerate(chunked(document), 1):
        assert text.startswith(f"Body {number} line 0 of many words.")
        assert "History" not in text
        assert "Page" not in text


def test_a_page_that_has_nothing_else_keeps_them():
    document = book(4)
    document.new_page(width=600, height=HEIGHT).insert_text((72, 40), "A History of Ports", fontsize=9)
    assert chunked(document)[-1] == "A History of Ports"


def test_rows_of_a_table_in_the_band_stay(save, read):
    document = book(4, head="", foot="")
    for page in document:
        draw_grid(page, [["Item", "Price"], ["Oats", "12"]], 72, 20)
    path = save(document)
    chunker = Chunker("d" * 32, Identity("T"), (), ChunkSettings(), count)
    texts = [" ".join(chunk.text for chunk in chunker.feed(read(path, n))) for n in range(1, 5)]
    assert all("| Oats | 12 |" in text for text in texts)


@pytest.mark.parametrize(
    "mark", ["Invoice number {}", "Amount due {}.50", "Temperature {} degrees", "{} euro"]
)
@pytest.mark.parametrize("step", [37, 11, 1])
def test_a_line_whose_number_does_not_count_with_the_pages_stays(mark: str, step: int):
    document = pymupdf.open()
    for number in range(6):
        page = document.new_page()
        page.insert_text((72, 300), f"Body text of page {number}", fontsize=11)
        for y in (50, 800):
            page.insert_text((72, y), mark.format(1001 + step * number), fontsize=11)
    assert dropped(document) == [[]] * 6


@pytest.mark.parametrize("scanned", [True, False])
@pytest.mark.parametrize("first", [1, 17])
@pytest.mark.parametrize(
    "mark", ["{} Chapter two", "Annual report 2024 | {}", "[{}] Chapter two", "Ports, page {} of 40"]
)
def test_a_page_number_in_a_head_counts_with_the_pages(mark: str, first: int, scanned: bool):
    document = book(6, head="", foot="")
    heads = [mark.format(first + number) for number in range(6)]
    for page, head in zip(document, heads, strict=True):
        page.insert_text((72, 40), head, fontsize=10)
    learnt = 0 if scanned else 3
    assert dropped(document, None if scanned else frozenset())[learnt:] == [[head] for head in heads[learnt:]]


def test_a_last_number_without_a_bar_is_the_page_s_in_small_print_alone():
    document = book(6, head="", foot="")
    for number, page in enumerate(document, 1):
        page.insert_text((72, 40), f"Chapter two {number}", fontsize=8)
        page.insert_text((72, 770), f"Exercise {number}", fontsize=10)
    assert dropped(document) == [[f"Chapter two {number}"] for number in range(1, 7)]


def test_two_pages_are_too_few_to_see_numbers_count():
    document = book(2, head="", foot="")
    for number, page in enumerate(document):
        page.insert_text((72, 40), f"{number + 20} Participants came", fontsize=10)
    assert dropped(document) == [[], []]


@pytest.mark.parametrize("scanned", [True, False])
def test_lines_that_differ_in_their_numbers_reach_the_chunks(scanned: bool):
    document = pymupdf.open()
    for number in range(6):
        page = document.new_page()
        page.insert_text((72, 50), f"Invoice number {1001 + 37 * number}", fontsize=12)
        page.insert_text((72, 140), "Thank you for your order of fruit.", fontsize=12)
        page.insert_text((72, 800), f"Amount due {311 * number + 77}.50", fontsize=12)
    known = scan_running(document) if scanned else frozenset()
    chunker = Chunker("d" * 32, Identity("T"), (), ChunkSettings(tokens=480, overlap=0), count, known)
    texts = [" ".join(chunk.text for chunk in chunker.feed(page)) for page in pages_of(document)]
    for number, text in enumerate(texts):
        assert f"Invoice number {1001 + 37 * number}" in text
        assert f"Amount due {311 * number + 77}.50" in text
