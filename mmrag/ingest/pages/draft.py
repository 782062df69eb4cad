"""A page while it is read: what is known of it so far, and what went wrong with its parts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TypeVar

from mmrag.ingest._mupdf import FAULTS
from mmrag.records import Figure, Page, PageImage, PageStatus, Table, Word

REMEDY = "Open the file in a PDF viewer and save or print it anew, then add that file"
"""What helps with most damaged files; a full stop or more words follow."""

_T = TypeVar("_T")


@dataclass
class Draft:
    """What is known of a page so far; faults in its parts become notes."""

    document: str
    number: int
    width: float = 0.0
    height: float = 0.0
    rotation: int = 0
    label: str = ""
    words: tuple[Word, ...] = ()
    invisible: tuple[Word, ...] = ()
    tables: tuple[Table, ...] = ()
    figures: tuple[Figure, ...] = ()
    image: PageImage | None = None
    notes: list[str] = field(default_factory=list)
    repaired: bool = False
    complaints: tuple[str, ...] = ()

    def done(self, status: PageStatus, reason: str = "") -> Page:
        """The page as it is now, with its status."""
        return Page(
            document=self.document,
            number=self.number,
            width=self.width,
            height=self.height,
            status=status,
            reason=reason,
            label=self.label,
            rotation=self.rotation,
            words=self.words,
            tables=self.tables,
            figures=self.figures,
            image=self.image,
            notes=tuple(self.notes),
            invisible=self.invisible,
        )

    def attempt(self, what: str, action: Callable[[], _T], otherwise: _T) -> _T:
        """Run one step; its fault costs that step and a note, not the page."""
        try:
            return action()
        except FAULTS as error:
            self.notes.append(f"{what} could not be read ({describe(error)})")
            return otherwise


def describe(error: BaseException) -> str:
    """Kind and message of an error on one line."""
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:120]}" if text else type(error).__name__
