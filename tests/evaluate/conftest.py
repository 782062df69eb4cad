import hashlib
import json
from types import SimpleNamespace

import pymupdf
import pytest

from mmrag.records import Answer, Box, Citation, Progress, SearchResult, TraceEntry

STAGES = ("leg:page", "leg:text", "leg:bm25", "fuse")


class ScriptedLibrary:
    """Stands where a Library stands and gives the rankings and answers it was told to."""

    def __init__(self, events, rankings, answers, statuses):
        self.events = events
        self.rankings = rankings
        self.answers = answers
        self.statuses = statuses
        self.calls = []

    def add(self, paths):
        self.calls.append(("add", [path.name for path in paths]))
        for path in paths:
            yield from self.events[path.name]

    def search(self, question, *, where=None):
        self.calls.append(("search", question, where))
        legs = self.rankings[question, where]
        trace = [TraceEntry("embed", (question,), (), 1.0)]
        trace += [TraceEntry(stage, (), tuple(legs[stage]), 1.0) for stage in STAGES if stage in legs]
        return SearchResult(question, (), tuple(trace))

    def ask(self, question):
        return self.answers[question]

    def status(self):
        return SimpleNamespace(statuses=self.statuses)


def answer(question, *places, abstained=False, confidence=0.9):
    citations = tuple(
        Citation(document, "name", page, (Box(0, 0, 1, 1),), "quote", verified)
        for document, page, verified in places
    )
    return Answer(question, "text", citations, abstained, "", "scripted", (), (), confidence=confidence)


def draw(path, text):
    document = pymupdf.open()
    page = document.new_page(width=300, height=200)
    if text:
        page.insert_text((20, 40), text)
    else:
        page.insert_image(page.rect, pixmap=pymupdf.Pixmap(pymupdf.csRGB, pymupdf.IRect(0, 0, 30, 20), False))
    document.save(path)
    document.close()
    return hashlib.sha256(path.read_bytes()).hexdigest()[:32]


@pytest.fixture
def scripted(tmp_path):
    """A set of three answerable questions and one that is not, and a library that plays to it."""
    docs = tmp_path / "set" / "docs"
    docs.mkdir(parents=True)
    a, b = draw(docs / "a.pdf", "Text that is sound"), draw(docs / "b.pdf", "")
    (docs / "c.pdf").write_bytes(b"no pdf")
    rows = [
        {"id": "q1", "question": "one", "answer": "1", "doc": "a.pdf", "pages": [1], "modalities": ["table"]},
        {"id": "q2", "question": "two", "answer": "2", "doc": "a.pdf", "pages": [2, 3], "visual_only": True,
         "modalities": ["table", "text"]},
        {"id": "q3", "question": "three", "answer": "3", "doc": "b.pdf", "pages": [1]},
        {"id": "q4", "question": "four", "answer": "none", "doc": "b.pdf", "answerable": False},
    ]  # fmt: skip
    lines = "".join(json.dumps(row) + "\n" for row in rows)
    (tmp_path / "set" / "questions.jsonl").write_text(lines)

    def legs(page, text, bm25, fused):
        return dict(zip(STAGES, ([(k, s) for k, s in leg] for leg in (page, text, bm25, fused)), strict=True))

    near = [(f"{a}#1", 0.9), (f"{a}#2", 0.5), (f"{b}#1", 0.1)]
    tied = [(f"{b}#1", 0.5), (f"{a}#10", 0.5), (f"{a}#2", 0.5), (f"{a}#3", 0.5)]
    rankings = {
        ("one", None): legs(near, [], near[::-1], near),
        ("two", None): legs(near, tied, tied, tied),
        ("three", None): legs(near, tied, near, near),
        ("one", f"document = '{a}'"): legs(near[:2], [], near[:2], near[:2]),
        ("two", f"document = '{a}'"): legs(near[:2], tied[1:], tied[1:], tied[1:]),
        ("three", f"document = '{b}'"): legs(near[2:], near[2:], near[2:], near[2:]),
    }
    answers = {
        "one": answer("one", (a, 1, True)),
        "two": answer("two", (a, 9, False), (a, 3, True)),
        "three": answer("three", abstained=True, confidence=0.2),
        "four": answer("four", abstained=True, confidence=0.1),
    }
    events = {
        "a.pdf": [
            Progress("file_started", "a.pdf", a, pages=3),
            *(Progress("page_done", "a.pdf", a, n, 3, "indexed", seconds=0.25) for n in (1, 2, 3)),
            Progress("file_done", "a.pdf", a, pages=3),
        ],
        "b.pdf": [
            Progress("file_started", "b.pdf", b, pages=1),
            Progress("page_done", "b.pdf", b, 1, 1, "indexed", seconds=2.5, ocr=True),
            Progress("file_done", "b.pdf", b, pages=1),
        ],
        "c.pdf": [Progress("file_failed", "c.pdf", status="UnsupportedFile", reason="not a PDF")],
    }
    library = ScriptedLibrary(events, rankings, answers, {"indexed": 4, "blank": 0})
    return SimpleNamespace(library=library, folder=tmp_path / "set", a=a, b=b)
