from __future__ import annotations

import re

import pymupdf
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mmrag.ingest import Chunker, OutlineEntry
from mmrag.ingest.chunks.packing import pack
from mmrag.ingest.text.lines import page_lines
from mmrag.ingest.text.sentences import Unit, join_words, units_of, vocabulary
from mmrag.records import Box, Chunk, ChunkKind, Identity, Page, PageStatus, Word, WordSource
from mmrag.settings import ChunkSettings

from .conftest import count, draw_grid

WHO = Identity("Harbour report", "Port Office", 1912)


def chunker(outline=(), *, tokens=160, overlap=24) -> Chunker:
    return Chunker("d" * 32, WHO, outline, ChunkSettings(tokens=tokens, overlap=overlap), count)


def report() -> pymupdf.Document:
    document = pymupdf.open()
    for number in range(2):
        page = document.new_page()
        page.insert_text((72, 60), f"{number + 1} Grain", fontsize=18, fontname="hebo")
        page.insert_textbox(
            (72, 80, 520, 260),
            "The harbour moved grain. It was a good year for the co-opera-\ntive of sailors, "
            "who own 3.5 ships. Dr. Smith agreed: it was. " * 6,
            fontsize=10,
        )
        page.insert_text((72, 280), f"{number + 1}.1 Prices", fontsize=14, fontname="hebo")
        page.insert_text((72, 296), "Prices rose slowly.", fontsize=10)
        page.insert_text((72, 322), "Table 1: Prices", fontsize=10)
        draw_grid(page, [["Good", "Price"], ["Oats", "12.50"], ["Rye", "13.75"]], 72, 330)
        for bar in range(6):
            page.draw_rect((100 + 40 * bar, 600 - 20 * bar, 140 + 40 * bar, 640), fill=(0.8, 0.8, 1))
            page.insert_text((105 + 40 * bar, 636), f"y{bar}", fontsize=8)
        page.insert_text((100, 655), "Figure 2. Ships by year", fontsize=9)
        page.insert_text((300, 800), f"- {number + 1} -", fontsize=8)
    return document


def chunks_of(save, read, document, outline=(), **settings) -> tuple[list[Page], list[Chunk]]:
    number = document.page_count
    path = save(document)
    pages = [read(path, n) for n in range(1, number + 1)]
    made = chunker(outline, **settings)
    return pages, [chunk for page in pages for chunk in made.feed(page)] + made.finish()


def letters(text: str) -> str:
    return re.sub(r"[^\w]", "", text)


@pytest.mark.parametrize("tokens", [32, 60, 160])
def test_every_word_that_does_not_run_is_in_a_chunk_of_its_page(save, read, tokens):
    pages, chunks = chunks_of(save, read, report(), tokens=tokens)
    for page in pages:
        text = letters(" ".join(c.text for c in chunks if c.pages == (page.number,)))
        *body, dash, number, _ = page.words
        assert (dash.text, number.text) == ("-", str(page.number))
        for word in body:
            assert letters(word.text) in text, word.text
        assert f"- {page.number} -" not in " ".join(c.text for c in chunks)
        prose = letters(
            " ".join(c.text for c in chunks if c.pages == (page.number,) and c.kind is ChunkKind.PROSE)
        )
        assert "Oats" not in prose  # what stands in a table or figure is told there alone
        assert "Table1" not in prose
        assert "y3" not in prose
    for chunk in chunks:
        assert chunk.tokens <= tokens
        assert chunk.box_pages == chunk.pages * len(chunk.boxes)
        assert chunk.boxes
    assert [c.order for c in chunks] == list(range(len(chunks)))


