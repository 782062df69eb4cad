"""The three legs of search. Each applies the scope before its top k and breaks ties by key and page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from lancedb.query import BooleanQuery, MatchQuery, Occur
from numpy.typing import NDArray

from mmrag.index.codes import bigrams, identifiers, names
from mmrag.index.maxsim import maxsim, strongest
from mmrag.records import Box

if TYPE_CHECKING:
    from mmrag.index.snapshot import Scope, Snapshot
    from mmrag.index.vectors import VectorCache

PageKey = tuple[str, int]
ChunkKey = tuple[str, int]

# A whole identifier says more than its parts, whose scores the text field sums up.
CODE_BOOST = 3.0


@dataclass(frozen=True, slots=True)
class Ranking:
    """One leg's pages, best first, with scores; ``chunks`` are each page's best chunks, best first."""

    pages: tuple[tuple[PageKey, float], ...]
    chunks: dict[PageKey, tuple[tuple[ChunkKey, float], ...]]


EMPTY = Ranking((), {})


def page_leg(
    cache: VectorCache, snapshot: Snapshot, scope: Scope, query: NDArray[np.float32], power: int, limit: int
) -> Ranking:
    """Exact MaxSim over every page in scope."""
    if not len(query):
        return EMPTY
    scored: list[tuple[PageKey, float]] = []
    for block in cache.blocks(snapshot, scope):
        scores = maxsim(query, block.vectors, block.starts, power).tolist()
        scored += [
            ((block.key, page), score)
            for page, score in zip(block.pages, scores, strict=True)
            if scope.admits(block.key, page)
        ]
    scored.sort(key=_best_first)
    return Ranking(tuple(scored[:limit]), {})


def strongest_boxes(
    cache: VectorCache, snapshot: Snapshot, scope: Scope, pages: set[PageKey], query: NDArray[np.float32]
) -> dict[PageKey, tuple[Box, ...]]:
    """Where on each page the query's tokens match best, best first."""
    found: dict[PageKey, tuple[Box, ...]] = {}
    if not len(query):
        return found
    for page, held in cache.pages(snapshot, scope, pages).items():
        rows = strongest(query, held.vectors.astype(np.float32))
        boxes = [held.boxes[row] for row, _ in rows]
        found[page] = tuple(Box(*map(float, box)) for box in boxes if not np.isnan(box).any())
    return found


def text_leg(snapshot: Snapshot, scope: Scope, vector: NDArray[np.float32], limit: int) -> Ranking:
    """Exact cosine over chunk vectors; a page scores as its best chunk."""

    def search(rows: int) -> list[dict[str, Any]]:
        query = snapshot.chunks.search(vector, vector_column_name="vector").distance_type("cosine")
        if scope.predicate is not None:
            query = query.where(scope.predicate)
        found = query.select(["key", "page", "order", "_distance"]).limit(rows).to_list()
        return [{**row, "score": 1.0 - row["_distance"]} for row in found]

    return _by_page(scope, search, limit)


def bm25_leg(snapshot: Snapshot, scope: Scope, question: str, limit: int) -> Ranking:
    """BM25 over chunks: stemmed text, and identifiers whole; a page scores as its best chunk."""
    parts: list[tuple[Occur, MatchQuery]] = [(Occur.SHOULD, MatchQuery(question, "index_text"))]
    codes = identifiers(question)
    if codes:
        parts.append((Occur.SHOULD, MatchQuery(" ".join(codes), "codes", boost=CODE_BOOST)))
    pairs = bigrams(question)
    if pairs:
        parts.append((Occur.SHOULD, MatchQuery(" ".join(pairs), "codes")))

    def search(rows: int) -> list[dict[str, Any]]:
        query = snapshot.chunks.search(BooleanQuery(parts), query_type="fts")
        if scope.predicate is not None:
            query = query.where(scope.predicate)
        found = query.select(["key", "page", "order", "_score"]).limit(rows).to_list()
        return [{**row, "score": row["_score"]} for row in found]

    return _by_page(scope, search, limit)


def code_pages(snapshot: Snapshot, scope: Scope, question: str, most: int) -> frozenset[PageKey]:
    """The pages with a chunk that holds every name among the question's identifiers, when ``most`` or fewer.

    On more pages an identifier ("fy2024" in a report of 2024) says nothing; without one there are none.
    """
    codes = names(question)
    if not codes or scope.predicate == "false":
        return frozenset()
    parts = [(Occur.MUST, MatchQuery(code, "codes")) for code in codes]
    query = snapshot.chunks.search(BooleanQuery(parts), query_type="fts")
    if scope.predicate is not None:
        query = query.where(scope.predicate)
    # Several chunks of a page may hold the code: ask for enough to know that there are too many pages.
    found = query.select(["key", "page", "_score"]).limit(64 * most).to_list()
    pages = frozenset((row["key"], row["page"]) for row in found)
    return pages if len(pages) <= most else frozenset()


def _by_page(scope: Scope, search: Callable[[int], list[dict[str, Any]]], limit: int) -> Ranking:
    """Chunks to pages, asking for more chunks until ``limit`` pages are there or none are left."""
    if scope.predicate == "false":
        return EMPTY
    rows = 2 * limit
    while True:
        found = search(rows)
        chunks: dict[PageKey, list[tuple[ChunkKey, float]]] = {}
        for row in found:
            chunks.setdefault((row["key"], row["page"]), []).append(
                ((row["key"], row["order"]), row["score"])
            )
        if len(chunks) >= limit or len(found) < rows:
            break
        rows *= 4
    ordered = {page: tuple(sorted(hits, key=_best_first)) for page, hits in chunks.items()}
    pages = sorted(((page, hits[0][1]) for page, hits in ordered.items()), key=_best_first)[:limit]
    return Ranking(tuple(pages), {page: ordered[page] for page, _ in pages})


def _best_first(scored: tuple[tuple[str, int], float]) -> tuple[float, tuple[str, int]]:
    return -scored[1], scored[0]
