import io
import json
from dataclasses import replace

import ir_measures
import pytest
from ir_measures import RR, R, nDCG

from mmrag.errors import EvaluationError, StorageError
from mmrag.evaluate.figures import figures
from mmrag.evaluate.reading import born_digital
from mmrag.evaluate.report import tables
from mmrag.evaluate.run import LEGS, SCOPES, run_set
from mmrag.evaluate.sets import load_set
from mmrag.evaluate.trec import write_runs
from mmrag.settings import SearchSettings


@pytest.fixture
def run(scripted):
    return run_set(scripted.library, load_set(scripted.folder))


def test_born_digital_documents_are_told_by_their_text_layer(scripted):
    assert born_digital(list(load_set(scripted.folder).documents.values())) == [
        scripted.folder / "docs" / "a.pdf"
    ]


def test_an_empty_page_does_not_make_a_document_a_scan(tmp_path):
    import pymupdf

    document = pymupdf.open()
    document.new_page().insert_text((50, 50), "A sound page")
    document.new_page()
    document.save(tmp_path / "with-empty.pdf")
    assert born_digital([tmp_path / "with-empty.pdf"]) == [tmp_path / "with-empty.pdf"]


def test_each_kind_of_document_is_added_in_one_call_of_its_own(scripted, run):
    adds = [call[1] for call in scripted.library.calls if call[0] == "add"]
    assert adds == [["a.pdf"], ["b.pdf", "c.pdf"]]
    assert (run.digital.documents, run.digital.pages, run.digital.ocr_pages) == (1, 3, 0)
    assert (run.scanned.documents, run.scanned.pages, run.scanned.ocr_pages) == (1, 1, 1)
    assert run.scanned.ocr_seconds == 2.5
    assert run.scanned.failed == (("c.pdf", "not a PDF"),)


def test_only_answerable_questions_are_searched_all_pages_first(scripted, run):
    searches = [call[1:] for call in scripted.library.calls if call[0] == "search"]
    assert searches == [
        ("one", None),
        ("two", None),
        ("three", None),
        ("one", f"document = '{scripted.a}'"),
        ("two", f"document = '{scripted.a}'"),
        ("three", f"document = '{scripted.b}'"),
    ]


def test_the_figures_are_those_worked_by_hand(run):
    report = figures(run, SearchSettings())
    assert report["pages"] == 4
    assert report["ocr_s_per_page"] == 2.5
    assert report["pages_per_s"] == pytest.approx(3 / run.digital.seconds)
    assert report["failed"] == [{"path": "c.pdf", "reason": "not a PDF"}]
    assert (report["questions"], report["unanswerable"], report["documents"]) == (3, 1, 3)
    page, text = report["legs"]["page"]["all"], report["legs"]["text"]["all"]
    # page: q1 first; q2 finds page 2 of {2, 3} second; q3 third.
    assert page["recall@1"] == pytest.approx(1 / 3)
    assert page["recall@5"] == pytest.approx((1 + 0.5 + 1) / 3)
    assert page["mrr@10"] == pytest.approx((1 + 1 / 2 + 1 / 3) / 3)
    # text: nothing for q1; ties go to the smaller document id, then to page 2, 3, 10.
    assert text["recall@10"] == pytest.approx((0 + 1 + 1) / 3)
    assert report["legs"]["bm25"]["within"]["mrr@10"] == 1.0
    low, high = report["intervals"]["page"]["all"]["recall@5"]
    assert 0.5 <= low <= page["recall@5"] <= high <= 1.0


def test_every_leg_scope_and_metric_has_its_place(run):
    report = figures(run, SearchSettings())
    metrics = {"recall@1", "recall@5", "recall@10", "mrr@10", "ndcg@5"}
    assert set(report["legs"]) == {"page", "text", "bm25", "fused"}
    for leg in LEGS:
        assert set(report["legs"][leg]) == {"all", "within"}
        for scope in SCOPES:
            assert set(report["legs"][leg][scope]) == metrics
    json.dumps(report, allow_nan=False)


def test_modalities_count_a_question_in_each_of_its_own(run):
    groups = figures(run, SearchSettings())["by_modality"]
    assert {name: group["questions"] for name, group in groups.items()} == {
        "table": 2,
        "text": 1,
        "unmarked": 1,
        "visual_only": 1,
    }
    assert groups["text"]["legs"]["page"]["all"]["recall@5"] == 0.5
    assert groups["table"]["legs"]["page"]["all"]["recall@5"] == 0.75


def test_fusion_is_compared_on_the_legs_own_rankings(run):
    fusion = figures(run, SearchSettings())["fusion"]
    assert fusion["chosen"] == "minmax"
    assert {"rrf", "minmax", "minmax 0.33/0.33/0.33", "minmax 0.50/0.50/0.00"} <= set(fusion)
    assert fusion["rrf"]["within"]["mrr@10"] == 1.0
    # For q1 page and bm25 are each other's reverse, so rank fusion ties first and last place above the
    # middle, while weights part them: all on page gives page's own order.
    only_page = SearchSettings(weights={"page": 1.0, "text": 0.0, "bm25": 0.0})
    legs = figures(run, only_page)
    assert legs["fusion"]["minmax"]["all"] == legs["legs"]["page"]["all"]


