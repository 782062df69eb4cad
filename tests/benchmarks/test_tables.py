"""The table benchmark from its command line, on PDFs drawn here, with figures worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pymupdf
import pytest
import tables as benchmark

from mmrag.records import Box
from mmrag.records.pages import Cell, Table

GRID = [["Plan", "Price", "Seats"], ["Basic", "5", "1"], ["Team", "50", "10"]]


def draw(path: Path, grid: list[list[str]]) -> None:
    with pymupdf.open() as document:
        page = document.new_page()
        for r, row in enumerate(grid):
            for c, text in enumerate(row):
                box = pymupdf.Rect(60 + 90 * c, 80 + 20 * r, 150 + 90 * c, 100 + 20 * r)
                page.draw_rect(box, width=0.7)
                page.insert_text((box.x0 + 4, box.y1 - 6), text, fontsize=9)
        page.insert_text((60, 500), "A line of prose below, on a page of its own.", fontsize=9)
        document.save(path)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """eu-1: a 3 by 3 table whose middle the truth spells otherwise; us-1: a 2 by 2 table that isn't drawn."""
    true = [[*row] for row in GRID]
    true[1][1] = "6"
    entries = []
    for name, drawn, cells in (("eu-1", GRID, true), ("us-1", [], [["a", "b"], ["c", "d"]])):
        draw(tmp_path / f"{name}.pdf", drawn)
        listed = [
            {"row": r, "col": c, "rowspan": 1, "colspan": 1, "text": text, "page": 1}
            for r, row in enumerate(cells)
            for c, text in enumerate(row)
        ]
        (tmp_path / f"{name}.json").write_text(json.dumps({"cells": listed}), "utf-8")
        entries.append(
            {
                "id": name,
                "file": f"{name}.pdf",
                "pages": [1],
                "truth_json": f"{name}.json",
                "header_rows": None,
            }
        )
    (tmp_path / "index.jsonl").write_text("".join(json.dumps(e) + "\n" for e in entries), "utf-8")
    return tmp_path


