"""What a model must offer. Each protocol has one method to write per direction it works in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from mmrag.records import Draft, Evidence, Page, PageVectors


@runtime_checkable
class PageEmbedder(Protocol):
    """Pages and questions to multi-vectors that late interaction compares.

    ``power`` is the exponent of the similarity (see :func:`mmrag.index.maxsim.maxsim`): 1 for
    models trained with plain MaxSim.
    """

    id: str
    revision: str
    dim: int
    power: int

    def embed_pages(self, pages: Sequence[Page]) -> list[PageVectors]:
        """One :class:`PageVectors` a page; a page without anything to see gives ``(0, dim)``."""

    def embed_query(self, text: str) -> NDArray[np.float32]:
        """Rows of unit length, ``(n_tokens, dim)``, at least one for text with a letter or digit."""


@runtime_checkable
class TextEmbedder(Protocol):
    """Texts to one vector each.

    ``text_limit`` is the most tokens that one vector tells well; what is indexed is kept within it.
    """

    id: str
    revision: str
    text_dim: int
    text_limit: int

    def embed_texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Rows of unit length, ``(len(texts), text_dim)``."""


@runtime_checkable
class Answerer(Protocol):
    """Evidence to a drafted answer, whose quotes are checked against the pages afterwards."""

    id: str

    def draft(self, question: str, evidence: Sequence[Evidence]) -> Draft:
        """What the evidence says about the question, quote by quote, best first."""


@runtime_checkable
class Embedder(PageEmbedder, TextEmbedder, Protocol):
    """What a library is opened with: both embedders, and the tokenizer's measure of a text."""

    def count_tokens(self, text: str) -> int:
        """How many tokens a text is, without special tokens."""
