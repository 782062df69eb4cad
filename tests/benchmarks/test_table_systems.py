"""What other libraries return, as cells with spans."""

from __future__ import annotations

from types import SimpleNamespace

from camelot_tables import cells_of
from table_systems import from_boxes


def brief(cells: list[dict]) -> list[tuple]:
    return [(c["text"], c["row"], c["col"], c["rowspan"], c["colspan"]) for c in cells]


def test_boxes_tell_their_spans():
    boxes = [
        [(0, 0, 10, 40), (10, 0, 50, 20), None],
        [None, (10, 20, 30, 40.5), (30.4, 20, 50, 40)],
    ]
    texts = [["l", "head", None], [None, "x", None]]
    assert brief(from_boxes(boxes, texts)) == [
        ("l", 0, 0, 2, 1),
        ("head", 0, 1, 1, 2),
        ("x", 1, 1, 1, 1),
        ("", 1, 2, 1, 1),
    ]


def edged(text: str, *open_sides: str) -> SimpleNamespace:
    sides = dict.fromkeys(("left", "right", "top", "bottom"), True) | dict.fromkeys(open_sides, False)
    return SimpleNamespace(text=text, **sides)


def test_cells_without_an_edge_between_them_are_one():
    table = SimpleNamespace(
        cells=[
            [edged("l", "bottom"), edged("head ", "right"), edged("", "left")],
            [edged("", "top"), edged("x"), edged("y")],
        ]
    )
    assert brief(cells_of(table)) == [
        ("l", 0, 0, 2, 1),
        ("head", 0, 1, 1, 2),
        ("x", 1, 1, 1, 1),
        ("y", 1, 2, 1, 1),
    ]


def test_cells_with_a_text_each_stay_apart():
    table = SimpleNamespace(cells=[[edged("a", "right"), edged("b", "left")]])
    assert brief(cells_of(table)) == [("a", 0, 0, 1, 1), ("b", 0, 1, 1, 1)]
