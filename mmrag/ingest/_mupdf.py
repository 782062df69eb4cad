"""The one door to PyMuPDF: quiet, with its errors gathered instead of printed."""

from __future__ import annotations

from typing import Any

import pymupdf as _pymupdf

mupdf: Any = _pymupdf
# MuPDF writes damage reports to stderr and advertises an add-on on stdout; callers read
# `damage()` instead.
mupdf.TOOLS.mupdf_display_errors(False)
mupdf.TOOLS.mupdf_display_warnings(False)
mupdf.no_recommend_layout()

FAULTS: tuple[type[Exception], ...] = (
    mupdf.mupdf.FzErrorBase,  # a plain Exception; the rest is what PyMuPDF lets out of damaged files
    RuntimeError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    OSError,
    ArithmeticError,
    AssertionError,
)
"""What reading a damaged page can raise."""


def display_matrix(page: Any) -> Any:
    """What turns a PyMuPDF page's own coordinates into those of the page as displayed; None: nothing to do.

    PyMuPDF lists words and drawings as the page lies before /Rotate. Its own ``rotation_matrix`` forgets
    /UserUnit, so that boxes of a page with both fall beside the page.
    """
    width, height = float(page.rect.width), float(page.rect.height)
    match int(page.rotation) % 360:
        case 90:
            return mupdf.Matrix(0, 1, -1, 0, width, 0)
        case 180:
            return mupdf.Matrix(-1, 0, 0, -1, width, height)
        case 270:
            return mupdf.Matrix(0, -1, 1, 0, 0, height)
    return None


def has_page(document: Any, number: int) -> bool:
    """Whether the object of a page (from 1) is there: MuPDF shows an empty page where it is not."""
    try:
        return bool(document.xref_object(document.page_xref(number - 1)).startswith("<<"))
    except FAULTS:
        return False


def forget_damage() -> None:
    """Drop what MuPDF has complained about so far."""
    mupdf.TOOLS.mupdf_warnings(True)


def damage() -> tuple[str, ...]:
    """What MuPDF complained about since :func:`forget_damage`, each complaint once, in order."""
    lines = str(mupdf.TOOLS.mupdf_warnings(True)).splitlines()
    return tuple(dict.fromkeys(line.strip() for line in lines if line.strip()))
