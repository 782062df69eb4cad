"""Every command end to end, on two small PDFs."""

import shutil
import tempfile

import pytest

from mmrag.cli import managing

PNG = b"\x89PNG\r\n\x1a\n"


def test_adding_says_what_was_added_and_knows_it_again(mmrag, papers, tmp_path):
    place = tmp_path / "library"
    first = mmrag("add", papers, "--library", place, "--json")
    assert first.code == 0, first.err
    assert first.out.count("\n") == 1
    report = first.json
    assert (len(report["added"]), report["skipped"], report["failed"]) == (2, [], [])
    assert (report["pages"], report["statuses"]) == (3, {"indexed": 3})
    again = mmrag("add", papers / "manual.pdf", "--library", place)
    assert again.code == 0
    assert "0 added with 0 pages, 1 known already" in again.out
    listed = mmrag("list", "--library", place, "--json").json["documents"]
    assert [document["name"] for document in listed] == ["handbook.pdf", "manual.pdf"]


def test_the_bar_counts_pages_on_stderr(mmrag, papers, tmp_path):
    outcome = mmrag("add", papers, "--library", tmp_path / "library")
    assert "3/3" in outcome.err and "pages" in outcome.err
    assert "3/3" not in outcome.out


def test_a_bad_file_does_not_keep_the_good_ones_out(mmrag, papers, tmp_path):
    fake = tmp_path / "fake.pdf"
    fake.write_text("only text")
    (tmp_path / "empty.pdf").touch()
    outcome = mmrag(
        "add", fake, papers / "manual.pdf", tmp_path / "empty.pdf", "--library", tmp_path / "l", "--json"
    )
    assert outcome.code == 3
    assert len(outcome.json["added"]) == 1
    assert [failure["path"] for failure in outcome.json["failed"]] == [str(fake), str(tmp_path / "empty.pdf")]
    assert "fake.pdf" in outcome.err and "zero bytes" in outcome.err
    assert "error" not in outcome.json


def test_nothing_added_is_an_error(mmrag, tmp_path):
    outcome = mmrag("add", tmp_path / "missing.pdf", "--library", tmp_path / "l", "--json")
    assert outcome.code == 1
    assert outcome.json["error"]["what"] == "no file could be added"
    assert "missing.pdf" in outcome.err and "no such file" in outcome.err
    (tmp_path / "bare").mkdir()
    outcome = mmrag("add", tmp_path / "bare", "--library", tmp_path / "l")
    assert outcome.code == 1
    assert "no document or picture was found there" in outcome.err


def test_search_finds_the_page_and_says_how(mmrag, shelf):
    outcome = mmrag("search", "inlet filter blocked", "--library", shelf, "--json")
    assert outcome.code == 0
    best = outcome.json["hits"][0]
    assert (best["name"], best["page"]) == ("manual.pdf", 1)
    assert set(best["legs"]) == {"page", "text", "bm25"}
    assert best["legs"]["bm25"]["rank"] == 1
    assert "inlet filter" in best["passages"][0]["text"]
    assert all(len(box) == 4 for box in best["boxes"]) and best["boxes"]
    assert {"leg:page", "leg:text", "leg:bm25", "fuse"} <= {entry["stage"] for entry in outcome.json["trace"]}
    told = mmrag("search", "inlet filter blocked", "--library", shelf, "-k", "1").out
    assert told.startswith("1. manual.pdf, page 1  (score ")
    assert "\n2. " not in told


def test_search_heeds_filter_and_reader(mmrag, shelf):
    outcome = mmrag("search", "inlet filter", "--library", shelf, "--where", "tag = 'staff'", "--json")
    assert {hit["name"] for hit in outcome.json["hits"]} == {"handbook.pdf"}
    outcome = mmrag("search", "inlet filter", "--library", shelf, "--reader", "acme")
    assert (outcome.code, outcome.out) == (0, "No page was found.\n")