def run(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict:
    assert benchmark.main([*map(str, arguments), "--json"]) == 0
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def test_figures_are_exact(folder, capsys):
    figures = run(capsys, folder, "--only", "ours,pymupdf")
    for name in ("ours", "pymupdf"):
        assert figures[name].pop("seconds") >= 0
        # 12 relations are read in eu-1, and the 4 of its middle are wrong; 4 more are true in us-1
        assert figures[name] == {
            "f1": 0.5714,
            "precision": 0.6667,
            "recall": 0.5,
            "macro_f1": 0.3333,
            "correct": 8,
            "found": 12,
            "tables": 1,
            "failed": 0,
        }
    assert (figures["pdfplumber"], figures["camelot"]) == (None, None)
    assert figures["lead"] == 0.0
    assert (figures["documents"], figures["pages"], figures["true_tables"]) == (2, 2, 2)
    assert figures["true_relations"] == 16
    assert (figures["teds"], figures["teds_structure"], figures["header_rows_found"]) == (None, None, None)


def test_files_can_be_chosen(folder, capsys):
    figures = run(capsys, folder, "--only", "ours", "--files", "eu-")
    assert (figures["documents"], figures["ours"]["f1"], figures["lead"]) == (1, 0.6667, None)


def test_misses_are_told(folder, capsys):
    assert benchmark.main([str(folder), "--only", "ours", "--files", "eu-", "--misses"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "eu-1.pdf page 1: missed: basic | 6 | right" in lines
    assert "eu-1.pdf page 1: invented: basic | 5 | right" in lines


def test_a_file_that_breaks_costs_its_relations_and_nothing_else(folder, capsys):
    (folder / "us-1.pdf").write_bytes(b"%PDF-1.7 and no more")
    figures = run(capsys, folder, "--only", "ours,pymupdf")
    assert (figures["ours"]["failed"], figures["pymupdf"]["failed"]) == (1, 1)
    assert (figures["ours"]["correct"], figures["true_relations"]) == (8, 16)


def test_without_the_folder_it_says_what_is_missing(tmp_path, capsys):
    assert benchmark.main([str(tmp_path / "none")]) == 2
    assert capsys.readouterr().err.strip().endswith("name a folder with an index.jsonl of true tables.")


def test_the_better_flavour_of_camelot_counts(folder, capsys, tmp_path):
    interpreter = tmp_path / "camelot"
    cells = [
        {"row": 0, "col": column, "rowspan": 1, "colspan": 1, "text": text}
        for column, text in enumerate(("a", "b"))
    ]
    interpreter.write_text(
        "#!/bin/sh\n"
        f"""case $3 in stream) echo '{json.dumps({"1": [cells]})}';; *) echo '{{"1": []}}';; esac\n"""
    )
    interpreter.chmod(0o755)
    camelot = run(capsys, folder, "--only", "camelot", "--camelot", interpreter)["camelot"]
    assert camelot["flavour"] == "stream"
    assert (camelot["correct"], camelot["found"], camelot["recall"]) == (1, 2, 0.0625)
    assert (camelot["lattice"]["found"], camelot["stream"]["found"]) == (0, 2)


def test_what_is_not_installed_is_named(folder, capsys, monkeypatch):
    monkeypatch.setattr("table_systems.find_spec", lambda name: None)
    assert benchmark.main([str(folder), "--files", "eu-", "--json"]) == 0
    out = capsys.readouterr().out
    assert "pdfplumber is not installed" in out
    assert "camelot is not installed" in out
    assert json.loads(out.splitlines()[-1])["camelot"] is None


HTML = (
    "<table><thead><tr><td>a</td><td>b</td></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>"
)


def picture_table(header_rows: int, texts: str, side: float) -> Table:
    cells = tuple(Cell(text, i // 2, i % 2, Box(0, 0, 1, 1)) for i, text in enumerate(texts.split()))
    return Table(cells, len(cells) // 2, 2, header_rows, Box(0, 0, side, side))


@pytest.mark.parametrize(
    ("found", "figures"),
    [
        ([picture_table(1, "a b 1 2", 9)], (1.0, 1.0, 1.0)),
        ([picture_table(0, "x y", 3), picture_table(1, "a b 1 2", 9)], (1.0, 1.0, 1.0)),  # the largest counts
        ([picture_table(1, "a b 1 3", 9)], (0.875, 1.0, 1.0)),
        ([picture_table(0, "a b 1 2", 9)], (0.625, 0.625, 0.0)),
        ([], (0.0, 0.0, 0.0)),
    ],
)
def test_pictures(tmp_path, capsys, monkeypatch, found, figures):
    pytest.importorskip("apted", reason="TEDS needs the apted package")
    entry = {"file": "p.png", "pages": [1], "truth_html": "p.html", "header_rows": 1}
    (tmp_path / "index.jsonl").write_text(json.dumps(entry), "utf-8")
    (tmp_path / "p.html").write_text(HTML, "utf-8")
    monkeypatch.setattr(benchmark, "read_tables", lambda path, pages: {1: tuple(found)})
    result = run(capsys, tmp_path, "--only", "ours")
    assert (result["teds"], result["teds_structure"], result["header_rows_found"]) == figures
    assert (result["pictures"], result["ours"]) == (1, None)


def test_without_apted_there_is_no_teds_but_header_rows(tmp_path, capsys, monkeypatch):
    entry = {"file": "p.png", "pages": [1], "truth_html": "p.html", "header_rows": 1}
    (tmp_path / "index.jsonl").write_text(json.dumps(entry), "utf-8")
    (tmp_path / "p.html").write_text(HTML, "utf-8")
    monkeypatch.setattr(benchmark, "read_tables", lambda path, pages: {1: (picture_table(1, "a b 1 2", 9),)})
    monkeypatch.setattr(benchmark, "find_spec", lambda name: None)
    result = run(capsys, tmp_path, "--only", "ours")
    assert (result["teds"], result["teds_structure"], result["header_rows_found"]) == (None, None, 1.0)
