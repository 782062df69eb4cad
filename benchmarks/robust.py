"""Folders of files that break readers, added in one batch through the real command line, and accounted for.

    python benchmarks/robust.py DIR... [--passwords FILE.jsonl] [--library FOLDER] [--seconds 3600] [--json]

Every file below the folders is handed in by one `mmrag add DIR...`; an index.jsonl there is no document but
says passwords ("password"), which are given as --password. Then the library is asked what became of each:
a file is accounted for when it is a document all of whose pages have a status, or a file that was refused
with a reason. Printed are a line a file and these figures:

    files        files handed in
    crashed      the command ended by a signal, with a traceback or with an exit code that is not 0, 1 or 3
    hung         pages whose work took over a minute, times of a minute and more in which nothing was heard of
                 any file or page, and a command that had to be stopped
    unaccounted  files that are neither documents nor refused, and pages without a status

With --json the last line is one JSON object.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from process_tree import descendants

from mmrag import DocumentNotFound, Library
from mmrag.ingest import file_id
from mmrag.records import Document, FileNote

INDEX = "index.jsonl"
SLOW = 60.0
NORMAL = (0, 1, 3)


@dataclass
class Line:
    """What became of one file."""

    name: str
    kind: str
    pages: int = 0
    statuses: Counter[str] = field(default_factory=Counter)
    reason: str = ""
    slowest: float = 0.0
    missing: int = 0

    def cells(self) -> tuple[str, ...]:
        statuses = ", ".join(f"{count} {status}" for status, count in sorted(self.statuses.items()))
        return (self.name, self.kind, str(self.pages), f"{self.slowest:.1f}", statuses or "-", self.reason)


@dataclass(frozen=True)
class Run:
    """The one batch: exit code (None when it was stopped), seconds, what it said, seconds it said nothing."""

    code: int | None
    seconds: float
    err: str
    silences: tuple[float, ...] = ()


def files_below(folders: Sequence[Path]) -> list[Path]:
    """Every file but the index, sorted."""
    return sorted(
        path.resolve()
        for folder in folders
        for path in folder.rglob("*")
        if path.is_file() and path.name != INDEX
    )


def passwords_in(indexes: Sequence[Path]) -> list[str]:
    """The passwords that the indexes name, each once, in order."""
    found: dict[str, None] = {}
    for index in indexes:
        for line in index.read_text(encoding="utf-8").splitlines():
            password = json.loads(line).get("password") if line.strip() else None
            if password:
                found[password] = None
    return list(found)


def add_all(folders: Sequence[Path], library: Path, passwords: Sequence[str], most: float) -> Run:
    """One `mmrag add` of all folders, stopped with all its processes after ``most`` seconds."""
    command = [sys.executable, "-m", "mmrag.cli", "add", *map(str, folders), "--library", str(library)]
    command += ["--progress", "json", "--json"]
    command += [part for password in passwords for part in ("--password", password)]
    start = time.perf_counter()
    heard = [start]
    lines: list[str] = []
    stopped = False
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:

        def stop() -> None:
            nonlocal stopped
            stopped = True
            for pid in descendants(process.pid):
                _kill(pid)

        timer = threading.Timer(most, stop)
        timer.start()
        for line in process.stderr or ():
            heard.append(time.perf_counter())
            lines.append(line)
        process.wait()
        timer.cancel()
    ended = time.perf_counter()
    silences = tuple(later - earlier for earlier, later in itertools.pairwise((*heard, ended)))
    return Run(None if stopped else process.returncode, ended - start, "".join(lines), silences)


def account(library: Library, files: Sequence[Path]) -> list[Line]:
    """A line a file, in the order given."""
    documents = library.documents()
    by_path = {document.path: document for document in documents}
    by_id = {document.id: document for document in documents}
    notes = {note.path: note for note in library.status().files}
    lines = []
    for path in files:
        line = Line(path.name, path.suffix.lstrip(".").lower() or "-")
        # Same bytes, same document, whatever the name.
        document = by_path.get(str(path)) or by_id.get(file_id(path))
        note = notes.get(str(path))
        if document is not None:
            _pages(library, document, line)
        elif note is not None:
            _note(note, line)
        lines.append(line)
    return lines


def figures(run: Run, lines: Sequence[Line]) -> dict[str, Any]:
    """The figures by name."""
    statuses: Counter[str] = Counter()
    for line in lines:
        statuses.update(line.statuses)
    crashed = int((run.code is not None and run.code not in NORMAL) or "Traceback (most recent" in run.err)
    silent = [line.name for line in lines if not line.statuses]
    return {
        "files": len(lines),
        "crashed": crashed,
        "hung": sum(line.slowest > SLOW for line in lines)
        + sum(silence > SLOW for silence in run.silences)
        + int(run.code is None),
        "unaccounted": len(silent) + sum(line.missing for line in lines),
        "silent": silent,
        "documents": sum(line.pages > 0 for line in lines),
        "refused": sum(line.pages == 0 and bool(line.statuses) for line in lines),
        "pages": sum(line.pages for line in lines),
        "statuses": dict(sorted(statuses.items())),
        "exit": run.code,
        "seconds": round(run.seconds, 1),
        "longest_silence_s": round(max(run.silences, default=0.0), 1),
        "slowest_page_s": round(max((line.slowest for line in lines), default=0.0), 1),
    }


def report(lines: Sequence[Line], found: dict[str, Any]) -> None:
    """The lines as a table, then the figures."""
    rows = [("file", "kind", "pages", "slowest s", "statuses", "reason"), *(line.cells() for line in lines)]
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        print("  ".join((*cells, " ".join(row[5].split()))).rstrip())
    for name, value in found.items():
        print(f"{name:15} {value}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--passwords", type=Path, help=f"a file like {INDEX}, beside those of the folders")
    parser.add_argument("--library", type=Path, help="keep the library here; by default it is thrown away")
    parser.add_argument("--seconds", type=float, default=3600, help="stop the batch after this long")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    indexes = [folder / INDEX for folder in options.folders if (folder / INDEX).is_file()]
    words = passwords_in([*indexes, *([options.passwords] if options.passwords else [])])
    with tempfile.TemporaryDirectory() as scratch:
        place = options.library or Path(scratch) / "library"
        run = add_all(options.folders, place, words, options.seconds)
        with Library.open(place) as library:
            lines = account(library, files_below(options.folders))
    if run.code not in NORMAL:
        print(run.err[-4000:], file=sys.stderr)
    found = figures(run, lines)
    report(lines, found)
    if options.json:
        print(json.dumps(found))


def _pages(library: Library, document: Document, line: Line) -> None:
    line.pages = document.pages
    reasons: dict[str, None] = {}
    for number in range(1, document.pages + 1):
        try:
            page = library.page(document.id, number)
        except DocumentNotFound:
            line.missing += 1
            continue
        line.statuses[page.status.value] += 1
        line.slowest = max(line.slowest, page.seconds)
        if page.reason:
            reasons[page.reason] = None
    line.reason = " / ".join(reasons)


def _note(note: FileNote, line: Line) -> None:
    line.statuses[f"file {note.status}"] += 1
    line.reason = note.reason


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


if __name__ == "__main__":
    main()
