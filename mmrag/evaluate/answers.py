"""Does it answer what it can, from the right page, and abstain from what it cannot?"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mmrag.evaluate.sets import EvaluationSet, Question

if TYPE_CHECKING:
    from mmrag.library import Library
    from mmrag.records import Answer, DocumentId


@dataclass(frozen=True, slots=True)
class Asked:
    """One answer, judged.

    ``cited`` is whether any citation names a gold page of the gold document, ``cited_first`` whether
    the first one does, ``verified`` the share of citations that were verified (1 without any).
    """

    question: Question
    abstained: bool
    confidence: float
    cited: bool
    cited_first: bool
    verified: float
    ms: float
    text: str


@dataclass(frozen=True, slots=True)
class AnswerFigures:
    """Abstention and citation over a set; a share of nothing is None.

    ``abstention_precision``: of the abstentions, the share on unanswerable questions.
    ``abstention_recall``: of the unanswerable questions, the share abstained from.
    ``answered``: of the answerable questions, the share answered.
    ``citation_hit``: of the answerable questions that were answered, the share with a citation of a
    gold page; ``citation_first`` counts the first citation alone.
    ``supported``: of all answerable questions, the share answered with a citation of a gold page.
    """

    answerable: int
    unanswerable: int
    abstentions: int
    abstention_precision: float | None
    abstention_recall: float | None
    answered: float | None
    citation_hit: float | None
    citation_first: float | None
    supported: float | None
    verified: float | None
    ask_p50_ms: float | None


def ask_all(
    library: Library, evaluation_set: EvaluationSet, watch: Callable[[int, int], None]
) -> tuple[Asked, ...]:
    """Ask every question over the whole library and judge each answer; ``watch`` gets done and total."""
    asked: list[Asked] = []
    for question in evaluation_set.questions:
        started = time.perf_counter()
        answer = library.ask(question.question)
        ms = (time.perf_counter() - started) * 1000.0
        asked.append(judge(question, evaluation_set.ids[question.doc], answer, ms))
        watch(len(asked), len(evaluation_set.questions))
    return tuple(asked)


def judge(question: Question, document: DocumentId, answer: Answer, ms: float) -> Asked:
    """Hold one answer against its question's truth; ``document`` is the id of the gold document."""
    right = [c.document == document and c.page in question.pages for c in answer.citations]
    verified = [c.verified for c in answer.citations]
    return Asked(
        question=question,
        abstained=answer.abstained,
        confidence=answer.confidence,
        cited=any(right),
        cited_first=bool(right) and right[0],
        verified=sum(verified) / len(verified) if verified else 1.0,
        ms=ms,
        text=answer.text,
    )


def summarise(asked: Sequence[Asked]) -> AnswerFigures:
    """The figures over all answers."""
    answerable = [a for a in asked if a.question.answerable]
    unanswerable = [a for a in asked if not a.question.answerable]
    abstentions = [a for a in asked if a.abstained]
    answered = [a for a in answerable if not a.abstained]
    times = sorted(a.ms for a in asked)
    return AnswerFigures(
        answerable=len(answerable),
        unanswerable=len(unanswerable),
        abstentions=len(abstentions),
        abstention_precision=_share([not a.question.answerable for a in abstentions]),
        abstention_recall=_share([a.abstained for a in unanswerable]),
        answered=_share([not a.abstained for a in answerable]),
        citation_hit=_share([a.cited for a in answered]),
        citation_first=_share([a.cited_first for a in answered]),
        supported=_share([a.cited and not a.abstained for a in answerable]),
        verified=_share([a.verified for a in asked if not a.abstained]),
        ask_p50_ms=times[len(times) // 2] if times else None,
    )


def _share(values: Sequence[float]) -> float | None:
    return sum(values) / len(values) if values else None
