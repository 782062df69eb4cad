"""What a search finds, and how."""

from __future__ import annotations

from dataclasses import dataclass

from mmrag.records.chunks import Chunk
from mmrag.records.documents import DocumentId
from mmrag.records.geometry import Box


@dataclass(frozen=True, slots=True)
class LegRank:
    """Where one leg of the search put a page: rank from 1, and the leg's own score."""

    leg: str
    rank: int
    score: float


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk that speaks for a page, with its score in the leg that found it."""

    chunk: Chunk
    leg: str
    score: float


@dataclass(frozen=True, slots=True)
class Hit:
    """A page that was found.

    ``score`` is the fused score, plus 1 where the question's identifiers decide (docs/search.md);
    ``legs`` the page's rank in each leg that found it, ``passages`` its best chunks, ``boxes`` the
    places on the page that matched, best first.
    """

    document: DocumentId
    name: str
    title: str
    page: int
    score: float
    legs: tuple[LegRank, ...]
    passages: tuple[Passage, ...]
    boxes: tuple[Box, ...]


@dataclass(frozen=True, slots=True)
class TraceEntry:
    """One stage of a question: what went in, what came out with which scores, and how long it took."""

    stage: str
    inputs: tuple[str, ...]
    outputs: tuple[tuple[str, float], ...]
    ms: float
    tokens: int = 0


@dataclass(frozen=True, slots=True)
class SearchResult:
    """The pages found, best first, and the trace of how."""

    question: str
    hits: tuple[Hit, ...]
    trace: tuple[TraceEntry, ...]
