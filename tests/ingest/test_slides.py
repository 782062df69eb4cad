"""What is read beside the picture of a slide; python-pptx draws the decks, no office suite is needed."""

from __future__ import annotations

import io

import pytest
from drawn_office import add_chart, blank_deck, part_text, save_deck, with_part
from PIL import Image
from pptx.util import Pt

from mmrag.ingest.files.slides import read_slides
from mmrag.records import Box, ChunkKind, Supplement

PAGE = (720.0, 540.0)


def beside(deck, tmp_path, sizes=None):
    path = save_deck(deck, tmp_path / "deck.pptx")
    return read_slides(path, sizes or [PAGE] * len(deck.slides))


def picture() -> io.BytesIO:
    stream = io.BytesIO()
    Image.new("RGB", (8, 8)).save(stream, "PNG")
    stream.seek(0)
    return stream


def describe(shape, text: str) -> None:
    shape._element.xpath("./*/p:cNvPr")[0].set("descr", text)


def test_a_deck_without_anything_beside_it(tmp_path):
    found = beside(blank_deck(2), tmp_path)
    assert (dict(found.supplements), found.hidden, found.notes) == ({}, frozenset(), ())


def test_speaker_notes_belong_to_their_slide(tmp_path):
    deck = blank_deck(3)
    deck.slides[1].notes_slide.notes_text_frame.text = "Say hello.\n\nThen  wait.\vAnd go on."
    found = beside(deck, tmp_path)
    assert dict(found.supplements) == {
        2: (Supplement(ChunkKind.NOTES, "Speaker notes", "Say hello.\nThen wait.\nAnd go on."),)
    }


@pytest.mark.parametrize("text", ["", "  \n", "12", "\u2039#\u203a"])
def test_notes_that_are_empty_or_a_number_are_left_out(tmp_path, text):
    deck = blank_deck()
    deck.slides[0].notes_slide.notes_text_frame.text = text
    assert dict(beside(deck, tmp_path).supplements) == {}


def test_hidden_slides_are_named_by_page(tmp_path):
    deck = blank_deck(3)
    deck.slides[1]._element.set("show", "0")
    deck.slides[2]._element.set("show", "1")
    assert beside(deck, tmp_path).hidden == frozenset({2})


def test_alternative_text_a_person_wrote_has_its_pictures_box(tmp_path):
    deck = blank_deck()
    shape = deck.slides[0].shapes.add_picture(picture(), Pt(72), Pt(108), Pt(144), Pt(72))
    describe(shape, "A ferry at the pier,\nseen from the bridge")
    (only,) = beside(deck, tmp_path).supplements[1]
    assert only == Supplement(
        ChunkKind.FIGURE,
        "Alt text",
        "A ferry at the pier,\nseen from the bridge",
        box=Box(72.0, 108.0, 216.0, 180.0),
    )


def test_boxes_are_scaled_to_the_page(tmp_path):
    deck = blank_deck()
    describe(deck.slides[0].shapes.add_picture(picture(), Pt(72), Pt(108), Pt(144), Pt(72)), "A ferry")
    (only,) = beside(deck, tmp_path, [(360.0, 270.0)]).supplements[1]
    assert only.box == Box(36.0, 54.0, 108.0, 90.0)


def test_a_box_ends_at_the_edge_of_the_page(tmp_path):
    deck = blank_deck()
    describe(deck.slides[0].shapes.add_picture(picture(), Pt(-20), Pt(500), Pt(100), Pt(100)), "A ferry")
    describe(deck.slides[0].shapes.add_picture(picture(), Pt(800), Pt(0), Pt(100), Pt(100)), "Off the slide")
    first, second = beside(deck, tmp_path).supplements[1]
    assert first.box == Box(0.0, 500.0, 80.0, 540.0)
    assert second.box is None


@pytest.mark.parametrize(
    "text",
    ["", "Picture 3", "image", "Bild 12", "ferry at dawn.JPG", "C:\\new\\x.png", "daily_usage_2007", "42"],
)
def test_alternative_text_a_program_wrote_is_left_out(tmp_path, text):
    deck = blank_deck()
    describe(deck.slides[0].shapes.add_picture(picture(), 0, 0, Pt(9), Pt(9)), text)
    assert dict(beside(deck, tmp_path).supplements) == {}


