"""The small parts of the command line, without a library."""

import io
import json
from dataclasses import asdict
from types import SimpleNamespace

import pytest
import typer

from mmrag.cli import options, output
from mmrag.cli.adding import ProgressMode, outcome, summary, watch
from mmrag.cli.asking import answer_lines
from mmrag.cli.command import error_json, interrupted
from mmrag.cli.crops import save_crops
from mmrag.cli.finding import find_text, layout_boxes
from mmrag.cli.options import boxes_from, passwords_from, reader_from
from mmrag.errors import LibraryNotFound, StorageError
from mmrag.records import (
    AddReport,
    Answer,
    Box,
    Citation,
    Figure,
    Hit,
    Page,
    PageStatus,
    Progress,
    Reader,
    Table,
    Word,
    WordSource,
)


def word(text, x, line, block):
    return Word(text, Box(x, line * 10, x + 8, line * 10 + 9), WordSource.TEXT_LAYER, line, block, 9.0)


PAGE = Page(
    "doc",
    1,
    100,
    100,
    PageStatus.INDEXED,
    words=(
        word("Earned", 0, 0, 0),
        word("leave,", 10, 0, 0),
        word("earned", 20, 0, 0),
        word("-", 28, 0, 0),
        word("Leave", 0, 1, 0),
        word("again.", 10, 5, 1),
    ),
    tables=(Table((), 0, 0, 0, Box(1, 60, 2, 70)),),
    figures=(Figure(Box(3, 80, 4, 90)),),
)


def test_text_is_found_whatever_its_case_and_punctuation_one_box_a_line():
    first = Box(0, 0, 18, 9)
    assert find_text(PAGE, "earned leave") == [first]
    assert find_text(PAGE, "LEAVE (again)") == [Box(0, 10, 8, 19), Box(10, 50, 18, 59)]
    assert find_text(PAGE, "leave")[0] == Box(10, 0, 18, 9)
    assert len(find_text(PAGE, "leave")) == 2
    assert find_text(PAGE, "lea") == []
    assert find_text(PAGE, " ,, ") == []


def test_the_layout_is_paragraphs_tables_and_figures():
    assert layout_boxes(PAGE) == [
        Box(0, 0, 36, 19),
        Box(10, 50, 18, 59),
        Box(1, 60, 2, 70),
        Box(3, 80, 4, 90),
    ]


def test_readers_are_read():
    assert reader_from("public") == Reader()
    assert reader_from(" acme : finance, legal ") == Reader("acme", ("finance", "legal"))


def test_boxes_are_read():
    assert boxes_from(["1,2,3.5,4", "0,0,0,0"]) == [Box(1, 2, 3.5, 4), Box(0, 0, 0, 0)]
    with pytest.raises(typer.BadParameter, match="x0,y0,x1,y1"):
        boxes_from(["1,2,3,a"])


@pytest.mark.parametrize(
    ("report", "code"),
    [
        (AddReport(added=("a",), statuses={"indexed": 2, "blank": 1}), 0),
        (AddReport(skipped=("a",)), 0),
        (AddReport(added=("a",), statuses={"indexed": 2, "corrupt": 1}), 3),
        (AddReport(added=("a",), failed=(("b", "why"),)), 3),
        (AddReport(skipped=("a",), failed=(("b", "why"),)), 3),
        (AddReport(failed=(("b", "why"),)), 1),
        (AddReport(), 1),
        (AddReport(pruned=("x",)), 0),
        (AddReport(pruned=("x",), failed=(("y", "z"),)), 1),
        (AddReport(added=("a",), statuses={"indexed": 2, "failed": 0}), 0),
    ],
)
def test_exit_codes_of_adding(report, code):
    assert outcome(report) == code


def test_an_interrupt_stops_the_adding_and_goes_on_up():
    class Adding:
        cancelled = 0

        def __iter__(self):
            yield Progress("file_started", "a.pdf", pages=2)
            yield Progress("page_done", "a.pdf", page=1, pages=2, status="indexed")
            raise KeyboardInterrupt

        def cancel(self):
            self.cancelled += 1

    for mode in ProgressMode:
        adding = Adding()
        with pytest.raises(KeyboardInterrupt):
            watch(adding, mode)
        assert adding.cancelled == 1


EVENTS = (
    Progress("files_found", "", files=3),
    Progress("file_started", "x/a.pdf", "a", pages=2),
    Progress("page_done", "x/a.pdf", "a", page=1, pages=2, status="indexed", seconds=0.5),
    Progress("page_done", "x/a.pdf", "a", page=2, pages=2, status="corrupt", reason="it is torn."),
    Progress("file_failed", "x/b.pdf", reason="x/b.pdf: not a PDF."),
    Progress("file_pruned", "x/c.pdf", "c", reason="the file is gone"),
    Progress("finished", "", seconds=1.5),
)


class Told:
    """An adding that has happened."""

    def __iter__(self):
        return iter(EVENTS)

    def report(self):
        return AddReport()


@pytest.mark.parametrize("mode", [ProgressMode.AUTO, ProgressMode.NONE])
def test_what_went_wrong_is_told_once_all_is_done(capsys, mode):
    watch(Told(), mode)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.splitlines()[-3:] == [
        "a.pdf, page 2: corrupt, it is torn.",
        "x/b.pdf: not a PDF.",
        "x/c.pdf: the file is gone, and so is what was kept of it",
    ]
    assert ("2/2" in captured.err) == (mode is ProgressMode.AUTO)


def test_progress_for_programs_is_one_object_a_step_and_nothing_else(capsys):
    watch(Told(), ProgressMode.JSON)
    captured = capsys.readouterr()
    assert captured.out == ""
    assert [json.loads(line) for line in captured.err.splitlines()] == [asdict(event) for event in EVENTS]


