"""A page of words as evidence, without a file or a model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mmrag.records import (
    Box,
    Evidence,
    Hit,
    Page,
    PageStatus,
    PageVectors,
    Quote,
    Word,
    WordSource,
)


def page_words(*lines: str) -> tuple[Word, ...]:
    return tuple(
        Word(
            text,
            Box(40.0 * at, 20.0 * row, 40.0 * at + 38, 20.0 * row + 12),
            WordSource.TEXT_LAYER,
            row,
            0,
            12,
        )
        for row, content in enumerate(lines)
        for at, text in enumerate(content.split())
    )


def evidence(*lines: str, name: str = "E1") -> Evidence:
    hit = Hit("d" * 32, "report.pdf", "Report", 3, 0.9, (), (), ())
    page = Page("d" * 32, 3, 600, 800, PageStatus.INDEXED, words=page_words(*lines))
    return Evidence(name, hit, page, PageVectors(np.zeros((0, 4), np.float16), np.zeros((0, 4), np.float32)))


PIECE = evidence("Revenue rose by 12.5 % to", "1,240 million in 2024,", "against -3 in 2023.")


def quote(text: str, boxes: Sequence[Box] = (), name: str = "E1") -> Quote:
    return Quote(name, text, tuple(boxes), 1.0)
