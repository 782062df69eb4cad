"""Adding, killed at random moments: nothing stored is lost or doubled, and the resumed run ends the same.

    python benchmarks/kill.py --times 200 [--seed 1] [--office FILE...] [--seconds-limit 900] [--json]

A library holds some documents. A run adds a folder of small PDFs that are drawn here: new ones, one that is
known, one whose content has changed since, one that is read again because a page of it had failed, and one
that cannot be opened. It is a process of its own, and it is killed with kill -9, it and its process group, at
a moment drawn evenly over the time that adding takes when it is let be. Then the library is opened: each
document that was there before must be there, exactly once, with every row and picture (the changed and the
re-read one as before or as after), and must be found. In half the rounds the next run is killed as well, and
two more after it, each within a shorter time since less is left to do. At last a run goes to its end:
documents, pages, passages, vectors (to the last bit), pictures and refused files must equal those of a run
that was never killed. Rounds have one worker process and two in turn.

    lost     documents that were stored before and were not there, or not whole, or not found, after a kill
    doubled  documents or rows of them that were there twice
    equal    whether every resumed run ended like the one that was let be

Printed are the rounds in which something was wrong. With --json the last line is one JSON object.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from drawn_files import draw_paper
from library_dump import Dump, differences, dump
from process_tree import alive, descendants

from mmrag import Library, Settings
from mmrag.index.schema import ModelIdentity
from mmrag.index.store import Store
from mmrag.index.writer import open_writer
from mmrag.models import Embedder

BEGUN = "adding"
# Workers notice that their parent is gone and end by themselves; this is how long that may take.
GRACE = 10.0
# The longest chain of kills before a run is let to its end.
CHAIN = 4


@dataclass
class Tally:
    """What the rounds came to."""

    kills: int = 0
    rounds: int = 0
    lost: int = 0
    doubled: int = 0
    equal: int = 0
    undisturbed: float = 0.0
    strays: int = 0
    troubles: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Scene:
    """The library before, the files to add, and what the library is like before and after."""

    base: Path
    files: Path
    model: ModelIdentity
    embedder: Embedder
    before: Dump
    after: Dump
    paths: dict[str, str]
    words: dict[str, str]


def prepare(folder: Path, office: Sequence[Path], tally: Tally) -> Scene:
    """Draw the files, store some, and let one run add the rest undisturbed."""
    files, base, done = folder / "files", folder / "base", folder / "undisturbed"
    files.mkdir()
    words = {"stays": "Albatross", "known": "Bittern", "changed": "Cormorant", "again": "Dunlin"}
    apart = folder / "stays.pdf"
    draw_paper(apart, 3, 1, word=words["stays"])
    for seed, (name, pages) in enumerate((("known", 2), ("changed", 3), ("again", 2)), start=2):
        draw_paper(files / f"{name}.pdf", pages, seed, word=words[name])
    with Library.open(base) as library:
        library.add([apart, files])()
        documents = {Path(document.path).stem: document for document in library.documents()}
        with open_writer(library._store) as writer:
            again = documents["again"]
            recipe = writer.states()[again.id]["recipe"]
            writer.update(replace(again, statuses={"indexed": again.pages - 1, "failed": 1}), recipe)
    draw_paper(files / "changed.pdf", 4, 20, word=words["changed"])
    for seed, pages in enumerate((2, 6, 3), start=30):
        draw_paper(files / f"new-{seed}.pdf", pages, seed)
    (files / "nothing.pdf").write_bytes(b"")
    for path in office:
        shutil.copy(path, files / path.name)
    shutil.copytree(base, done)
    process = start_adding(done, files, 2)
    began = time.perf_counter()
    finish(process)
    tally.undisturbed = time.perf_counter() - began
    store, embedder = library._store, library._embedder
    return Scene(
        base,
        files,
        store.model,
        embedder,
        dump(store),
        dump(Store(done, store.model)),
        {document.path: document.id for document in documents.values()},
        {documents[name].path: word for name, word in words.items()},
    )


def start_adding(library: Path, files: Path, workers: int) -> subprocess.Popen[str]:
    """A process that adds the folder; returns when its adding has begun."""
    command = [sys.executable, __file__, "--child", str(library), str(files)]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "MMRAG_WORKERS": str(workers)},
    )
    line = process.stdout.readline() if process.stdout else ""
    if line.strip() != BEGUN:
        raise RuntimeError(f"the adding process did not begin: {process.communicate()[1]}")
    return process


def finish(process: subprocess.Popen[str]) -> None:
    """Wait for the end of a run that is let be."""
    _, err = process.communicate(timeout=600)
    if process.returncode:
        raise RuntimeError(f"adding ended with {process.returncode}: {err}")


def kill(process: subprocess.Popen[str]) -> tuple[bool, int]:
    """Whether the process was still at it when the kill came, and how many it left behind for too long."""
    family = descendants(process.pid)
    with suppress(ProcessLookupError):  # it had ended
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    give_up = time.monotonic() + GRACE
    while (left := [pid for pid in family if alive(pid)]) and time.monotonic() < give_up:
        time.sleep(0.05)
    return process.returncode == -signal.SIGKILL, len(left)


def check(scene: Scene, place: Path, tally: Tally, round_name: str) -> None:
    """After a kill: what was stored before is there once, whole, and found."""
    store = Store(place, scene.model)
    held = dump(store)
    with Library(store, scene.embedder, Settings()) as library:
        documents = library.documents()
        found = {
            path: any(
                hit.document
                for hit in library.search(word, k=20).hits
                if hit.document in _ids(documents, path)
            )
            for path, word in scene.words.items()
        }
    at = Counter(document.path for document in documents)
    for path in scene.paths:
        ids = _ids(documents, path)
        if not ids:
            tally.lost += 1
            tally.troubles.append(f"{round_name}: {Path(path).name} is gone")
            continue
        for key in ids:
            if held.of(key) not in (scene.before.of(key), scene.after.of(key)):
                tally.lost += 1
                tally.troubles.append(f"{round_name}: {Path(path).name} is not as before nor as after")
        if not found[path]:
            tally.lost += 1
            tally.troubles.append(f"{round_name}: {Path(path).name} is not found")
    twice = sum(count - 1 for count in at.values()) + held.doubled(document.id for document in documents)
    if twice:
        tally.doubled += twice
        tally.troubles.append(f"{round_name}: {twice} documents or rows are there twice")


def one_round(scene: Scene, place: Path, source: random.Random, tally: Tally, most: int) -> None:
    """Kill up to ``most`` runs one after the other, then let one go to its end."""
    name = f"round {tally.rounds + 1}"
    shutil.copytree(scene.base, place)
    chain = 1 if source.random() < 0.5 else CHAIN
    workers = 1 + tally.rounds % 2
    for earlier in range(min(chain, most)):
        # What an earlier run has done needs not be done again: later ones end sooner.
        moment = source.uniform(0, tally.undisturbed / (1 + earlier))
        process = start_adding(place, scene.files, workers)
        began = time.perf_counter()
        with suppress(subprocess.TimeoutExpired):
            process.wait(moment)
            # It ended before its time, so the machine is less busy than when the time was taken.
            if not earlier:
                tally.undisturbed = min(tally.undisturbed, time.perf_counter() - began)
        struck, left = kill(process)
        tally.kills += struck
        tally.strays += left
        if struck:
            check(scene, place, tally, f"{name}, killed after {moment:.2f} s")
    finish(start_adding(place, scene.files, workers))
    found = differences(scene.after, dump(Store(place, scene.model)))
    check(scene, place, tally, f"{name}, resumed")
    tally.equal += not found
    tally.troubles += [f"{name}: {difference}" for difference in found[:10]]
    tally.rounds += 1


def figures(tally: Tally, scene: Scene, seconds: float) -> dict[str, Any]:
    """The figures by name."""
    return {
        "times": tally.kills,
        "rounds": tally.rounds,
        "lost": tally.lost,
        "doubled": tally.doubled,
        "equal": tally.equal == tally.rounds and tally.rounds > 0,
        "equal_rounds": tally.equal,
        "left_running": tally.strays,
        "documents": len(scene.after.documents),
        "rows": sum(sum(rows.values()) for rows in scene.after.rows.values()),
        "undisturbed_s": round(tally.undisturbed, 2),
        "seconds": round(seconds, 1),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--times", type=int, default=200, help="kills")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--office", nargs="*", type=Path, default=[], help="office files to add as well")
    parser.add_argument("--seconds-limit", type=float, default=3600, help="start no round after this long")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--child", nargs=2, metavar=("LIBRARY", "FILES"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        _add(*map(Path, options.child))
        return
    began = time.perf_counter()
    source, tally = random.Random(options.seed), Tally()
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch).resolve()
        scene = prepare(folder, options.office, tally)
        place = folder / "killed"
        # A kill that comes when the run has just ended does not count; that must not go on for ever.
        while tally.kills < options.times and tally.rounds < 2 * options.times + 8:
            if time.perf_counter() - began > options.seconds_limit:
                break
            one_round(scene, place, source, tally, options.times - tally.kills)
            shutil.rmtree(place)
            print(f"{tally.kills} of {options.times} kills", file=sys.stderr, flush=True)
    for trouble in tally.troubles:
        print(trouble)
    found = figures(tally, scene, time.perf_counter() - began)
    for name, value in found.items():
        print(f"{name:15} {value}")
    if options.json:
        print(json.dumps(found))


def _add(library: Path, files: Path) -> None:
    """The process that is killed."""
    with Library.open(library, create=False) as opened:
        print(BEGUN, flush=True)
        opened.add(files)()


def _ids(documents: Sequence[Any], path: str) -> list[str]:
    return [document.id for document in documents if document.path == path]


if __name__ == "__main__":
    main()
