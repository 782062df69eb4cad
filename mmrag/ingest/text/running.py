"""Running heads and feet: lines in a page's outer bands that repeat over pages, and page numbers."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

from mmrag.ingest._mupdf import FAULTS
from mmrag.ingest.pages.words import text_words
from mmrag.ingest.text.captions import FIGURE, TABLE
from mmrag.ingest.text.lines import Line, body_size, page_lines
from mmrag.ingest.text.page_numbers import PageNumbers, is_alone, number_spans
from mmrag.records import Page

BAND = 0.12
"""Share of a page's height, from its top and from its bottom, in which running lines stand."""

_SET_OFF = 0.3  # heights of print between a running line and the text next to it
_SAME_PLACE = 4.0  # points
_SAME_SIZE = 1.15
_LARGE = 1.15  # times the body's size; such a line is a title unless it stands on half of the pages
_SMALL = 0.95  # times the body's size; such a line is set off from what the page says
_EARLIER = 3  # of the last pages that a line was seen on before it is taken for running
_RECENT = 8
_OUTERMOST = 3  # rows of a band that running lines may take
_PIECES = 3  # of a row; more are the cells of a table
_LONGEST = 120  # characters
_RUNS, _RUN = 8, 3
_MOST_BYTES = 400_000  # of a page's content, compressed: drawings that take long to read


@dataclass(frozen=True, slots=True)
class BandLine:
    """A line in an outer band: its folded texts, its edge (``top`` or ``bottom``), place and size in points.

    ``place`` is the distance of its middle from that edge; ``large`` says that it is set in larger
    type than the page's body.
    """

    keys: frozenset[str]
    edge: str
    place: float
    size: float
    large: bool


def running_keys(text: str, page: int, *, small: bool = False) -> frozenset[str]:
    """A text folded in each way in which a running line is the same on all pages.

    Without case and spaces; once as it is, and once for each number that may be the page's
    (:func:`mmrag.ingest.text.page_numbers.number_spans`), written as what it is beyond the page's own number:
    page numbers count with the pages, while "Invoice number 1001" and "Total 77.50", which change otherwise,
    are never the same twice.

    Args:
        text: the line.
        page: the page's own number, from 1.
        small: whether the line is set in smaller type than the page's body.
    """
    numbered = (
        f"{text[:start]}#{int(text[start:end]) - page:+d}{text[end:]}"
        for start, end in number_spans(text, page, small=small)
    )
    return frozenset("".join(key.casefold().split()) for key in (text, *numbered))


def band_lines(lines: Sequence[Line], height: float, number: int) -> list[tuple[int, BandLine]]:
    """The lines in the outer bands of a page, each with its index into ``lines``.

    Lines that are not set off from the text next to them (but for other lines of the band), captions
    and lines that stand on their side are left out.

    Args:
        lines: of a page.
        height: of the page in points.
        number: of the page, from 1.
    """
    body = body_size(lines)
    found: list[tuple[int, BandLine]] = []
    for edge in ("top", "bottom"):
        members = [i for i, line in enumerate(lines) if _edge(line, height) == edge and _may_run(line)]
        kept = _outermost(members, lines, edge)
        # From the inside out: what touches the body belongs to it, and so does what touches that.
        for index in sorted(kept, key=lambda i: abs(_middle(lines[i]) - height / 2)):
            if any(_touches(lines[index], other) for i, other in enumerate(lines) if i not in kept):
                kept.discard(index)
        for index in sorted(kept):
            line = lines[index]
            place = _middle(line) if edge == "top" else height - _middle(line)
            keys = running_keys(line.text, number, small=line.size <= _SMALL * body)
            found.append((index, BandLine(keys, edge, place, line.size, line.size >= _LARGE * body)))
    return found


def _outermost(members: Sequence[int], lines: Sequence[Line], edge: str) -> set[int]:
    """The lines of the first rows from an edge of the page, up to one that looks like a table's."""
    sign = 1 if edge == "top" else -1
    rows: list[list[int]] = []
    for index in sorted(members, key=lambda i: (sign * _middle(lines[i]), i)):
        box = lines[rows[-1][0]].box if rows else None
        if box is not None and box.y0 < _middle(lines[index]) < box.y1:
            rows[-1].append(index)
        else:
            rows.append([index])
    few = list(takewhile(lambda row: len(row) <= _PIECES, rows[:_OUTERMOST]))
    return {index for row in few for index in row}


def _edge(line: Line, height: float) -> str:
    if line.box.y1 <= BAND * height:
        return "top"
    return "bottom" if line.box.y0 >= (1 - BAND) * height else ""


def _middle(line: Line) -> float:
    return (line.box.y0 + line.box.y1) / 2


def _may_run(line: Line) -> bool:
    lying = line.box.y1 - line.box.y0 <= max(2.2 * line.size, line.box.x1 - line.box.x0)
    caption = TABLE.match(line.text) or FIGURE.match(line.text)
    return lying and len(line.text) <= _LONGEST and not caption


def _touches(line: Line, other: Line) -> bool:
    """Whether another line stands close above or below."""
    if min(line.box.x1, other.box.x1) <= max(line.box.x0, other.box.x0):
        return False
    gap = max(line.box.y0, other.box.y0) - min(line.box.y1, other.box.y1)
    return gap < _SET_OFF * line.size


