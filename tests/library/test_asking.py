"""Questions put to small documents: paraphrase, code, table cell, scan, refusal, and what is shown for it."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest
from drawn_pdf import draw, draw_scan
from PIL import Image

from mmrag import Answer, Library, Settings
from mmrag.records import Box

LEAVE = (
    "Leave policy\n\nEvery employee is entitled to thirty days of Earned Leave (EL) a year.\n\n"
    "Unused Earned Leave may be carried forward to the next calendar year, up to a maximum of 45 days. "
    "Days beyond that lapse on 31 December.\n\nSick leave cannot be carried forward."
)
TRAVEL = (
    "Travel policy\n\nTrains are booked in second class. Flights under six hours are booked in economy.\n\n"
    "Meals are paid up to 40 euros a day against a receipt."
)
CODES = (
    "Register of contracts\n\nContract CT-2024-0178 was awarded to Nordwind Logistics for the cold store.\n\n"
    "Contract CT-2024-0187 was awarded to Halden Engineering for the pump station.\n\n"
    "Contract CT-2024-0781 was awarded to Brise Catering for the canteen."
)
RATES = [
    ["Route", "First boat", "Last boat", "Fare"],
    ["Hjelm - Brattoy", "05:40", "21:15", "38 kr"],
    ["Hjelm - Sandvik", "06:10", "22:45", "52 kr"],
    ["Sandvik - Orsta", "07:00", "19:30", "61 kr"],
]
BOILER = "Inspection report\n\nThe boiler in the west wing was last inspected on 3 May 2021 by Ms Okafor."


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Library]:
    folder = tmp_path_factory.mktemp("papers")
    papers = [
        draw(folder / "handbook.pdf", [TRAVEL, LEAVE], title="Staff handbook"),
        draw(folder / "contracts.pdf", [CODES], title="Contracts 2024"),
        draw(folder / "timetable.pdf", [RATES], title="Ferry timetable"),
        draw_scan(folder / "scan.pdf", [BOILER]),
    ]
    with Library.open(tmp_path_factory.mktemp("at") / "library", settings=Settings.load()) as opened:
        report = opened.add(papers)()
        assert report.failed == ()
        yield opened


def quoted(answer: Answer) -> str:
    return " ".join(citation.quote for citation in answer.citations)


@pytest.mark.parametrize(
    ("question", "name", "page", "says"),
    [
        ("How many EL can I roll over?", "handbook.pdf", 2, "45 days"),
        ("How much unused annual holiday can be taken into next year?", "handbook.pdf", 2, "45 days"),
        ("What may I spend on food each day?", "handbook.pdf", 1, "40 euros"),
        ("Who got CT-2024-0187?", "contracts.pdf", 1, "Halden Engineering"),
        ("Who got CT-2024-0178?", "contracts.pdf", 1, "Nordwind Logistics"),
        ("When does the last boat from Hjelm to Sandvik leave?", "timetable.pdf", 1, "22:45"),
        ("What is the fare from Sandvik to Orsta?", "timetable.pdf", 1, "61 kr"),
        ("When was the boiler checked?", "scan.pdf", 1, "3 May 2021"),
    ],
)
def test_answers(library: Library, question: str, name: str, page: int, says: str) -> None:
    answer = library.ask(question)
    assert not answer.abstained, answer.reason
    first = answer.citations[0]
    assert (first.name, first.page) == (name, page)
    assert says in quoted(answer)
    assert says in answer.text
    assert all(citation.verified and citation.boxes for citation in answer.citations)


def test_a_table_row_is_shown_under_its_header(library: Library) -> None:
    answer = library.ask("When does the last boat from Hjelm to Sandvik leave?")
    lines = answer.text.splitlines()
    row = lines.index("| Hjelm - Sandvik | 06:10 | 22:45 | 52 kr |")
    assert lines[row - 2 : row] == ["| Route | First boat | Last boat | Fare |", "| --- | --- | --- | --- |"]


def test_the_cited_box_lies_on_the_words(library: Library) -> None:
    citation = library.ask("Who got CT-2024-0187?").citations[0]
    page = library.page(citation.document, citation.page)
    inside = {
        word.text
        for word in page.words
        if any(word.box.overlap(box) > 0.5 * word.box.area for box in citation.boxes)
    }
    assert "CT-2024-0187" in inside
    assert "CT-2024-0781" not in inside


@pytest.mark.parametrize(
    "question",
    [
        "What is the boiling point of molybdenum?",
        "Which team won the football world cup in 1998?",
        "How do I configure a Kubernetes ingress controller?",
    ],
)
def test_what_the_documents_do_not_say_is_refused_with_where_to_look(library: Library, question: str) -> None:
    answer = library.ask(question)
    assert answer.abstained
    assert answer.citations == ()
    assert "cannot find" in answer.text
    assert "The nearest pages: " in answer.text


def test_every_hit_tells_its_ranks_passages_and_boxes(library: Library) -> None:
    result = library.search("unused leave carried forward", k=2)
    first = result.hits[0]
    assert (first.name, first.page) == ("handbook.pdf", 2)
    assert {leg.leg: leg.rank for leg in first.legs} == {"page": 1, "text": 1, "bm25": 1}
    assert "carried forward" in first.passages[0].chunk.text
    assert first.passages[0].chunk.index_text.startswith("Staff handbook")
    assert first.boxes
    assert len(result.hits) == 2
    stages = [entry.stage for entry in result.trace]
    assert stages == ["embed", "leg:page", "leg:text", "leg:bm25", "codes", "fuse", "hits"]
    assert all(entry.ms >= 0 for entry in result.trace)
    assert result.trace[1].outputs[0][0] == f"{first.document}#2"


def test_the_same_question_gives_the_same_ranking(library: Library) -> None:
    first, second = (library.search("a day") for _ in range(2))
    assert first.hits == second.hits


def test_filters(library: Library) -> None:
    found = library.search("policy", where="name = 'handbook.pdf' and page = 1").hits
    assert [(hit.name, hit.page) for hit in found] == [("handbook.pdf", 1)]
    assert library.search("policy", where="name = 'no.pdf'").hits == ()
    answer = library.ask("Who got CT-2024-0187?", where="name = 'no.pdf'")
    assert answer.abstained
    assert answer.reason.startswith("no page that you may read was found")


@pytest.mark.parametrize("fusion", ["rrf", "minmax"])
def test_an_exact_identifier_outvotes_what_looks_like_it(
    library: Library, tmp_path: Path, fusion: str
) -> None:
    texts = [f"Valve KV-{n} is in hall {n % 7}. It opens at {n} bar." for n in range(100, 112)]
    with Library.open(tmp_path / "at", settings=Settings.load({"search": {"fusion": fusion}})) as valves:
        valves.add(draw(tmp_path / "valves.pdf", texts, title="Valves"))()
        for n in (100, 105, 111):
            assert valves.search(f"In which hall is valve KV-{n}?").hits[0].page == n - 99


def test_rrf_by_setting(library: Library) -> None:
    settings = Settings.load({"search": {"fusion": "rrf"}})
    with Library.open(library.path, settings=settings) as other:
        hit = other.search("unused leave carried forward").hits[0]
    assert hit.score == pytest.approx(3 / 61)


@pytest.mark.parametrize("question", ["", "   "])
def test_an_empty_question_is_refused(library: Library, question: str) -> None:
    with pytest.raises(ValueError, match="empty"):
        library.search(question)
    with pytest.raises(ValueError, match="empty"):
        library.ask(question)


def test_k(library: Library) -> None:
    assert len(library.search("policy", k=1).hits) == 1
    for k in (0, -1, 1.5):
        with pytest.raises(ValueError, match="at least 1"):
            library.search("policy", k=k)


def test_pictures(library: Library) -> None:
    citation = library.ask("Who got CT-2024-0187?").citations[0]
    whole = Image.open(io.BytesIO(library.overlay(citation.document, 1, citation.boxes)))
    crop = Image.open(io.BytesIO(library.overlay(citation.document, 1, citation.boxes, crop=True)))
    assert (whole.format, crop.format) == ("PNG", "PNG")
    assert crop.height < whole.height / 3
    assert crop.width == whole.width
    page = library.page(citation.document, 1)
    assert page.image is not None
    assert whole.size == (page.image.width, page.image.height)
    scale = whole.width / page.width
    box = citation.boxes[0]
    edge = whole.convert("RGB").getpixel((round(box.x0 * scale) - 2, round((box.y0 + box.y1) / 2 * scale)))
    assert edge == (214, 40, 40)
    far = library.overlay(citation.document, 1, [Box(-50, -50, 9000, 9000)], crop=True)
    assert Image.open(io.BytesIO(far)).size == whole.size
    outside = library.overlay(citation.document, 1, [Box(9000, 9000, 9100, 9100)], crop=True)
    assert Image.open(io.BytesIO(outside)).size == whole.size
