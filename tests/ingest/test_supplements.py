"""What an office file holds beside its pages' pictures becomes chunks of those pages."""

from __future__ import annotations

from mmrag.ingest import Chunker
from mmrag.records import Box, Chunk, ChunkKind, Identity, Page, PageStatus, Supplement, Word, WordSource
from mmrag.settings import ChunkSettings

from .conftest import count

PLACE = Box(10, 20, 110, 120)


def chunks_of(*supplements: Supplement, status=PageStatus.INDEXED, words=(), tokens=160) -> list[Chunk]:
    page = Page("d" * 32, 3, 720, 540, status, words=tuple(words), supplements=supplements)
    return Chunker("d" * 32, Identity("Deck"), (), ChunkSettings(tokens=tokens), count).feed(page)


def test_notes_say_what_they_are_and_take_the_whole_slide():
    (chunk,) = chunks_of(Supplement(ChunkKind.NOTES, "Speaker notes", "Say this. Then that."))
    assert (chunk.kind, chunk.pages, chunk.boxes) == (ChunkKind.NOTES, (3,), (Box(0, 0, 720, 540),))
    assert chunk.text == "Speaker notes: Say this. Then that."
    assert chunk.index_text == "Deck\nSpeaker notes: Say this. Then that."


def test_notes_stand_under_the_slide_s_heading():
    words = [
        Word("Ports", Box(50, 50, 200, 80), WordSource.TEXT_LAYER, 0, 0, 30),
        *(
            Word("body", Box(50 + 30 * i, 200, 75 + 30 * i, 210), WordSource.TEXT_LAYER, 1, 1, 10)
            for i in range(9)
        ),
    ]
    *_, chunk = chunks_of(Supplement(ChunkKind.NOTES, "Speaker notes", "Say."), words=words)
    assert (chunk.section, chunk.index_text) == ("Ports", "Deck\nPorts\nSpeaker notes: Say.")


def test_long_notes_are_cut_into_passages_that_each_say_what_they_are():
    chunks = chunks_of(
        Supplement(ChunkKind.NOTES, "Speaker notes", " ".join(f"This is sentence {i}." for i in range(30))),
        tokens=32,
    )
    assert len(chunks) > 4
    for chunk in chunks:
        assert chunk.text.startswith("Speaker notes: ")
        assert chunk.tokens <= 32


def test_alt_text_has_the_picture_s_place():
    (chunk,) = chunks_of(Supplement(ChunkKind.FIGURE, "Alt text", "A lighthouse", box=PLACE))
    assert (chunk.kind, chunk.text, chunk.boxes) == (ChunkKind.FIGURE, "Alt text: A lighthouse", (PLACE,))


def test_a_chart_s_data_are_a_table_under_its_title():
    rows = (("", "Oats", "Rye"), ("1911", "12", "13"), ("1912", "14", "15"))
    (chunk,) = chunks_of(Supplement(ChunkKind.FIGURE, "Prices", rows=rows, header_rows=1, box=PLACE))
    assert (
        chunk.text
        == "Prices\n\n|  | Oats | Rye |\n| --- | --- | --- |\n| 1911 | 12 | 13 |\n| 1912 | 14 | 15 |"
    )
    assert chunk.index_text == "Deck\nPrices\nOats Rye\n1911 12 13\n1912 14 15"
    assert (chunk.kind, chunk.boxes, chunk.rows) == (ChunkKind.FIGURE, (PLACE,), (1, 3))


def test_an_exact_table_is_split_by_rows_with_its_header():
    rows = (("Good", "Price"), *((f"Grain {i}", f"{i}.50") for i in range(20)))
    chunks = chunks_of(Supplement(ChunkKind.TABLE, rows=rows, header_rows=1, box=PLACE), tokens=32)
    assert len(chunks) > 2
    assert all(chunk.text.startswith("| Good | Price |\n| --- | --- |\n| Grain") for chunk in chunks)
    assert [chunk.header_repeated for chunk in chunks] == [False, *[True] * (len(chunks) - 1)]
    assert chunks[-1].rows == (chunks[-2].rows[1], 21)
    assert {chunk.kind for chunk in chunks} == {ChunkKind.TABLE}


def test_a_page_without_words_still_tells_its_notes():
    (chunk,) = chunks_of(Supplement(ChunkKind.NOTES, "Speaker notes", "Say."), status=PageStatus.BLANK)
    assert chunk.text == "Speaker notes: Say."


def test_empty_supplements_make_no_chunks():
    assert chunks_of(Supplement(ChunkKind.NOTES, "Speaker notes", " \n")) == []
