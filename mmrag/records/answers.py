"""What an answer is made of and rests on."""

from __future__ import annotations

from dataclasses import dataclass

from mmrag.records.chunks import PageVectors
from mmrag.records.documents import DocumentId
from mmrag.records.geometry import Box
from mmrag.records.pages import Page
from mmrag.records.search import Hit, TraceEntry


@dataclass(frozen=True, slots=True)
class Evidence:
    """What an answerer may look at: one page with its passages, words and tables.

    ``id`` is what answers cite it by (``E1``, ``E2``, best first); ``vectors`` are the page's stored
    multi-vectors, for answerers that score places on it.
    """

    id: str
    hit: Hit
    page: Page
    vectors: PageVectors


@dataclass(frozen=True, slots=True)
class Citation:
    """What a sentence of the answer rests on; ``reason`` says why it is not verified when it is not.

    ``part`` names what of the page says it when the page's picture does not: speaker notes, a chart's data.
    """

    document: DocumentId
    name: str
    page: int
    boxes: tuple[Box, ...]
    quote: str
    verified: bool
    reason: str = ""
    part: str = ""


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens a model was charged for; zero for answerers that run no language model."""

    input_tokens: int = 0
    output_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Quote:
    """Words an answerer says stand on a piece of evidence; ``heading`` is a table row's header."""

    evidence: str
    text: str
    boxes: tuple[Box, ...]
    score: float
    heading: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """What an answerer says before its citations are checked.

    ``confidence`` is 0..1: how sure the answerer is that the evidence answers the question.
    """

    text: str
    quotes: tuple[Quote, ...]
    confidence: float
    usage: Usage = Usage()


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer and what it rests on, or an abstention that says where to look."""

    question: str
    text: str
    citations: tuple[Citation, ...]
    abstained: bool
    reason: str
    answerer: str
    hits: tuple[Hit, ...]
    trace: tuple[TraceEntry, ...]
    usage: Usage = Usage()
    confidence: float = 0.0
