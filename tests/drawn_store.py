"""A store of made-up pages: vectors are drawn, words are given, no model and no file is needed."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import numpy as np

from mmrag.index.schema import ModelIdentity
from mmrag.index.store import Store
from mmrag.index.writer import Batch, open_writer
from mmrag.records import (
    Access,
    Box,
    Chunk,
    ChunkKind,
    Document,
    Identity,
    Page,
    PageImage,
    PageStatus,
    PageVectors,
    Word,
    WordSource,
)

MODEL = ModelIdentity(embedder="drawn", revision="1", dim=8, text_dim=6, power=1)
RECIPE = "recipe"


def unit(rows: np.ndarray) -> np.ndarray:
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def drawn(seed: int, count: int, dim: int) -> np.ndarray:
    return unit(np.random.default_rng(seed).normal(size=(count, dim))).astype(np.float32)


def document(
    name: str, pages: int, *, access: Access | None = None, path: str = "", **fields: object
) -> Document:
    known = {"year": None, "tags": (), "content": name, **fields}
    return Document(
        id=hashlib.sha256(str(known["content"]).encode()).hexdigest()[:32],
        name=name,
        path=path or f"/papers/{name}",
        identity=Identity(f"Title of {name}", "", known["year"]),
        pages=pages,
        statuses={"indexed": pages},
        access=access or Access(),
        tags=tuple(known["tags"]),
        added="2026-01-01T00:00:00.000000+00:00",
        version=1,
        size=1,
    )


def batch(held: Document, texts: Sequence[str], *, first: int = 1, seed: int = 0) -> Batch:
    """One page a text with one chunk, three page vectors and a one-pixel picture."""
    pages, chunks, vectors = [], [], []
    for number, text in enumerate(texts, start=first):
        words = tuple(
            Word(word, Box(10.0 * at, 10.0, 10.0 * at + 9, 20.0), WordSource.TEXT_LAYER, 0, 0, 10.0)
            for at, word in enumerate(text.split())
        )
        pages.append(
            Page(
                held.id, number, 612.0, 792.0, PageStatus.INDEXED, words=words, image=PageImage(b"RIFF", 1, 1)
            )
        )
        chunks.append(
            Chunk(
                held.id,
                number - 1,
                ChunkKind.PROSE,
                text,
                f"{held.title} {text}",
                (number,),
                (Box(10.0, 10.0, 90.0, 20.0),),
                (number,),
                len(words),
            )
        )
        boxes = np.array([[10 * at, 10, 10 * at + 9, 20] for at in range(3)], np.float32)
        vectors.append(PageVectors(drawn(1000 * seed + number, 3, MODEL.dim).astype(np.float16), boxes))
    return Batch(tuple(pages), tuple(vectors), tuple(chunks), drawn(7 + seed, len(texts), MODEL.text_dim))


def put(store: Store, held: Document, texts: Sequence[str], seed: int = 0) -> Document:
    with open_writer(store) as writer:
        writer.begin(held, RECIPE)
        writer.write(held, batch(held, texts, seed=seed))
        return writer.commit(held, RECIPE)
