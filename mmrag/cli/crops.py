"""Save the places an answer cites as pictures."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

from mmrag.cli.output import write_file

if TYPE_CHECKING:
    from mmrag.library import Library
    from mmrag.records import Answer, Reader


def save_crops(
    library: Library, answer: Answer, folder: Path, reader: Reader, prefix: str = ""
) -> list[Path]:
    """One PNG a citation, cut to its boxes, named ``<prefix><number>-<document>-p<page>.png``."""
    saved: list[Path] = []
    for number, citation in enumerate(answer.citations, start=1):
        data = library.overlay(citation.document, citation.page, citation.boxes, reader=reader, crop=True)
        name = f"{prefix}{number}-{_plain(Path(citation.name).stem)}-p{citation.page}.png"
        saved.append(write_file(folder / name, data))
    return saved


def _plain(name: str) -> str:
    """A file name that every file system takes, from one that came with a document."""
    return re.sub(r"[^\w-]+", "-", name).strip("-")[:60] or "document"
