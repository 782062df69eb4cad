"""``mmrag add``: passwords, --prune, and progress for programs."""

import json
import shutil

import pymupdf
import pytest
from typer.testing import CliRunner

from mmrag.cli import app


def encrypt(path, password):
    with pymupdf.open(path) as pdf:
        data = pdf.tobytes(encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=password, owner_pw="owner")
    locked = path.with_name("locked.pdf")
    locked.write_bytes(data)
    return locked


@pytest.fixture
def locked(papers, tmp_path):
    return encrypt(shutil.copy(papers / "manual.pdf", tmp_path / "manual.pdf"), "open sesame")


def test_a_file_that_needs_a_password_is_refused_until_one_is_given(mmrag, locked, tmp_path):
    place = tmp_path / "library"
    refused = mmrag("add", locked, "--library", place, "--json")
    assert refused.code == 1
    assert "password" in refused.json["failed"][0]["reason"]
    assert [note["status"] for note in mmrag("status", "--library", place, "--json").json["files"]] == [
        "encrypted"
    ]
    added = mmrag(
        "add", locked, "--library", place, "--password", "no", "--password", "open sesame", "--json"
    )
    assert added.code == 0, added.err
    assert "open sesame" not in added.err + added.out
    assert mmrag("status", "--library", place, "--json").json["files"] == []


def test_a_password_can_come_from_a_pipe(locked, tmp_path):
    arguments = ["add", str(locked), "--library", str(tmp_path / "l"), "--password", "-", "--json"]
    done = CliRunner().invoke(app, arguments, input="open sesame\n")
    assert done.exit_code == 0, done.stderr
    assert json.loads(done.stdout)["statuses"] == {"indexed": 1}


def test_ask_in_takes_a_password(mmrag, locked):
    question = "What does error code E-207 mean?"
    outcome = mmrag("ask", question, "--in", locked, "--password", "open sesame", "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.json["citations"][0]["name"] == "locked.pdf"
    assert mmrag("ask", question, "--password", "x").code == 2


def test_prune_drops_what_is_gone(mmrag, papers, tmp_path):
    folder = tmp_path / "papers"
    shutil.copytree(papers, folder)
    place = tmp_path / "library"
    assert mmrag("add", folder, "--library", place).code == 0
    (folder / "manual.pdf").unlink()
    outcome = mmrag("add", folder, "--library", place, "--prune", "--json")
    assert outcome.code == 0, outcome.err
    assert outcome.json["pruned"] == [str(folder / "manual.pdf")]
    assert "manual.pdf: the file is gone" in outcome.err
    listed = mmrag("list", "--library", place, "--json").json["documents"]
    assert [document["name"] for document in listed] == ["handbook.pdf"]


def test_progress_for_programs_comes_on_stderr_as_it_happens(mmrag, papers, tmp_path):
    (tmp_path / "empty.pdf").touch()
    outcome = mmrag(
        "add", papers, tmp_path / "empty.pdf", "--library", tmp_path / "l", "--progress", "json", "--json"
    )
    assert outcome.code == 3
    steps = [json.loads(line) for line in outcome.err.splitlines()]
    assert (steps[0]["kind"], steps[0]["files"], steps[-1]["kind"]) == ("files_found", 3, "finished")
    (refused,) = (step for step in steps if step["kind"] == "file_failed")
    assert (refused["path"], refused["status"]) == (str(tmp_path / "empty.pdf"), "corrupt")
    assert [step["pages"] for step in steps if step["kind"] == "file_started"] == [2, 1]
    pages = [(step["page"], step["pages"], step["status"]) for step in steps if step["kind"] == "page_done"]
    assert pages == [(1, 2, "indexed"), (2, 2, "indexed"), (1, 1, "indexed")]
    assert len(outcome.json["added"]) == 2
