"""Printed page numbers."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence

from mmrag.ingest.text.lines import Line, body_size
from mmrag.records import Page

_NUMBER = re.compile(
    r"(?:page|pg\.?|p\.|seite|slide|folie|página|pagina|第)?\s*[-\u2013\u2014|\[]*\s*"
    r"(?P<number>\d{1,4}|[ivxlc]{1,7})\s*[-\u2013\u2014|\]]*(?:\s*(?:of|/|von|de|di|sur)\s*(?P<last>\d{1,4}))?\s*[页頁]?",
    re.IGNORECASE,
)
_WITH_WORD = re.compile(
    r"(?:(?<!\w)(?:page|pg\.?|p\.|seite|slide|folie|página|pagina)|第)\s*(?P<number>\d{1,4})(?![\w.,]*\d)",
    re.IGNORECASE,
)
_OF = r"(?:\s*(?:of|/|von|de|di|sur)\s*\d{1,4})?"
_FIRST = re.compile(
    rf"[|\[]?\s*(?P<number>\d{{1,4}}){_OF}\]?(?:\s*[|\u2022\u00b7]\s*|\s+[-\u2013\u2014]\s+|\s+)(?P<rest>\S.*)"
)
_LAST = re.compile(
    r"(?P<rest>.*[^\s|\u2022\u00b7\u2013\u2014-])(?P<gap>\s*[|\u2022\u00b7]\s*|\s+[-\u2013\u2014]\s+|\s+)"
    rf"\[?(?P<number>\d{{1,4}}){_OF}\s*[]|]?"
)
_COUNTED = re.compile(
    r"(?:[:#\u2116\u00b0=+]|(?<!\w)(?:n[or]\.?|num\.?|number|nummer|num[eé]ro))\s*$", re.IGNORECASE
)
_RECENT = 8
_LARGE = 1.15  # times the body's size
_SET_OFF = 0.3  # heights of print to the next line


def is_page_number(text: str, page: int = 0, pages: int = 0) -> bool:
    """Whether a text is nothing but a page number: ``7``, ``xii``, ``- 7 -``, ``Page 7 of 9``.

    Args:
        text: the line.
        page: the page's own number, 0 when unknown: a year is a page number only on that page.
        pages: not less than this many pages are in the file; 0 when unknown.
    """
    found = _NUMBER.fullmatch(text.strip())
    if found is None:
        return False
    number, last = found["number"], found["last"]
    if not number.isdecimal():
        return True
    if last is not None and int(number) > max(int(last), pages):
        return False
    return not _is_year(number, page)


def is_alone(line: Line, edge: str, lines: Sequence[Line], page: int) -> bool:
    """Whether a line is a page number, the only figure of its row, and nearest to the page's edge of such.

    Args:
        line: one of ``lines``.
        edge: ``top`` or ``bottom``.
        lines: the page's.
        page: the page's own number.
    """
    if not is_page_number(line.text, page):
        return False
    middle = (line.box.y0 + line.box.y1) / 2
    for other in lines:
        beyond = other.box.y1 <= line.box.y0 if edge == "top" else other.box.y0 >= line.box.y1
        if beyond and is_page_number(other.text):
            return False
        beside = other is not line and other.box.y0 < middle < other.box.y1
        if beside and len(other.text) <= 12 and any(character.isdecimal() for character in other.text):
            return False
    return True


def number_spans(text: str, page: int, *, small: bool) -> list[tuple[int, int]]:
    """Where in a line a page number may stand: start and end of each.

    It follows a word for it ("page 7") or is the line's all, first or last. The first comes before a bar or
    a capital; the last after a bar or a dash, or, where the line is ``small``, after words other than
    "number". Years other than the page's own number are none. Whether one is the page's shows when it
    changes as the pages' own numbers do.

    Args:
        text: the line.
        page: the page's own number.
        small: whether the line is set in smaller type than the page's body.
    """
    alone = _NUMBER.fullmatch(text)
    found = [*_WITH_WORD.finditer(text), *([alone] if alone and alone["number"].isdecimal() else [])]
    spans = [match.span("number") for match in found]
    first, last = _FIRST.fullmatch(text), _LAST.fullmatch(text)
    if first is not None:
        barred = not first[0][first.end("number") : first.start("rest")].isspace()
        start = first["rest"][0]
        if barred or (start.isalpha() and not start.islower()):
            spans.append(first.span("number"))
    if last is not None and not _COUNTED.search(last["rest"]) and (small or not last["gap"].isspace()):
        spans.append(last.span("number"))
    return sorted({span for span in spans if not _is_year(text[slice(*span)], page)})


def _is_year(number: str, page: int) -> bool:
    return 1900 <= int(number) <= 2100 and int(number) != page


class PageNumbers:
    """Finds page numbers that stand below the last line of a page, wherever that ends.

    Such a number counts when it is the page's own, its label, or as far from the page's own as on two of
    the last pages.
    """

    def __init__(self) -> None:
        self._offsets: deque[int] = deque(maxlen=_RECENT)

    def find(self, page: Page, lines: Sequence[Line]) -> list[int]:
        """Index of the page's number among its lines, if any; pages come in order."""
        if len(lines) < 2:
            return []
        last = max(range(len(lines)), key=lambda i: (lines[i].box.y1, i))
        line = lines[last]
        text = line.text.strip(" -\u2013\u2014")
        above = max((other.box.y1 for other in lines if other is not line), default=0.0)
        off = line.box.y0 - above >= _SET_OFF * line.size and line.size <= _LARGE * body_size(lines)
        if not off or not text.isdecimal() or len(text) > 4:
            return []
        offset = int(text) - page.number
        known = not offset or text == page.label or self._offsets.count(offset) >= 2
        self._offsets.append(offset)
        return [last] if known else []
