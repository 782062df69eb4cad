"""How well tables are read, beside PyMuPDF, pdfplumber and camelot, in one run.

    python benchmarks/tables.py [DIR] [--json] [--camelot PYTHON] [--only ours,pymupdf] [--files eu-]

DIR holds ``index.jsonl``, one true table a line: ``id``, ``file``, ``pages``, ``truth_json`` (cells) and,
for pictures, ``truth_html`` and ``header_rows``. For PDFs the measure is that of the ICDAR 2013 Table
Competition: precision, recall and F1 of cell adjacency relations (benchmarks/table_metrics.py). Every
system reads the pages on which a true table stands; relations of all tables of a page are pooled, so that
a table found in two halves costs only what was cut, and one that isn't there costs precision. Figures are
over all relations; ``macro_f1`` is the mean over documents. Of camelot's lattice and stream the one with
the higher F1 counts. For pictures of one table it is TEDS, and TEDS of the structure alone, of the largest
table that is read. ``header_rows_found``: the share of tables with a marked header of which we find just as
many header rows. With --json the last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.util import find_spec
from pathlib import Path
from statistics import mean
from typing import Any

from table_metrics import Cell, Score, compare, relations, teds
from table_systems import Pages, System, read_tables, systems

from mmrag.errors import MmragError

DEFAULT = Path(__file__).resolve().parents[2] / "shared" / "samples" / "tables"


@dataclass
class Truth:
    """True tables by document and page, and true pictures by name."""

    documents: dict[str, dict[int, list[list[Cell]]]] = field(default_factory=lambda: defaultdict(dict))
    pictures: list[dict[str, Any]] = field(default_factory=list)


@dataclass
class Outcome:
    """What one system did: relations by document, seconds, and files it failed on."""

    scores: dict[str, Score] = field(default_factory=dict)
    tables: int = 0
    seconds: float = 0.0
    failed: list[str] = field(default_factory=list)

    @property
    def total(self) -> Score:
        return sum(self.scores.values(), Score())

    def figures(self) -> dict[str, Any]:
        total = self.total
        return {
            "f1": round(total.f1, 4),
            "precision": round(total.precision, 4),
            "recall": round(total.recall, 4),
            "macro_f1": round(mean(score.f1 for score in self.scores.values()), 4),
            "correct": total.correct,
            "found": total.found,
            "tables": self.tables,
            "failed": len(self.failed),
            "seconds": round(self.seconds, 1),
        }


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT, metavar="DIR")
    parser.add_argument("--json", action="store_true", help="the last line is one JSON object")
    parser.add_argument("--camelot", metavar="PYTHON", help="interpreter of the environment with camelot-py")
    parser.add_argument("--only", default="", help="systems to run, by name, with commas between")
    parser.add_argument("--files", default="", help="only files whose path holds this text")
    parser.add_argument("--misses", action="store_true", help="print the relations we miss and invent")
    options = parser.parse_args(arguments)
    index = options.folder / "index.jsonl"
    if not index.is_file():
        print(f"{index} is not there: name a folder with an index.jsonl of true tables.", file=sys.stderr)
        return 2
    truth = load(options.folder, options.files)
    known, missing = systems(options.camelot)
    wanted = [name.strip() for name in options.only.split(",") if name.strip()]
    known = {name: run for name, run in known.items() if not wanted or name.partition(".")[0] in wanted}
    for line in missing if not wanted else ():
        print(line)
    outcomes = {
        name: measure(options.folder, truth, run, options.misses and name == "ours")
        for name, run in known.items()
        if truth.documents
    }
    pictures = measure_pictures(options.folder, truth.pictures) if "ours" in known else []
    report(truth, outcomes, pictures)
    if options.json:
        print(json.dumps(summary(truth, outcomes, pictures)))
    return 0


def load(folder: Path, part: str) -> Truth:
    truth = Truth()
    for line in (folder / "index.jsonl").read_text("utf-8").splitlines():
        entry = json.loads(line)
        if part not in entry["file"]:
            continue
        if entry.get("truth_html"):
            truth.pictures.append(entry)
            continue
        cells = json.loads((folder / entry["truth_json"]).read_text("utf-8"))["cells"]
        pages = truth.documents[entry["file"]]
        for page in entry["pages"]:
            pages.setdefault(page, []).append([cell for cell in cells if cell.get("page", page) == page])
    return truth


def measure(folder: Path, truth: Truth, system: System, misses: bool) -> Outcome:
    outcome = Outcome()
    for file, pages in sorted(truth.documents.items()):
        start = time.perf_counter()
        found: Pages = {}
        try:
            found = system(folder / file, sorted(pages))
        except Exception as error:  # one file that breaks a library must not end the comparison
            outcome.failed.append(file)
            print(f"{file}: {type(error).__name__}: {error}", file=sys.stderr)
        outcome.seconds += time.perf_counter() - start
        outcome.tables += sum(map(len, found.values()))
        scores = (compare(found.get(page, ()), tables) for page, tables in pages.items())
        outcome.scores[file] = sum(scores, Score())
        if misses:
            for page, tables in sorted(pages.items()):
                print_misses(f"{file} page {page}", found.get(page, ()), tables)
    return outcome


def print_misses(where: str, found: Sequence[Sequence[Cell]], true: Sequence[Sequence[Cell]]) -> None:
    here = sum(map(relations, found), Counter())
    there = sum(map(relations, true), Counter())
    for word, rest in (("missed", there - here), ("invented", here - there)):
        for one, other, direction in sorted(rest.elements()):
            print(f"{where}: {word}: {one} | {other} | {direction}")


def measure_pictures(folder: Path, entries: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Each picture's TEDS and header rows, of the largest table read in it; 0 when none is found.

    Without the package that TEDS needs its figures are None.
    """
    results: list[dict[str, Any]] = []
    scored = find_spec("apted") is not None
    if entries and not scored:
        print("apted is not installed, so there is no TEDS: pip install apted")
    for entry in entries:
        try:
            tables = read_tables(folder / entry["file"], [1])[1]
        except MmragError as error:
            print(error, file=sys.stderr)
            tables = ()
        table = max(tables, key=lambda table: table.box.area, default=None)
        true = (folder / entry["truth_html"]).read_text("utf-8")
        html = table.to_html() if table else ""
        results.append(
            {
                "file": entry["file"],
                "teds": teds(html, true) if scored else None,
                "teds_structure": teds(html, true, structure=True) if scored else None,
                "header_rows": table.header_rows if table else 0,
                "true_header_rows": entry["header_rows"],
            }
        )
    return results


