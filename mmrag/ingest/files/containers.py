"""What a zip or OLE container holds, and whether it is safe to unpack."""

from __future__ import annotations

import re
import zipfile
import zlib
from pathlib import Path
from typing import NoReturn

from mmrag.errors import CorruptFile, EncryptedFile, UnsupportedFile
from mmrag.ingest.files.info import printable
from mmrag.ingest.files.kinds import DOC, DOCX, ODP, ODT, OLE, PPT, PPTX, SEALED, SPREADSHEET, ZIP, Kind

# An office file that unpacks to more is a trap: its XML takes ten times that in a reader's memory.
_MOST_UNPACKED = 2 << 30
_MOST_RATIO = 100  # real decks reach about 20
_SMALL = 200 << 20  # whatever the ratio, this much can be unpacked
_MOST_PARTS = 100_000
_DAMAGED = "Open it in its office program and save it anew, or get a fresh copy."
_FAULTS = (
    *(zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, RuntimeError),
    *(KeyError, IndexError, OverflowError),
)

_MAIN_PARTS: tuple[tuple[bytes, Kind], ...] = (
    (rb"presentationml\.(?:presentation|slideshow|template)\.main\+xml", PPTX),
    (rb"ms-powerpoint\.(?:presentation|slideshow|template)\.macroEnabled\.main", PPTX),
    (rb"wordprocessingml\.(?:document|template)\.main\+xml", DOCX),
    (rb"ms-word\.(?:document|template)\.macroEnabled(?:Template)?\.main", DOCX),
    (rb"spreadsheetml\.(?:sheet|template)\.main\+xml", SPREADSHEET),
    (rb"ms-excel\.\w+\.(?:macroEnabled|binary)", SPREADSHEET),
    (rb"ms-visio\.\w+\.main", Kind("Visio drawing")),
)
_MAIN_NAMES = {"ppt/presentation.xml": PPTX, "word/document.xml": DOCX, "xl/workbook.xml": SPREADSHEET}
_OPEN_DOCUMENT = {
    b"presentation": ODP,
    b"text": ODT,
    b"spreadsheet": SPREADSHEET,
    b"graphics": Kind("OpenDocument drawing"),
}
_STREAMS: tuple[tuple[str, Kind], ...] = (
    ("encryptedpackage", SEALED),
    ("powerpoint document", PPT),
    ("worddocument", DOC),
    ("workbook", SPREADSHEET),
    ("book", SPREADSHEET),
    ("visiodocument", Kind("Visio drawing")),
    ("__properties_version1.0", Kind("Outlook message")),
)


def look_inside(path: Path, kind: Kind, head: bytes) -> Kind:
    """The kind of what a zip or OLE container holds; other kinds come back as they are.

    An office file is unpacked once in passing, so that damage, false sizes and traps are found here
    and not by the programs that read it.

    Raises:
        CorruptFile: an office file whose container is cut off or damaged.
        EncryptedFile: an OpenDocument file with a password.
        UnsupportedFile: an office file that unpacks to more than is safe.
    """
    if kind == OLE:
        try:
            return _ole_kind(path)
        except Exception as error:  # a damaged directory raises whatever it trips over
            _damaged(path, "its directory cannot be read", error)
    if kind != ZIP:
        return kind
    try:
        with zipfile.ZipFile(path) as archive:
            inner = _zip_kind(archive)
            if inner in (PPTX, DOCX, ODP, ODT):
                _refuse_traps(archive, path)
                _unpack_all(archive)
                _refuse_encrypted(archive, inner, path)
            return inner
    except _FAULTS as error:
        if not _office_head(head):
            return Kind("damaged zip archive")
        _damaged(path, "its parts cannot all be unpacked", error)


def glance_inside(path: Path, kind: Kind) -> Kind:
    """As :func:`look_inside`, by the container's directory alone; the container's own kind when damaged."""
    try:
        if kind == ZIP:
            with zipfile.ZipFile(path) as archive:
                return _zip_kind(archive)
        return _ole_kind(path) if kind == OLE else kind
    except Exception:  # not worth telling apart: the file is judged when it is opened
        return kind


