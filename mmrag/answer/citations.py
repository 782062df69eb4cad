"""Whether a quote stands where it says it does."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence

from mmrag.records import Box, Citation, Evidence, Quote, Word

_MARKS = "%\u2030$\u20ac\u00a3\u00a5"
_KEPT = re.compile(r"(?P<sign>^-(?=\d))|(?P<point>(?<=\d)[.,](?=\d))|[\W_]")


def check(quote: Quote, evidence: Mapping[str, Evidence]) -> Citation:
    """Hold a quote against the words of the page it names.

    The evidence must have been supplied; the quote's words must stand on the page one after the
    other (each cell of a table row for itself); the boxes come from the page's own words.
    """
    piece = evidence.get(quote.evidence)
    if piece is None:
        return Citation("", "", 0, (), quote.text, False, f"{quote.evidence} was not among the evidence")
    hit = piece.hit
    parts = [part for part in quote.text.split(" | ") if normalise(part)]
    if not parts:
        return Citation(hit.document, hit.name, hit.page, (), quote.text, False, "the quote is empty")
    places = [_near(piece.page.words, quote.boxes), _band(parts[0], piece.page.words)]
    missing = ""
    for words in places:
        found = [find(part, words) for part in parts]
        if all(found):
            # A row is one place; a sentence is a box a line.
            boxes = _lines(found[0]) if len(found) == 1 else [_around([w for run in found for w in run])]
            return Citation(hit.document, hit.name, hit.page, tuple(dict.fromkeys(boxes)), quote.text, True)
        missing = missing or next(part for part, run in zip(parts, found, strict=True) if not run)
    reason = f"{missing!r} does not stand on the page"
    if len(parts) > 1:
        reason = f"{missing!r} does not stand in that row of the page"
    return Citation(hit.document, hit.name, hit.page, quote.boxes, quote.text, False, reason)


def _band(first: str, words: Sequence[Word]) -> Sequence[Word]:
    """All words for a sentence; for a table row those beside its first cell, wherever that stands."""
    run = find(first, words)
    if not run:
        return ()
    top, bottom = min(word.box.y0 for word in run), max(word.box.y1 for word in run)
    beside = [word for word in words if top <= (word.box.y0 + word.box.y1) / 2 <= bottom]
    return [*run, *(word for word in beside if word not in run)]


def find(text: str, words: Sequence[Word]) -> tuple[Word, ...]:
    """The first run of words whose letters and digits are those of ``text``; empty when there is none.

    Words may be cut differently (``2 024`` against ``2024``) but must begin and end together.
    """
    wanted = normalise(text)
    letters = [normalise(word.text) for word in words]
    for start in range(len(words)):
        if not letters[start] or not wanted.startswith(letters[start][: len(wanted)]):
            continue
        joined = ""
        for end in range(start, len(words)):
            joined += letters[end]
            if joined == wanted:
                return tuple(words[start : end + 1])
            if not wanted.startswith(joined):
                break
    return ()


def normalise(text: str) -> str:
    """Letters and digits alone, compatibility forms folded, lower case, joined over spaces.

    What changes a number stays: a sign before it, a point or comma within it, percent and currency.
    """
    folded = unicodedata.normalize("NFKC", text).casefold().replace("\u2212", "-")
    return "".join(_KEPT.sub(_keep, token) for token in folded.split())


def _keep(run: re.Match[str]) -> str:
    return run.group() if run.group("sign") or run.group("point") or run.group() in _MARKS else ""


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
