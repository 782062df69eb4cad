"""Records as plain JSON: the shapes that ``--json`` promises. Boxes are ``[x0, y0, x1, y1]`` in points."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mmrag.records import (
        AddReport,
        Answer,
        Citation,
        Document,
        FileNote,
        Hit,
        Page,
        Passage,
        SearchResult,
        TraceEntry,
    )
    from mmrag.status import LibraryStatus


def document_json(document: Document) -> dict[str, Any]:
    """A document, with who may read it."""
    return {
        "id": document.id,
        "name": document.name,
        "path": document.path,
        "title": document.identity.title,
        "organisation": document.identity.organisation,
        "year": document.identity.year,
        "pages": document.pages,
        "statuses": dict(document.statuses),
        "tenant": document.access.tenant,
        "groups": list(document.access.groups),
        "tags": list(document.tags),
        "added": document.added,
        "version": document.version,
        "size": document.size,
    }


def file_json(note: FileNote) -> dict[str, Any]:
    """A file that could not be opened, why, and what to do."""
    from mmrag.status import remedy_of

    return {
        "path": note.path,
        "name": note.name,
        "status": note.status,
        "reason": note.reason,
        "remedy": remedy_of(note.status, note.reason),
        "tenant": note.tenant,
        "seen": note.seen,
    }


def page_json(page: Page) -> dict[str, Any]:
    """What is known of a page beside its words: status, notes, what it does not show."""
    return {
        "document": page.document,
        "page": page.number,
        "label": page.label,
        "status": page.status.value,
        "reason": page.reason,
        "hidden": page.hidden,
        "notes": list(page.notes),
        "invisible": {
            "count": len(page.invisible),
            "text": " ".join(word.text for word in page.invisible),
        },
        "supplements": [
            {
                "kind": held.kind.value,
                "title": held.title,
                "text": held.text,
                "rows": [list(row) for row in held.rows],
            }
            for held in page.supplements
        ],
    }


def hit_json(hit: Hit) -> dict[str, Any]:
    """A page found, its rank in each leg and its best passages."""
    return {
        "document": hit.document,
        "name": hit.name,
        "title": hit.title,
        "page": hit.page,
        "score": hit.score,
        "legs": {leg.leg: {"rank": leg.rank, "score": leg.score} for leg in hit.legs},
        "passages": [_passage_json(passage) for passage in hit.passages],
        "boxes": [list(box) for box in hit.boxes],
    }


def _passage_json(passage: Passage) -> dict[str, Any]:
    chunk = passage.chunk
    return {
        "id": chunk.id,
        "kind": chunk.kind.value,
        "section": chunk.section,
        "text": chunk.text,
        "pages": list(chunk.pages),
        "leg": passage.leg,
        "score": passage.score,
    }


def trace_json(trace: Sequence[TraceEntry], most: int) -> list[dict[str, Any]]:
    """The stages, each with its best ``most`` outputs."""
    return [
        {
            "stage": entry.stage,
            "ms": entry.ms,
            "tokens": entry.tokens,
            "inputs": list(entry.inputs[:most]),
            "outputs": [[key, score] for key, score in entry.outputs[:most]],
        }
        for entry in trace
    ]


def search_json(result: SearchResult) -> dict[str, Any]:
    """A search: its hits, best first, and its trace."""
    return {
        "question": result.question,
        "hits": [hit_json(hit) for hit in result.hits],
        "trace": trace_json(result.trace, max(1, len(result.hits))),
    }


def citation_json(citation: Citation, crop: str | None) -> dict[str, Any]:
    """A citation, with where its crop was saved when it was."""
    return {
        "document": citation.document,
        "name": citation.name,
        "page": citation.page,
        "boxes": [list(box) for box in citation.boxes],
        "quote": citation.quote,
        "part": citation.part,
        "verified": citation.verified,
        "reason": citation.reason,
        "crop": crop,
    }


def answer_json(answer: Answer, crops: Sequence[str]) -> dict[str, Any]:
    """An answer; ``crops`` are the saved crops' paths, one a citation, or empty."""
    paths: list[str | None] = [*crops] if crops else [None] * len(answer.citations)
    return {
        "question": answer.question,
        "answer": answer.text,
        "abstained": answer.abstained,
        "reason": answer.reason,
        "confidence": answer.confidence,
        "answerer": answer.answerer,
        "citations": [citation_json(c, crop) for c, crop in zip(answer.citations, paths, strict=True)],
        "hits": [hit_json(hit) for hit in answer.hits],
        "usage": {
            "input_tokens": answer.usage.input_tokens,
            "output_tokens": answer.usage.output_tokens,
        },
        "trace": trace_json(answer.trace, max(1, len(answer.hits))),
    }


def report_json(report: AddReport) -> dict[str, Any]:
    """What adding came to."""
    return {
        "added": list(report.added),
        "skipped": list(report.skipped),
        "failed": [{"path": path, "reason": reason} for path, reason in report.failed],
        "pruned": list(report.pruned),
        "pages": report.pages,
        "statuses": dict(report.statuses),
        "seconds": report.seconds,
    }


def status_json(status: LibraryStatus) -> dict[str, Any]:
    """What a library holds, every page of it that cannot be found, and every file that was refused."""
    return {
        "path": str(status.path),
        "embedder": status.embedder,
        "documents": status.documents,
        "pages": status.pages,
        "statuses": dict(status.statuses),
        "unindexed": [
            {
                "document": note.document,
                "name": note.name,
                "page": note.page,
                "status": note.status,
                "reason": note.reason,
                "remedy": note.remedy,
            }
            for note in status.unindexed
        ],
        "files": [file_json(note) for note in status.files],
        "interrupted": list(status.interrupted),
        "chunks": status.chunks,
        "bytes": status.bytes,
    }