def summary(
    truth: Truth, outcomes: Mapping[str, Outcome], pictures: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    result: dict[str, Any] = {name: None for name in ("ours", "pymupdf", "pdfplumber", "camelot")}
    result.update({name: outcome.figures() for name, outcome in outcomes.items() if "." not in name})
    flavours = {name: outcome for name, outcome in outcomes.items() if name.startswith("camelot.")}
    if flavours:
        best = max(flavours, key=lambda name: flavours[name].total.f1)
        result["camelot"] = flavours[best].figures() | {
            "flavour": best.partition(".")[2],
            **{name.partition(".")[2]: outcome.figures() for name, outcome in flavours.items()},
        }
    rivals = [result[name]["f1"] for name in ("pymupdf", "pdfplumber", "camelot") if result[name]]
    headed = [p for p in pictures if p["true_header_rows"]]
    found = [p for p in headed if p["header_rows"] == p["true_header_rows"]]
    return result | {
        "lead": round(result["ours"]["f1"] - max(rivals), 4) if result["ours"] and rivals else None,
        "header_rows_found": round(len(found) / len(headed), 4) if headed else None,
        "teds": _mean(p["teds"] for p in pictures),
        "teds_structure": _mean(p["teds_structure"] for p in pictures),
        "documents": len(truth.documents),
        "pages": sum(map(len, truth.documents.values())),
        "true_tables": sum(len(t) for pages in truth.documents.values() for t in pages.values()),
        "true_relations": next((outcome.total.true for outcome in outcomes.values()), 0),
        "pictures": len(pictures),
    }


def report(truth: Truth, outcomes: Mapping[str, Outcome], pictures: Sequence[Mapping[str, Any]]) -> None:
    if outcomes:
        print(f"{'F1 of adjacency relations':<32}" + "".join(f"{name:>17}" for name in outcomes))
        for file in sorted(truth.documents):
            values = (outcome.scores[file].f1 for outcome in outcomes.values())
            print(f"{file:<32}" + "".join(f"{value:17.3f}" for value in values))
        for key in ("f1", "precision", "recall", "macro_f1", "tables", "failed", "seconds"):
            values = (outcome.figures()[key] for outcome in outcomes.values())
            print(f"{key:<32}" + "".join(f"{value:17}" for value in values))
    if pictures:
        print(f"{'picture':<40}{'TEDS':>8}{'structure':>11}{'header rows':>13}{'true':>6}")
    for p in pictures:
        both = (p["teds"], p["teds_structure"])
        marks = ["-" if value is None else f"{value:.3f}" for value in both]
        print(f"{p['file']:<40}{marks[0]:>8}{marks[1]:>11}{p['header_rows']:13}{p['true_header_rows']:6}")


def _mean(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return round(mean(known), 4) if known else None


if __name__ == "__main__":
    sys.exit(main())
