"""Rules drawn on a page, and the cells that rules close in."""

from __future__ import annotations

import pymupdf
import pytest

from mmrag.ingest.tables.lattice import lattice_cells
from mmrag.ingest.tables.rulings import Rule, Rulings, joined, longest, rulings_of
from mmrag.ingest.tables.shapes import drawn_rulings
from mmrag.records import Box


def drawn(*, rotation: int = 0) -> Rulings:
    page = pymupdf.open().new_page(width=400, height=300)
    page.draw_line((20, 50), (200, 50))
    page.draw_rect((20, 80, 200, 81), fill=(0, 0, 0), color=None)  # a rule as a thin filled shape
    page.draw_rect((220, 100, 300, 200))
    page.draw_rect((20, 100, 80, 200), fill=(0.9, 0.9, 0.9), color=None)  # a shade has no rules
    page.draw_line((20, 250), (60, 290))
    page.set_rotation(rotation)
    return drawn_rulings(page)


def test_lines_thin_shapes_and_outlines_are_rules():
    found = drawn()
    assert found.levels == (Rule(50, 20, 200), Rule(80.5, 20, 200), Rule(100, 220, 300), Rule(200, 220, 300))
    assert found.uprights == (Rule(220, 100, 200), Rule(300, 100, 200))


def test_on_a_turned_page_they_stand_as_displayed():
    found = drawn(rotation=90)
    assert Rule(250, 20, 200) in found.uprights
    assert Rule(220, 100, 200) in found.levels


def test_pieces_that_touch_are_one_rule():
    pieces = [Rule(10, 0, 40), Rule(10.5, 41, 80), Rule(10, 90, 130), Rule(30, 0, 3)]
    assert joined(pieces) == (Rule(10, 0, 80), Rule(10, 90, 130))


def test_only_so_many_are_kept_and_they_are_the_longest():
    rules = rulings_of([(n, 0, 10 + n) for n in range(0, 100, 10)], [])
    assert longest(rules, 2).levels == (Rule(80, 0, 90), Rule(90, 0, 100))
    assert longest(rules, 20) == rules


GRID_LEVELS = [(0, 0, 100), (20, 0, 100), (40, 0, 100)]
GRID_UPRIGHTS = [(0, 0, 40), (50, 0, 40), (100, 0, 40)]


def test_crossing_rules_make_cells():
    (cells,) = lattice_cells(rulings_of(GRID_LEVELS, GRID_UPRIGHTS))
    assert sorted(cells) == [Box(0, 0, 50, 20), Box(0, 20, 50, 40), Box(50, 0, 100, 20), Box(50, 20, 100, 40)]


def test_a_missing_piece_of_a_rule_joins_two_cells():
    (cells,) = lattice_cells(rulings_of(GRID_LEVELS, [(0, 0, 40), (50, 20, 40), (100, 0, 40)]))
    assert sorted(cells) == [Box(0, 0, 100, 20), Box(0, 20, 50, 40), Box(50, 20, 100, 40)]


def test_sides_may_be_open_where_the_other_rules_end():
    (cells,) = lattice_cells(rulings_of(GRID_LEVELS, [(50, 0, 40)]))
    assert sorted(cells)[0] == Box(0, 0, 50, 20)
    assert len(cells) == 4


@pytest.mark.parametrize(
    ("levels", "uprights"),
    [
        ([], GRID_UPRIGHTS),
        (GRID_LEVELS, [(300, 0, 40)]),
        (GRID_LEVELS[:2], [(0, 0, 20), (100, 0, 20)]),  # one box
        ([(float(n), 0, 100) for n in range(0, 1500, 3)], GRID_UPRIGHTS),  # hatching
    ],
)
def test_rules_without_a_grid(levels, uprights):
    assert lattice_cells(rulings_of(levels, uprights)) == []
