"""The three documents `mmrag demo` asks about, and what it asks.

A report whose route table runs over two pages (the header stands on the first alone), a deck, and a
letter that is only a picture. All three are made up; scripts/make_demo_documents.py draws them.
"""

from __future__ import annotations

from pathlib import Path

QUESTIONS: tuple[str, ...] = (
    "How punctual was the route from Brattoy to Hjelm?",
    "When will the battery ferry go into service?",
    "How many days of unused holiday can staff roll over into the next year?",
)
"""One is answered by the table's second page, one by a slide, one by the scan; none in its own words."""


def documents() -> list[Path]:
    """The demo's PDFs, by name."""
    return sorted((Path(__file__).parent / "documents").glob("*.pdf"))
