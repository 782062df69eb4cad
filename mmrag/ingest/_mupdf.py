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


def forget_damage() -> None:
    """Drop what MuPDF has complained about so far."""
    mupdf.TOOLS.mupdf_warnings(True)


def damage() -> tuple[str, ...]:
    """What MuPDF complained about since :func:`forget_damage`, each complaint once, in order."""
    lines = str(mupdf.TOOLS.mupdf_warnings(True)).splitlines()
    return tuple(dict.fromkeys(line.strip() for line in lines if line.strip()))
