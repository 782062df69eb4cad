"""Whether a quote stands where it says it does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mmrag.answer.quotes import find, normalise
from mmrag.records import Box, Citation, Evidence, Quote, Word


def check(quote: Quote, evidence: Mapping[str, Evidence]) -> Citation:
    """Hold a quote against the words of the page it names.

    The evidence must have been supplied; the quote's words must stand on the page one after the
    other, the cells of a table row from left to right in one row, under a header that is that of a
    table on the page; the boxes come from the page's own words.
    """
    piece = evidence.get(quote.evidence)
    if piece is None:
        return Citation("", "", 0, (), quote.text, False, f"{quote.evidence} was not among the evidence")
    hit = piece.hit
    parts = [part for part in quote.text.split(" | ") if normalise(part)]
    if not parts:
        return Citation(hit.document, hit.name, hit.page, (), quote.text, False, "the quote is empty")
    places = [_near(piece.page.words, quote.boxes), _band(parts[0], piece.page.words)]
    if quote.heading and len(parts) > 1 and not _is_header(quote.heading, piece):
        reason = f"{quote.heading!r} is the header of no table on the page"
        return Citation(hit.document, hit.name, hit.page, quote.boxes, quote.text, False, reason)
    missing = ""
    for words in places:
        found = _in_turn(parts, words)
        if all(found):
            # A row is one place; a sentence is a box a line.
            boxes = _lines(found[0]) if len(found) == 1 else [_around([w for run in found for w in run])]
            return Citation(hit.document, hit.name, hit.page, tuple(dict.fromkeys(boxes)), quote.text, True)
        missing = missing or next(part for part, run in zip(parts, found, strict=True) if not run)
    reason = f"{missing!r} does not stand on the page"
    if len(parts) > 1:
        reason = f"{missing!r} does not stand in that row of the page"
    return Citation(hit.document, hit.name, hit.page, quote.boxes, quote.text, False, reason)


def _in_turn(parts: Sequence[str], words: Sequence[Word]) -> list[tuple[Word, ...]]:
    """Where each part stands, each to the right of the one before; empty for a part that does not."""
    if len(parts) == 1:
        return [find(parts[0], words)]
    found: list[tuple[Word, ...]] = []
    edge = float("-inf")
    for part in parts:
        run = find(part, [word for word in words if word.box.x0 >= edge])
        found.append(run)
        edge = max((word.box.x1 for word in run), default=edge) - 1.0
    return found


def _is_header(heading: str, piece: Evidence) -> bool:
    line = normalise(heading.split("\n")[-1])
    return any(line in (normalise(" ".join(t.header())), normalise(t.caption)) for t in piece.page.tables)


def _band(first: str, words: Sequence[Word]) -> Sequence[Word]:
    """All words for a sentence; for a table row those beside its first cell, wherever that stands."""
    run = find(first, words)
    if not run:
        return ()
    top, bottom = min(word.box.y0 for word in run), max(word.box.y1 for word in run)
    beside = [word for word in words if top <= (word.box.y0 + word.box.y1) / 2 <= bottom]
    return [*run, *(word for word in beside if word not in run)]


def _near(words: Sequence[Word], boxes: Sequence[Box]) -> list[Word]:
    return [word for word in words if any(word.box.overlap(box) > 0.5 * word.box.area for box in boxes)]


def _around(words: Sequence[Word]) -> Box:
    box = words[0].box
    for word in words[1:]:
        box = box.union(word.box)
    return box


def _lines(words: Sequence[Word]) -> list[Box]:
    lines: dict[int, Box] = {}
    for word in words:
        held = lines.get(word.line)
        lines[word.line] = word.box if held is None else held.union(word.box)
    return list(lines.values())
