"""Files in: which ones, what they are, and whether they can be read at all."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from mmrag.errors import CorruptFile, EmptyFile, EncryptedFile, IngestError, MissingFile, UnsupportedFile
from mmrag.ingest._mupdf import FAULTS, forget_damage, mupdf
from mmrag.ingest.kinds import describe_kind, has_pdf_header, mentions_pdf
from mmrag.ingest.source import Source
from mmrag.records import DocumentId, Supplement

_HEAD = 4096


@dataclass(frozen=True, slots=True)
class OutlineEntry:
    """One bookmark of a PDF: depth from 1, title, and the 1-based page it points at."""

    level: int
    title: str
    page: int


@dataclass(frozen=True, slots=True)
class FileInfo:
    """What is known of a file before its pages are read.

    ``labels`` are the printed page numbers, one a page, or empty when the file sets none;
    ``repaired`` says that its structure was damaged and had to be rebuilt. ``kind`` names what the
    content is (``PDF``, ``PowerPoint``, ``PNG picture``); ``source`` is what its pages are read from.
    ``notes`` ride on page 1, such as a suffix that does not fit. ``supplements`` and ``hidden`` are, by
    page number, what an office file holds beside its pictures, and its hidden slides. ``running`` are
    heads and feet that repeat over pages, folded as :mod:`mmrag.ingest.running` folds them.
    """

    id: DocumentId
    path: Path
    name: str
    size: int
    pages: int
    metadata: dict[str, str]
    outline: tuple[OutlineEntry, ...] = ()
    labels: tuple[str, ...] = ()
    repaired: bool = False
    kind: str = "PDF"
    source: Source = field(default_factory=lambda: Source(Path()))
    notes: tuple[str, ...] = ()
    supplements: Mapping[int, tuple[Supplement, ...]] = field(default_factory=dict)
    hidden: frozenset[int] = frozenset()
    running: frozenset[str] = frozenset()


_DOCUMENTS = (
    *(".pdf", ".pptx", ".ppt", ".odp", ".key", ".docx", ".doc", ".odt"),
    *(".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp"),
)


def find_files(paths: Iterable[Path | str]) -> Iterator[Path]:
    """Yield the files to read, each once.

    Folders are walked in sorted order for files whose name ends like a document's (PDF, office files,
    pictures), hidden files and folders skipped: what cannot be read yet is refused by name rather
    than passed over. Paths that are not folders are yielded as given, missing ones too:
    :func:`open_file` says what is wrong with them.
    """
    seen: set[Path] = set()
    for given in paths:
        path = Path(given)
        for found in _walk(path) if path.is_dir() else (path,):
            key = found.resolve() if found.exists() else found.absolute()
            if key not in seen:
                seen.add(key)
                yield found


def _walk(folder: Path) -> Iterator[Path]:
    for directory, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            if not name.startswith(".") and name.lower().endswith(_DOCUMENTS):
                yield Path(directory) / name


def open_file(path: Path) -> FileInfo:
    """Look at a file: identity, page count, metadata, outline, printed page numbers.

    Raises:
        MissingFile: nothing is there.
        EmptyFile: zero bytes.
        UnsupportedFile: the content is not PDF, whatever the name says.
        EncryptedFile: a password is needed.
        CorruptFile: PDF, but damaged beyond repair or without pages.
        IngestError: the file may not be read (permissions, I/O).
    """
    path = Path(path)
    where = str(path)
    size = _check_file(path, where)
    head, document_id = _fingerprint(path, where)
    if not has_pdf_header(head):
        kind = describe_kind(head)
        if kind or not mentions_pdf(path):
            raise UnsupportedFile(
                f"this is not a PDF but {kind or 'a file of unknown kind'}",
                where=where,
                remedy="Export or print it to PDF and add that file.",
            )
    document = open_pdf(path)
    try:
        return FileInfo(
            id=document_id,
            path=path,
            name=path.name,
            size=size,
            pages=int(document.page_count),
            metadata=_metadata(document),
            outline=_outline(document),
            labels=_labels(document),
            repaired=bool(document.is_repaired),
            source=Source(path),
        )
    finally:
        document.close()


def open_pdf(path: Path) -> Any:
    """Open a PDF with PyMuPDF; the caller closes it.

    Raises:
        CorruptFile, EncryptedFile, UnsupportedFile: as :func:`open_file`.
    """
    where = str(path)
    damaged = "Open it in a PDF viewer and save it anew, or get a fresh copy."
    forget_damage()
    try:
        document = mupdf.open(str(path), filetype="pdf")
    except FAULTS as error:
        raise CorruptFile("the PDF is damaged beyond repair", where=where, remedy=damaged) from error
    try:
        _check_document(document, where, damaged)
    except IngestError:
        document.close()
        raise
    return document


def _check_document(document: Any, where: str, damaged: str) -> None:
    if document.needs_pass:
        raise EncryptedFile(
            "the PDF is encrypted and needs a password",
            where=where,
            remedy="Remove the password (for example: qpdf --decrypt --password=SECRET in.pdf out.pdf) "
            "and add the result.",
        )
    if not document.is_pdf:
        raise UnsupportedFile(
            "the content is not PDF", where=where, remedy="Export or print it to PDF and add that file."
        )
    try:
        pages = int(document.page_count)
    except FAULTS as error:
        raise CorruptFile("the PDF's page tree cannot be read", where=where, remedy=damaged) from error
    if pages < 1:
        raise CorruptFile("the PDF has no pages", where=where, remedy=damaged)


def _check_file(path: Path, where: str) -> int:
    try:
        status = path.stat()
    except FileNotFoundError as error:
        raise MissingFile("no such file", where=where, remedy="Check the path and its spelling.") from error
    except (OSError, ValueError) as error:
        raise _unreadable(error, where) from error
    if not path.is_file():
        kind = "a folder" if path.is_dir() else "a device or pipe"
        raise UnsupportedFile(
            f"this is not a file but {kind}",
            where=where,
            remedy="Name a PDF file, or a folder that holds some.",
        )
    if status.st_size == 0:
        raise EmptyFile(
            "the file has zero bytes", where=where, remedy="Copy or download it again; nothing is in it."
        )
    return status.st_size


def _fingerprint(path: Path, where: str) -> tuple[bytes, DocumentId]:
    digest = hashlib.sha256()
    head = b""
    try:
        with path.open("rb") as stream:
            while block := stream.read(1 << 20):
                head = head or block[:_HEAD]
                digest.update(block)
    except OSError as error:
        raise _unreadable(error, where) from error
    return head, digest.hexdigest()[:32]


def file_id(path: Path) -> DocumentId:
    """The id of the bytes that stand at ``path`` now.

    Raises:
        OSError: they cannot be read.
    """
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:32]


def _unreadable(error: Exception, where: str) -> IngestError:
    reason = getattr(error, "strerror", None) or str(error)
    return IngestError(
        f"the file cannot be read ({reason})",
        where=where,
        remedy="Check that you may read it and that its disk is well.",
    )


def _metadata(document: Any) -> dict[str, str]:
    found = document.metadata or {}
    cleaned = {str(key): str(value).replace("\x00", "").strip() for key, value in found.items() if value}
    return {key: value for key, value in cleaned.items() if value}


def _outline(document: Any) -> tuple[OutlineEntry, ...]:
    try:
        entries = document.get_toc(simple=True)
    except FAULTS:
        return ()  # a damaged outline costs section names, not pages
    kept = []
    for level, title, page in entries:
        text = " ".join(str(title).replace("\x00", " ").split())
        if text and 1 <= page <= document.page_count:
            kept.append(OutlineEntry(int(level), text, int(page)))
    return tuple(kept)


def _labels(document: Any) -> tuple[str, ...]:
    try:
        if not document.get_page_labels():
            return ()
        return tuple(str(document[index].get_label()) for index in range(document.page_count))
    except FAULTS:
        return ()  # printed numbers are a nicety
