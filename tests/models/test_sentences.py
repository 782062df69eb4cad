"""Where a page's words are cut into sentences."""

from __future__ import annotations

import pytest

from mmrag.models.sentences import sentences
from mmrag.records import Box, Table, Word, WordSource

LAYER = WordSource.TEXT_LAYER


def lines(*given: tuple[str, int, float]) -> list[Word]:
    """(text, block, size) a line."""
    return [
        Word(
            text,
            Box(50.0 * at, 20.0 * line, 50.0 * at + 45, 20.0 * line + 12),
            WordSource.TEXT_LAYER,
            line,
            block,
            size,
        )
        for line, (content, block, size) in enumerate(given)
        for at, text in enumerate(content.split())
    ]


@pytest.mark.parametrize(
    ("given", "found"),
    [
        (
            [("One is here. Two is", 0, 10), ("there. Three", 0, 10)],
            ["One is here.", "Two is there.", "Three"],
        ),
        ([("A heading", 0, 18), ("Text that follows", 0, 10)], ["A heading", "Text that follows"]),
        ([("The rest of what", 0, 10), ("was said here.", 1, 10)], ["The rest of what was said here."]),
        ([("No stop here", 0, 10), ("Another block", 1, 10)], ["No stop here", "Another block"]),
        (
            [("Dr. Okafor paid approx. 5 euros. He left.", 0, 10)],
            ["Dr. Okafor paid approx. 5 euros.", "He left."],
        ),
        (
            [("Points:", 0, 10), ("\u2022 first", 0, 10), ("\u2022 second", 0, 10)],
            ["Points:", "\u2022 first", "\u2022 second"],
        ),
        ([("Is it? Yes! Good.", 0, 10)], ["Is it?", "Yes!", "Good."]),
        ([("... \u2022 ---", 0, 10)], []),
        ([(" ".join(["word"] * 130), 0, 10)], [" ".join(["word"] * n) for n in (60, 60, 10)]),
    ],
)
def test_cuts(given: list[tuple[str, int, float]], found: list[str]) -> None:
    assert [sentence.text for sentence in sentences(lines(*given))] == found


def test_words_of_tables_are_left_to_their_rows() -> None:
    words = lines(("Before it.", 0, 10), ("cell cell", 1, 10), ("After it.", 2, 10))
    table = Table((), 1, 2, 0, Box(0, 19, 200, 33))
    assert [s.text for s in sentences(words, [table])] == ["Before it.", "After it."]


def test_boxes_are_one_a_line() -> None:
    (sentence,) = sentences(lines(("one two", 0, 10), ("three.", 0, 10)))
    assert sentence.line_boxes() == (Box(0, 0, 95, 12), Box(0, 20, 45, 32))
