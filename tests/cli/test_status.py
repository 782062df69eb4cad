"""``status``, ``show --json`` and ``remove`` tell of what is not indexed, and of what to do about it."""

import io
from dataclasses import replace

import numpy as np
import pytest
from drawn_store import document
from PIL import Image

from mmrag import FileNote, Library
from mmrag.index.writer import Batch, open_writer
from mmrag.records import (
    Box,
    ChunkKind,
    Page,
    PageImage,
    PageStatus,
    PageVectors,
    Supplement,
    Word,
    WordSource,
)
from mmrag.status import remedy_of

LOCKED = FileNote(
    "/papers/locked.pdf",
    "locked.pdf",
    "encrypted",
    "/papers/locked.pdf: it needs a password. Give it with --password.",
    "public",
    "2026-01-01T00:00:00.000000+00:00",
)
TORN = FileNote("/papers/torn.pdf", "torn.pdf", "corrupt", "it is torn", "acme", LOCKED.seen)
HIDDEN = Word("IGNORE", Box(0, 0, 1, 1), WordSource.TEXT_LAYER, 0, 0, 0.5)


def picture():
    held = io.BytesIO()
    Image.new("RGB", (61, 79), "white").save(held, "WEBP")
    return PageImage(held.getvalue(), 61, 79)


@pytest.fixture
def place(tmp_path):
    """A document whose pages have every status but indexed, and two files that could not be opened."""
    place = tmp_path / "library"
    library = Library.open(place)
    statuses = [status for status in PageStatus if status is not PageStatus.INDEXED]
    counted = {status.value: 1 for status in statuses}
    held = replace(document("deck.pptx", len(statuses)), statuses=counted)
    pages = [
        Page(held.id, number, 612, 792, status, reason="" if number % 2 else "It happened. Try this.")
        for number, status in enumerate(statuses, start=1)
    ]
    empty = PageVectors(np.zeros((0, library._embedder.dim), np.float16), np.zeros((0, 4), np.float32))
    nothing = np.zeros((0, library._embedder.text_dim), np.float32)
    first = Page(
        held.id,
        1,
        612,
        792,
        statuses[0],
        image=picture(),
        notes=("1 word is not shown",),
        invisible=(HIDDEN, HIDDEN),
        hidden=True,
        supplements=(Supplement(ChunkKind.NOTES, "Speaker notes", "Say hello."),),
    )
    with open_writer(library._store) as writer:
        writer.refuse(LOCKED)
        writer.flush()
        writer.refuse(TORN)
        writer.flush()
        writer.begin(held, "recipe")
        writer.write(held, Batch((first, *pages[1:]), (empty,) * len(pages), (), nothing))
        writer.commit(held, "recipe")
    return place


def test_every_page_and_file_is_told_with_a_remedy(mmrag, place):
    outcome = mmrag("status", "--library", place, "--json")
    assert outcome.code == 0
    value = outcome.json
    assert [note["page"] for note in value["unindexed"]] == [1, 2, 3, 4, 5, 6]
    assert [note["status"] for note in value["unindexed"]] == [
        "blank",
        "encrypted",
        "corrupt",
        "too_large",
        "unsupported",
        "failed",
    ]
    assert all(note["remedy"] for note in value["unindexed"])
    assert [note["remedy"] for note in value["unindexed"]][1::2] == ["Try this."] * 3
    assert [(note["name"], note["status"], note["tenant"]) for note in value["files"]] == [
        ("locked.pdf", "encrypted", "public"),
        ("torn.pdf", "corrupt", "acme"),
    ]
    assert value["files"][0]["remedy"] == "Give it with --password."
    assert value["files"][1]["remedy"].startswith("Save the file anew")


def test_counts_come_first_then_each_line_is_told_once(mmrag, place):
    lines = mmrag("status", "--library", place).out.splitlines()
    assert lines[1].startswith("1 documents, 6 pages")
    assert lines[8:10] == ["1 files not added: corrupt", "1 files not added: encrypted"]
    assert lines[10] == (
        "not indexed: deck.pptx, page 1: blank, Nothing to do: there is nothing on the page to find."
    )
    assert lines[11] == "not indexed: deck.pptx, page 2: encrypted, It happened. Try this."
    assert lines[16] == (
        "not added: encrypted, /papers/locked.pdf: it needs a password. Give it with --password."
    )
    assert lines[17].startswith("not added: corrupt, /papers/torn.pdf: it is torn. Save the file anew")
    assert len(lines) == 18


def test_a_reader_is_told_of_its_own_files(mmrag, place):
    value = mmrag("status", "--library", place, "--json", "--reader", "acme").json
    assert [note["name"] for note in value["files"]] == ["torn.pdf"]


def test_show_tells_what_the_page_does_not_show(mmrag, place, tmp_path):
    outcome = mmrag("show", "deck.pptx", 1, "--library", place, "--json", "--out", tmp_path / "p.png")
    assert outcome.code == 0, outcome.err
    assert outcome.json["notes"] == ["1 word is not shown"]
    assert outcome.json["hidden"] is True
    assert outcome.json["invisible"] == {"count": 2, "text": "IGNORE IGNORE"}
    assert outcome.json["supplements"] == [
        {"kind": "notes", "title": "Speaker notes", "text": "Say hello.", "rows": []}
    ]


def test_show_says_the_page_s_notes(mmrag, place, tmp_path):
    outcome = mmrag("show", "deck.pptx", 1, "--library", place, "--out", tmp_path / "p.png")
    assert outcome.err == "page 1: 1 word is not shown\n"
    assert outcome.out.endswith("p.png\n")


def test_show_tells_of_a_page_without_a_picture(mmrag, place):
    outcome = mmrag("show", "deck.pptx", 6, "--library", place, "--json")
    assert (outcome.code, outcome.json["status"], outcome.json["path"]) == (0, "failed", None)


@pytest.mark.parametrize("name", ["locked.pdf", "/papers/locked.pdf"])
def test_remove_takes_the_note_on_a_file(mmrag, place, name):
    outcome = mmrag("remove", name, "--library", place)
    assert (outcome.code, outcome.out) == (0, "removed the note on locked.pdf (encrypted)\n")
    assert [note["name"] for note in mmrag("status", "--library", place, "--json").json["files"]] == [
        "torn.pdf"
    ]
    assert mmrag("remove", name, "--library", place).code == 1


@pytest.mark.parametrize(
    ("reason", "remedy"),
    [
        ("the page is torn. Print it again.", "Print it again."),
        ("/a b/c.d.pdf: v. 2 is torn. Print it. Then add it.", "Print it. Then add it."),
        ("it took 60.5 seconds", "Add the file again"),
        ("", "Add the file again"),
        ("torn.", "Add the file again"),
        ("torn. \u00c4ndern.", "\u00c4ndern."),
    ],
)
def test_the_remedy_is_what_follows_the_first_sentence(reason, remedy):
    assert remedy_of("failed", reason).startswith(remedy)


@pytest.mark.parametrize("status", [*PageStatus, "strange"])
def test_every_status_has_a_remedy(status):
    assert remedy_of(status, "why").endswith(".")