def test_a_filter_that_cannot_be_understood_is_a_wrong_command_line(mmrag, shelf):
    outcome = mmrag("search", "x", "--library", shelf, "--where", "colour = red", "--json")
    assert outcome.code == 2
    assert outcome.json["error"]["kind"] == "FilterError"
    assert outcome.err.startswith("Error: ")
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize(
    ("question", "name", "page", "words"),
    [
        ("How many days of earned leave can I roll over?", "handbook.pdf", 1, "five days"),
        ("What does error code E-207 mean?", "manual.pdf", 1, "inlet filter is blocked"),
        ("What is the day rate of grade E5?", "handbook.pdf", 2, "365 EUR"),
    ],
)
def test_ask_answers_and_cites(mmrag, shelf, tmp_path, question, name, page, words):
    outcome = mmrag("ask", question, "--library", shelf, "--json", "--crops", tmp_path / "crops")
    assert outcome.code == 0, outcome.err
    value = outcome.json
    assert not value["abstained"]
    assert words in value["answer"]
    first = value["citations"][0]
    assert (first["name"], first["page"], first["verified"]) == (name, page, True)
    assert words in first["quote"]
    with open(first["crop"], "rb") as file:
        assert file.read(8) == PNG
    told = mmrag("ask", question, "--library", shelf).out
    assert f"[1] {name}, page {page}, box " in told
    assert "picture:" not in told


def test_ask_in_needs_no_library_and_leaves_none(mmrag, papers, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    (tmp_path / "temporary").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    crops = tmp_path / "crops"
    question = "How many days of earned leave can I roll over?"
    outcome = mmrag(
        "ask", question, "--in", papers / "handbook.pdf", "--in", papers / "manual.pdf", "--crops", crops
    )
    assert outcome.code == 0, outcome.err
    assert "five days" in outcome.out
    assert "[1] handbook.pdf, page 1" in outcome.out
    assert list((tmp_path / "here").iterdir()) == []
    assert [p for p in (tmp_path / "temporary").iterdir() if p.name.startswith("mmrag-")] == []
    assert min(path.name for path in crops.iterdir()) == "1-handbook-p1.png"
    assert f"picture: {crops}" in outcome.out


def test_ask_in_a_file_that_is_none_says_so(mmrag, papers, tmp_path):
    outcome = mmrag("ask", "q", "--in", tmp_path / "missing.pdf", "--json")
    assert outcome.code == 1
    assert "no such file" in outcome.json["error"]["what"]
    outcome = mmrag("ask", "pump", "--in", tmp_path / "missing.pdf", "--in", papers / "manual.pdf")
    assert outcome.code == 3
    assert outcome.out


def test_list_in_a_pipe_is_one_line_a_document(mmrag, shelf):
    lines = mmrag("list", "--library", shelf).out.splitlines()
    assert [line.split("\t")[1] for line in lines] == ["handbook.pdf", "manual.pdf"]
    assert lines[0].split("\t")[2:] == ["Staff Handbook", "2 of 2", "staff"]


def test_list_on_a_terminal_is_a_table(mmrag, shelf, monkeypatch):
    from types import SimpleNamespace

    monkeypatch.setattr(managing, "sys", SimpleNamespace(stdout=SimpleNamespace(isatty=lambda: True)))
    told = mmrag("list", "--library", shelf).out
    assert "pages indexed" in told and "Staff Handbook" in told and "\t" not in told


def test_list_heeds_its_filter(mmrag, shelf):
    where = mmrag("list", "--library", shelf, "--where", "name ~ manual", "--json").json
    assert [document["tags"] for document in where["documents"]] == [["pumps"]]


def test_show_writes_the_page_with_boxes(mmrag, shelf, tmp_path, monkeypatch):
    from PIL import Image

    monkeypatch.chdir(tmp_path)
    outcome = mmrag("show", "handbook.pdf", "1", "--library", shelf)
    assert outcome.out == "handbook-p1.png\n"
    plain = Image.open(tmp_path / "handbook-p1.png")
    out = tmp_path / "deep" / "found.png"
    outcome = mmrag(
        "show", "handbook.pdf", 1, "--library", shelf, "--find", "five days", "--out", out, "--json"
    )
    assert outcome.code == 0, outcome.err
    assert outcome.json["path"] == str(out)
    ((x0, y0, x1, y1),) = outcome.json["boxes"]
    assert 72 < x0 < x1 < 400 and 115 < y0 < y1 < 135
    found = Image.open(out)
    assert found.size == plain.size and found.tobytes() != plain.tobytes()
    outcome = mmrag(
        "show", "handbook.pdf", 1, "--library", shelf, "--box", "72,100,300,150", "--crop", "--out", out
    )
    assert outcome.code == 0
    cut = Image.open(out)
    assert cut.size[0] == plain.size[0] and cut.size[1] < plain.size[1] / 4


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["show", "handbook.pdf", "1", "--find", "six days"], "does not stand on the page"),
        (["show", "handbook.pdf", "9"], "page"),
        (["show", "nothing.pdf", "1"], "nothing.pdf"),
        (["remove", "nothing.pdf"], "nothing.pdf"),
        (["show", "handbook.pdf", "1", "--reader", "acme"], "handbook.pdf"),
    ],
)
def test_what_is_not_there_is_told(mmrag, shelf, arguments, says):
    outcome = mmrag(*arguments, "--library", shelf, "--json")
    assert outcome.code == 1
    assert says in outcome.err
    assert outcome.json["error"]["remedy"]


