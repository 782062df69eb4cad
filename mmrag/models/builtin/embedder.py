"""Pages to one vector a word, questions to one a token, chunks to one a text: the default embedder.

Every choice here (dimension, exponent, stop words, identity) has its numbers in docs/builtin-embedder.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from mmrag.models.builtin.encoder import FOLDER, LIMIT, WIDTH, Encoder, readable, unit
from mmrag.models.builtin.windows import windows
from mmrag.records import PageVectors

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mmrag.records import Page

SETTINGS = 1
"""Raise it when anything below changes the vectors: libraries refuse vectors of another revision."""
DIM = 128
POWER = 4
WINDOW = 254
MARGIN = 16
IDENTITY = 64
"""Most tokens of the document's identity."""


class BuiltinEmbedder:
    """Page and text embedder over the shipped encoder; makes no network call and needs no GPU.

    Args:
        folder: where the model's files lie.
        threads: threads of one product; 1 where processes share the cores.

    Raises:
        ModelFileError: the model's files are missing or are not the published ones.
    """

    id = "builtin"
    dim = DIM
    power = POWER
    text_dim = WIDTH
    text_limit = WINDOW

    def __init__(self, folder: Path = FOLDER, threads: int = 1) -> None:
        self._folder = folder
        self._threads = threads
        self._encoder = Encoder(folder, threads)
        self._identity: tuple[str, NDArray[np.float16]] = ("", np.zeros((0, DIM), np.float16))
        self.revision = f"{self._encoder.sha256[:16]}-{SETTINGS}"

    def __reduce__(self) -> tuple[type[BuiltinEmbedder], tuple[Path, int]]:
        # A session can't cross a process border; its files can be opened again in 0.1 s.
        return type(self), (self._folder, self._threads)

    def count_tokens(self, text: str) -> int:
        """Tokens of the encoder in ``text``."""
        return self._encoder.count(text)

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector a text, rows of unit length ``(len(texts), 384)``, whatever the texts' length."""
        return self._encoder.sentences(texts)

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Rows of unit length ``(n, 128)``: [CLS], the question's tokens and [SEP]; at least those two."""
        ids = self._encoder.tokenize(text).ids
        parts = np.array_split(ids, max(1, -(-len(ids) // LIMIT)))
        return _project(np.concatenate([self._encoder.vectors(part) for part in parts]))

    def embed_pages(self, pages: Sequence[Page]) -> list[PageVectors]:
        """One :class:`PageVectors` a page: a vector a word with the word's box, then the identity's words.

        Words of what an office file holds beside the page's picture follow the page's own, with boxes of NaN.
        Words are read in order, in overlapping windows. ``page.context`` is read alone, once, and its
        vectors go with every page of the document, looking at no place (boxes of NaN): a question that
        names the document finds its words there. A word that has nothing to encode (only white space or
        control characters) has no vector; a page without words gives ``(0, 128)``.
        """
        return [self._page(page) for page in pages]

    def _page(self, page: Page) -> PageVectors:
        beside = [run for supplement in page.supplements for run in supplement.plain().split()]
        ids, words = self._pieces([*(word.text for word in page.words), *beside])
        if not len(ids):
            return PageVectors(np.zeros((0, DIM), np.float16), np.zeros((0, 4), np.float32))
        read = [
            self._encoder.vectors(ids[w.start : w.stop])[1 + w.first - w.start : 1 + w.last - w.start]
            for w in windows(words, WINDOW, MARGIN)
        ]
        seen, rows = _means(np.concatenate(read), words)
        identity = self._identity_of(page.context)
        boxes = np.full((len(rows) + len(identity), 4), np.nan, np.float32)
        on_page = int((seen < len(page.words)).sum())
        if on_page:
            boxes[:on_page] = [page.words[index].box for index in seen[:on_page]]
        vectors = _project(rows).astype(np.float16)
        return PageVectors(np.concatenate([vectors, identity]), boxes)

    def _identity_of(self, context: str) -> NDArray[np.float16]:
        # Pages come document by document, so the last one is worth keeping.
        known, vectors = self._identity
        if context != known:
            ids, words = self._pieces(context.split())
            ids, words = ids[:IDENTITY], words[:IDENTITY]
            _, rows = _means(self._encoder.vectors(ids)[1:-1], words)
            vectors = _project(rows).astype(np.float16)
            self._identity = (context, vectors)
        return vectors

    def _pieces(self, words: Sequence[str]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Token ids of the words in order, and for each the index of its word."""
        words = [readable(word) for word in words]
        pieces = self._encoder.tokenize(" ".join(words))
        starts = np.cumsum([0, *(len(word) + 1 for word in words)])
        return pieces.ids, np.searchsorted(starts, pieces.spans[:, 0], side="right") - 1


def _means(
    vectors: NDArray[np.float32], words: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
    """The words that have tokens, and for each the mean of its tokens' vectors."""
    if not len(words):
        return words, vectors
    firsts = np.flatnonzero(np.diff(words, prepend=-1))
    counts = np.diff(firsts, append=len(words)).astype(np.float32)
    sums: NDArray[np.float32] = np.add.reduceat(vectors, firsts, axis=0)
    return words[firsts], sums / counts[:, None]


def _project(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    return unit(vectors @ _projection())


@cache
def _projection() -> NDArray[np.float32]:
    """A fixed random ``(384, 128)`` with orthonormal columns: keeps similarities, a third of the space."""
    # PCG64's raw output is fixed by its definition, whatever the numpy version; QR only needs any basis.
    raw = np.random.PCG64(20240213).random_raw(WIDTH * DIM).astype(np.float64)
    basis, upper = np.linalg.qr((raw / 2.0**63 - 1.0).reshape(WIDTH, DIM))
    return np.ascontiguousarray(basis * np.sign(np.diag(upper)), dtype=np.float32)
