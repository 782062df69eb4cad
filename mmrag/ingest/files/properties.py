"""Title, author and dates of an office file, which its PDF does not carry or carries wrongly."""

from __future__ import annotations

import re
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

from mmrag.ingest.files.kinds import DOC, DOCX, ODP, ODT, PPT, PPTX, Kind

_MOST = 1 << 20  # bytes of a properties part
_DATES = frozenset({"creationDate", "modDate"})
_DUBLIN_CORE = "{http://purl.org/dc/elements/1.1/}"
_TERMS = "{http://purl.org/dc/terms/}"
_CORE = "{http://schemas.openxmlformats.org/package/2006/metadata/core-properties}"
_META = "{urn:oasis:names:tc:opendocument:xmlns:meta:1.0}"

# Where each PDF key stands, by kind of file; the first that is filled counts.
_OFFICE_OPEN = (
    ("title", _DUBLIN_CORE + "title"),
    ("author", _DUBLIN_CORE + "creator"),
    ("subject", _DUBLIN_CORE + "subject"),
    ("keywords", _CORE + "keywords"),
    ("creationDate", _TERMS + "created"),
    ("modDate", _TERMS + "modified"),
)
_OPEN_DOCUMENT = (
    ("title", _DUBLIN_CORE + "title"),
    ("author", _META + "initial-creator"),
    ("author", _DUBLIN_CORE + "creator"),
    ("subject", _DUBLIN_CORE + "subject"),
    ("keywords", _META + "keyword"),
    ("creationDate", _META + "creation-date"),
    ("modDate", _DUBLIN_CORE + "date"),
)


def office_properties(path: Path, kind: Kind) -> dict[str, str]:
    """What the file says of itself, under the keys of PDF metadata; nothing when it cannot be read.

    Dates have the form of PDF's, ``D:20240131120000``.
    """
    readers: dict[Kind, Callable[[Path], dict[str, str]]] = {
        **dict.fromkeys((PPTX, DOCX), lambda p: _of_xml(p, "docProps/core.xml", _OFFICE_OPEN)),
        **dict.fromkeys((ODP, ODT), lambda p: _of_xml(p, "meta.xml", _OPEN_DOCUMENT)),
        **dict.fromkeys((PPT, DOC), _of_ole),
    }
    try:
        return readers[kind](path)
    except Exception:  # properties are a nicety, and damaged ones raise whatever they trip over
        return {}


def _of_xml(path: Path, part: str, places: tuple[tuple[str, str], ...]) -> dict[str, str]:
    from lxml import etree

    with zipfile.ZipFile(path) as archive:
        if part not in archive.namelist():
            return {}
        with archive.open(part) as stream:
            data = stream.read(_MOST)
    root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True, recover=True))
    found: dict[str, str] = {}
    for key, tag in places:
        element = next(root.iter(tag), None)
        text = " ".join((element.text or "").split()) if element is not None else ""
        text = _pdf_date(text) if key in _DATES else text
        if text:
            found.setdefault(key, text)
    return found


def _pdf_date(text: str) -> str:
    """``2024-01-31T12:00:00Z`` as ``D:20240131120000``; "" when it is no date."""
    digits = re.match(r"(\d{4})-(\d\d)-(\d\d)(?:T(\d\d):(\d\d):(\d\d))?", text)
    return "D:" + "".join(part or "" for part in digits.groups()) if digits else ""


def _of_ole(path: Path) -> dict[str, str]:
    import olefile

    with olefile.OleFileIO(str(path)) as container:
        said = container.get_metadata()
        codepage = said.codepage or 1252
        texts = {
            key: _decoded(getattr(said, name), codepage)
            for key, name in (
                ("title", "title"),
                ("author", "author"),
                ("subject", "subject"),
                ("keywords", "keywords"),
            )
        }
        dates = {"creationDate": said.create_time, "modDate": said.last_saved_time}
    for key, date in dates.items():
        # An empty field comes out as the beginning of the Windows calendar.
        texts[key] = (
            date.strftime("D:%Y%m%d%H%M%S") if isinstance(date, datetime) and date.year > 1980 else ""
        )
    return {key: text for key, text in texts.items() if text}


def _decoded(value: Any, codepage: int) -> str:
    if isinstance(value, bytes):
        name = "utf-8" if codepage in (65001, -535) else f"cp{codepage % 65536}"
        try:
            value = value.decode(name)
        except (LookupError, UnicodeDecodeError):
            value = value.decode("cp1252", "replace")
    return " ".join(str(value or "").replace("\x00", " ").split())