def test_chunks_know_their_section_and_document(save, read):
    _, chunks = chunks_of(save, read, report())
    by_kind = {(c.kind, c.pages): c for c in chunks}
    table = by_kind[ChunkKind.TABLE, (2,)]
    assert table.section == "2 Grain > 2.1 Prices"
    assert (
        table.text == "Table 1: Prices\n\n| Good | Price |\n| --- | --- |\n| Oats | 12.50 |\n| Rye | 13.75 |"
    )
    assert table.index_text == (
        "Harbour report, Port Office, 1912\n2 Grain > 2.1 Prices\nTable 1: Prices\n"
        "Good Price\nOats 12.50\nRye 13.75"
    )
    assert table.boxes == (pytest.approx((72, 330, 252, 390), abs=1),)
    figure = by_kind[ChunkKind.FIGURE, (1,)]
    assert figure.text == "Figure 2. Ships by year\ny0\ny1\ny2\ny3\ny4\ny5" or figure.text.startswith(
        "Figure 2. Ships by year\n"
    )
    assert figure.boxes == (pytest.approx((100, 500, 340, 640), abs=2),)
    prose = [c for c in chunks if c.kind is ChunkKind.PROSE]
    assert prose[0].section == "1 Grain"
    assert prose[0].index_text == f"Harbour report, Port Office, 1912\n1 Grain\n{prose[0].text}"
    assert prose[0].text.startswith("1 Grain\nThe harbour moved grain. It was a good year")
    assert any(c.section == "1 Grain > 1.1 Prices" for c in prose)


def test_the_outline_names_sections_where_there_is_one(save, read):
    outline = [OutlineEntry(1, "Grain", 1), OutlineEntry(2, "Prices", 1), OutlineEntry(1, "Elsewhere", 2)]
    _, chunks = chunks_of(save, read, report(), outline)
    sections = [(c.pages[0], c.kind, c.section) for c in chunks]
    assert (1, ChunkKind.PROSE, "Grain") in sections
    assert (1, ChunkKind.TABLE, "Grain > Prices") in sections
    assert {section for page, _, section in sections if page == 2} == {"Elsewhere"}


def test_running_heads_do_not_become_sections(save, read):
    document = pymupdf.open()
    for number in range(6):
        page = document.new_page()
        page.insert_text((72, 40), "The Port Gazette", fontsize=16)
        page.insert_text((72, 90), f"Matter {'ABCDEF'[number]}", fontsize=14)
        page.insert_textbox(
            (72, 100, 500, 300), "Body text of the page that goes on and on. " * 10, fontsize=10
        )
    _, chunks = chunks_of(save, read, document)
    assert chunks[-1].section.endswith("Matter F")
    assert "Gazette" not in chunks[-1].section.removeprefix("The Port Gazette > ")


def test_pages_without_text_have_no_chunks():
    page = Page("d" * 32, 1, 600, 800, PageStatus.BLANK, "nothing is on the page")
    assert chunker().feed(page) == []


def words(*lines: str) -> list[Word]:
    found = []
    for number, text in enumerate(lines):
        x = 0.0
        for word in text.split():
            found.append(
                Word(
                    word,
                    Box(x, 12 * number, x + 5 * len(word), 12 * number + 10),
                    WordSource.TEXT_LAYER,
                    number,
                    0,
                    10,
                )
            )
            x += 5 * len(word) + 3
    return found


@pytest.mark.parametrize(
    ("lines", "joined"),
    [
        (("an impor-", "tant thing"), "an important thing"),
        (("a long-", "term view, with term and long words"), "a long-term view, with term and long words"),
        (("a long-", "term view, a long-term view"), "a long-term view, a long-term view"),
        (("sub-", "Saharan"), "sub- Saharan"),
        (("page 3-", "fold"), "page 3- fold"),
        (("one - two",), "one - two"),
    ],
)
def test_hyphens_at_line_ends(lines, joined):
    found = words(*lines)
    assert join_words(found, range(len(found)), vocabulary(found)) == joined


def units(*lines: str) -> list[str]:
    found = words(*lines)
    return [unit.text for unit in units_of(found, page_lines(found), "", False, frozenset())]


def test_sentences():
    assert units("He left. She stayed (alone). 3 came", "back! Why? no reason.") == [
        "He left.",
        "She stayed (alone).",
        "3 came back!",
        "Why? no reason.",
    ]
    assert units("Dr. Who of the U.S. Army, e.g. No. 5, et al. Then J. Doe.") == [
        "Dr. Who of the U.S. Army, e.g. No. 5, et al. Then J. Doe."
    ]