def test_fusion_is_set_against_each_leg_in_pairs(run):
    report = figures(run, SearchSettings())
    difference = report["fused_minus"]["text"]["all"]["recall@5"]
    legs = report["legs"]
    assert difference["mean"] == pytest.approx(
        legs["fused"]["all"]["recall@5"] - legs["text"]["all"]["recall@5"]
    )
    assert difference["low"] <= difference["mean"] <= difference["high"]


def test_answers_are_judged(run):
    answers = figures(run, SearchSettings())["answers"]
    assert (answers["answerable"], answers["unanswerable"], answers["abstentions"]) == (3, 1, 2)
    assert answers["abstention_precision"] == 0.5
    assert answers["abstention_recall"] == 1.0
    assert answers["answered"] == pytest.approx(2 / 3)
    assert answers["citation_hit"] == 1.0
    assert answers["citation_first"] == 0.5
    assert answers["supported"] == pytest.approx(2 / 3)
    assert answers["verified"] == 0.75


def test_answers_can_be_left_out(scripted):
    scripted.library.answers = {}
    run = run_set(scripted.library, load_set(scripted.folder), answers=False)
    assert figures(run, SearchSettings())["answers"] is None


def test_what_was_not_measured_is_none_and_never_zero(run):
    idle = replace(run.digital, documents=0, pages=0, ocr_pages=0, seconds=0.1)
    empty = replace(run, digital=idle, scanned=idle, searches=(), asked=())
    report = figures(empty, SearchSettings())
    assert report["pages_per_s"] is report["ocr_s_per_page"] is report["search_p50_ms"] is None
    assert report["legs"]["page"]["all"]["recall@5"] is None
    assert report["intervals"]["page"]["all"]["recall@5"] is None
    assert report["fusion"]["rrf"]["all"]["mrr@10"] is None
    assert report["fused_minus"]["page"]["all"]["mrr@10"] is None


def test_a_leg_without_trace_is_an_error_not_a_zero(scripted):
    del scripted.library.rankings["two", None]["leg:text"]
    with pytest.raises(EvaluationError, match="leg:text") as caught:
        run_set(scripted.library, load_set(scripted.folder))
    assert caught.value.where == "question q2"


def test_steps_count_pages_and_questions(scripted):
    steps = []
    run_set(scripted.library, load_set(scripted.folder), watch=steps.append)
    last = {step.stage: (step.done, step.total) for step in steps}
    assert last == {
        "adding born-digital documents": (3, 3),
        "adding documents with OCR": (1, 1),
        "searching": (6, 6),
        "asking": (4, 4),
    }


def test_the_saved_run_gives_ir_measures_the_same_figures(run, tmp_path):
    report = figures(run, SearchSettings())
    files = write_runs(run, tmp_path / "runs")
    assert len(files) == 1 + len(LEGS) * len(SCOPES) + 1
    oracles = {
        "recall@1": R @ 1,
        "recall@5": R @ 5,
        "recall@10": R @ 10,
        "mrr@10": RR @ 10,
        "ndcg@5": nDCG @ 5,
    }
    qrels = list(ir_measures.read_trec_qrels(str(tmp_path / "runs" / "qrels.txt")))
    for leg in LEGS:
        for scope in SCOPES:
            scored = list(ir_measures.read_trec_run(str(tmp_path / "runs" / f"{leg}.{scope}.run")))
            theirs = ir_measures.calc_aggregate(oracles.values(), qrels, scored)
            for name, measure in oracles.items():
                assert report["legs"][leg][scope][name] == pytest.approx(theirs[measure]), (leg, scope, name)
    answers = [json.loads(line) for line in (tmp_path / "runs" / "answers.jsonl").read_text().splitlines()]
    assert [(a["id"], a["abstained"], a["cited"]) for a in answers] == [
        ("q1", False, True),
        ("q2", False, True),
        ("q3", True, False),
        ("q4", True, False),
    ]


def test_a_folder_that_cannot_be_written_is_an_error(run, tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot be written"):
        write_runs(run, tmp_path / "file" / "runs")


def test_the_tables_show_the_figures(run):
    from rich.console import Console

    console = Console(width=160, record=True, file=io.StringIO())
    console.print(tables(figures(run, SearchSettings())))
    text = console.export_text()
    assert "3 documents, 4 pages indexed, 3 answerable and 1 unanswerable" in text
    assert "failed: c.pdf: not a PDF" in text
    assert "Over all pages" in text and "Within the right document" in text
    assert "0.833 [" in text
    assert "abstention recall" in text
