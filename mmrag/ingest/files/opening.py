"""Files in: what each one is, and whether it can be read at all."""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Sequence
from pathlib import Path

from mmrag.errors import EmptyFile, IngestError, MissingFile, UnsupportedFile
from mmrag.ingest.files.containers import look_inside, unsupported
from mmrag.ingest.files.frames import count_frames
from mmrag.ingest.files.info import FileInfo, OutlineEntry, printable
from mmrag.ingest.files.kinds import PDF, UNKNOWN, Family, mentions_pdf, suffix_note, tell_by_head
from mmrag.ingest.files.office_files import open_office
from mmrag.ingest.files.pdf import open_locked, open_pdf, pdf_labels, pdf_metadata, pdf_outline
from mmrag.ingest.files.walking import find_files
from mmrag.ingest.source import Source, SourceKind
from mmrag.ingest.text.running import scan_running
from mmrag.records import DocumentId
from mmrag.settings import ReadSettings

__all__ = ["FileInfo", "OutlineEntry", "file_id", "find_files", "open_file", "open_pdf", "printable"]

_HEAD = 4096


def open_file(
    path: Path,
    *,
    passwords: Sequence[str] = (),
    workdir: Path | None = None,
    settings: ReadSettings | None = None,
) -> FileInfo:
    """Look at a file: identity, kind, page count, metadata, outline, printed page numbers.

    What it is, is told from its content. An office file is turned into a PDF here, which takes seconds;
    the PDF of the same bytes is used again when it still lies in ``workdir``.

    Args:
        path: the file.
        passwords: tried in turn where one is needed. None is written to disk or stands in an error.
        workdir: where the PDF made of an office file is put, for the caller to delete; None: a
            temporary folder that goes when the interpreter ends.
        settings: how long a conversion may take; None: the defaults.

    Raises:
        MissingFile: nothing is there.
        EmptyFile: zero bytes.
        UnsupportedFile: the content is of no kind that is read, or unpacks to more than is safe.
        EncryptedFile: a password is needed, or none of those given fits.
        MissingTool: LibreOffice, which office files need, is not installed.
        ConversionError: LibreOffice failed or took too long.
        CorruptFile: damaged beyond repair, or without pages.
        IngestError: the file or folder may not be read (permissions, I/O).
    """
    path = Path(path)
    where = printable(path)
    size = _check_file(path, where)
    head, document_id = _fingerprint(path, where)
    kind = look_inside(path, tell_by_head(head), head)
    if kind == UNKNOWN and mentions_pdf(path):
        kind = PDF
    name = printable(path.name)
    if kind.family in (Family.SLIDES, Family.WRITING, Family.SEALED):
        return open_office(
            FileInfo(document_id, path, name, size, 0, {}),
            kind,
            passwords,
            workdir,
            settings or ReadSettings(),
        )
    note = suffix_note(name, kind)
    notes = (note,) if note else ()
    if kind.family is Family.PICTURE:
        pages, said = count_frames(path, kind)
        source = Source(path, SourceKind.PICTURE)
        return FileInfo(
            document_id, path, name, size, pages, {}, kind=kind.name, source=source, notes=(*notes, *said)
        )
    if kind.family is not Family.PDF:
        raise unsupported(kind, path)
    document, password = open_locked(path, passwords)
    try:
        return FileInfo(
            id=document_id,
            path=path,
            name=name,
            size=size,
            pages=int(document.page_count),
            metadata=pdf_metadata(document),
            outline=pdf_outline(document),
            labels=pdf_labels(document),
            repaired=bool(document.is_repaired),
            source=Source(path, password=password),
            notes=notes,
            running=scan_running(document),
        )
    finally:
        document.close()


def file_id(path: Path) -> DocumentId:
    """The id of the bytes that stand at ``path`` now.

    Raises:
        OSError: they cannot be read.
    """
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()[:32]


def _check_file(path: Path, where: str) -> int:
    try:
        status = path.stat()
        if stat.S_ISDIR(status.st_mode):
            next(path.iterdir(), None)  # a folder that cannot be listed says so
    except FileNotFoundError as error:
        if path.is_symlink():
            raise MissingFile(
                "the link leads to no file", where=where, remedy="Mend the link or remove it."
            ) from error
        raise MissingFile("no such file", where=where, remedy="Check the path and its spelling.") from error
    except (OSError, ValueError) as error:
        raise _unreadable(error, where) from error
    if not stat.S_ISREG(status.st_mode):
        kind = "a folder" if stat.S_ISDIR(status.st_mode) else "a device or pipe"
        raise UnsupportedFile(
            f"this is not a file but {kind}",
            where=where,
            remedy="Name a document or picture, or a folder that holds some.",
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


def _unreadable(error: Exception, where: str) -> IngestError:
    reason = getattr(error, "strerror", None) or str(error)
    return IngestError(
        f"it cannot be read ({reason})",
        where=where,
        remedy="Check that you may read it and that its disk is well.",
    )
