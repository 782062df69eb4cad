"""The second reader of pages: Poppler, asked to draw one page that MuPDF cannot."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mmrag.errors import IngestError, MissingTool
from mmrag.ingest._mupdf import has_page
from mmrag.ingest.pages.render import zoom_for
from mmrag.ingest.source import Source
from mmrag.settings import ReadSettings

INSTALL = "apt-get install poppler-utils (Debian, Ubuntu) or brew install poppler (macOS)"

_SECONDS = 30  # for one page; the worker's own limit stands behind it


@dataclass(frozen=True, slots=True)
class Drawing:
    """A page drawn by Poppler: RGB pixels, and its size in points as displayed."""

    pixels: NDArray[np.uint8]
    width: float
    height: float


def draw(source: Source, document: Any, number: int, settings: ReadSettings) -> Drawing:
    """Draw one page of a PDF with Poppler (``pdftoppm``), at the resolution MuPDF would have used.

    Args:
        source: the file.
        document: the same as PyMuPDF has it open.
        number: page from 1.
        settings: resolution and bounds.

    A file that was opened with a password is not given to it: Poppler's programs take passwords as
    arguments, which every user of the machine can read.

    Raises:
        MissingTool: Poppler is not installed.
        IngestError: a password is needed, or Poppler cannot draw the page or not in time.
    """
    where = f"page {number}"
    if source.password:
        raise IngestError(
            "Poppler was not tried, since it would show the file's password to other users of this machine",
            where=where,
            remedy="Save the file without its password and add that",
        )
    if not all(has_page(document, before) for before in range(1, number + 1)):
        # Poppler passes over pages whose object is missing: its page of this number is another one.
        raise IngestError("Poppler was not tried, since it would count the pages otherwise", where=where)
    import pdf2image
    from pdf2image import exceptions

    path = str(source.path.absolute())  # never a name that looks like an option
    try:
        told = pdf2image.pdfinfo_from_path(path, first_page=number, last_page=number, timeout=_SECONDS)
        if told.get("Pages") != document.page_count:
            raise IngestError("Poppler counts the file's pages otherwise", where=where)
        width, height = _size(told, number)
        images = pdf2image.convert_from_path(
            path,
            first_page=number,
            last_page=number,
            size=max(1, round(max(width, height) * zoom_for(width, height, settings))),  # of the long side
            use_cropbox=True,
            timeout=_SECONDS,
        )
    except exceptions.PDFInfoNotInstalledError as error:
        raise MissingTool("Poppler is not installed", where=where, remedy=f"Install it: {INSTALL}") from error
    except exceptions.PDFPopplerTimeoutError as error:
        raise IngestError(f"Poppler took more than {_SECONDS} s", where=where) from error
    except (exceptions.PDFPageCountError, exceptions.PDFSyntaxError, OSError, ValueError) as error:
        raise IngestError("Poppler cannot draw it either", where=where) from error
    if not images:
        raise IngestError("Poppler cannot draw it either", where=where)
    pixels = np.asarray(images[0].convert("RGB"), dtype=np.uint8)
    points = max(width, height) / max(pixels.shape)  # the shape is the picture's: it is turned and cropped
    return Drawing(pixels, pixels.shape[1] * points, pixels.shape[0] * points)


def _size(told: dict[str, object], number: int) -> tuple[float, float]:
    """Width and height in points before /Rotate, from what pdfinfo says."""
    for key, value in told.items():
        if re.fullmatch(rf"Page\s+{number} size|Page size", key):
            numbers = [float(number) for number in re.findall(r"\d+(?:\.\d+)?", str(value))[:2]]
            if len(numbers) == 2 and min(numbers) > 0:
                return numbers[0], numbers[1]
    return 612.0, 792.0
