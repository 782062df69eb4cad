"""The benchmarks of adding run, small, and their figures are the exact ones of a library that is whole."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from drawn_pdf import draw, encrypt

BENCHMARKS = Path(__file__).resolve().parents[2] / "benchmarks"


def run(name: str, *arguments: object) -> dict[str, Any]:
    command = [sys.executable, str(BENCHMARKS / f"{name}.py"), *map(str, arguments), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two papers, one of them under a second name, a locked one with its password, one that is empty."""
    folder = tmp_path / "files"
    folder.mkdir()
    draw(folder / "good.pdf", ["Apples keep for six months.", ""])
    (folder / "copy of good.pdf").write_bytes((folder / "good.pdf").read_bytes())
    encrypt(draw(folder / "locked.pdf", ["Pears keep for two weeks."]), "secret")
    encrypt(draw(folder / "lost key.pdf", ["Plums keep a week."]), "unknown")
    (folder / "nothing.pdf").write_bytes(b"")
    entries = [{"file": "locked.pdf", "password": "secret"}, {"file": "good.pdf", "password": None}]
    (folder / "index.jsonl").write_text("\n".join(map(json.dumps, entries)) + "\n")
    return folder


def test_robust_accounts_for_every_file(folder: Path) -> None:
    figures = run("robust", folder)
    assert (figures["crashed"], figures["hung"], figures["unaccounted"]) == (0, 0, 0)
    assert (figures["files"], figures["documents"], figures["refused"], figures["exit"]) == (5, 3, 2, 3)
    assert figures["pages"] == 5
    assert figures["statuses"] == {"blank": 2, "file corrupt": 1, "file encrypted": 1, "indexed": 3}


def test_robust_names_a_file_that_is_silently_left_out() -> None:
    import robust

    lines = [
        robust.Line("a.pdf", "pdf"),
        robust.Line("b.pdf", "pdf", 2, robust.Counter(indexed=1), missing=1),
    ]
    ended = robust.figures(robust.Run(0, 1.0, ""), lines)
    assert (ended["unaccounted"], ended["silent"], ended["crashed"], ended["hung"]) == (2, ["a.pdf"], 0, 0)
    killed = robust.figures(robust.Run(-11, 1.0, ""), [])
    assert (killed["crashed"], killed["hung"]) == (1, 0)
    stopped = robust.figures(robust.Run(None, 99.0, "", (9.0, 90.0)), [robust.Line("a", "pdf", slowest=61.0)])
    assert (stopped["crashed"], stopped["hung"], stopped["longest_silence_s"]) == (0, 3, 90.0)


def test_big_pdf_tells_memory_and_rates() -> None:
    figures = run("big_pdf", "--pages", 6)
    assert (figures["pages"], figures["statuses"]) == (6, {"indexed": 6})
    assert set(figures["stage_pages_per_s"]) == {"read", "chunk", "embed", "write"}
    assert figures["slowest_stage_pages_per_s"] == min(figures["stage_pages_per_s"].values())
    assert figures["peak_mb"] > 50
    assert figures["pages_per_s"] > 0


def test_a_big_pdf_has_the_pages_asked_for_and_is_drawn_the_same(tmp_path: Path) -> None:
    import pymupdf
    from drawn_files import draw_book

    texts = []
    for name in ("one.pdf", "two.pdf"):
        draw_book(tmp_path / name, 57, 1, at_once=20)
        with pymupdf.open(tmp_path / name) as pdf:
            texts.append([page.get_text() for page in pdf])
            assert [number for number in range(57) if pdf[number].get_images()] == [6, 56]
    assert len(texts[0]) == 57 and texts[0] == texts[1]
    assert all(len(text.split()) > 150 for text in texts[0])


@pytest.mark.skipif(os.name != "posix", reason="kill -9 of a process group is POSIX")
def test_a_kill_loses_and_doubles_nothing() -> None:
    figures = run("kill", "--times", 1)
    assert (figures["lost"], figures["doubled"], figures["equal"]) == (0, 0, True)
    assert (figures["documents"], figures["left_running"]) == (7, 0)
    assert figures["times"] >= 1


def test_a_dump_tells_a_lost_row_and_a_doubled_one(tmp_path: Path) -> None:
    from drawn_store import MODEL, batch, document, put
    from library_dump import differences, dump

    from mmrag.index.codec import page_rows
    from mmrag.index.schema import PAGES, schemas
    from mmrag.index.store import Store

    stores = [
        Store.open(tmp_path / name, MODEL, language="English", create=True) for name in ("one", "other")
    ]
    for store in stores:
        held = put(store, document("a.pdf", 2), ["apples", "pears"])
    whole = dump(stores[0])
    assert differences(whole, dump(stores[1])) == []
    page = batch(held, ["apples"]).pages[0]
    stores[1].table(PAGES).add(page_rows(held.id, [page], schemas(MODEL)[PAGES]))
    assert dump(stores[1]).doubled([held.id]) == 1
    assert differences(whole, dump(stores[1])) == [f"{held.id}: only in the second ('pages', (1,))"]
    stores[1].table(PAGES).delete("page = 1")
    assert differences(whole, dump(stores[1])) == [f"{held.id}: only in the first ('pages', (1,))"]
    stores[1].table("chunks").update(where="true", values={"key": "nobody"})
    assert dump(stores[1]).strays == ("chunks nobody", "chunks nobody")
