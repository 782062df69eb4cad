"""Office files made for one test each, by python-pptx, by hand, or by LibreOffice itself."""

from __future__ import annotations

import io
import random
import zipfile
from pathlib import Path

import pytest
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Pt

from mmrag.ingest.files.office import find_office

needs_office = pytest.mark.skipif(find_office() is None, reason="LibreOffice is not installed here")

DOCX_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
    '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
    '<Override PartName="/word/document.xml" ContentType='
    '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>'
    '<Override PartName="/docProps/core.xml" ContentType='
    '"application/vnd.openxmlformats-package.core-properties+xml"/></Types>'
)
DOCX_RELATIONSHIPS = (
    '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Target="word/document.xml" Type='
    '"http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"/>'
    '<Relationship Id="r2" Target="docProps/core.xml" Type='
    '"http://schemas.openxmlformats.org/package/2006/relationships/metadata/core-properties"/></Relationships>'
)
DOCX_PROPERTIES = (
    '<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" '
    'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">'
    "<dc:title>Rules of the ferry</dc:title><dc:creator>A. Pilot</dc:creator>"
    "<dcterms:created>2019-05-06T07:08:09Z</dcterms:created></cp:coreProperties>"
)


def write_docx(path: Path, text: str = "The ferry leaves at seven.", size: int = 0) -> Path:
    """The smallest Word document with a paragraph and properties, and ``size`` bytes of no use."""
    body = (
        '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
        f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p></w:body></w:document>"
    )
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", DOCX_TYPES)
        archive.writestr("_rels/.rels", DOCX_RELATIONSHIPS)
        archive.writestr("word/document.xml", body)
        archive.writestr("docProps/core.xml", DOCX_PROPERTIES)
        if size:
            archive.writestr("word/unused.xml", random.Random(1).randbytes(size))
    return path


def blank_deck(slides: int = 1) -> Presentation:
    """A deck of 720 x 540 points with a text on each slide: ``slide 1``, ``slide 2``."""
    deck = Presentation()
    deck.slide_width, deck.slide_height = Pt(720), Pt(540)
    for number in range(1, slides + 1):
        slide = deck.slides.add_slide(deck.slide_layouts[6])
        box = slide.shapes.add_textbox(Pt(72), Pt(36), Pt(400), Pt(50))
        box.text_frame.text = f"slide {number}"
    return deck


def save_deck(deck: Presentation, path: Path) -> Path:
    deck.save(str(path))
    return path


def add_chart(slide, kind: XL_CHART_TYPE = XL_CHART_TYPE.COLUMN_CLUSTERED, data=None):
    if data is None:
        data = CategoryChartData()
        data.categories = ["North", "South"]
        data.add_series("2023", (4.5, 20))
        data.add_series("2024", (0.1 + 0.2, None))
    return slide.shapes.add_chart(kind, Pt(72), Pt(108), Pt(360), Pt(216), data).chart


def with_part(path: Path, name: str, data: bytes | None) -> Path:
    """The same archive with one part replaced, or left out when ``data`` is None."""
    stream = io.BytesIO()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.namelist():
            if entry != name:
                new.writestr(entry, old.read(entry))
        if data is not None:
            new.writestr(name, data)
    path.write_bytes(stream.getvalue())
    return path


def part_text(path: Path, name: str) -> str:
    with zipfile.ZipFile(path) as archive:
        return archive.read(name).decode()
