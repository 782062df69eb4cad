"""Evidence to an answer whose citations were checked, or an abstention that says where to look."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mmrag.answer.citations import check
from mmrag.records import Answer, SearchResult
from mmrag.tracing import Tracer

if TYPE_CHECKING:
    from mmrag.models.protocols import Answerer
    from mmrag.records import Citation, Draft, Evidence, Quote, TraceEntry

QUOTES_ONLY = "Quoted from the documents (no language model is configured):"


def compose(
    question: str,
    result: SearchResult,
    evidence: Sequence[Evidence],
    answerer: Answerer,
    *,
    threshold: float,
    trace: Sequence[TraceEntry] = (),
) -> Answer:
    """Draft, check every quote, and abstain when nothing holds or confidence is below ``threshold``."""
    tracer = Tracer()
    by_id = {piece.id: piece for piece in evidence}
    with tracer.stage("answer", tuple(by_id)) as stage:
        draft = answerer.draft(question, evidence)
        stage.outputs = [(quote.evidence, quote.score) for quote in draft.quotes]
        stage.tokens = draft.usage.input_tokens + draft.usage.output_tokens
    with tracer.stage("check", tuple(quote.evidence for quote in draft.quotes)) as stage:
        checked = [(quote, check(quote, by_id)) for quote in draft.quotes]
        stage.outputs = [(quote.evidence, float(citation.verified)) for quote, citation in checked]
    held = [(quote, citation) for quote, citation in checked if citation.verified]
    reason = _why_not(evidence, draft, held, threshold)
    return Answer(
        question=question,
        text=_abstention(reason, result) if reason else _text(held),
        citations=tuple(citation for _, citation in held) if not reason else (),
        abstained=bool(reason),
        reason=reason,
        answerer=answerer.id,
        hits=result.hits,
        trace=(*result.trace, *trace, *tracer.entries),
        usage=draft.usage,
        confidence=draft.confidence,
    )


def _why_not(
    evidence: Sequence[Evidence], draft: Draft, held: Sequence[tuple[Quote, Citation]], threshold: float
) -> str:
    if not evidence:
        return "no page that you may read was found for this question; the library may be empty"
    if not held:
        return "no quote could be verified on the pages found"
    if draft.confidence < threshold:
        return f"the best quote is too weak (confidence {draft.confidence:.2f}, threshold {threshold:.2f})"
    return ""


def _text(held: Sequence[tuple[Quote, Citation]]) -> str:
    lines = [QUOTES_ONLY]
    numbered = list(enumerate(held, start=1))
    for (_, heading), group in itertools.groupby(numbered, lambda n: (n[1][0].evidence, n[1][0].heading)):
        members = list(group)
        if heading or " | " in members[0][1][0].text:
            citation = members[0][1][1]
            marks = "".join(f"[{number}]" for number, _ in members)
            lines.append(f"{marks} {_place(citation)}:")
            lines.append(_rows(heading, [quote.text for _, (quote, _) in members]))
            continue
        for number, (quote, citation) in members:
            lines.append(f"[{number}] \u201c{quote.text}\u201d ({_place(citation)})")
    return "\n".join(lines)


def _place(citation: Citation) -> str:
    part = f", {citation.part}" if citation.part else ""
    return f"{citation.name}, page {citation.page}{part}"


def _rows(heading: str, rows: Sequence[str]) -> str:
    """Table rows under their caption and header, as Markdown; as they are when the header does not fit."""
    *caption, header = heading.split("\n") if heading else [""]
    width = header.count(" | ") + 1
    if any(row.count(" | ") + 1 != width for row in rows):
        return "\n".join(part for part in (heading, *rows) if part)
    rule = "| " + " | ".join(["---"] * width) + " |"
    return "\n".join([*caption, f"| {header} |", rule, *(f"| {row} |" for row in rows)])


def _abstention(reason: str, result: SearchResult) -> str:
    looked = ", ".join(f"{hit.name} page {hit.page}" for hit in result.hits[:3])
    return f"I cannot find this in the documents: {reason}." + (
        f" The nearest pages: {looked}." if looked else ""
    )
