"""Run an evaluation set over a library: add its documents against the clock, then ask its questions."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from mmrag.errors import EvaluationError
from mmrag.evaluate.answers import Asked, ask_all
from mmrag.evaluate.reading import born_digital
from mmrag.evaluate.sets import EvaluationSet, Question

if TYPE_CHECKING:
    from mmrag.library import Library

STAGES: Mapping[str, str] = {"page": "leg:page", "text": "leg:text", "bm25": "leg:bm25", "fused": "fuse"}
"""The legs a report shows, and the trace stage each is read from."""

LEGS = tuple(STAGES)
SCOPES = ("all", "within")
"""Over every page of the library, and over the pages of the document the question is about."""


@dataclass(frozen=True, slots=True)
class Step:
    """How far a run is: ``done`` of ``total`` (0 when not known yet) of ``stage``."""

    stage: str
    done: int
    total: int


Watcher = Callable[[Step], None]


@dataclass(frozen=True, slots=True)
class Timing:
    """One call of ``add``: its pages by how they were read, and its wall time.

    ``ocr_seconds`` is the work of the pages read by OCR, added up over the processes that did it;
    ``seconds`` is wall time from the call to its end, model loading and index building included.
    """

    documents: int = 0
    pages: int = 0
    ocr_pages: int = 0
    ocr_seconds: float = 0.0
    seconds: float = 0.0
    failed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Searched:
    """What one search gave: per leg the scored page keys, best first, and its wall time in ms."""

    question: Question
    scope: str
    legs: Mapping[str, Sequence[tuple[str, float]]]
    ms: float


@dataclass(frozen=True, slots=True)
class Run:
    """Everything measured; ``pages`` counts the pages that can be found. See ``figures.py``."""

    set: EvaluationSet
    pages: int
    digital: Timing
    scanned: Timing
    searches: tuple[Searched, ...]
    asked: tuple[Asked, ...]
    statuses: Mapping[str, int]


def run_set(
    library: Library, evaluation_set: EvaluationSet, *, answers: bool = True, watch: Watcher | None = None
) -> Run:
    """Add the set's documents to ``library``, search every answerable question, ask every question.

    Born-digital documents (every page has a sound text layer) are added in one call and the others
    in a second one, each timed; documents the library holds already are skipped and not timed.

    Raises:
        EvaluationError: a search left no trace of one of the legs.
        MmragError: whatever the library raises on its own behalf.
    """
    watch = watch or _ignore
    paths = list(evaluation_set.documents.values())
    digital_paths = born_digital(paths)
    scanned_paths = [path for path in paths if path not in set(digital_paths)]
    digital = add_timed(library, digital_paths, "adding born-digital documents", watch)
    scanned = add_timed(library, scanned_paths, "adding documents with OCR", watch)
    searches = search_all(library, evaluation_set, watch)
    asked = _ask(library, evaluation_set, watch) if answers else ()
    status = library.status()
    return Run(
        set=evaluation_set,
        pages=int(status.statuses.get("indexed", 0)),
        digital=digital,
        scanned=scanned,
        searches=searches,
        asked=asked,
        statuses=dict(status.statuses),
    )


def add_timed(library: Library, paths: Sequence[Path], stage: str, watch: Watcher) -> Timing:
    """Add ``paths`` in one call and time it; without paths nothing happens."""
    if not paths:
        return Timing()
    documents = pages = ocr_pages = total = 0
    ocr_seconds = 0.0
    failed: list[tuple[str, str]] = []
    started = time.perf_counter()
    for event in library.add(paths):
        if event.kind == "file_started":
            total += event.pages
        elif event.kind == "page_done":
            pages += 1
            if event.ocr:
                ocr_pages += 1
                ocr_seconds += event.seconds
        elif event.kind == "file_done":
            documents += 1
        elif event.kind == "file_failed":
            failed.append((event.path, event.reason))
        watch(Step(stage, pages, total))
    seconds = time.perf_counter() - started
    return Timing(
        documents=documents,
        pages=pages,
        ocr_pages=ocr_pages,
        ocr_seconds=ocr_seconds,
        seconds=seconds,
        failed=tuple(failed),
    )


def search_all(library: Library, evaluation_set: EvaluationSet, watch: Watcher) -> tuple[Searched, ...]:
    """Search every answerable question over all pages, then within the document it is about."""
    searched: list[Searched] = []
    questions = evaluation_set.answerable
    total = len(questions) * len(SCOPES)
    # All of one scope, then all of the other: the latency of searches over all pages is then not
    # helped by a narrower search for the same question just before.
    for scope in SCOPES:
        for question in questions:
            where = f"document = '{evaluation_set.ids[question.doc]}'" if scope == "within" else None
            started = time.perf_counter()
            result = library.search(question.question, where=where)
            ms = (time.perf_counter() - started) * 1000.0
            stages = {entry.stage: entry.outputs for entry in result.trace}
            legs = {leg: _stage(stages, stage, question) for leg, stage in STAGES.items()}
            searched.append(Searched(question=question, scope=scope, legs=legs, ms=ms))
            watch(Step("searching", len(searched), total))
    return tuple(searched)


def _stage(
    stages: Mapping[str, tuple[tuple[str, float], ...]], stage: str, question: Question
) -> tuple[tuple[str, float], ...]:
    if stage not in stages:
        raise EvaluationError(
            f"the search left no trace of {stage!r}",
            where=f"question {question.id}",
            remedy="Evaluate with all three legs and fusion switched on.",
        )
    return stages[stage]


def _ignore(step: Step) -> None:
    """Watch nothing."""


def _ask(library: Library, evaluation_set: EvaluationSet, watch: Watcher) -> tuple[Asked, ...]:
    def step(done: int, total: int) -> None:
        watch(Step("asking", done, total))

    return ask_all(library, evaluation_set, step)
