"""``mmrag search`` and ``mmrag ask``."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from mmrag.cli.adding import KINDS, NOTHING_FOUND, outcome, watch
from mmrag.cli.as_json import answer_json, search_json
from mmrag.cli.command import NOTHING_DONE
from mmrag.cli.crops import save_crops
from mmrag.cli.options import (
    PUBLIC,
    JsonOption,
    LibraryOption,
    PagesOption,
    PasswordOption,
    ReaderOption,
    WhereOption,
    open_library,
    passwords_from,
    reader_from,
)
from mmrag.cli.output import print_json, put, say
from mmrag.errors import IngestError

if TYPE_CHECKING:
    from mmrag.library import Library
    from mmrag.records import Answer, Box, Citation, Hit, Reader


def _asked(question: str) -> str:
    if not question.strip():
        raise typer.BadParameter("the question is empty")
    return question


QuestionArgument = Annotated[
    str, typer.Argument(metavar="QUESTION", help="The question, in quotes.", callback=_asked)
]
SNIPPET = 200


def search(
    question: QuestionArgument,
    library: LibraryOption = None,
    k: PagesOption = None,
    where: WhereOption = None,
    reader: ReaderOption = PUBLIC,
    as_json: JsonOption = False,
) -> None:
    """Find the pages that speak to a question.

    They come best first, each with its rank in every leg and its best passage.
    """
    who = reader_from(reader)
    with open_library(library) as opened:
        result = opened.search(question, k=k, where=where, reader=who)
    if as_json:
        print_json(search_json(result))
        return
    for number, hit in enumerate(result.hits, start=1):
        put(_hit_lines(number, hit))
    if not result.hits:
        put("No page was found.")


def ask(
    question: QuestionArgument,
    inside: Annotated[
        list[Path] | None,
        typer.Option(
            "--in",
            metavar="PATH",
            help="Ask these files or folders instead of a library; repeatable. "
            "They are read into a temporary library that is deleted after.",
        ),
    ] = None,
    password: PasswordOption = None,
    crops: Annotated[
        Path | None,
        typer.Option("--crops", metavar="FOLDER", help="Save a picture of each cited place here."),
    ] = None,
    library: LibraryOption = None,
    k: PagesOption = None,
    where: WhereOption = None,
    reader: ReaderOption = PUBLIC,
    as_json: JsonOption = False,
) -> None:
    """Answer a question with citations, or abstain.

    Each citation names document, page, box and quote, and whether it was verified.
    """
    from mmrag.crew.crew import warm

    who = reader_from(reader)
    if inside is None:
        if password:
            raise typer.BadParameter("only files given with --in need one", param_hint="--password")
        with open_library(library) as opened:
            _ask_and_tell(opened, question, crops, k, where, who, as_json)
        return
    if library is not None:
        raise typer.BadParameter("--in and --library exclude each other", param_hint="--in")
    passwords = passwords_from(password)
    warm()
    # On some systems a file still mapped cannot be deleted; a left-over folder is no reason to fail.
    with (
        tempfile.TemporaryDirectory(prefix="mmrag-", ignore_cleanup_errors=True) as folder,
        open_library(Path(folder) / "library", create=True) as opened,
    ):
        code = _add_inside(opened, inside, who, passwords)
        _ask_and_tell(opened, question, crops, k, where, who, as_json)
    if code:
        raise typer.Exit(code)


def _add_inside(library: Library, paths: Sequence[Path], reader: Reader, passwords: Sequence[str]) -> int:
    from mmrag.records import Access

    # The files are the asker's own, so they are readable to whoever asks.
    troubles: list[str] = []
    adding = library.add(paths, access=Access(tenant=reader.tenant), passwords=passwords)
    report = watch(adding, troubles=troubles)
    code = outcome(report)
    if code != NOTHING_DONE:
        for trouble in troubles:
            say(trouble)
    if code == NOTHING_DONE:
        what = "; ".join(reason for _, reason in report.failed) or NOTHING_FOUND
        raise IngestError(
            what,
            where="" if report.failed else ", ".join(str(path) for path in paths),
            remedy="" if report.failed else f"Give files ({KINDS}), or folders that hold some.",
        )
    return code


def _ask_and_tell(
    library: Library,
    question: str,
    crops: Path | None,
    k: int | None,
    where: str | None,
    reader: Reader,
    as_json: bool,
) -> None:
    answer = library.ask(question, k=k, where=where, reader=reader)
    saved = save_crops(library, answer, crops, reader) if crops is not None else []
    if as_json:
        print_json(answer_json(answer, [str(path) for path in saved]))
    else:
        put(answer_lines(answer, saved))


def answer_lines(answer: Answer, crops: Sequence[Path] = ()) -> str:
    """The answer for a person: text, citations with page, box and quote, and where crops are."""
    lines = [answer.text]
    if answer.abstained and answer.reason and answer.reason not in answer.text:
        lines.append(f"Why: {answer.reason}")
    for number, citation in enumerate(answer.citations, start=1):
        checked = _checked(citation)
        if number == 1:
            lines.append("")
        lines.append(f"[{number}] {citation.name}, page {citation.page}{_places(citation.boxes)}: {checked}")
        if citation.quote not in answer.text:
            lines.extend(f"    {line}" for line in citation.quote.splitlines())
        if crops:
            lines.append(f"    picture: {crops[number - 1]}")
    if answer.abstained and answer.hits and answer.hits[0].name not in answer.text:
        lines.append("")
        lines.append("The nearest pages:")
        lines.extend(f"  {hit.name}, page {hit.page}" for hit in answer.hits[:3])
    return "\n".join(lines)


def _places(boxes: Sequence[Box]) -> str:
    if not boxes:
        return ""
    shown = "; ".join(",".join(f"{value:.0f}" for value in box) for box in boxes[:3])
    more = f" and {len(boxes) - 3} more" if len(boxes) > 3 else ""
    return f", box {shown}{more}"


def _hit_lines(number: int, hit: Hit) -> str:
    legs = ", ".join(f"{leg.leg} {leg.rank}" for leg in hit.legs)
    lines = [f"{number}. {hit.name}, page {hit.page}  (score {hit.score:.4f}; rank in {legs})"]
    if hit.passages:
        text = " ".join(hit.passages[0].chunk.text.split())
        lines.append(f"   {text[:SNIPPET]}{'...' if len(text) > SNIPPET else ''}")
    return "\n".join(lines)


def _checked(citation: Citation) -> str:
    """Whether the words stand where they are said to, and where that is when the picture does not show it."""
    if not citation.verified:
        return f"not verified: {citation.reason}"
    return f"these words stand in the {citation.part}" if citation.part else "these words stand there"
