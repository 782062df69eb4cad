"""From a run to its figures: one nested mapping that is both the JSON report and the table's source."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mmrag.evaluate.answers import summarise
from mmrag.evaluate.intervals import SEED, bootstrap
from mmrag.evaluate.metrics import METRICS, page_key, strict_order
from mmrag.evaluate.run import LEGS, SCOPES, Run, Searched, Timing
from mmrag.evaluate.sets import Question
from mmrag.retrieve.fusion import reciprocal_rank_fusion, weighted_minmax
from mmrag.settings import SearchSettings

Scored = Sequence[tuple[str, float]]
Fuse = Callable[[Mapping[str, Scored]], Scored]

MIXES: tuple[tuple[float, float, float], ...] = ((1 / 3, 1 / 3, 1 / 3), (0.2, 0.2, 0.6), (0.5, 0.5, 0.0))
"""Weights of page, text and bm25 that every report compares the settings' own with."""


@dataclass(frozen=True, slots=True)
class Graded:
    """One question's metrics in one scope, by leg and then by metric."""

    question: Question
    scope: str
    legs: Mapping[str, Mapping[str, float]]


def figures(run: Run, settings: SearchSettings) -> dict[str, Any]:
    """Everything a report says, in plain JSON types; what was not measured is None.

    docs/evaluation.md defines every key.
    """
    graded = [grade(searched, run) for searched in run.searches]
    latencies = [searched.ms for searched in run.searches if searched.scope == "all"]
    failed = [*run.digital.failed, *run.scanned.failed]
    return {
        "set": run.set.path.name,
        "set_sha": run.set.sha,
        "seed": SEED,
        "documents": len(run.set.documents),
        "questions": len(run.set.answerable),
        "unanswerable": len(run.set.questions) - len(run.set.answerable),
        "pages": run.pages,
        "statuses": dict(run.statuses),
        "failed": [{"path": path, "reason": reason} for path, reason in failed],
        "pages_per_s": _rate(run.digital),
        "ocr_s_per_page": _ocr_seconds(run.digital, run.scanned),
        "adding": {"born_digital": _timing(run.digital), "with_ocr": _timing(run.scanned)},
        "search_p50_ms": _quantile(latencies, 0.50),
        "search_p95_ms": _quantile(latencies, 0.95),
        "legs": means(graded),
        "intervals": _nested(graded, lambda values: _interval(values)),
        "fused_minus": fused_minus(graded),
        "by_modality": by_modality(graded),
        "fusion": compare_fusion(run, settings),
        "answers": asdict(summarise(run.asked)) if run.asked else None,
    }


def gold_keys(question: Question, run: Run) -> frozenset[str]:
    """The keys of the question's gold pages."""
    return frozenset(page_key(run.set.ids[question.doc], page) for page in question.pages)


def grade(searched: Searched, run: Run) -> Graded:
    """Every metric of every leg of one search."""
    gold = gold_keys(searched.question, run)
    legs = {leg: _metrics(searched.legs[leg], gold) for leg in LEGS}
    return Graded(question=searched.question, scope=searched.scope, legs=legs)


def _metrics(scored: Scored, gold: frozenset[str]) -> dict[str, float]:
    ranked = strict_order(scored)
    return {name: metric(ranked, gold) for name, metric in METRICS.items()}


def means(graded: Sequence[Graded]) -> dict[str, dict[str, dict[str, float | None]]]:
    """``{leg: {scope: {metric: mean over the questions}}}``."""
    return _nested(graded, lambda values: sum(values) / len(values) if values else None)


def _nested(graded: Sequence[Graded], over: Callable[[list[float]], Any]) -> dict[str, Any]:
    return {
        leg: {
            scope: {
                metric: over([g.legs[leg][metric] for g in graded if g.scope == scope]) for metric in METRICS
            }
            for scope in SCOPES
        }
        for leg in LEGS
    }


def _interval(values: Sequence[float]) -> list[float] | None:
    if not values:
        return None
    interval = bootstrap(values)
    return [interval.low, interval.high]


def fused_minus(graded: Sequence[Graded]) -> dict[str, Any]:
    """Fusion against each single leg, in pairs: ``{leg: {scope: {metric: {mean, low, high}}}}``."""
    result: dict[str, Any] = {}
    for leg in LEGS[:-1]:
        result[leg] = {}
        for scope in SCOPES:
            pairs = [g.legs for g in graded if g.scope == scope]
            result[leg][scope] = {
                metric: asdict(bootstrap([legs["fused"][metric] - legs[leg][metric] for legs in pairs]))
                if pairs
                else None
                for metric in METRICS
            }
    return result


def by_modality(graded: Sequence[Graded]) -> dict[str, Any]:
    """The means over the questions of each modality; a question counts in each of its own.

    ``unmarked`` holds questions that name none, ``visual_only`` those that must be looked at.
    """
    groups: dict[str, list[Graded]] = {}
    for item in graded:
        names = list(item.question.modalities) or ["unmarked"]
        for name in [*names, *(["visual_only"] if item.question.visual_only else [])]:
            groups.setdefault(name, []).append(item)
    return {
        name: {"questions": len({g.question.id for g in items}), "legs": means(items)}
        for name, items in sorted(groups.items())
    }


def compare_fusion(run: Run, settings: SearchSettings) -> dict[str, Any]:
    """Other ways to fuse the very rankings the legs gave, beside the one the settings chose."""
    weights = settings.weights
    ways: dict[str, Fuse] = {
        "rrf": lambda legs: reciprocal_rank_fusion(legs, k=settings.rrf_k),
        "minmax": _minmax((weights.page, weights.text, weights.bm25)),
    }
    for mix in MIXES:
        ways["minmax " + "/".join(f"{weight:.2f}" for weight in mix)] = _minmax(mix)
    result: dict[str, Any] = {
        "chosen": settings.fusion,
        "weights": {"page": weights.page, "text": weights.text, "bm25": weights.bm25},
    }
    for name, fuse in ways.items():
        result[name] = {scope: _fused_means(run, scope, fuse) for scope in SCOPES}
    return result


def _minmax(mix: tuple[float, float, float]) -> Fuse:
    weights = dict(zip(("page", "text", "bm25"), mix, strict=True))
    return lambda legs: weighted_minmax(legs, weights)


def _fused_means(run: Run, scope: str, fuse: Fuse) -> dict[str, float | None]:
    rows: list[dict[str, float]] = []
    for searched in run.searches:
        if searched.scope == scope:
            legs = {leg: searched.legs[leg] for leg in LEGS[:-1]}
            rows.append(_metrics(fuse(legs), gold_keys(searched.question, run)))
    return {name: sum(row[name] for row in rows) / len(rows) if rows else None for name in METRICS}


def _rate(timing: Timing) -> float | None:
    return timing.pages / timing.seconds if timing.pages and timing.seconds > 0 else None


def _ocr_seconds(*timings: Timing) -> float | None:
    pages = sum(timing.ocr_pages for timing in timings)
    return sum(timing.ocr_seconds for timing in timings) / pages if pages else None


def _timing(timing: Timing) -> dict[str, float]:
    return {
        "documents": timing.documents,
        "pages": timing.pages,
        "ocr_pages": timing.ocr_pages,
        "seconds": timing.seconds,
    }


def _quantile(values: Sequence[float], q: float) -> float | None:
    return float(np.quantile(values, q)) if values else None
