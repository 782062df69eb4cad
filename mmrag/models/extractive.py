"""The answerer that needs no language model: it quotes, and says so.

Sentences and table rows of the evidence are scored by late interaction between the question's
vectors and the stored vectors of their words, the best of them again by the cosine of question and
passage; the numbers behind the weights are in ``docs/answers.md``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mmrag.models.acronyms import spell_out
from mmrag.models.candidates import Candidate, candidates_of
from mmrag.models.question import WORD, content_words, fits
from mmrag.records import Draft, Quote

if TYPE_CHECKING:
    from mmrag.models.protocols import Embedder
    from mmrag.records import Evidence

RESCORED = 40
# A quote that has what "when" or "how many" asks for gains KIND_BONUS.
KIND_BONUS = 0.25
PAGE_WEIGHT = 0.3
# Headings and labels name a matter and seldom answer.
LABEL_MALUS = 0.25
WEAKER = 0.8


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
        candidates = candidates_of(evidence)
        question = spell_out(question, [piece.page.words for piece in evidence])
        query = self._embedder.embed_query(question)
        if not candidates or not len(query):
            return Draft("", (), 0.0)
        prior = {piece.id: 1.0 / rank for rank, piece in enumerate(evidence, start=1)}
        late = np.array([self._late(query, candidate) for candidate in candidates])
        base = late + PAGE_WEIGHT * np.array([prior[c.evidence.id] for c in candidates])
        best = sorted(range(len(candidates)), key=lambda at: (-base[at], at))[:RESCORED]
        texts = [_in_context(candidates[at]) for at in best]
        vectors = self._embedder.embed_texts([question, *texts])
        cosines = np.clip(vectors[1:] @ vectors[0], 0.0, 1.0)
        scored: list[tuple[float, int, float]] = []
        for at, cosine in zip(best, cosines.tolist(), strict=True):
            candidate = candidates[at]
            fit = KIND_BONUS if fits(question, candidate.text) else 0.0
            fit -= LABEL_MALUS if candidate.label else 0.0
            cover = _cover(question, candidate)
            scored.append((float(base[at]) + cosine + 0.5 * cover + fit, at, cosine))
        scored.sort(key=lambda item: (-item[0], item[1]))
        quotes = _distinct([(score, candidates[at]) for score, at, _ in scored], self._most)
        confidence = _confidence(
            question, evidence, candidates[scored[0][1]], scored[0][2], float(late.max())
        )
        return Draft("\n".join(_shown(quote) for quote in quotes), tuple(quotes), confidence)

    def _late(self, query: NDArray[np.float32], candidate: Candidate) -> float:
        """Late interaction of the question with a candidate's words, by their vectors on the page."""
        if candidate.words:
            rows = _vectors_at(candidate)
        else:  # what stands beside the picture has no place to find its vectors by
            rows = self._embedder.embed_query(_in_context(candidate))
        if not len(rows):
            return 0.0
        best = np.clip((query @ rows.T).max(axis=1), 0.0, 1.0)
        return float((best**self._embedder.power).mean())


def _in_context(candidate: Candidate) -> str:
    return " ".join(part for part in (candidate.over, candidate.heading, candidate.text) if part)


def _vectors_at(candidate: Candidate) -> NDArray[np.float32]:
    """The stored vectors that look at a candidate's words, ``(n, dim)``."""
    held = candidate.evidence.vectors
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
    return held.vectors[inside_any].astype(np.float32)


def _cover(question: str, candidate: Candidate) -> float:
    """Share of the question's content words that stand in the candidate, numbers counting for three."""
    wanted = content_words(question)
    if not wanted:
        return 0.0
    have = {word.casefold() for word in WORD.findall(_in_context(candidate))}
    stems = {word[:5] for word in have}
    weights = {word: 3 if any(c.isdigit() for c in word) else 1 for word in wanted}
    held = sum(weights[word] for word in wanted if word in have or (len(word) > 5 and word[:5] in stems))
    return held / sum(weights.values())


def _confidence(
    question: str, evidence: Sequence[Evidence], best: Candidate, cosine: float, late: float
) -> float:
    page = best.evidence.page
    have = {word.casefold() for held in page.words for word in WORD.findall(held.text)}
    have |= {word.casefold() for word in WORD.findall(page.context)}
    have |= {word.casefold() for beside in page.supplements for word in WORD.findall(beside.plain())}
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