def unsupported(kind: Kind, path: Path) -> UnsupportedFile:
    """The error for a kind of file that is not read."""
    return UnsupportedFile(
        f"this is {kind.described}, which mmrag does not read",
        where=printable(path),
        remedy="Export or print it to PDF and add that file.",
    )


def _damaged(path: Path, how: str, error: Exception) -> NoReturn:
    what = f"the office file is damaged: {how}"
    raise CorruptFile(what, where=printable(path), remedy=_DAMAGED) from error


def _zip_kind(archive: zipfile.ZipFile) -> Kind:
    names = set(archive.namelist())
    if "mimetype" in names:
        mimetype = _start(archive, "mimetype", 256)
        found = re.match(rb"application/vnd\.oasis\.opendocument\.([a-z]+)", mimetype)
        if found:
            return _OPEN_DOCUMENT.get(found[1], Kind("OpenDocument file of another kind"))
        if mimetype.startswith(b"application/epub"):
            return Kind("EPUB book")
    if "[Content_Types].xml" in names:
        types = _start(archive, "[Content_Types].xml", 4 << 20)
        for pattern, kind in _MAIN_PARTS:
            if re.search(pattern, types, re.IGNORECASE):
                return kind
        main = next((kind for name, kind in _MAIN_NAMES.items() if name in names), None)
        return main or Kind("Office file of another kind")
    if any(name.endswith(".iwa") for name in names):
        slides = any(name.startswith("Index/Slide") for name in names)
        return Kind("Keynote presentation" if slides else "iWork document")
    return ZIP


def _start(archive: zipfile.ZipFile, name: str, size: int) -> bytes:
    with archive.open(name) as stream:
        return stream.read(size)


def _refuse_traps(archive: zipfile.ZipFile, path: Path) -> None:
    """Refuse what would fill memory or disk when unpacked, by the sizes that the archive declares.

    Raises:
        UnsupportedFile: with what it unpacks to.
    """
    parts = archive.infolist()
    unpacked = sum(part.file_size for part in parts)
    ratio = unpacked // max(1, sum(part.compress_size for part in parts))
    if len(parts) > _MOST_PARTS:
        what = f"has {len(parts):,} parts, more than the {_MOST_PARTS:,} that are read"
    elif unpacked > _MOST_UNPACKED:
        what = (
            f"unpacks to {unpacked / (1 << 30):.1f} GiB, more than the {_MOST_UNPACKED >> 30} that are read"
        )
    elif unpacked > _SMALL and ratio > _MOST_RATIO:
        what = f"unpacks to {ratio:,} times its size, as traps do and documents do not"
    else:
        return
    remedy = "If you trust it, print it to PDF in its office program and add that file."
    raise UnsupportedFile(f"the office file {what}", where=printable(path), remedy=remedy)


def _unpack_all(archive: zipfile.ZipFile) -> None:
    for part in archive.infolist():
        with archive.open(part) as stream:
            while stream.read(1 << 20):
                pass  # reading to the end checks the part's length and checksum


def _refuse_encrypted(archive: zipfile.ZipFile, kind: Kind, path: Path) -> None:
    names = set(archive.namelist())
    manifest = "META-INF/manifest.xml"
    whole = "encrypted-package" in names  # as LibreOffice 24.8 and later encrypt
    if whole or (manifest in names and b"encryption-data" in _start(archive, manifest, 16 << 20)):
        raise EncryptedFile(
            f"the {kind.name} is encrypted, and passwords of OpenDocument files cannot be tried",
            where=printable(path),
            remedy="Save it in LibreOffice without a password and add that file.",
        )


def _office_head(head: bytes) -> bool:
    """Whether a zip archive begins with the parts of an office file."""
    marks = (b"[Content_Types].xml", b"_rels/.rels", b"ppt/", b"word/", b"docProps/", b"opendocument")
    return any(mark in head for mark in marks)


def _ole_kind(path: Path) -> Kind:
    import olefile

    with olefile.OleFileIO(str(path)) as container:
        entries = container.listdir(streams=True, storages=False)
    top = {entry[0].lower() for entry in entries if len(entry) == 1}
    return next((kind for name, kind in _STREAMS if name in top), Kind("OLE file of another kind"))
