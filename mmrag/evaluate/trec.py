"""A run in the TREC formats, so that any other tool can check the figures."""

from __future__ import annotations

import json
from pathlib import Path

from mmrag.errors import StorageError
from mmrag.evaluate.figures import gold_keys
from mmrag.evaluate.metrics import strict_order
from mmrag.evaluate.run import LEGS, SCOPES, Run


def write_runs(run: Run, folder: Path) -> list[Path]:
    """Write ``qrels.txt``, ``<leg>.<scope>.run`` and ``answers.jsonl`` into ``folder``.

    The score in a run file falls by one from rank to rank, so no tie is left for a reader to break.

    Raises:
        StorageError: the folder cannot be written.
    """
    files: dict[str, list[str]] = {"qrels.txt": []}
    for question in run.set.answerable:
        for key in sorted(gold_keys(question, run)):
            files["qrels.txt"].append(f"{question.id} 0 {key} 1")
    for leg in LEGS:
        for scope in SCOPES:
            lines = files.setdefault(f"{leg}.{scope}.run", [])
            for searched in run.searches:
                if searched.scope == scope:
                    ranked = strict_order(searched.legs[leg])
                    for rank, key in enumerate(ranked, start=1):
                        lines.append(f"{searched.question.id} Q0 {key} {rank} {len(ranked) - rank + 1} {leg}")
    files["answers.jsonl"] = [
        json.dumps(
            {
                "id": asked.question.id,
                "answerable": asked.question.answerable,
                "abstained": asked.abstained,
                "confidence": asked.confidence,
                "cited": asked.cited,
                "answer": asked.question.answer,
                "text": asked.text,
            }
        )
        for asked in run.asked
    ]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, lines in files.items():
            (folder / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    except OSError as error:
        raise StorageError(
            f"the run cannot be written ({error.strerror or error})",
            where=str(folder),
            remedy="Give a folder that can be written to and has space.",
        ) from error
    return [folder / name for name in files]