def test_the_remark_of_the_program_is_cut_off(tmp_path):
    deck = blank_deck()
    text = "A map of the harbour\n\nDescription automatically generated"
    describe(deck.slides[0].shapes.add_picture(picture(), 0, 0, Pt(9), Pt(9)), text)
    assert [one.text for one in beside(deck, tmp_path).supplements[1]] == ["A map of the harbour"]


def test_shapes_in_groups_in_groups_are_placed_on_the_page(tmp_path):
    deck = blank_deck()
    outer = deck.slides[0].shapes.add_group_shape()
    inner = outer.shapes.add_group_shape()
    describe(inner.shapes.add_picture(picture(), Pt(10), Pt(10), Pt(20), Pt(20)), "A ferry")
    outer.left, outer.top, outer.width, outer.height = Pt(100), Pt(200), Pt(40), Pt(80)
    # Its child space stays (10, 10) to (30, 30): twice as wide, four times as high.
    (only,) = beside(deck, tmp_path).supplements[1]
    assert only.box == Box(100.0, 200.0, 140.0, 280.0)


def test_a_table_with_merged_cells_repeats_their_text(tmp_path):
    deck = blank_deck()
    frame = deck.slides[0].shapes.add_table(3, 3, Pt(72), Pt(144), Pt(300), Pt(90))
    rows = [["Port", "Sailings", ""], ["", "2023", "2024"], ["North", "1 | 2", "two\nlines"]]
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            frame.table.cell(r, c).text = text
    frame.table.cell(0, 1).merge(frame.table.cell(0, 2))
    frame.table.cell(0, 0).merge(frame.table.cell(1, 0))
    (only,) = beside(deck, tmp_path).supplements[1]
    assert only == Supplement(
        ChunkKind.TABLE,
        rows=(("Port", "Sailings", "Sailings"), ("Port", "2023", "2024"), ("North", "1 | 2", "two\nlines")),
        header_rows=1,
        box=Box(72.0, 144.0, 372.0, 234.0),
    )


def test_a_table_that_marks_no_header_has_none(tmp_path):
    deck = blank_deck()
    frame = deck.slides[0].shapes.add_table(2, 1, 0, 0, Pt(9), Pt(9))
    frame.table.first_row = False
    frame.table.cell(0, 0).text = "x"
    (only,) = beside(deck, tmp_path).supplements[1]
    assert (only.rows, only.header_rows) == ((("x",), ("",)), 0)


def test_an_empty_table_is_left_out(tmp_path):
    deck = blank_deck()
    deck.slides[0].shapes.add_table(2, 2, 0, 0, Pt(9), Pt(9))
    assert dict(beside(deck, tmp_path).supplements) == {}


def test_a_chart_is_a_figure_with_its_data(tmp_path):
    deck = blank_deck()
    chart = add_chart(deck.slides[0])
    chart.has_title = True
    chart.chart_title.text_frame.text = "Sailings by port"
    (only,) = beside(deck, tmp_path).supplements[1]
    assert only == Supplement(
        ChunkKind.FIGURE,
        "Sailings by port",
        rows=(("", "2023", "2024"), ("North", "4.5", "0.3"), ("South", "20", "")),
        header_rows=1,
        box=Box(72.0, 108.0, 432.0, 324.0),
    )


def test_all_that_stands_on_a_slide_comes_in_order(tmp_path):
    deck = blank_deck()
    slide = deck.slides[0]
    add_chart(slide)
    describe(slide.shapes.add_picture(picture(), 0, 0, Pt(9), Pt(9)), "A ferry")
    slide.notes_slide.notes_text_frame.text = "Say hello."
    found = beside(deck, tmp_path).supplements[1]
    assert [one.title for one in found] == ["Speaker notes", "Chart", "Alt text"]


def test_when_the_pages_are_not_those_of_the_slides_nothing_is_bound_to_them(tmp_path):
    deck = blank_deck(2)
    deck.slides[0].notes_slide.notes_text_frame.text = "Say hello."
    found = beside(deck, tmp_path, [PAGE] * 3)
    assert (dict(found.supplements), found.hidden) == ({}, frozenset())
    assert found.notes == ("speaker notes and charts were left out: the deck has 2 slides, its PDF 3 pages",)


