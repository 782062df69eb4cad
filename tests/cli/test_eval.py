"""`mmrag eval`, end to end."""

import json
import shutil

import ir_measures
import pytest
from ir_measures import RR, R, nDCG


@pytest.fixture
def evaluation(papers, tmp_path):
    folder = tmp_path / "set"
    shutil.copytree(papers, folder / "docs")
    rows = [
        ("leave", "How many days of leave can I carry over?", "five", "handbook.pdf", [1], ["text"], True),
        ("rate", "What is the day rate of grade E5?", "365 EUR", "handbook.pdf", [2], ["table"], True),
        ("code", "What does E-207 mean?", "the filter is blocked", "manual.pdf", [1], ["text"], True),
        ("none", "Who won the chess tournament of Riga?", "Not answerable", "manual.pdf", [], [], False),
    ]
    fields = ("id", "question", "answer", "doc", "pages", "modalities", "answerable")
    lines = [json.dumps(dict(zip(fields, row, strict=True))) for row in rows]
    (folder / "questions.jsonl").write_text("\n".join(lines))
    return folder


def test_eval_measures_and_its_figures_are_those_of_ir_measures(mmrag, evaluation, tmp_path):
    runs = tmp_path / "runs"
    place = tmp_path / "kept"
    outcome = mmrag("eval", evaluation, "--library", place, "--runs", runs, "--json")
    assert outcome.code == 0, outcome.err
    report = outcome.json
    assert (report["pages"], report["failed"], report["questions"]) == (3, [], 3)
    assert report["adding"]["born_digital"]["pages"] == 3
    assert report["pages_per_s"] > 0 and report["ocr_s_per_page"] is None
    assert 0 < report["search_p50_ms"] <= report["search_p95_ms"]
    assert report["legs"]["bm25"]["within"]["recall@1"] == 1.0
    assert report["legs"]["fused"]["all"]["recall@5"] == 1.0
    assert report["answers"]["unanswerable"] == 1
    measures = {
        "recall@1": R @ 1,
        "recall@5": R @ 5,
        "recall@10": R @ 10,
        "mrr@10": RR @ 10,
        "ndcg@5": nDCG @ 5,
    }
    qrels = list(ir_measures.read_trec_qrels(str(runs / "qrels.txt")))
    for leg, scopes in report["legs"].items():
        for scope, values in scopes.items():
            run = list(ir_measures.read_trec_run(str(runs / f"{leg}.{scope}.run")))
            theirs = ir_measures.calc_aggregate(measures.values(), qrels, run)
            assert values == pytest.approx({name: theirs[m] for name, m in measures.items()})
    # What the settings chose is among the ways to fuse, and gives what the library's own fusion gave.
    chosen = report["fusion"][report["fusion"]["chosen"]]
    assert chosen == {scope: pytest.approx(values) for scope, values in report["legs"]["fused"].items()}
    again = mmrag("eval", evaluation, "--library", place, "--no-answers", "--json").json
    assert again["pages_per_s"] is None and again["answers"] is None
    assert again["legs"] == report["legs"] and again["set_sha"] == report["set_sha"]


def test_eval_tells_tables_and_what_failed(mmrag, evaluation):
    (evaluation / "docs" / "bad.pdf").write_text("no PDF")
    outcome = mmrag("eval", evaluation, "--no-answers")
    assert outcome.code == 3
    assert "Over all pages" in outcome.out and "bad.pdf" in outcome.err


def test_eval_of_a_folder_that_is_no_set_is_an_error(mmrag, tmp_path):
    outcome = mmrag("eval", tmp_path, "--json")
    assert outcome.code == 1
    assert outcome.json["error"]["kind"] == "EvaluationError"
