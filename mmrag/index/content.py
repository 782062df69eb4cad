"""What was read on a page, packed into one column and back."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from mmrag.records import (
    Box,
    Cell,
    ChunkKind,
    Figure,
    Page,
    Supplement,
    Table,
    Word,
    WordSource,
)


def pack(page: Page) -> bytes:
    """The page's content without its image: compressed JSON, boxes to a hundredth of a point."""
    # Half a surrogate pair, as a damaged text layer leaves it, has no UTF-8 of its own but is kept.
    text = json.dumps(_held(page), ensure_ascii=False, separators=(",", ":"))
    return zlib.compress(text.encode("utf-8", "surrogatepass"), 6)


def unpack(content: bytes, page: Page) -> Page:
    """The page with the content that was packed; number, status, reason and seconds are kept."""
    return _filled(page, json.loads(zlib.decompress(content).decode("utf-8", "surrogatepass")))


def settled(page: Page) -> Page:
    """The page as it will come back from its row, with its image.

    What is made of a settled page is the same whether it comes from its file or from its row, so that
    a run that was interrupted ends with the same chunks as one that was not.
    """
    held = replace(page, seconds=float(np.float32(page.seconds)))
    return _filled(held, json.loads(json.dumps(_held(page))))


def _held(page: Page) -> dict[str, Any]:
    return {
        "width": float(page.width),
        "height": float(page.height),
        "label": page.label,
        "rotation": int(page.rotation),
        "context": page.context,
        "notes": list(page.notes),
        "words": [_word_held(word) for word in page.words],
        "invisible": [_word_held(word) for word in page.invisible],
        "tables": [
            {
                "cells": [
                    (c.text, c.row, c.column, _rounded(c.box), c.row_span, c.column_span) for c in table.cells
                ],
                "shape": (table.rows, table.columns, table.header_rows),
                "box": _rounded(table.box),
                "caption": table.caption,
                "continues": (table.continued_from, table.continues_on),
                "carried": table.carried,
            }
            for table in page.tables
        ],
        "figures": [(_rounded(figure.box), figure.caption) for figure in page.figures],
        "supplements": [
            {
                "kind": held.kind.value,
                "title": held.title,
                "text": held.text,
                "rows": held.rows,
                "header_rows": held.header_rows,
                "box": None if held.box is None else _rounded(held.box),
            }
            for held in page.supplements
        ],
        "hidden": bool(page.hidden),
    }


def _filled(page: Page, held: Mapping[str, Any]) -> Page:
    return replace(
        page,
        width=held["width"],
        height=held["height"],
        label=held["label"],
        rotation=held["rotation"],
        words=tuple(_word(word) for word in held["words"]),
        invisible=tuple(_word(word) for word in held["invisible"]),
        tables=tuple(_table(table) for table in held["tables"]),
        figures=tuple(Figure(Box(*box), caption) for box, caption in held["figures"]),
        context=held["context"],
        notes=tuple(held["notes"]),
        supplements=tuple(_supplement(supplement) for supplement in held["supplements"]),
        hidden=held["hidden"],
    )


def _word_held(word: Word) -> tuple[Any, ...]:
    box, size = _rounded(word.box), round(float(word.size), 2)
    return (word.text, box, word.source.value, int(word.line), int(word.block), size, int(word.bold))


def _word(held: list[Any]) -> Word:
    text, box, source, line, block, size, bold = held
    return Word(text, Box(*box), WordSource(source), line, block, size, bool(bold))


def _rounded(box: Box) -> tuple[float, ...]:
    return tuple(round(float(side), 2) for side in box)


def _table(held: Mapping[str, Any]) -> Table:
    rows, columns, header_rows = held["shape"]
    continued_from, continues_on = held["continues"]
    return Table(
        cells=tuple(
            Cell(text, row, column, Box(*box), row_span, column_span)
            for text, row, column, box, row_span, column_span in held["cells"]
        ),
        rows=rows,
        columns=columns,
        header_rows=header_rows,
        box=Box(*held["box"]),
        caption=held["caption"],
        continued_from=continued_from,
        continues_on=continues_on,
        carried=tuple(tuple(row) for row in held["carried"]),
    )


def _supplement(held: Mapping[str, Any]) -> Supplement:
    return Supplement(
        kind=ChunkKind(held["kind"]),
        title=held["title"],
        text=held["text"],
        rows=tuple(tuple(row) for row in held["rows"]),
        header_rows=held["header_rows"],
        box=None if held["box"] is None else Box(*held["box"]),
    )
