"""Evidence to an answer whose citations were checked, or an abstention that says where to look."""

from __future__ import annotations

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
        return "no page that you may read was found for this question"
    if not held:
        return "no quote could be verified on the pages found"
    if draft.confidence < threshold:
        return f"the best quote is too weak (confidence {draft.confidence:.2f}, threshold {threshold:.2f})"
    return ""


def _text(held: Sequence[tuple[Quote, Citation]]) -> str:
    lines = [QUOTES_ONLY]
    for number, (quote, citation) in enumerate(held, start=1):
        where = f"{citation.name}, page {citation.page}"
        if quote.heading or " | " in quote.text:
            lines += [f"[{number}] {where}:", _row(quote)]
        else:
            lines.append(f"[{number}] \u201c{quote.text}\u201d ({where})")
    return "\n".join(lines)


def _row(quote: Quote) -> str:
    """A table row under its caption and header, as Markdown."""
    *caption, header = quote.heading.split("\n") if quote.heading else [""]
    cells = quote.text.split(" | ")
    if header.count(" | ") != len(cells) - 1:
        return "\n".join(part for part in (quote.heading, quote.text) if part)
    rule = "| " + " | ".join("---" for _ in cells) + " |"
    return "\n".join([*caption, f"| {header} |", rule, f"| {quote.text} |"])


def _abstention(reason: str, result: SearchResult) -> str:
    looked = ", ".join(f"{hit.name} page {hit.page}" for hit in result.hits[:3])
    return f"I cannot find this in the documents: {reason}." + (
        f" The nearest pages: {looked}." if looked else ""
    )
