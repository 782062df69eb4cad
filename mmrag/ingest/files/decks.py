"""A presentation opened for its text: without its media, and with its broken parts set aside."""

from __future__ import annotations

import io
import posixpath
import zipfile
from pathlib import Path
from typing import Any

_LARGEST = 32 << 20  # bytes of one XML part: more is no slide, and takes ten times that as a tree
_MOST = 128 << 20  # bytes of all of them
_EMPTY = b"<empty/>"
_INTERNAL = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"


def open_deck(path: Path) -> tuple[Any, tuple[str, ...]]:
    """A ``pptx.presentation.Presentation``, and the names of the parts that could not be read.

    python-pptx reads every part into memory and gives up at the first that is damaged or missing, so
    it is given a copy that holds no pictures and films, no part that is not XML, and no relationship
    that leads nowhere.

    Raises:
        Exception: whatever python-pptx trips over in what is left.
    """
    from pptx.package import Package

    stream = io.BytesIO()
    with (
        zipfile.ZipFile(path) as archive,
        zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as lean,
    ):
        broken = _copy(archive, lean)
    stream.seek(0)
    # Presentation() itself refuses slide shows and templates by their content type.
    return Package.open(stream).main_document_part.presentation, broken


def _copy(archive: zipfile.ZipFile, lean: zipfile.ZipFile) -> tuple[str, ...]:
    broken = []
    left = _MOST
    names = dict.fromkeys(archive.namelist())  # a name that stands twice counts once
    for name in names:
        data = b""
        if name.lower().endswith((".xml", ".rels")):
            data, whole = _read_xml(archive, name, min(left, _LARGEST))
            left -= len(data)
            if not whole:
                broken.append(name)
            if name.endswith(".rels"):
                data = _without_dangling(data, name, names)
        lean.writestr(name, data)
    return tuple(broken)


def _read_xml(archive: zipfile.ZipFile, name: str, most: int) -> tuple[bytes, bool]:
    """The part as well-formed XML, mended or emptied when it is not; and whether it was whole."""
    from lxml import etree

    if archive.getinfo(name).file_size > most:
        return _EMPTY, False
    data = archive.read(name)
    try:
        etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
        return data, True
    except etree.XMLSyntaxError:
        return _mended(data), False


def _mended(data: bytes) -> bytes:
    """What of broken XML can be saved, as XML that parses."""
    from lxml import etree

    options = {"resolve_entities": False, "no_network": True}
    try:
        mended = bytes(etree.tostring(etree.fromstring(data, etree.XMLParser(recover=True, **options))))
        etree.fromstring(mended, etree.XMLParser(**options))  # a half name may have been saved as a name
    except (etree.XMLSyntaxError, TypeError):
        return _EMPTY
    return mended


def _without_dangling(data: bytes, name: str, names: dict[str, None]) -> bytes:
    from lxml import etree

    root = etree.fromstring(data, etree.XMLParser(resolve_entities=False, no_network=True))
    folder = posixpath.dirname(posixpath.dirname(name))  # ppt/slides/_rels/slide1.xml.rels -> ppt/slides
    for relationship in list(root.iter(_INTERNAL)):
        target = relationship.get("Target", "")
        place = target[1:] if target.startswith("/") else posixpath.normpath(posixpath.join(folder, target))
        if relationship.get("TargetMode") != "External" and place not in names:
            root.remove(relationship)
    return bytes(etree.tostring(root))
