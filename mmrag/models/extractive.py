"""The answerer that needs no language model: it quotes, and says so.

Sentences and table rows of the evidence are scored by late interaction between the question's
vectors and the stored vectors of their words, the best of them again by the cosine of question and
passage; the numbers behind the weights are in ``docs/answers.md``.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mmrag.models.acronyms import spell_out
from mmrag.models.sentences import inside, sentences
from mmrag.records import Box, Draft, Quote

if TYPE_CHECKING:
    from mmrag.models.protocols import Embedder
    from mmrag.records import Evidence, Table, Word

RESCORED = 40
# A quote that has what "when" or "how many" asks for gains KIND_BONUS.
KIND_BONUS = 0.25
PAGE_WEIGHT = 0.3
# Headings, labels and running lines name a matter and seldom answer.
LABEL_MALUS = 0.25
LABEL_WORDS = 4
HEADING_SIZE = 1.25
WEAKER = 0.8
_ASKS_WHEN = re.compile(
    r"\b(when|what (date|year|day|month|time)|which (date|year|day|month)|how old)\b", re.I
)
_ASKS_NUMBER = re.compile(
    r"\b(how (many|much|long|often|far|high|large|big|fast)|percent\w*"
    r"|what (number|amount|share|rate|price|cost))\b",
    re.I,
)
_MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE = re.compile(
    rf"\b(?:1[89]|20)\d\d\b|\b\d{{1,2}}[:.]\d\d\b|\b\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2,4}}\b"
    rf"|\b{_MONTH}\.? \d|\d {_MONTH}\b",
    re.I,
)
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|half)\b",
    re.I,
)
_WORD = re.compile(r"\w+")
_STOP_WORDS = """
    a an and any are as at be been by can could did do does for from had has have how i if in
    into is it its may me many much my no not of on or our shall should so than that the their
    them there these they this those to us was we were what when where which who whom whose
    why will with would you your according document report page figure table slide
"""
_STOP = frozenset(_STOP_WORDS.split())


@dataclass(frozen=True, slots=True)
class Candidate:
    """A sentence or table row that might answer."""

    evidence: Evidence
    text: str
    heading: str
    boxes: tuple[Box, ...]
    words: tuple[Word, ...]


class ExtractiveAnswerer:
    """Quotes the best sentences and table rows of the evidence.

    Args:
        embedder: the library's own, so that stored vectors and questions compare.
        most: quotes in one answer.
    """

    id = "extractive"

    def __init__(self, embedder: Embedder, most: int = 3) -> None:
        self._embedder = embedder
        self._most = most

    def draft(self, question: str, evidence: Sequence[Evidence]) -> Draft:
        """Quotes with scores, best first, and how sure the best one makes us (0..1)."""
        candidates = [c for piece in evidence for c in _candidates(piece)]
        question = spell_out(question, [piece.page.words for piece in evidence])
        query = self._embedder.embed_query(question)
        if not candidates or not len(query):
            return Draft("", (), 0.0)
        prior = {piece.id: 1.0 / rank for rank, piece in enumerate(evidence, start=1)}
        late = np.array([_late(query, c, self._embedder.power) for c in candidates])
        base = late + PAGE_WEIGHT * np.array([prior[c.evidence.id] for c in candidates])
        best = sorted(range(len(candidates)), key=lambda at: (-base[at], at))[:RESCORED]
        texts = [f"{candidates[at].heading} {candidates[at].text}".strip() for at in best]
        vectors = self._embedder.embed_texts([question, *texts])
        cosines = np.clip(vectors[1:] @ vectors[0], 0.0, 1.0)
        kind = _DATE if _ASKS_WHEN.search(question) else _NUMBER if _ASKS_NUMBER.search(question) else None
        running = _running_lines(evidence)
        scored: list[tuple[float, int, float]] = []
        for at, cosine in zip(best, cosines.tolist(), strict=True):
            candidate = candidates[at]
            fit = KIND_BONUS if kind is not None and kind.search(candidate.text) else 0.0
            fit -= LABEL_MALUS if not candidate.heading and _is_label(candidate, running) else 0.0
            cover = _cover(question, candidate)
            scored.append((float(base[at]) + cosine + 0.5 * cover + fit, at, cosine))
        scored.sort(key=lambda item: (-item[0], item[1]))
        quotes = _distinct([(score, candidates[at]) for score, at, _ in scored], self._most)
        confidence = _confidence(
            question, evidence, candidates[scored[0][1]], scored[0][2], float(late.max())
        )
        return Draft("\n".join(_shown(quote) for quote in quotes), tuple(quotes), confidence)


def _candidates(piece: Evidence) -> list[Candidate]:
    page = piece.page
    found = [
        Candidate(piece, sentence.text, "", sentence.line_boxes(), sentence.words)
        for sentence in sentences(page.words, page.tables)
    ]
    for table in page.tables:
        found += _rows(piece, table)
    return found


def _is_label(candidate: Candidate, running: frozenset[str]) -> bool:
    """Whether a candidate is a heading, a label of a few words, or a line that runs over pages."""
    words = candidate.words
    sizes = sorted(word.size for word in candidate.evidence.page.words)
    heading = words[0].size > HEADING_SIZE * sizes[len(sizes) // 2]
    return heading or len(words) < LABEL_WORDS or _bare(candidate.text) in running


def _running_lines(evidence: Sequence[Evidence]) -> frozenset[str]:
    """Lines that stand on two pages or more of a document, page numbers aside."""
    seen: Counter[tuple[str, str]] = Counter()
    for piece in evidence:
        lines: dict[int, list[str]] = {}
        for word in piece.page.words:
            lines.setdefault(word.line, []).append(word.text)
        seen.update({(piece.hit.document, _bare(" ".join(line))) for line in lines.values()})
    return frozenset(text for (_, text), count in seen.items() if count > 1 and text)


def _bare(text: str) -> str:
    return "".join(c for c in text.casefold() if c.isalpha())


def _rows(piece: Evidence, table: Table) -> list[Candidate]:
    grid = table.grid()
    heading = " | ".join(table.header())
    if table.caption:
        heading = f"{table.caption}\n{heading}" if heading else table.caption
    head_words = [
        word
        for row in range(table.header_rows)
        for word in piece.page.words
        if inside(word.box, table.row_box(row))
    ]
    found = []
    for row in range(table.header_rows, table.rows):
        if not any(cell.strip() for cell in grid[row]):
            continue
        box = table.row_box(row)
        words = [word for word in piece.page.words if inside(word.box, box)]
        found.append(Candidate(piece, " | ".join(grid[row]), heading, (box,), (*head_words, *words)))
    return found


def _late(query: NDArray[np.float32], candidate: Candidate, power: int) -> float:
    """Late interaction of the question with the stored vectors of a candidate's words."""
    held = candidate.evidence.vectors
    if not len(held.vectors):
        return 0.0
    centres = (held.boxes[:, :2] + held.boxes[:, 2:]) / 2
    inside_any = np.zeros(len(centres), bool)
    for word in candidate.words:
        box = word.box
        inside_any |= (
            (centres[:, 0] >= box.x0)
            & (centres[:, 0] <= box.x1)
            & (centres[:, 1] >= box.y0)
            & (centres[:, 1] <= box.y1)
        )
    rows = held.vectors[inside_any].astype(np.float32)
    if not len(rows):
        return 0.0
    best = np.clip((query @ rows.T).max(axis=1), 0.0, 1.0)
    return float((best**power).mean())


