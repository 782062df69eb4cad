"""A long PDF, made here and added: memory of all its processes, and pages a second beside each stage alone.

    python benchmarks/big_pdf.py --pages 1600 [--seed 1] [--workers N] [--keep FILE.pdf] [--json]

The PDF is drawn 50 pages at a time and saved piece by piece: pages of varied text, every 10th with a ruled
table, every 20th with a drawing, every 50th with a picture; one seed draws the same pages. A process of its
own adds it to a new library, as `mmrag add` does, while the memory of that process and all it starts is
taken every 0.2 s: on Linux the proportional set size, in which shared memory counts once, elsewhere the
resident size.

    peak_mb                    the most the whole tree held at any moment
    quarters_mb                the mean while each quarter of the pages was written
    mb_per_100_pages           slope of a line through memory over pages written, first quarter left out
    pages_per_s                pages by the seconds of the whole call, with all that starts and ends with it
    steady_pages_per_s         the same between the first and the last page written
    stage_pages_per_s          each stage alone on 100 pages in a row: one process that does nothing else
    slowest_stage_pages_per_s  the least of them: what a line of stages, one process each, could do at most
    bound_pages_per_s          cores by the seconds that all stages of a page take: the most of this machine
    of_slowest, of_bound       pages_per_s as a share of either
    cores_busy                 processor seconds of the tree by seconds

The stages are reading (render, words, tables, picture), chunking, embedding (page and passages) and writing
(batches of 32 pages). They are timed before and after the adding and the better of the two counts: on a
shared machine others' load makes a stage slower than it is. With --json the last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
from drawn_files import draw_book
from process_tree import tree_cpu_s, tree_mb

EVERY = 0.2
SAMPLE = 100
BATCH = 32


@dataclass(frozen=True)
class Sample:
    """Seconds since the start, pages written by then, megabytes held."""

    seconds: float
    pages: int
    mb: float


@dataclass(frozen=True)
class Added:
    """What the adding process said and held."""

    pages: int
    statuses: dict[str, int]
    seconds: float
    samples: list[Sample]
    cpu_seconds: float


def add(path: Path, library: Path, workers: int | None) -> Added:
    """Add the PDF in a process of its own and watch that."""
    environment = dict(os.environ)
    if workers is not None:
        environment["MMRAG_WORKERS"] = str(workers)
    command = [sys.executable, __file__, "--child-add", str(path), str(library)]
    samples: list[Sample] = []
    pages = 0
    done: dict[str, Any] = {}
    spent: dict[int, float] = {}
    began = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:

        def watch() -> None:
            while process.poll() is None:
                spent.update(tree_cpu_s(process.pid))
                samples.append(Sample(time.perf_counter() - began, pages, tree_mb(process.pid)))
                time.sleep(EVERY)

        watcher = threading.Thread(target=watch)
        watcher.start()
        for line in process.stdout or ():
            if line.startswith("{"):
                done = json.loads(line)
            else:
                pages = int(line)
        process.wait()
        watcher.join()
    if process.returncode:
        raise SystemExit(f"adding ended with {process.returncode}")
    return Added(samples=samples, cpu_seconds=sum(spent.values()), **done)


def time_stages(path: Path, pages: int) -> dict[str, float]:
    """Pages a second of each stage alone, in a process of its own."""
    command = [sys.executable, __file__, "--child-stages", str(path), str(min(pages, SAMPLE))]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"timing the stages ended with {done.returncode}: {done.stderr}")
    rates: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return rates


def figures(added: Added, stages: dict[str, float], size: int) -> dict[str, Any]:
    """The figures by name."""
    rate = added.pages / added.seconds
    slowest = min(stages.values())
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    bound = cores / sum(1 / value for value in stages.values())
    quarter = max(1, added.pages // 4)
    quarters = [
        [s.mb for s in added.samples if at * quarter <= s.pages < (at + 1) * quarter] for at in range(4)
    ]
    return {
        "pages": added.pages,
        "statuses": added.statuses,
        "pdf_mb": round(size / 1e6, 1),
        "peak_mb": round(max((s.mb for s in added.samples), default=0.0), 1),
        "quarters_mb": [round(mean(held), 1) if held else None for held in quarters],
        "mb_per_100_pages": _slope([s for s in added.samples if quarter <= s.pages < added.pages]),
        "seconds": round(added.seconds, 1),
        "pages_per_s": round(rate, 2),
        "steady_pages_per_s": _steady(added.samples),
        "stage_pages_per_s": {name: round(value, 2) for name, value in stages.items()},
        "slowest_stage": min(stages, key=lambda name: stages[name]),
        "slowest_stage_pages_per_s": round(slowest, 2),
        "of_slowest": round(rate / slowest, 3),
        "cores": cores,
        "cores_busy": round(added.cpu_seconds / added.seconds, 2),
        "bound_pages_per_s": round(bound, 2),
        "of_bound": round(rate / bound, 3),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pages", type=int, default=1600)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, help="worker processes; by default the setting")
    parser.add_argument("--keep", type=Path, help="keep the PDF here; one that is there is taken as it is")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child-add", nargs=2, type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--child-stages", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child_add:
        _add(*options.child_add)
        return
    if options.child_stages:
        _stages(Path(options.child_stages[0]), int(options.child_stages[1]))
        return
    with tempfile.TemporaryDirectory() as scratch:
        path = options.keep or Path(scratch) / "big.pdf"
        if not path.exists():
            draw_book(path, options.pages, options.seed)
        before = time_stages(path, options.pages)
        added = add(path, Path(scratch) / "library", options.workers)
        after = time_stages(path, options.pages)
        stages = {name: max(before[name], after[name]) for name in before}
        found = figures(added, stages, path.stat().st_size)
    for name, value in found.items():
        print(f"{name:26} {value}")
    if options.json:
        print(json.dumps(found))


def _add(path: Path, library: Path) -> None:
    """The process that adds: a line with the number of pages written, then what it came to."""
    from mmrag import Library

    with Library.open(library) as opened:
        began = time.perf_counter()
        adding = opened.add(path)
        pages = 0
        for event in adding:
            if event.kind == "page_done":
                pages += 1
                print(pages, flush=True)
        report = adding.report()
        seconds = time.perf_counter() - began
    told = {"pages": report.pages, "statuses": dict(report.statuses), "seconds": seconds}
    print(json.dumps(told), flush=True)


def _stages(path: Path, count: int) -> None:
    """The process that does one stage after the other, each alone."""
    from mmrag import Library, Settings
    from mmrag.adding.jobs import new_document
    from mmrag.adding.tasks import embed
    from mmrag.index.codec import settled
    from mmrag.index.writer import Batch, open_writer
    from mmrag.ingest import Chunker, identify, open_file, read_page
    from mmrag.models import load_embedder
    from mmrag.records import Access

    settings = Settings.load()
    info = open_file(path)
    embedder = load_embedder(settings.embedder)
    first = read_page(info.source, info.id, 1, settings.read)  # what is loaded once is loaded
    identity = identify(info, first)
    embed(embedder, first, [identity.title])
    rates: dict[str, float] = {}

    def timed(name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        rates[name] = count / (time.perf_counter() - start)

    for _ in timed("read"):
        pages = [settled(read_page(info.source, info.id, n, settings.read)) for n in range(1, count + 1)]
    chunker = Chunker(info.id, identity, info.outline, settings.chunk, embedder.count_tokens)
    for _ in timed("chunk"):
        chunks = [tuple(chunker.feed(page)) for page in pages]
        chunks[-1] += tuple(chunker.finish())
    for _ in timed("embed"):
        made = [
            embed(embedder, page, [chunk.index_text for chunk in held])
            for page, held in zip(pages, chunks, strict=True)
        ]
    with tempfile.TemporaryDirectory() as scratch:
        library = Library.open(Path(scratch) / "library")
        with open_writer(library._store) as writer:
            document = new_document(info, Access(), ())
            writer.begin(document, "recipe")
            for _ in timed("write"):
                for at in range(0, count, BATCH):
                    held = range(at, min(count, at + BATCH))
                    writer.write(
                        document,
                        Batch(
                            tuple(pages[n] for n in held),
                            tuple(made[n].page for n in held),
                            tuple(chunk for n in held for chunk in chunks[n]),
                            np.concatenate([made[n].chunks for n in held]),
                        ),
                    )
    print(json.dumps(rates))


def _steady(samples: list[Sample]) -> float | None:
    begun = next((s for s in samples if s.pages), None)
    ended = next((s for s in samples if s.pages == samples[-1].pages), None)
    if begun is None or ended is None or ended.pages == begun.pages:
        return None
    return round((ended.pages - begun.pages) / (ended.seconds - begun.seconds), 2)


def _slope(samples: list[Sample]) -> float | None:
    if len({sample.pages for sample in samples}) < 3:
        return None
    slope = np.polyfit([s.pages for s in samples], [s.mb for s in samples], 1)[0]
    return round(float(slope) * 100, 3)


if __name__ == "__main__":
    main()
