"""Where the pages of a document are read from: the file itself, or the PDF that was made of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path


class SourceKind(StrEnum):
    """How a source is opened."""

    PDF = "pdf"
    PICTURE = "picture"


@dataclass(frozen=True, slots=True)
class Source:
    """A file with pages. ``password`` opens it ("" when none is needed); it is never shown or stored."""

    path: Path
    kind: SourceKind = SourceKind.PDF
    password: str = field(default="", repr=False)
