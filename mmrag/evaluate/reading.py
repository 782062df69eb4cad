"""Which documents are born digital: told before they are added, so that each kind can be timed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mmrag.errors import IngestError
from mmrag.ingest.files.opening import open_pdf
from mmrag.ingest.pages.graphics import page_graphics
from mmrag.ingest.pages.soundness import coverage, unsound
from mmrag.ingest.pages.words import text_words


def born_digital(paths: Sequence[Path]) -> list[Path]:
    """Those of ``paths`` whose every page has a sound text layer or nothing on it at all.

    The judge of soundness is the reader's own. A file that cannot be opened is not among them.
    """
    return [path for path in paths if _sound(path)]


def _sound(path: Path) -> bool:
    try:
        document = open_pdf(path)
    except IngestError:
        return False
    try:
        return all(_page_sound(document[index]) for index in range(document.page_count))
    except (RuntimeError, ValueError):
        # A page that cannot be loaded came from no text layer.
        return False
    finally:
        document.close()


def _page_sound(page: Any) -> bool:
    words = text_words(page)
    if not unsound(words, 1.0):
        return True  # sound whatever pictures lie under it, so there is no need to look for them
    pictures = page_graphics(page).pictures
    if not unsound(words, coverage(pictures, page.rect.width, page.rect.height)):
        return True
    # An empty page has no text layer either, and no reader would send it to OCR.
    return not words and not page.get_bboxlog()
