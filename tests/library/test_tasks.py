"""What a file knows of its pages is put on them, whatever could be seen there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from mmrag.adding.jobs import extras
from mmrag.adding.tasks import HIDDEN, Extras, complete
from mmrag.ingest import FileInfo
from mmrag.records import ChunkKind, Page, PageStatus, Supplement

SPOKEN = Supplement(ChunkKind.NOTES, "Speaker notes", "Thank the sponsors.")
PAGE = Page("d", 2, 100.0, 100.0, PageStatus.INDEXED, notes=("read by OCR",))
INFO = FileInfo(
    "d",
    Path("deck.pptx"),
    "deck.pptx",
    1,
    3,
    {},
    notes=("the suffix does not fit",),
    supplements={2: (SPOKEN,)},
    hidden=frozenset({3}),
)


@pytest.mark.parametrize(
    ("number", "expected"),
    [
        (1, Extras((), False, ("the suffix does not fit",))),
        (2, Extras((SPOKEN,), False, ())),
        (3, Extras((), True, ())),
    ],
)
def test_each_page_gets_what_is_its_own(number: int, expected: Extras) -> None:
    assert extras(INFO, number) == expected


def test_a_page_is_completed() -> None:
    page = complete(PAGE, Extras((SPOKEN,), True, ("from the file",)))
    assert page == replace(
        PAGE, supplements=(SPOKEN,), hidden=True, notes=("from the file", "read by OCR", HIDDEN)
    )


@pytest.mark.parametrize(
    ("status", "supplements", "expected"),
    [
        (PageStatus.BLANK, (SPOKEN,), (PageStatus.INDEXED, "")),
        (PageStatus.BLANK, (), (PageStatus.BLANK, "why")),
        (PageStatus.CORRUPT, (SPOKEN,), (PageStatus.CORRUPT, "why")),
    ],
)
def test_an_empty_slide_with_notes_can_be_found(
    status: PageStatus, supplements: tuple[Supplement, ...], expected: tuple[PageStatus, str]
) -> None:
    page = complete(replace(PAGE, status=status, reason="why"), Extras(supplements))
    assert (page.status, page.reason) == expected
