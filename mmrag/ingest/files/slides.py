"""What the picture of a slide loses: speaker notes, alternative texts, exact tables, the data of charts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from mmrag.ingest.files.charts import CX, C, Rows, chart_tables, new_chart_tables
from mmrag.ingest.files.decks import open_deck
from mmrag.records import Box, ChunkKind, Supplement

P = "{http://schemas.openxmlformats.org/presentationml/2006/main}"
A = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
DECORATIVE = "{http://schemas.microsoft.com/office/drawing/2017/decorative}decorative"

_SHAPES = frozenset({P + name for name in ("sp", "pic", "graphicFrame", "grpSp", "cxnSp")})
_DEEPEST = 50  # groups within groups
_MOST_CELLS = 100_000  # of one table

# Alternative text that a program wrote: a counted name, or the name of a file with or without its suffix.
_BY_PROGRAM = re.compile(
    r"(?:picture|image|graphic|photo|chart|table|diagram|content placeholder|shape|group|object|icon|logo"
    r"|smartart|bild|grafik|imagen|gr[áa]fico|immagine|afbeelding)?[\s_#-]*\d*"
    r"|[^\s]*[\d_][^\s]*"
    r"|\S[^\n]{0,200}\.(?:png|jpe?g|jfif|gif|bmp|tiff?|emf|wmf|svg|webp|heic|ico|pdf)",
    re.IGNORECASE,
)
_BOAST = re.compile(
    r"\s*\n*\s*(?:AI-generated content may be incorrect|Description automatically generated[^\n]*)\.?\s*$"
)


@dataclass(frozen=True, slots=True)
class Beside:
    """What stands beside the pages of a deck: by page number, hidden pages, and what went wrong."""

    supplements: Mapping[int, tuple[Supplement, ...]] = field(default_factory=dict)
    hidden: frozenset[int] = frozenset()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Place:
    """Coordinates of a slide or group as points of the page: ``x * across + left``, ``y * down + top``."""

    across: float
    left: float
    down: float
    top: float

    def box(self, offset: tuple[float, float], extent: tuple[float, float]) -> Box:
        x, y = offset
        width, height = extent
        x0, y0 = x * self.across + self.left, y * self.down + self.top
        return Box(x0, y0, x0 + width * self.across, y0 + height * self.down)


def read_slides(path: Path, sizes: Sequence[tuple[float, float]]) -> Beside:
    """Read a ``.pptx`` with python-pptx, slide by slide.

    What is damaged costs a note and no more: a shape its supplement, a slide its supplements.

    Args:
        path: the presentation.
        sizes: width and height in points of the pages that were made of its slides, in order.
    """
    try:
        deck, broken = open_deck(path)
        slides = list(_slides(deck))
        width, height = int(deck.slide_width or 0), int(deck.slide_height or 0)
    except Exception as error:  # python-pptx lets out whatever a damaged deck makes it trip over
        return Beside(notes=(f"speaker notes and charts could not be read ({_said(error)})",))
    notes = [f"a damaged part of the deck was not read whole: {name}" for name in broken[:5]]
    if len(slides) != len(sizes):
        counts = f"the deck has {len(slides)} slides, its PDF {len(sizes)} pages"
        return Beside(notes=(*notes, f"speaker notes and charts were left out: {counts}"))
    supplements: dict[int, tuple[Supplement, ...]] = {}
    hidden = set()
    for number, (slide, (across, down)) in enumerate(zip(slides, sizes, strict=True), 1):
        if slide is None:
            notes.append(f"speaker notes and charts of slide {number} could not be read")
            continue
        if slide.element.get("show") in ("0", "false"):
            hidden.add(number)
        place = _Place(across / width if width else 0.0, 0.0, down / height if height else 0.0, 0.0)
        found, faults = _of_slide(slide, place, Box(0.0, 0.0, across, down))
        notes.extend(f"slide {number}: {fault}" for fault in faults)
        if found:
            supplements[number] = tuple(found)
    return Beside(supplements, frozenset(hidden), tuple(notes))


def _slides(deck: Any) -> Iterator[Any]:
    """Every slide in order; None for one that cannot be loaded."""
    # Not deck.slides, which gives up when one of them is missing.
    for entry in deck.element.get_or_add_sldIdLst():
        try:
            yield deck.part.related_slide(entry.rId)
        except Exception:  # its part is missing or no slide
            yield None


def _of_slide(slide: Any, place: _Place, page: Box) -> tuple[list[Supplement], list[str]]:
    found: list[Supplement] = []
    faults: list[str] = []

    def gather(what: str, read: Callable[[], list[Supplement]]) -> None:
        try:
            found.extend(read())
        except Exception as error:  # one shape must not cost the others
            faults.append(f"{what} could not be read ({_said(error)})")

    gather("speaker notes", partial(_notes, slide))
    try:
        inherited = {id(shape._element): shape for shape in slide.placeholders}
        shapes = list(_shapes(slide.shapes._spTree, place, inherited))
    except Exception as error:
        return found, [*faults, f"shapes could not be read ({_said(error)})"]
    for element, box in shapes:
        on_page = _within(box, page)
        gather("alternative text", partial(_alternative_text, element, on_page))
        if element.tag == P + "graphicFrame":
            gather("a table", partial(_table, element, on_page))
            gather("a chart", partial(_chart, element, on_page, slide.part))
    return found, faults


def _shapes(
    tree: Any, place: _Place, inherited: Mapping[int, Any], depth: int = 0
) -> Iterator[tuple[Any, Box | None]]:
    """Every shape with its box, groups before their members; of alternatives the first is taken."""
    for element in tree:
        if element.tag == MC + "AlternateContent":
            choice = element.find(MC + "Choice")
            if choice is not None and depth < _DEEPEST:
                yield from _shapes(choice, place, inherited, depth + 1)
        elif element.tag in _SHAPES:
            yield element, _box(element, place, inherited)
            if element.tag == P + "grpSp" and depth < _DEEPEST:
                yield from _shapes(element, _inside(element, place), inherited, depth + 1)


def _box(element: Any, place: _Place, inherited: Mapping[int, Any]) -> Box | None:
    """Where a shape stands; a placeholder without a place of its own has its layout's."""
    transform = next(iter(element.xpath("./p:xfrm | ./p:spPr/a:xfrm | ./p:grpSpPr/a:xfrm")), None)
    offset, extent = _pair(transform, "off", "x", "y"), _pair(transform, "ext", "cx", "cy")
    if offset is None or extent is None:
        shape = inherited.get(id(element))
        if shape is None or shape.left is None or shape.width is None:
            return None
        offset, extent = (shape.left, shape.top), (shape.width, shape.height)
    return place.box(offset, extent)