def test_troubles_can_be_kept_for_later(capsys):
    troubles = []
    watch(Told(), ProgressMode.NONE, troubles)
    assert len(troubles) == 3
    assert capsys.readouterr().err == ""


def test_passwords_are_asked_for_on_a_terminal_and_read_from_a_pipe(monkeypatch):
    monkeypatch.setattr(options.sys, "stdin", io.StringIO("piped secret\nmore\n"))
    assert passwords_from(["a", "-", "-"]) == ("a", "piped secret")
    monkeypatch.setattr(options.sys, "stdin", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr(options.getpass, "getpass", lambda prompt: "typed secret")
    assert passwords_from(["-"]) == ("typed secret",)
    assert passwords_from(None) == ()


@pytest.mark.parametrize("given", [[""], ["-"]])
def test_an_empty_password_is_a_wrong_command_line(monkeypatch, given):
    monkeypatch.setattr(options.sys, "stdin", io.StringIO("\n"))
    with pytest.raises(typer.BadParameter, match="a password is empty"):
        passwords_from(given)


def test_a_summary_counts_what_there_is():
    report = AddReport(
        added=("a", "b"),
        skipped=("c",),
        failed=(("d", "why"),),
        pages=5,
        statuses={"indexed": 4, "blank": 1, "failed": 0},
        seconds=1.26,
    )
    assert summary(report) == (
        "2 added with 5 pages, 1 known already, 1 failed in 1.3 s (pages: 1 blank, 4 indexed)"
    )
    assert summary(AddReport()) == "0 added with 0 pages in 0.0 s"


def test_text_from_documents_cannot_act_on_the_terminal():
    assert output.clean("a\x1b[31mb\x07c\u202ed\te\r\nf") == "a [31mb c d e\nf"
    joined = "\u0928\u094d\u200d\u0926"  # a joiner that Indic scripts need stays
    assert output.clean(joined) == joined


def test_json_has_no_nan_and_no_newline(capsys):
    output.print_json(
        {"a": float("nan"), "b": [float("inf"), 1.5, Box(1, 2, 3, 4)], "c": "zwei\nZeilen \u00fc"}
    )
    printed = capsys.readouterr().out
    assert printed.count("\n") == 1 and printed.isascii()
    assert json.loads(printed) == {"a": None, "b": [None, 1.5, [1, 2, 3, 4]], "c": "zwei\nZeilen \u00fc"}


def test_errors_keep_their_parts_in_json():
    error = LibraryNotFound("no library", where="x", remedy="Add files.")
    assert error_json(error) == {
        "kind": "LibraryNotFound",
        "what": "no library",
        "where": "x",
        "remedy": "Add files.",
    }


def test_an_interrupt_is_known_under_an_error_raised_over_it():
    try:
        try:
            raise KeyboardInterrupt
        finally:
            raise RuntimeError("closing failed")
    except RuntimeError as error:
        assert interrupted(error)
    assert interrupted(KeyboardInterrupt())
    assert not interrupted(RuntimeError())


def test_a_file_that_cannot_be_written_is_an_error_with_remedy(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be written") as caught:
        output.write_file(tmp_path / "file" / "a.png", b"")
    assert caught.value.remedy


HIT = Hit("doc", "a.pdf", "A", 4, 0.5, (), (), ())
CITED = (
    Citation("doc", "a.pdf", 4, (Box(1, 2, 3, 4),), "two\nlines", True),
    Citation("doc", "../b c.pdf", 5, tuple(Box(n, 0, 9, 9) for n in range(5)), "q", False, "12 is not there"),
)


def test_an_answer_is_told_with_what_it_rests_on(tmp_path):
    answer = Answer("q", "It is two.", CITED, False, "", "extractive", (HIT,), ())
    text = answer_lines(answer, [tmp_path / "1.png", tmp_path / "2.png"])
    assert text.splitlines() == [
        "It is two.",
        "",
        "[1] a.pdf, page 4, box 1,2,3,4: these words stand there",
        "    two",
        "    lines",
        f"    picture: {tmp_path / '1.png'}",
        "[2] ../b c.pdf, page 5, box 0,0,9,9; 1,0,9,9; 2,0,9,9 and 2 more: not verified: 12 is not there",
        "    q",
        f"    picture: {tmp_path / '2.png'}",
    ]


def test_an_abstention_says_why_and_where_to_look():
    answer = Answer("q", "I cannot find it.", (), True, "too unsure", "extractive", (HIT,) * 5, ())
    lines = answer_lines(answer).splitlines()
    assert lines[:2] == ["I cannot find it.", "Why: too unsure"]
    assert lines[-4:] == ["The nearest pages:"] + ["  a.pdf, page 4"] * 3
    named = Answer("q", "Not found. Nearest: a.pdf page 4.", (), True, "", "extractive", (HIT,), ())
    assert answer_lines(named) == "Not found. Nearest: a.pdf page 4."


def test_crops_get_names_that_stay_in_their_folder(tmp_path):
    class Drawing:
        def overlay(self, document, page, boxes, *, reader, crop):
            assert crop and reader == Reader()
            return f"{document} {page} {len(boxes)}".encode()

    answer = Answer("q", "t", CITED, False, "", "extractive", (), ())
    saved = save_crops(Drawing(), answer, tmp_path / "crops", Reader(), prefix="q1-")
    assert [path.name for path in saved] == ["q1-1-a-p4.png", "q1-2-b-c-p5.png"]
    assert saved[1].read_bytes() == b"doc 5 5"
    assert all(path.parent == tmp_path / "crops" for path in saved)