class Running:
    """Tells a document's running lines from its text, page by page, and learns new ones on the way.

    A line runs when the file's scan (:func:`scan_running`) knows it, or when the same text (page numbers
    and case aside) stood at the same height and in the same size on three of the last eight pages; a line
    in larger type than the body only when it is on at least half of them. A title page's title
    that later becomes a running head differs in size and stays.

    Args:
        known: what :func:`scan_running` found.
    """

    def __init__(self, known: frozenset[str] = frozenset()) -> None:
        self._known: dict[tuple[str, str], list[float]] = defaultdict(list)
        for entry in known:
            edge, size, key = entry.split(" ", 2)
            self._known[edge, key].append(float(size))
        self._recent: deque[list[BandLine]] = deque(maxlen=_RECENT)
        self._numbers = PageNumbers()

    def find(self, page: Page, lines: Sequence[Line]) -> set[int]:
        """Indices of the page's words that stand in running lines; pages come in order."""
        banded = band_lines(lines, page.height, page.number)
        found: set[int] = set()
        for index, line in banded:
            number = not line.large and is_alone(lines[index], line.edge, lines, page.number)
            if number or self._runs(line, page.ocr):
                found.update(lines[index].words)
        for index in self._numbers.find(page, lines):
            found.update(lines[index].words)
        if lines:
            self._recent.append([line for _, line in banded])
        return found

    def _runs(self, line: BandLine, ocr: bool) -> bool:
        most = 1.4 if ocr else _SAME_SIZE  # sizes of OCR are heights of letters
        known = (size for key in line.keys for size in self._known.get((line.edge, key), ()))
        if any(_alike(size, line.size, most) for size in known):
            return True
        if not any(map(_tells, line.keys)):
            return False
        earlier = sum(any(_same(line, other, most) for other in page) for page in self._recent)
        return earlier >= _EARLIER and (not line.large or 2 * earlier >= len(self._recent))


def _tells(key: str) -> bool:
    """Whether a folded text says enough to be known again: no bullet or lone letter."""
    return sum(character.isalnum() for character in key) >= 3 or "#" in key


def _alike(one: float, other: float, most: float) -> bool:
    return max(one, other) <= most * min(one, other)


def scan_running(document: Any) -> frozenset[str]:
    """Running lines of a text-layer PDF, from runs of neighbouring pages spread over the file.

    A line runs when the same text (page numbers and case aside) stands at the same height and in the same
    size on two pages of a run and on three of all that were looked at (two where these are fewer than
    six and no number counts, a fifth where these are all of a short file); in larger type than the body,
    only when it is on half of them. Pages that cannot be read and pages of very long content are passed over.

    Args:
        document: an opened PyMuPDF document.

    Returns:
        What :class:`Running` takes: ``<edge> <size> <folded text>`` a line.
    """
    runs: list[list[list[BandLine]]] = []
    for numbers in _sampled(document.page_count):
        runs.append([])
        for number in numbers:
            try:
                page = document.load_page(number)
                if _weight(document, page) > _MOST_BYTES:
                    continue
                lines = page_lines(text_words(page))
                height = float(page.rect.height)
                runs[-1].append([line for _, line in band_lines(lines, height, number + 1)])
            except FAULTS:
                continue  # reading the page says what is wrong with it
    return running_lines(runs)


def running_lines(runs: Sequence[Sequence[Sequence[BandLine]]]) -> frozenset[str]:
    """The running lines among those of sampled pages: runs of pages of lines, see :func:`scan_running`."""
    pages = sum(len(run) for run in runs)
    repeated: set[tuple[str, str, float]] = set()
    total: Counter[tuple[str, str, float]] = Counter()
    large: set[tuple[str, str, float]] = set()
    for run in runs:
        for page in run:
            others = [line for other in run if other is not page for line in other]
            for line in page:
                for key in line.keys:
                    mark = (line.edge, key, round(line.size * 2) / 2)
                    total[mark] += 1
                    if line.large:
                        large.add(mark)
                    if any(key in other.keys and _same(line, other) for other in others):
                        repeated.add(mark)
    # All pages of a short file are looked at; there, a line on a few of many is what these pages share.
    least = max(3 if pages >= 6 else 2, pages / 5 if len(runs) == 1 else 0)
    kept = (
        mark
        for mark in repeated
        if total[mark] >= (max(3, least) if "#" in mark[1] else least)
        and (mark not in large or 2 * total[mark] >= pages)
        and _tells(mark[1])
    )
    return frozenset(f"{edge} {size:g} {key}" for edge, key, size in kept)


def _same(one: BandLine, other: BandLine, most: float = _SAME_SIZE) -> bool:
    return (
        bool(one.keys & other.keys)
        and one.edge == other.edge
        and abs(one.place - other.place) <= _SAME_PLACE
        and _alike(one.size, other.size, most)
    )


def _sampled(pages: int) -> Iterator[range]:
    """Runs of page numbers from 0, spread evenly; all pages of a short file."""
    if pages <= _RUNS * _RUN:
        yield range(pages)
        return
    for run in range(_RUNS):
        start = run * (pages - _RUN) // (_RUNS - 1)
        yield range(start, start + _RUN)


def _weight(document: Any, page: Any) -> int:
    """Bytes of a page's content as stored, with the forms it uses."""
    xrefs = [*page.get_contents(), *(form[0] for form in page.get_xobjects())]
    lengths = (document.xref_get_key(xref, "Length") for xref in xrefs)
    return sum(int(value) for kind, value in lengths if kind == "int")
