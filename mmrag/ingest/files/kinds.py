"""What a file is, told by its content and never by its name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path


class Family(StrEnum):
    """How a kind of file is read."""

    PDF = "pdf"
    SLIDES = "slides"
    WRITING = "writing"
    PICTURE = "picture"
    SEALED = "sealed"
    """An Office file of unknown kind inside an encrypted container."""
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of content.

    ``name`` is how users call it (``PNG picture``); ``suffixes`` are the endings of names that fit it,
    the usual one first.
    """

    name: str
    family: Family = Family.OTHER
    suffixes: tuple[str, ...] = ()

    @property
    def described(self) -> str:
        """The name with its article: ``a PNG picture``, ``an old Word document``."""
        spoken_with_a_vowel = self.name[0] in "aeioAEIO" or self.name.startswith(("RTF", "HTML", "SVG"))
        return f"{'an' if spoken_with_a_vowel else 'a'} {self.name}"


PDF = Kind("PDF", Family.PDF, (".pdf", ".ai"))  # an Illustrator file is a PDF as a rule
PPTX = Kind(
    "PowerPoint presentation",
    Family.SLIDES,
    (".pptx", ".pptm", ".ppsx", ".ppsm", ".potx", ".potm", ".ppt", ".pps", ".pot"),
)
PPT = Kind("old PowerPoint presentation", Family.SLIDES, (".ppt", ".pps", ".pot"))
ODP = Kind("OpenDocument presentation", Family.SLIDES, (".odp", ".otp"))
DOCX = Kind("Word document", Family.WRITING, (".docx", ".docm", ".dotx", ".dotm"))
DOC = Kind("old Word document", Family.WRITING, (".doc", ".dot", ".wiz"))
ODT = Kind("OpenDocument text", Family.WRITING, (".odt", ".ott", ".odm", ".otm"))
PNG = Kind("PNG picture", Family.PICTURE, (".png", ".apng"))
JPEG = Kind("JPEG picture", Family.PICTURE, (".jpg", ".jpeg", ".jpe", ".jfif", ".jif", ".mpo"))
TIFF = Kind("TIFF picture", Family.PICTURE, (".tif", ".tiff"))
WEBP = Kind("WebP picture", Family.PICTURE, (".webp",))
SEALED = Kind("encrypted Office file", Family.SEALED)
SPREADSHEET = Kind("spreadsheet")
UNKNOWN = Kind("file of unknown kind")

READABLE: tuple[Kind, ...] = (PDF, PPTX, PPT, ODP, DOCX, DOC, ODT, PNG, JPEG, TIFF, WEBP)
"""Every kind that can be read, whatever tools that takes."""

ZIP = Kind("zip archive")
OLE = Kind("OLE file")

_SURE: tuple[tuple[bytes, Kind], ...] = (  # long enough not to stand there by chance
    (b"PK\x03\x04", ZIP),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE),
    (b"\x89PNG\r\n\x1a\n", PNG),
    (b"\xff\xd8\xff", JPEG),
    (b"II*\x00", TIFF),
    (b"MM\x00*", TIFF),
    (b"II+\x00", TIFF),  # BigTIFF
    (b"MM\x00+", TIFF),
    (b"GIF8", Kind("GIF picture")),
    (b"\x00\x00\x00\x0cjP  ", Kind("JPEG 2000 picture")),
    (b"{\\rtf", Kind("RTF document")),
    (b"7z\xbc\xaf\x27\x1c", Kind("7z archive")),
    (b"Rar!\x1a\x07", Kind("RAR archive")),
    (b"\x7fELF", Kind("program")),
    (b"SQLite format 3\x00", Kind("database")),
    (b"PK\x05\x06", Kind("empty zip archive")),
)
_SHORT: tuple[tuple[bytes, Kind], ...] = (
    (b"%!PS", Kind("PostScript file")),
    (b"BM", Kind("BMP picture")),
    (b"MZ", Kind("program")),
    (b"\x1f\x8b", Kind("gzip archive")),
    (b"ID3", Kind("sound recording")),
)
_BRANDS = {b"heic": "HEIC picture", b"heix": "HEIC picture", b"mif1": "HEIC picture", b"avif": "AVIF picture"}
_MARKUP = (b"<!doctype html", b"<html", b"<?xml", b"<svg")
_CONTROL = frozenset(range(32)) - {9, 10, 12, 13, 27}
_OBJECT = re.compile(rb"(?:^|\s)\d+ \d+ obj\b")


def tell_by_head(head: bytes) -> Kind:
    """The kind of file that begins so; :data:`UNKNOWN` when nothing speaks.

    A container comes out as :data:`ZIP` or :data:`OLE`: :func:`mmrag.ingest.files.containers.look_inside`
    says what it holds.
    """
    for magic, kind in _SURE:
        if head.startswith(magic):
            return kind
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return WEBP
    if head[4:8] == b"ftyp":
        return Kind(_BRANDS.get(head[8:12], "film or sound recording"))
    if b"%PDF-" in head[:1024]:  # where readers look for it
        return PDF
    for magic, kind in _SHORT:
        if head.startswith(magic):
            return kind
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(_MARKUP):
        return Kind("SVG drawing" if b"<svg" in start[:1024] else "HTML or XML page")
    if _OBJECT.search(head):  # a PDF that lost its header looks like text too
        return UNKNOWN
    return Kind("text file") if _is_text(head) else UNKNOWN


def mentions_pdf(path: Path) -> bool:
    """Whether the file holds PDF objects although its header is gone (first and last 64 KiB)."""
    with path.open("rb") as stream:
        sample = stream.read(1 << 16)
        stream.seek(0, 2)
        stream.seek(max(0, stream.tell() - (1 << 16)))
        sample += stream.read()
    return _OBJECT.search(sample) is not None and (b"endobj" in sample or b"/Type" in sample)


_SUFFIX = re.compile(r"\.[A-Za-z][A-Za-z0-9]{1,4}")


def suffix_note(name: str, kind: Kind) -> str:
    """What to say of a name whose suffix does not fit the content; "" when it fits or there is none."""
    suffix = Path(name).suffix
    if not kind.suffixes or suffix.lower() in kind.suffixes or not _SUFFIX.fullmatch(suffix):
        return ""
    return f"the name ends in {suffix}, the content is {kind.described}"


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    return bool(head) and sum(byte in _CONTROL for byte in head) <= len(head) // 100
