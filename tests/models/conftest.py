from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from mmrag.models.builtin.embedder import BuiltinEmbedder
from mmrag.models.builtin.encoder import Encoder
from mmrag.records import Box, Page, PageStatus, Word, WordSource


@pytest.fixture(scope="session")
def encoder() -> Encoder:
    return Encoder()


@pytest.fixture(scope="session")
def embedder() -> BuiltinEmbedder:
    return BuiltinEmbedder()


@pytest.fixture(scope="session")
def page_of() -> Callable[..., Page]:
    """A page of these words; the box of word n begins at x = n."""

    def make(words: Sequence[str] | str, context: str = "") -> Page:
        texts = words.split() if isinstance(words, str) else words
        made = tuple(
            Word(text, Box(n, 10.0, n + 0.5, 20.0), WordSource.TEXT_LAYER, line=0, block=0, size=10.0)
            for n, text in enumerate(texts)
        )
        return Page("d" * 32, 1, 612.0, 792.0, PageStatus.INDEXED, words=made, context=context)

    return make
