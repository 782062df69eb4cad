"""PDF files: opening them, with passwords where needed, and what they say of themselves."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mmrag.errors import CorruptFile, EncryptedFile, UnsupportedFile
from mmrag.ingest._mupdf import FAULTS, forget_damage, mupdf
from mmrag.ingest.files.info import OutlineEntry, printable

_DAMAGED = "Open it in a PDF viewer and save it anew, or get a fresh copy."
_DESCRIPTORS = Path("/proc/self/fd")


def open_pdf(path: Path, password: str = "") -> Any:
    """Open a PDF with PyMuPDF; the caller closes it.

    Args:
        path: the file.
        password: its user's or owner's password, when it has one.

    Raises:
        CorruptFile: damaged beyond repair, or without pages.
        EncryptedFile: the password is missing or wrong.
        UnsupportedFile: the content is not PDF.
    """
    return open_locked(path, (password,) if password else ())[0]


def open_locked(path: Path, passwords: Sequence[str] = ()) -> tuple[Any, str]:
    """Open a PDF with the first of ``passwords`` that fits; the caller closes it.

    Returns:
        The document, and the password that opened it: "" when none is needed.

    Raises:
        CorruptFile, EncryptedFile, UnsupportedFile: as :func:`open_pdf`. No password stands in them.
    """
    where = printable(path)
    forget_damage()
    try:
        document = _opened(path)
    except FAULTS as error:
        raise CorruptFile("the PDF is damaged beyond repair", where=where, remedy=_DAMAGED) from error
    try:
        password = _unlock(document, passwords, where)
        _check_document(document, where)
    except BaseException:
        document.close()
        raise
    return document, password


def _opened(path: Path) -> Any:
    if _is_utf8(path):
        return mupdf.open(str(path), filetype="pdf")
    # MuPDF takes names as UTF-8 only; a file whose name is other bytes is opened by its descriptor.
    with path.open("rb") as stream:
        link = _DESCRIPTORS / str(stream.fileno())
        if link.exists():
            return mupdf.open(str(link), filetype="pdf")
        return mupdf.open(stream=stream.read(), filetype="pdf")


def _is_utf8(path: Path) -> bool:
    try:
        os.fspath(path).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _unlock(document: Any, passwords: Sequence[str], where: str) -> str:
    if not document.needs_pass:  # MuPDF has tried the empty one
        return ""
    tried = [password for password in dict.fromkeys(passwords) if password]
    for password in tried:
        try:
            if document.authenticate(password):
                return password
        except FAULTS:
            continue  # such as one that cannot be encoded for this kind of encryption
    raise encrypted("PDF", len(tried), where)


def encrypted(name: str, tried: int, where: str) -> EncryptedFile:
    """The error for a file that needs a password, after so many were tried."""
    if not tried:
        what = f"the {name} is encrypted and needs a password"
    elif tried == 1:
        what = f"the {name} is encrypted, and the password given does not open it"
    else:
        what = f"the {name} is encrypted, and none of the {tried} passwords given opens it"
    remedy = "Give its password with --password (in Python: passwords=[...]); it is kept nowhere."
    return EncryptedFile(what, where=where, remedy=remedy)


def _check_document(document: Any, where: str) -> None:
    if not document.is_pdf:
        raise UnsupportedFile(
            "the content is not PDF", where=where, remedy="Export or print it to PDF and add that file."
        )
    try:
        pages = int(document.page_count)
    except FAULTS as error:
        raise CorruptFile("the PDF's page tree cannot be read", where=where, remedy=_DAMAGED) from error
    if pages < 1:
        raise CorruptFile("the PDF has no pages", where=where, remedy=_DAMAGED)


def pdf_metadata(document: Any) -> dict[str, str]:
    """What the PDF says of itself, under PyMuPDF's keys (``title``, ``creationDate``), where it says it."""
    found = document.metadata or {}
    cleaned = {str(key): str(value).replace("\x00", "").strip() for key, value in found.items() if value}
    return {key: value for key, value in cleaned.items() if value}


def pdf_outline(document: Any) -> tuple[OutlineEntry, ...]:
    """The bookmarks that point at a page; none when they are damaged, which costs section names only."""
    try:
        entries = document.get_toc(simple=True)
    except FAULTS:
        return ()
    kept = []
    for level, title, page in entries:
        text = " ".join(str(title).replace("\x00", " ").split())
        if text and 1 <= page <= document.page_count:
            kept.append(OutlineEntry(int(level), text, int(page)))
    return tuple(kept)


def pdf_labels(document: Any) -> tuple[str, ...]:
    """The printed page numbers, one a page; none when the file sets none or they are damaged."""
    try:
        if not document.get_page_labels():
            return ()
        return tuple(str(document[index].get_label()) for index in range(document.page_count))
    except FAULTS:
        return ()


def page_sizes(document: Any) -> tuple[tuple[float, float], ...]:
    """Width and height of every page in points, as displayed."""
    return tuple((float(page.rect.width), float(page.rect.height)) for page in document)