def test_rows_of_figures_stand_alone():
    found = [
        Word(text, Box(x, y, x + 30, y + 10), WordSource.TEXT_LAYER, line, 0, 10)
        for line, (text, x, y) in enumerate(
            [
                ("Sales", 0, 0),
                ("12.5", 200, 0),
                ("13.5", 300, 0),
                ("Costs", 0, 12),
                ("(2.0)", 200, 12),
                ("Net", 0, 24),
            ]
        )
    ]
    made = units_of(found, page_lines(found), "", False, frozenset())
    assert [(u.text, u.row) for u in made] == [
        ("Sales 12.5 13.5", True),
        ("Costs (2.0)", True),
        ("Net", False),
    ]


def prose_units(*texts: str, opens: tuple[int, ...] = (0,), heads: tuple[int, ...] = ()) -> list[Unit]:
    return [Unit(t, (i,), heading=i in heads, opens=i in opens or i in heads) for i, t in enumerate(texts)]


def packed(made: list[Unit], limit: int, overlap: int = 0) -> list[str]:
    return [passage.text for passage in pack(made, limit, overlap, count)]


def test_passages_end_at_sentences_and_overlap():
    made = prose_units("a b c", "d e", "f g h", "i")
    assert packed(made, 5) == ["a b c d e", "f g h i"]
    assert packed(made, 5, 2) == ["a b c d e", "d e f g h", "i"]
    assert packed(made, 6, 2) == ["a b c d e", "d e f g h i"]


def test_passages_end_at_paragraphs_when_well_filled():
    made = prose_units("a b c d e f", "g h", "i j k", opens=(0, 1))
    assert packed(made, 10) == ["a b c d e f", "g h i j k"]
    made = prose_units("a b", "g h i j k", "l m n o", opens=(0, 1))
    assert packed(made, 10) == ["a b\ng h i j k", "l m n o"]


def test_headings_open_passages_unless_there_is_hardly_anything():
    made = prose_units("Head", "a b c d", "Next", "e f", opens=(1, 3), heads=(0, 2))
    assert packed(made, 16, 4) == ["Head\na b c d", "Next\ne f"]
    assert packed(made, 40, 4) == ["Head\na b c d\nNext\ne f"]


def test_long_sentences_and_words_are_cut():
    assert packed(prose_units("a b c d e f g"), 4) == ["a b c d", "e f g"] or packed(
        prose_units("a b c d e f g"), 4
    ) == ["a b c", "d e f g"]
    assert "".join(packed(prose_units("." * 9), 4)) == "." * 9


@given(
    st.lists(st.tuples(st.text("abc.", min_size=1, max_size=5), st.booleans(), st.booleans()), max_size=40),
    st.integers(1, 12),
    st.integers(0, 5),
)
def test_packing_loses_nothing_and_keeps_the_limit(parts, limit, overlap):
    made = [Unit(t, (i,), heading=h, opens=o or h) for i, (t, h, o) in enumerate(parts)]
    passages = pack(made, limit, overlap, count)
    assert sorted({i for p in passages for u in p.units for i in u.words}) == list(range(len(made)))
    fresh = "".join(u.text for p in passages for u in p.units[p.repeated :])
    assert fresh == "".join(u.text for u in made)
    for passage in passages:
        assert count(passage.text) <= limit


def test_a_paragraph_parted_into_blocks_is_one(save, read):
    document = pymupdf.open()
    page = document.new_page()
    for x, lines in (
        (72, ["The harbour moved", "grain and the co-opera-"]),
        (310, ["tive shared", "the gain."]),
    ):
        for number, text in enumerate(lines):
            page.insert_text((x, 100 + 13 * number + 40 * (x == 72)), text, fontsize=10)
    _, (chunk,) = chunks_of(save, read, document)
    assert chunk.text == "The harbour moved grain and the co-operative shared the gain."