def noted_deck(tmp_path):
    deck = blank_deck(2)
    for slide in deck.slides:
        slide.notes_slide.notes_text_frame.text = "Say hello."
        add_chart(slide)
    return save_deck(deck, tmp_path / "deck.pptx")


def titles(found) -> dict[int, list[str]]:
    return {page: [one.title for one in those] for page, those in found.supplements.items()}


def test_a_damaged_chart_costs_the_chart_alone(tmp_path):
    path = noted_deck(tmp_path)
    name = next(n for n in part_names(path) if n.startswith("ppt/charts/chart"))
    found = read_slides(with_part(path, name, b"no xml at all"), [PAGE] * 2)
    assert sorted(titles(found).values()) == [["Speaker notes"], ["Speaker notes", "Chart"]]
    assert any(name in note for note in found.notes)


def test_a_missing_chart_costs_the_chart_alone(tmp_path):
    path = noted_deck(tmp_path)
    name = next(n for n in part_names(path) if n.startswith("ppt/charts/chart") and n.endswith(".xml"))
    found = read_slides(with_part(path, name, None), [PAGE] * 2)
    assert sorted(titles(found).values()) == [["Speaker notes"], ["Speaker notes", "Chart"]]
    assert any("a chart could not be read" in note for note in found.notes)


def test_a_missing_slide_costs_that_slide_alone(tmp_path):
    path = with_part(noted_deck(tmp_path), "ppt/slides/slide1.xml", None)
    found = read_slides(path, [PAGE] * 2)
    assert titles(found) == {2: ["Speaker notes", "Chart"]}
    assert found.notes == ("speaker notes and charts of slide 1 could not be read",)


def test_a_slide_cut_off_is_read_as_far_as_it_goes(tmp_path):
    path = noted_deck(tmp_path)
    data = part_text(path, "ppt/slides/slide1.xml")
    found = read_slides(with_part(path, "ppt/slides/slide1.xml", data[:-40].encode()), [PAGE] * 2)
    assert titles(found)[2] == ["Speaker notes", "Chart"]
    assert "Speaker notes" in titles(found)[1]
    assert found.notes[0] == "a damaged part of the deck was not read whole: ppt/slides/slide1.xml"


def test_a_part_that_is_too_large_costs_itself_alone(tmp_path):
    path = noted_deck(tmp_path)
    data = part_text(path, "ppt/slides/slide1.xml").replace("slide 1", "x" * (33 << 20))
    found = read_slides(with_part(path, "ppt/slides/slide1.xml", data.encode()), [PAGE] * 2)
    assert titles(found)[2] == ["Speaker notes", "Chart"]
    assert "a damaged part of the deck was not read whole: ppt/slides/slide1.xml" in found.notes


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", b"<nonsense/>"])
def test_a_deck_that_is_none_costs_a_note(tmp_path, data):
    path = noted_deck(tmp_path)
    found = read_slides(with_part(path, "ppt/presentation.xml", data), [PAGE] * 2)
    assert dict(found.supplements) == {}
    assert found.notes


def test_entities_are_not_expanded(tmp_path):
    path = noted_deck(tmp_path)
    data = part_text(path, "ppt/slides/slide1.xml")
    head, rest = data.split("<p:sld ", 1)
    trap = f'{head}<!DOCTYPE x [<!ENTITY a "{"ha" * 50}"><!ENTITY b "{"&a;" * 99}">]><p:sld {rest}'
    found = read_slides(
        with_part(path, "ppt/slides/slide1.xml", trap.replace("slide 1", "&b;").encode()), [PAGE] * 2
    )
    assert titles(found)[2] == ["Speaker notes", "Chart"]


@pytest.mark.parametrize("kind", ["slideshow", "template"])
def test_slide_shows_and_templates_are_read(tmp_path, kind):
    path = noted_deck(tmp_path)
    types = part_text(path, "[Content_Types].xml")
    changed = types.replace("presentation.main+xml", f"{kind}.main+xml")
    found = read_slides(with_part(path, "[Content_Types].xml", changed.encode()), [PAGE] * 2)
    assert titles(found) == {1: ["Speaker notes", "Chart"], 2: ["Speaker notes", "Chart"]}


def part_names(path) -> list[str]:
    import zipfile

    with zipfile.ZipFile(path) as archive:
        return archive.namelist()
