"""What a batch of files keeps track of while it is on its way in."""

from __future__ import annotations

import hashlib
import json
import os
from collections import Counter
from collections.abc import Iterable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mmrag import __version__
from mmrag.adding import tasks
from mmrag.errors import (
    CorruptFile,
    EmptyFile,
    EncryptedFile,
    IngestError,
    MissingTool,
    UnsupportedFile,
)
from mmrag.ingest import Chunker, FileInfo
from mmrag.records import Document, FileNote, Identity, Page, PageStatus

if TYPE_CHECKING:
    from mmrag.adding.opening import Passwords
    from mmrag.models.protocols import Embedder
    from mmrag.records import Access, Chunk
    from mmrag.settings import Settings


@dataclass(slots=True)
class Job:
    """A document on its way in."""

    info: FileInfo
    document: Document
    started: float = 0.0
    chunker: Chunker | None = None
    known: tuple[Page, ...] = ()
    resumed: bool = False
    trouble: str = ""
    emitted: int = 0
    statuses: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True)
class Done:
    """A page that is read and chunked, with its embedding under way."""

    job: Job
    page: Page
    chunks: tuple[Chunk, ...]
    embedding: Future[tasks.Embedded]


def worker_count(settings: Settings) -> int:
    """The processes that ``workers`` asks for: one a core this process may use when it is 0."""
    if settings.workers:
        return settings.workers
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def new_document(info: FileInfo, access: Access, tags: tuple[str, ...]) -> Document:
    """What is known of a document before its first page is read."""
    return Document(
        id=info.id,
        name=info.name,
        path=os.path.realpath(info.path),
        identity=Identity(info.name),
        pages=info.pages,
        statuses={},
        access=access,
        tags=tuple(sorted(set(tags))),
        added=_now(),
        version=1,
        size=info.size,
    )


def has_failed_pages(row: Mapping[str, Any]) -> bool:
    """Whether pages failed for a reason that may have passed, so that adding again reads the file again."""
    return PageStatus.FAILED.value in json.loads(row["statuses"])


def checked(passwords: Passwords) -> Passwords:
    """The passwords, once it is seen that all are text: what is none is no fault of the files.

    Raises:
        TypeError: one is not; it is not told.
    """
    if isinstance(passwords, str):
        return passwords
    if not isinstance(passwords, Iterable):
        raise TypeError(f"passwords are text, several of them or one a path, not {type(passwords).__name__}")
    held = passwords if isinstance(passwords, Mapping) else tuple(passwords)
    for password in held.values() if isinstance(held, Mapping) else held:
        if not isinstance(password, str):
            raise TypeError(f"a password is text, not {type(password).__name__}")
    return held


def extras(info: FileInfo, number: int) -> tasks.Extras:
    """What the file says of one of its pages; what it says of itself goes with the first."""
    return tasks.Extras(
        tuple(info.supplements.get(number, ())), number in info.hidden, info.notes if number == 1 else ()
    )


def file_note(path: Path, access: Access, status: str, reason: str) -> FileNote:
    """What is kept of a file that could not be opened."""
    return FileNote(os.path.realpath(path), path.name, status, reason, access.tenant, _now(), access.groups)


def status_word(error: IngestError) -> str:
    """The status, in words, of a file that could not be opened."""
    if isinstance(error, EncryptedFile):
        return PageStatus.ENCRYPTED.value
    if isinstance(error, CorruptFile | EmptyFile):
        return PageStatus.CORRUPT.value
    if isinstance(error, UnsupportedFile | MissingTool):
        return PageStatus.UNSUPPORTED.value
    return PageStatus.FAILED.value


def failed(page: Page, reason: str) -> Page:
    """The page with the status FAILED, the reason and what to do."""
    remedy = "Save the page anew from a PDF viewer (print to PDF) and add the file again"
    return replace(page, status=PageStatus.FAILED, reason=f"{reason}. {remedy}.")


def recipe_of(embedder: Embedder, settings: Settings) -> str:
    """Fingerprint of all that decides what a document's rows look like: resuming needs the same."""
    held = {
        "mmrag": __version__,
        "embedder": [embedder.id, embedder.revision],
        "read": settings.read.model_dump(),
        "chunk": settings.chunk.model_dump(),
    }
    return hashlib.sha256(json.dumps(held, sort_keys=True).encode()).hexdigest()[:16]


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds")