def test_remove_takes_a_document_out(mmrag, shelf, tmp_path):
    place = tmp_path / "library"
    shutil.copytree(shelf, place)
    outcome = mmrag("remove", "manual.pdf", "--library", place)
    assert outcome.code == 0, outcome.err
    assert outcome.out.startswith("removed manual.pdf (") and outcome.out.endswith("1 pages\n")
    assert mmrag("remove", "handbook.pdf", "--library", place, "--json").json["removed"]["pages"] == 2
    assert mmrag("list", "--library", place, "--json").json == {"documents": []}


def test_status_counts_everything(mmrag, shelf):
    value = mmrag("status", "--library", shelf, "--json").json
    assert (value["documents"], value["pages"]) == (2, 3)
    assert value["unindexed"] == value["interrupted"] == []
    assert value["statuses"]["indexed"] == 3
    assert value["chunks"] >= 3 and value["bytes"] > 1000
    told = mmrag("status", "--library", shelf).out
    assert "2 documents, 3 pages" in told and "3 pages indexed" in told


@pytest.mark.parametrize("command", [["search", "q"], ["ask", "q"], ["list"], ["status"], ["remove", "a"]])
def test_without_a_library_there_is_a_clear_error(mmrag, tmp_path, command):
    outcome = mmrag(*command, "--library", tmp_path / "nowhere", "--json")
    assert outcome.code == 1
    assert outcome.json["error"]["kind"] == "LibraryNotFound"
    assert "nowhere" in outcome.err and "Traceback" not in outcome.err
    assert not (tmp_path / "nowhere").exists()


def test_a_wrong_setting_is_a_clear_error(mmrag, tmp_path, monkeypatch):
    monkeypatch.setenv("MMRAG_READ__DPI", "1")
    outcome = mmrag("list", "--library", tmp_path, "--json")
    assert outcome.code == 1
    assert outcome.json["error"]["where"] == "setting read.dpi"


def test_the_demo_answers_three_questions_and_saves_crops(mmrag, papers, tmp_path):
    place = tmp_path / "demo"
    outcome = mmrag("demo", papers / "manual.pdf", "--library", place, "--json")
    assert outcome.code == 0, outcome.err
    value = outcome.json
    assert len(value["answers"]) == 3
    assert len(value["adding"]["added"]) == 4
    for answer in value["answers"]:
        assert not answer["abstained"], answer["question"]
        with open(answer["citations"][0]["crop"], "rb") as file:
            assert file.read(8) == PNG
    again = mmrag("demo", "--library", place)
    assert again.code == 0
    assert again.out.count("Question ") == 3 and str(tmp_path / "demo-crops") in again.out


def test_status_of_one_reader(mmrag, shelf):
    everything = mmrag("status", "--library", shelf, "--json").json
    public = mmrag("status", "--library", shelf, "--json", "--reader", "public").json
    nobody = mmrag("status", "--library", shelf, "--json", "--reader", "nobody").json
    assert (nobody["documents"], nobody["pages"], nobody["chunks"]) == (0, 0, 0)
    assert 0 < public["documents"] <= everything["documents"]