def _inside(group: Any, place: _Place) -> _Place:
    """The coordinates that the members of a group are written in."""
    transform = group.find(f"{P}grpSpPr/{A}xfrm")
    offset, extent = _pair(transform, "off", "x", "y"), _pair(transform, "ext", "cx", "cy")
    inner, size = _pair(transform, "chOff", "x", "y"), _pair(transform, "chExt", "cx", "cy")
    if not (offset and extent and inner and size and size[0] and size[1]):
        return place
    across, down = extent[0] / size[0], extent[1] / size[1]
    return _Place(
        place.across * across,
        place.left + place.across * (offset[0] - inner[0] * across),
        place.down * down,
        place.top + place.down * (offset[1] - inner[1] * down),
    )


def _pair(transform: Any, name: str, first: str, second: str) -> tuple[float, float] | None:
    element = transform.find(A + name) if transform is not None else None
    return (float(element.get(first)), float(element.get(second))) if element is not None else None


def _within(box: Box | None, page: Box) -> Box | None:
    """The part of a box that lies on the page, to a tenth of a point; None when there is none."""
    if box is None:
        return None
    clipped = Box(max(box.x0, 0.0), max(box.y0, 0.0), min(box.x1, page.x1), min(box.y1, page.y1))
    return Box(*(round(side, 1) for side in clipped)) if clipped.area > 0 else None


