"""The figures of a run as tables for the terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from mmrag.evaluate.metrics import METRICS
from mmrag.evaluate.run import LEGS, SCOPES


def tables(report: Mapping[str, Any]) -> RenderableType:
    """Tables of the mapping that :func:`mmrag.evaluate.figures.figures` gives."""
    parts: list[RenderableType] = [_summary(report)]
    for scope in SCOPES:
        parts.append(_legs(report, scope))
    parts.append(_modalities(report))
    parts.append(_fusion(report))
    if report["answers"] is not None:
        parts.append(_answers(report["answers"]))
    return Group(*parts)


def failure_line(path: str, reason: str) -> str:
    """One line on a file that failed; most reasons name the file themselves."""
    return f"failed: {reason}" if path in reason else f"failed: {path}: {reason}"


def _summary(report: Mapping[str, Any]) -> RenderableType:
    lines = [
        f"{report['set']}: {report['documents']} documents, {report['pages']} pages indexed, "
        f"{report['questions']} answerable and {report['unanswerable']} unanswerable questions",
        f"born-digital pages per second {_number(report['pages_per_s'], 1)}, "
        f"seconds of work per OCR page {_number(report['ocr_s_per_page'], 1)}, "
        f"search p50 {_number(report['search_p50_ms'], 0)} ms, p95 {_number(report['search_p95_ms'], 0)} ms",
    ]
    lines += [failure_line(item["path"], item["reason"]) for item in report["failed"]]
    return Text("\n".join(lines))


_TITLES = {"all": "Over all pages", "within": "Within the right document"}


def _legs(report: Mapping[str, Any], scope: str) -> Table:
    table = Table(title=f"{_TITLES[scope]} (95% bootstrap intervals)", title_justify="left")
    table.add_column("leg")
    for metric in METRICS:
        table.add_column(metric, justify="right")
    for leg in LEGS:
        means, intervals = report["legs"][leg][scope], report["intervals"][leg][scope]
        table.add_row(leg, *(_with_interval(means[metric], intervals[metric]) for metric in METRICS))
    return table


def _modalities(report: Mapping[str, Any]) -> Table:
    table = Table(title="recall@5 by modality: over all pages / within the document", title_justify="left")
    table.add_column("modality")
    table.add_column("questions", justify="right")
    for leg in LEGS:
        table.add_column(leg, justify="right")
    for name, group in report["by_modality"].items():
        cells = [
            " / ".join(_number(group["legs"][leg][scope]["recall@5"], 3) for scope in SCOPES) for leg in LEGS
        ]
        table.add_row(Text(name), str(group["questions"]), *cells)
    return table


def _fusion(report: Mapping[str, Any]) -> Table:
    table = Table(
        title=f"Ways to fuse ({report['fusion']['chosen']} is set): over all pages / within the document",
        title_justify="left",
    )
    table.add_column("fusion (page/text/bm25)")
    for metric in METRICS:
        table.add_column(metric, justify="right")
    for name, scopes in report["fusion"].items():
        if name not in {"chosen", "weights"}:
            cells = [" / ".join(_number(scopes[s][metric], 3) for s in SCOPES) for metric in METRICS]
            table.add_row(name, *cells)
    return table


def _answers(answers: Mapping[str, Any]) -> Table:
    table = Table(title="Answers", title_justify="left")
    table.add_column("figure")
    table.add_column("value", justify="right")
    for name, value in answers.items():
        table.add_row(name.replace("_", " "), _number(value, 3) if not isinstance(value, int) else str(value))
    return table


def _with_interval(mean: float | None, interval: tuple[float, float] | None) -> str:
    if mean is None or interval is None:
        return "-"
    return f"{mean:.3f} [{interval[0]:.2f}, {interval[1]:.2f}]"


def _number(value: float | None, digits: int) -> str:
    return "-" if value is None else f"{value:.{digits}f}"