def _cover(question: str, candidate: Candidate) -> float:
    """Share of the question's content words whose beginning stands in the candidate."""
    wanted = content_words(question)
    if not wanted:
        return 0.0
    have = {word.casefold() for word in _WORD.findall(f"{candidate.heading} {candidate.text}")}
    stems = {word[:5] for word in have}
    return sum(word in have or (len(word) > 5 and word[:5] in stems) for word in wanted) / len(wanted)


def content_words(text: str) -> list[str]:
    """Words that say what a question is about, folded, each once."""
    words = (word.casefold() for word in _WORD.findall(text))
    return list(dict.fromkeys(word for word in words if word not in _STOP))


def _confidence(
    question: str, evidence: Sequence[Evidence], best: Candidate, cosine: float, late: float
) -> float:
    page = best.evidence.page
    have = {word.casefold() for held in page.words for word in _WORD.findall(held.text)}
    have |= {word.casefold() for word in _WORD.findall(page.context)}
    stems = {word[:5] for word in have}
    wanted = content_words(question)
    cover = sum(w in have or (len(w) > 5 and w[:5] in stems) for w in wanted) / len(wanted) if wanted else 0.0
    return round(min(1.0, (cosine + late + cover) / 3), 4)


def _distinct(scored: Sequence[tuple[float, Candidate]], most: int) -> list[Quote]:
    """The best candidates, each text once, none much weaker than the first."""
    quotes: list[Quote] = []
    seen: set[str] = set()
    for score, candidate in scored:
        name = candidate.text.casefold()
        if name in seen or (quotes and score < WEAKER * quotes[0].score):
            continue
        seen.add(name)
        quotes.append(Quote(candidate.evidence.id, candidate.text, candidate.boxes, score, candidate.heading))
        if len(quotes) == most:
            break
    return quotes


def _shown(quote: Quote) -> str:
    if quote.heading or " | " in quote.text:
        return f"{quote.heading}\n{quote.text} [{quote.evidence}]".strip()
    return f"\u201c{quote.text}\u201d [{quote.evidence}]"
