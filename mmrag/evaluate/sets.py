"""Evaluation sets: a folder of ``questions.jsonl`` and ``docs/``, read and checked."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mmrag.errors import EvaluationError
from mmrag.records import Box, DocumentId

QUESTIONS = "questions.jsonl"
DOCS = "docs"


@dataclass(frozen=True, slots=True)
class GoldBox:
    """Where on a page the answer stands, in page points."""

    page: int
    box: Box


@dataclass(frozen=True, slots=True)
class Question:
    """One question with its truth.

    ``pages`` are the 1-based viewer pages of ``doc`` that hold the answer; an unanswerable question
    (``answerable`` False: the right answer is to abstain) has none. ``visual_only`` means that the
    answer's string is not in the page's text layer.
    """

    id: str
    question: str
    answer: str
    doc: str
    pages: tuple[int, ...]
    modalities: tuple[str, ...] = ()
    answerable: bool = True
    visual_only: bool = False
    boxes: tuple[GoldBox, ...] = ()


@dataclass(frozen=True, slots=True)
class EvaluationSet:
    """A whole set.

    ``documents`` maps every file name in ``docs/`` to its path, ``ids`` to the id a library gives
    it; ``sha`` is the SHA-256 of the questions and of every document, so that two runs can be told
    to be about the same thing.
    """

    path: Path
    questions: tuple[Question, ...]
    documents: Mapping[str, Path]
    ids: Mapping[str, DocumentId]
    sha: str

    @property
    def answerable(self) -> tuple[Question, ...]:
        """The questions that count for retrieval."""
        return tuple(question for question in self.questions if question.answerable)


def load_set(path: Path | str) -> EvaluationSet:
    """Read the set in the folder ``path``.

    Raises:
        EvaluationError: names the file and line that is missing or wrong.
    """
    folder = Path(path)
    questions_path = folder / QUESTIONS
    try:
        data = questions_path.read_bytes()
    except OSError as error:
        raise EvaluationError(
            f"the questions cannot be read ({error.strerror or error})",
            where=str(questions_path),
            remedy=f"Give a folder that holds {QUESTIONS} and {DOCS}/.",
        ) from error
    documents = _documents(folder / DOCS)
    digests = {name: hashlib.sha256(file.read_bytes()).hexdigest() for name, file in documents.items()}
    sha = hashlib.sha256(data)
    for name, digest in digests.items():
        sha.update(f"\0{name}\0{digest}".encode())
    return EvaluationSet(
        path=folder,
        questions=_questions(data, questions_path, documents),
        documents=documents,
        ids={name: digest[:32] for name, digest in digests.items()},
        sha=sha.hexdigest(),
    )


def _documents(folder: Path) -> dict[str, Path]:
    if not folder.is_dir():
        raise EvaluationError(
            "there is no such folder",
            where=str(folder),
            remedy=f"Put the documents the questions are about into {DOCS}/.",
        )
    files = sorted(file for file in folder.iterdir() if file.is_file() and not file.name.startswith("."))
    return {file.name: file for file in files}


def _questions(data: bytes, path: Path, documents: Mapping[str, Path]) -> tuple[Question, ...]:
    questions: list[Question] = []
    seen: dict[str, int] = {}
    # Split on newlines alone: text in a question may hold other line separators, such as U+2028.
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line.strip():
            continue
        where = f"{path}, line {number}"
        question = _question(line, where)
        if question.doc not in documents:
            raise _wrong(f"doc {question.doc!r} is not in {DOCS}/", where)
        if question.id in seen:
            raise _wrong(f"id {question.id!r} was used in line {seen[question.id]} already", where)
        seen[question.id] = number
        questions.append(question)
    if not questions:
        raise EvaluationError(
            "there are no questions", where=str(path), remedy="Write one JSON object a line."
        )
    return tuple(questions)


def _question(line: bytes, where: str) -> Question:
    try:
        row = json.loads(line)
    except ValueError as error:
        raise _wrong(f"this is not JSON ({error})", where) from error
    if not isinstance(row, dict):
        raise _wrong("this is not a JSON object", where)
    answerable = _boolean(row, "answerable", True, where)
    pages = tuple(dict.fromkeys(_page(value, "pages", where) for value in _list(row, "pages", where)))
    if answerable and not pages:
        raise _wrong("an answerable question needs at least one page in pages", where)
    return Question(
        id=_string(row, "id", where),
        question=_string(row, "question", where),
        answer=_string(row, "answer", where) if answerable else str(row.get("answer", "")),
        doc=_string(row, "doc", where),
        # A page of an unanswerable question would be a contradiction no metric looks at.
        pages=pages if answerable else (),
        modalities=tuple(_strings(row, "modalities", where)),
        answerable=answerable,
        visual_only=_boolean(row, "visual_only", False, where),
        boxes=tuple(_box(value, where) for value in _list(row, "boxes", where)),
    )


def _wrong(what: str, where: str) -> EvaluationError:
    return EvaluationError(
        what, where=where, remedy="Mend the line; docs/evaluation.md lists the fields of a question."
    )


def _string(row: Mapping[str, Any], name: str, where: str) -> str:
    value = row.get(name)
    if not isinstance(value, str) or not value.strip():
        raise _wrong(f"{name} must be a text that is not empty (got {value!r})", where)
    return value


def _boolean(row: Mapping[str, Any], name: str, default: bool, where: str) -> bool:
    value = row.get(name, default)
    if not isinstance(value, bool):
        raise _wrong(f"{name} must be true or false (got {value!r})", where)
    return value


def _list(row: Mapping[str, Any], name: str, where: str) -> list[Any]:
    value = row.get(name, [])
    if not isinstance(value, list):
        raise _wrong(f"{name} must be a list (got {value!r})", where)
    return value


def _strings(row: Mapping[str, Any], name: str, where: str) -> list[str]:
    values = _list(row, name, where)
    for value in values:
        if not isinstance(value, str):
            raise _wrong(f"{name} must hold texts (got {value!r})", where)
    return values


def _page(value: object, name: str, where: str) -> int:
    # bool is an int to Python, never a page number to anyone.
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _wrong(f"{name} must hold page numbers from 1 (got {value!r})", where)
    return value


def _box(value: object, where: str) -> GoldBox:
    if not isinstance(value, dict):
        raise _wrong(f"a box must be an object with page and bbox (got {value!r})", where)
    numbers = value.get("bbox")
    if not isinstance(numbers, list) or len(numbers) != 4:
        raise _wrong(f"bbox must be [x0, y0, x1, y1] (got {numbers!r})", where)
    if not all(isinstance(n, int | float) and not isinstance(n, bool) for n in numbers):
        raise _wrong(f"bbox must hold numbers (got {numbers!r})", where)
    box = Box(*(float(n) for n in numbers))
    if box.x1 < box.x0 or box.y1 < box.y0:
        raise _wrong(f"bbox must have x0 <= x1 and y0 <= y1 (got {numbers!r})", where)
    return GoldBox(page=_page(value.get("page"), "a box's page", where), box=box)
