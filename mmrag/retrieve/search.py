"""A question to pages: three legs under one scope, fused."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mmrag.index.legs import (
    PageKey,
    Ranking,
    bm25_leg,
    code_pages,
    page_leg,
    strongest_boxes,
    text_leg,
)
from mmrag.index.passages import fetch_chunks
from mmrag.records import Box, Hit, LegRank, Passage, SearchResult
from mmrag.retrieve.fusion import reciprocal_rank_fusion, weighted_minmax
from mmrag.tracing import Tracer

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mmrag.filters import Filter
    from mmrag.index.snapshot import Scope, Snapshot
    from mmrag.index.vectors import VectorCache
    from mmrag.models.protocols import Embedder
    from mmrag.records import Chunk, Reader
    from mmrag.settings import SearchSettings

PASSAGES_A_PAGE = 3
# An identifier that stands on this many pages or fewer decides: 1 is added to their fused score, which
# is never more than 1, so that they come first in their own order.
# The encoder cannot tell CT-2024-0187 from CT-2024-0178, so its legs must not outvote the exact match.
CODE_PAGES = 3
BOXES_A_PAGE = 6


def search(
    question: str,
    *,
    snapshot: Snapshot,
    cache: VectorCache,
    embedder: Embedder,
    settings: SearchSettings,
    k: int,
    where: Filter | None,
    reader: Reader,
) -> SearchResult:
    """The ``k`` best pages for a question, each with its rank in every leg.

    Pages are in the order of their fused scores, those that hold the question's identifiers before
    the others when they are few. Every leg sees only what ``reader`` may read of what ``where`` asks for.
    """
    tracer = Tracer()
    scope = snapshot.scope(reader, where)
    with tracer.stage("embed", (question,)):
        tokens = embedder.embed_query(question)
        vector = embedder.embed_texts([question])[0]
    limit = max(k, settings.candidates)
    legs: dict[str, Ranking] = {}
    with tracer.stage("leg:page", (question,)) as stage:
        legs["page"] = page_leg(cache, snapshot, scope, tokens, embedder.power, limit)
        stage.outputs = _named(legs["page"].pages)
    with tracer.stage("leg:text", (question,)) as stage:
        legs["text"] = text_leg(snapshot, scope, vector, limit)
        stage.outputs = _named(legs["text"].pages)
    with tracer.stage("leg:bm25", (question,)) as stage:
        legs["bm25"] = bm25_leg(snapshot, scope, question, limit)
        stage.outputs = _named(legs["bm25"].pages)
    with tracer.stage("codes", (question,)) as stage:
        decided = code_pages(snapshot, scope, question, CODE_PAGES)
        stage.outputs = [(page_name(page), 1.0) for page in sorted(decided)]
    with tracer.stage("fuse", tuple(sorted(legs))) as stage:
        raised = ((page, score + (page in decided)) for page, score in _fuse(legs, settings))
        fused = sorted(raised, key=lambda pair: (-pair[1], pair[0]))[:limit]
        stage.outputs = _named(fused)
    with tracer.stage("hits", tuple(name for name, _ in _named(fused[:k]))) as stage:
        hits = _hits(fused[:k], legs, snapshot, scope, cache, tokens)
        stage.outputs = _named(fused[:k])
    return SearchResult(question, hits, tuple(tracer.entries))


def page_name(page: PageKey) -> str:
    """``<document>#<page>``, as traces name a page."""
    return f"{page[0]}#{page[1]}"


def _named(pages: Sequence[tuple[PageKey, float]]) -> list[tuple[str, float]]:
    return [(page_name(page), score) for page, score in pages]


def _fuse(legs: dict[str, Ranking], settings: SearchSettings) -> list[tuple[PageKey, float]]:
    rankings = {leg: ranking.pages for leg, ranking in legs.items()}
    if settings.fusion == "rrf":
        return reciprocal_rank_fusion(rankings, settings.rrf_k)
    return weighted_minmax(rankings, settings.weights.model_dump())


def _hits(
    fused: Sequence[tuple[PageKey, float]],
    legs: dict[str, Ranking],
    snapshot: Snapshot,
    scope: Scope,
    cache: VectorCache,
    tokens: NDArray[np.float32],
) -> tuple[Hit, ...]:
    pages = {page for page, _ in fused}
    places = strongest_boxes(cache, snapshot, scope, pages, tokens)
    ranks: dict[PageKey, list[LegRank]] = {page: [] for page in pages}
    for leg in ("page", "text", "bm25"):
        for rank, (page, score) in enumerate(legs[leg].pages, start=1):
            if page in pages:
                ranks[page].append(LegRank(leg, rank, score))
    wanted = {
        chunk
        for leg in ("text", "bm25")
        for page in pages
        for chunk, _ in legs[leg].chunks.get(page, ())[:PASSAGES_A_PAGE]
    }
    chunks = fetch_chunks(snapshot, wanted)
    hits = []
    for page, score in fused:
        document = snapshot.documents[page[0]]
        passages = _passages(page, legs, chunks)
        hits.append(
            Hit(
                document=document.id,
                name=document.name,
                title=document.title,
                page=page[1],
                score=score,
                legs=tuple(ranks[page]),
                passages=passages,
                boxes=_boxes(places.get(page, ()), passages, page[1]),
            )
        )
    return tuple(hits)


def _passages(
    page: PageKey, legs: dict[str, Ranking], chunks: dict[tuple[str, int], Chunk]
) -> tuple[Passage, ...]:
    """The page's best chunks of both text legs in turn, each chunk once."""
    found: dict[tuple[str, int], Passage] = {}
    for place in range(PASSAGES_A_PAGE):
        for leg in ("bm25", "text"):
            ranked = legs[leg].chunks.get(page, ())
            if place < len(ranked):
                chunk, score = ranked[place]
                found.setdefault(chunk, Passage(chunks[chunk], leg, score))
    return tuple(found.values())[:PASSAGES_A_PAGE]


def _boxes(places: Sequence[Box], passages: Sequence[Passage], page: int) -> tuple[Box, ...]:
    """Where the page's vectors matched; the best passage's boxes when they look at no place."""
    found = list(dict.fromkeys(places))[:BOXES_A_PAGE]
    if not found and passages:
        chunk = passages[0].chunk
        found = [box for box, number in zip(chunk.boxes, chunk.box_pages, strict=True) if number == page]
    return tuple(found[:BOXES_A_PAGE])
