from __future__ import annotations

from pathlib import Path

import pytest

from mmrag.ingest import FileInfo, identify
from mmrag.records import Box, Identity, Page, PageStatus, Word, WordSource


def info(name: str = "report.pdf", **metadata: str) -> FileInfo:
    return FileInfo("0" * 32, Path(name), name, 1, 1, metadata)


def page(*lines: tuple[str, float]) -> Page:
    words = []
    y = 50.0
    for number, (text, size) in enumerate(lines):
        for place, word in enumerate(text.split()):
            box = Box(50 + 40 * place, y, 85 + 40 * place, y + size)
            words.append(Word(word, box, WordSource.TEXT_LAYER, number, number, size))
        y += 1.2 * size
    return Page("0" * 32, 1, 600, 800, PageStatus.INDEXED, words=tuple(words))


EMPTY = page()


@pytest.mark.parametrize(
    ("title", "kept"),
    [
        ("Annual Report 2023", "Annual Report 2023"),
        ("Microsoft Word - The long way home.docx", "The long way home"),
        ("PowerPoint - Sales plan 2024 final.pptx", "Sales plan 2024 final"),
        ("Microsoft Word - x.doc", "Report"),
        ("untitled", "Report"),
        ("Slide 1", "Report"),
        ("PowerPoint Presentation", "Report"),
        ("PowerPoint-Pr\u00e4sentation", "Report"),
        ("Pr\u00e9sentation PowerPoint", "Report"),
        ("Presentaci\u00f3n de PowerPoint", "Report"),
        ("PowerPoint \u6f14\u793a\u6587\u7a3f", "Report"),
        ("Folie 12", "Report"),
        ("Untitled 1", "Report"),
        ("Office Theme", "Report"),
        ("Title Slide", "Report"),
        ("PowerPoint for teachers", "PowerPoint for teachers"),
        ("Word of mouth marketing", "Word of mouth marketing"),
        ("Toward a \x0bStandard Format", "Toward a Standard Format"),
        ("0001018724-18-000005", "Report"),
        ("C:\\docs\\thing", "Report"),
        ("abc", "Report"),
        ("", "Report"),
    ],
)
def test_titles_of_metadata(title, kept):
    assert identify(info("Report.pdf", title=title), None).title == kept


def test_the_first_page_s_largest_lines_are_the_title():
    first = page(
        ("FOR RELEASE MARCH 9, 2020", 30),
        ("How people", 24),
        ("read pages", 23),
        ("By A. Writer", 12),
        ("Text.", 10),
    )
    assert identify(info(), first).title == "How people read pages"


def test_a_recommended_citation_names_title_and_organisation():
    first = page(
        ("CONTACT US SOON", 20),
        ("RECOMMENDED CITATION Pew Research Center, March, 2020, \u201cViews of", 8),
        ("Each Other and the World\u201d", 8),
    )
    assert identify(info(), first) == Identity(
        "Views of Each Other and the World", "Pew Research Center", 2020
    )


def test_the_file_s_name_is_the_last_resort():
    assert identify(info("2021_sales-report_FINAL.pdf"), EMPTY).title == "2021 sales report FINAL"
    assert (
        identify(info("afe620b9beac86c1027b96d31d396407.pdf"), None).title
        == "afe620b9beac86c1027b96d31d396407"
    )


def test_filings_are_named_by_form_and_registrant():
    first = page(
        ("UNITED STATES", 20),
        ("SECURITIES AND EXCHANGE COMMISSION", 18),
        ("FORM 10-K", 12),
        ("For the fiscal year ended December 31, 2017", 10),
        ("Widget.com, Inc.", 14),
        ("(Exact name of registrant as specified in its charter)", 8),
        ("As of January 24, 2018", 8),
    )
    found = identify(info("x.pdf", author="EDGAR Online, a division of X & Sons Company"), first)
    assert found == Identity("Form 10-K", "Widget.com, Inc.", 2017)
    assert found.label() == "Form 10-K, Widget.com, Inc., 2017"


@pytest.mark.parametrize(
    ("author", "organisation"),
    [
        ("Huawei Technologies Co., Ltd.", "Huawei Technologies Co., Ltd."),
        ("University of Somewhere", "University of Somewhere"),
        ("Jane Doe", ""),
        ("Microsoft Corporation", ""),
        ("", ""),
    ],
)
def test_authors_count_when_they_are_organisations(author, organisation):
    assert identify(info(author=author), EMPTY).organisation == organisation


def test_an_organisation_on_the_page():
    first = page(("The big plan", 20), ("An Institute of", 12), ("Florida Department of Health", 10))
    assert identify(info(), first).organisation == "Florida Department of Health"


@pytest.mark.parametrize(
    ("name", "metadata", "lines", "year"),
    [
        ("a.pdf", {}, [("Annual report for the year ended 30 June 2019, printed 2020", 10)], 2019),
        ("a.pdf", {"title": "Outlook 2022 edition"}, [("Printed in May 2021", 10)], 2022),
        ("plan_2018.pdf", {"creationDate": "D:20200101"}, [("May 2019", 10)], 2018),
        (
            "a.pdf",
            {"creationDate": "D:20200101"},
            [("Harbour plans", 20), ("Founded 1990", 10), ("May 3, 2019", 10)],
            2019,
        ),
        ("a.pdf", {"creationDate": "D:20200101"}, [("Harbour plans", 20), ("Since 1990 we have", 10)], 2020),
        ("a.pdf", {}, [("Data of 2015 and 2015 and 2014", 10)], 2015),
        ("a.pdf", {"creationDate": "D:20150101"}, [("Goals until 2030", 10)], 2015),
        ("a.pdf", {}, [("It cost $2015 and 2015.50", 10)], None),
        ("a.pdf", {}, [], None),
    ],
)
def test_years(name, metadata, lines, year):
    assert identify(info(name, **metadata), page(*lines)).year == year


def test_titles_are_not_endless():
    title = identify(info(title="word " * 60), None).title
    assert len(title) <= 120
    assert title.endswith("word")
