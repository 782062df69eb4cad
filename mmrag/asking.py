"""From the pages that were found to an answer that quotes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mmrag.answer.compose import compose
from mmrag.answer.evidence import gather
from mmrag.index.passages import fetch_pages
from mmrag.models.extractive import ExtractiveAnswerer
from mmrag.tracing import Tracer

if TYPE_CHECKING:
    from mmrag.index.snapshot import Snapshot
    from mmrag.index.vectors import VectorCache
    from mmrag.models import Embedder
    from mmrag.records import Answer, Reader, SearchResult
    from mmrag.settings import AnswerSettings


def answer(
    question: str,
    result: SearchResult,
    snapshot: Snapshot,
    reader: Reader,
    cache: VectorCache,
    embedder: Embedder,
    settings: AnswerSettings,
) -> Answer:
    """Answer from the first of the hits, all of ``snapshot``; only what ``reader`` may read is looked at."""
    tracer = Tracer()
    hits = result.hits[: settings.pages]
    keys = [snapshot.key(hit.document, reader.tenant) for hit in hits]
    wanted = set(zip(keys, (hit.page for hit in hits), strict=True))
    with tracer.stage("evidence", [f"{key}#{page}" for key, page in sorted(wanted)]) as stage:
        evidence = gather(
            hits,
            fetch_pages(snapshot, wanted),
            cache.pages(snapshot, snapshot.scope(reader, None), wanted),
            keys,
            embedder.dim,
        )
        stage.outputs = [(piece.id, piece.hit.score) for piece in evidence]
    answerer = ExtractiveAnswerer(embedder, settings.sentences)
    return compose(question, result, evidence, answerer, threshold=settings.threshold, trace=tracer.entries)
