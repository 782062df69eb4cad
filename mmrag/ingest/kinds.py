"""What a file is, told by its content and never by its name."""

from __future__ import annotations

from pathlib import Path

_MAGIC: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "a PNG picture"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"GIF8", "a GIF picture"),
    (b"II*\x00", "a TIFF picture"),
    (b"MM\x00*", "a TIFF picture"),
    (b"BM", "a BMP picture"),
    (b"PK\x03\x04", "a zip archive or Office document"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an old Office document"),
    (b"{\\rtf", "an RTF document"),
    (b"%!PS", "a PostScript file"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\x7fELF", "a program"),
    (b"MZ", "a program"),
)
_MARKUP = (b"<!doctype html", b"<html", b"<?xml", b"<svg")
_CONTROL = frozenset(range(32)) - {9, 10, 12, 13, 27}


def has_pdf_header(head: bytes) -> bool:
    """Whether ``%PDF-`` stands in the first 1,024 bytes, where readers look for it."""
    return b"%PDF-" in head[:1024]


def mentions_pdf(path: Path) -> bool:
    """Whether the file holds PDF objects although its header is gone (first and last 64 KiB)."""
    with path.open("rb") as stream:
        sample = stream.read(1 << 16)
        stream.seek(0, 2)
        stream.seek(max(0, stream.tell() - (1 << 16)))
        sample += stream.read()
    return b" obj" in sample and (b"endobj" in sample or b"/Type" in sample)


def describe_kind(head: bytes) -> str:
    """Name the kind of file by its first bytes, e.g. ``a PNG picture``; "" when unknown."""
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    if head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        return "a WebP picture"
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith(_MARKUP):
        return "an HTML or XML page"
    if b" obj" in head:  # a PDF that lost its header looks like text too
        return ""
    return "a text file" if _is_text(head) else ""


def _is_text(head: bytes) -> bool:
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return True
    return bool(head) and sum(byte in _CONTROL for byte in head) <= len(head) // 100
