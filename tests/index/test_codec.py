"""A page comes back from its row as it went in."""

from __future__ import annotations

from drawn_store import document

from mmrag.index.codec import page_rows, row_page
from mmrag.index.schema import PAGES, ModelIdentity, schemas
from mmrag.records import Box, Cell, Figure, Page, PageStatus, Table, Word, WordSource

MODEL = ModelIdentity("drawn", "1", 8, 6, 1)


def test_round_trip() -> None:
    held = document("a.pdf", 1)
    page = Page(
        document=held.id,
        number=3,
        width=612.0,
        height=792.0,
        status=PageStatus.FAILED,
        reason="why",
        label="iii",
        rotation=90,
        words=(Word("caf\u00e9", Box(1.25, 2.5, 3.75, 4.0), WordSource.OCR, 7, 2, 9.5, True),),
        tables=(
            Table(
                cells=(
                    Cell("a", 0, 0, Box(0, 0, 5, 5), column_span=2),
                    Cell("1", 1, 0, Box(0, 5, 2, 9)),
                    Cell("2", 1, 1, Box(2, 5, 5, 9)),
                ),
                rows=2,
                columns=2,
                header_rows=1,
                box=Box(0, 0, 5, 9),
                caption="Table 1",
                continued_from=2,
                continues_on=4,
                carried=(("head", "er"),),
            ),
        ),
        figures=(Figure(Box(9, 9, 20, 20), "Figure 1"),),
        context="Title, 2024",
        notes=("read by OCR",),
        seconds=0.5,
    )
    rows = page_rows("key", [page], schemas(MODEL)[PAGES]).to_pylist()
    assert row_page(rows[0], held) == page
    assert (rows[0]["ocr"], rows[0]["status"], rows[0]["page"]) == (True, "failed", 3)


def test_a_spanned_cell_fills_its_places() -> None:
    table = Table(
        (Cell("a", 0, 0, Box(0, 0, 5, 5), column_span=2), Cell("1", 1, 1, Box(2, 5, 5, 9))),
        2,
        2,
        1,
        Box(0, 0, 5, 9),
    )
    assert table.grid() == (("a", "a"), ("", "1"))
    assert table.row_box(1) == Box(2, 5, 5, 9)
    assert table.row_box(0) == Box(0, 0, 5, 5)