def _notes(slide: Any) -> list[Supplement]:
    if not slide.has_notes_slide:
        return []
    frame = slide.notes_slide.notes_text_frame
    text = _lines(frame.text) if frame is not None else ""
    if not re.search(r"[^\W\d]", text):
        return []  # nothing, or the number of the slide
    return [Supplement(ChunkKind.NOTES, "Speaker notes", text)]


def _alternative_text(element: Any, box: Box | None) -> list[Supplement]:
    """What a person wrote for those who do not see the shape."""
    properties = next(iter(element.xpath("./*/p:cNvPr")), None)
    if properties is None or next(properties.iter(DECORATIVE), None) is not None:
        return []
    text = _BOAST.sub("", _lines(properties.get("descr") or ""))
    if _BY_PROGRAM.fullmatch(text) or text == properties.get("name") or not re.search(r"[^\W\d]", text):
        return []
    return [Supplement(ChunkKind.FIGURE, "Alt text", text, box=box)]


def _table(frame: Any, box: Box | None) -> list[Supplement]:
    """The cells of a table, a merged cell's text in each place it covers."""
    table = next(frame.iter(f"{A}tbl"), None)
    if table is None:
        return []
    rows = table.findall(f"{A}tr")
    columns = max((len(row.findall(f"{A}tc")) for row in rows), default=0)
    if not 0 < len(rows) * columns <= _MOST_CELLS:
        return []
    grid = [[""] * columns for _ in rows]
    for r, row in enumerate(rows):
        for c, cell in enumerate(row.findall(f"{A}tc")):
            if cell.get("hMerge") in ("1", "true") or cell.get("vMerge") in ("1", "true"):
                continue
            text = _cell_text(cell)
            for below in range(r, min(len(rows), r + max(1, int(cell.get("rowSpan", "1"))))):
                for right in range(c, min(columns, c + max(1, int(cell.get("gridSpan", "1"))))):
                    grid[below][right] = text
    if not any(text for line in grid for text in line):
        return []
    properties = table.find(f"{A}tblPr")
    headed = properties is not None and properties.get("firstRow") in ("1", "true") and len(rows) > 1
    texts = tuple(tuple(line) for line in grid)
    return [Supplement(ChunkKind.TABLE, rows=texts, header_rows=int(headed), box=box)]


def _cell_text(cell: Any) -> str:
    paragraphs = []
    for paragraph in cell.iter(f"{A}p"):
        runs = ("\n" if run.tag == f"{A}br" else run.text or "" for run in paragraph.iter(f"{A}t", f"{A}br"))
        paragraphs.append("".join(runs))
    return _lines("\n".join(paragraphs))


def _chart(frame: Any, box: Box | None, part: Any) -> list[Supplement]:
    tables: list[tuple[str, Rows]] = []
    for reference in frame.iter(f"{C}chart", f"{CX}chart"):
        chart = part.related_part(reference.get(f"{R}id"))
        if reference.tag == f"{C}chart":
            tables.extend(chart_tables(chart._element))
        else:
            from lxml import etree

            parser = etree.XMLParser(resolve_entities=False, no_network=True)
            tables.extend(new_chart_tables(etree.fromstring(chart.blob, parser)))
    return [Supplement(ChunkKind.FIGURE, title, rows=rows, header_rows=1, box=box) for title, rows in tables]


def _lines(text: str) -> str:
    """The text with line breaks as such, without empty lines and doubled spaces."""
    lines = (" ".join(line.split()) for line in re.split(r"[\n\r\v\u2028]", text))
    return "\n".join(line for line in lines if line)


def _said(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:120]}" if text else type(error).__name__
