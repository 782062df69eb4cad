import math

import ir_measures
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from ir_measures import RR, R, ScoredDoc, nDCG

from mmrag.evaluate.metrics import METRICS, ndcg, page_key, recall, reciprocal_rank, split_key, strict_order

ORACLES = {"recall@1": R @ 1, "recall@5": R @ 5, "recall@10": R @ 10, "mrr@10": RR @ 10, "ndcg@5": nDCG @ 5}
PAGES = [page_key(document, page) for document in ("a", "b", "c#x") for page in range(1, 13)]


def by_oracle(run, gold, name):
    """What ir-measures makes of a run whose scores fall strictly, by question."""
    qrels = [ir_measures.Qrel(question, key, 1) for question, keys in gold.items() for key in keys]
    scored = [
        ScoredDoc(question, key, float(len(ranked) - rank))
        for question, ranked in run.items()
        for rank, key in enumerate(ranked)
    ]
    return {m.query_id: m.value for m in ir_measures.iter_calc([ORACLES[name]], qrels, scored)}


def test_metrics_of_a_ranking_worked_by_hand():
    ranked = ["d#9", "d#1", "d#7", "d#2", "d#8", "d#3"]
    gold = {"d#1", "d#2", "d#3"}
    assert recall(ranked, gold, 1) == 0.0
    assert recall(ranked, gold, 5) == pytest.approx(2 / 3)
    assert recall(ranked, gold, 10) == 1.0
    assert reciprocal_rank(ranked, gold) == 0.5
    gained = 1 / math.log2(3) + 1 / math.log2(5)
    assert ndcg(ranked, gold) == pytest.approx(gained / (1 + 1 / math.log2(3) + 0.5))


def test_cutoffs_are_where_they_say():
    ranked = [f"d#{page}" for page in range(1, 13)]
    assert recall(ranked, {"d#1"}, 1) == 1.0
    assert recall(ranked, {"d#2"}, 1) == 0.0
    assert reciprocal_rank(ranked, {"d#10"}) == 0.1
    assert reciprocal_rank(ranked, {"d#11"}) == 0.0
    assert ndcg(ranked, {"d#5"}) == pytest.approx(1 / math.log2(6))
    assert ndcg(ranked, {"d#6"}) == 0.0
    # More gold pages than places: the perfect ranking fills the places only.
    assert ndcg(ranked, {f"d#{page}" for page in range(1, 9)}) == 1.0


@pytest.mark.parametrize("name", METRICS)
def test_without_gold_there_is_no_metric(name):
    with pytest.raises(ValueError, match="gold"):
        METRICS[name](["d#1"], set())


def test_nothing_found_scores_zero():
    assert [metric([], {"d#1"}) for metric in METRICS.values()] == [0.0] * 5


def test_ties_go_by_document_then_by_page_as_a_number():
    scored = [("b#1", 1.0), ("a#10", 1.0), ("a#2", 1.0), ("c#1", 2.0), ("d#1", -0.5)]
    assert strict_order(scored) == ["c#1", "a#2", "a#10", "b#1", "d#1"]


def test_keys_part_at_their_last_hash():
    assert split_key(page_key("a#b", 12)) == ("a#b", 12)
    with pytest.raises(ValueError):
        split_key("a#b")


# Few distinct scores, so that nearly every run holds ties.
runs = st.dictionaries(st.sampled_from(PAGES), st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=30)
golds = st.sets(st.sampled_from(PAGES), min_size=1, max_size=8)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(runs, golds), min_size=1, max_size=5))
def test_every_metric_is_that_of_ir_measures_ties_included(drawn):
    run = {f"q{n}": strict_order(scored.items()) for n, (scored, _) in enumerate(drawn)}
    gold = {f"q{n}": keys for n, (_, keys) in enumerate(drawn)}
    for name, metric in METRICS.items():
        theirs = by_oracle(run, gold, name)
        for question, ranked in run.items():
            # A question for which nothing was found is no line of a run file; it counts as 0.
            assert metric(ranked, gold[question]) == pytest.approx(theirs.get(question, 0.0), abs=1e-9)
