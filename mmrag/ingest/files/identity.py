"""Whose document is it: title, organisation and year, from metadata, first page and file name."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path

from mmrag.ingest.files.info import FileInfo
from mmrag.ingest.text.lines import Line, page_lines
from mmrag.records import Identity, Page

_LONGEST_TITLE = 120  # characters
_EXTENSION = re.compile(
    r"\.(docx?|pptx?|xlsx?|pdf|indd|qxd|tex|dvi|ps|eps|rtf|odt|odp|html?|pages|key|pub)\s*$", re.I
)
_JUNK = re.compile(
    r"^(untitled|title|document\d*|doc\d*|slide\d*|presentation\d*|book\d*|layout\s*\d*"
    r"|pdf|none|null|unknown|print|scan\w*|image\d*|page\s*\d*"
    r"|\(?anonymous\)?|no title|index|cover|acrobat\b.*|.*\bdatasheet search engine\b.*|.*[/\\]{1,2}.*)$",
    re.IGNORECASE,
)
# What office programs write where no title was given, in the languages of their menus.
_FEW = 6
_OFFICE = frozenset(
    re.findall(
        r"\w+",
        "blank de default der design di diapositiva diapositive do document documento dokument folie google"
        " impress keynote libreoffice microsoft ms neue new nouvelle office powerpoint standard"
        " template theme title slide slides untitled unbenannt vorlage word presentation présentation"
        " präsentation presentación presentazione apresentação презентация"
        " プレゼンテーション 演示文稿 簡報 프레젠테이션",
    )
)
_PREFIX = re.compile(r"^(microsoft (word|powerpoint|excel)|powerpoint|word)\s*-\s*", re.IGNORECASE)
_PRODUCERS = re.compile(
    r"edgar|donnelley|acrobat|adobe|microsoft|datasheet\s?archive|latex|quark|\buser\b|admin", re.I
)
_COMPANY = re.compile(
    r"\b(inc|incorporated|corp|corporation|ltd|limited|llc|llp|plc|gmbh|ag|s\.?a|n\.?v|b\.?v|co|company|group|holdings?"
    r"|university|college|institute|school|department|ministry|agency|bureau|commission|council|committee|center|centre"
    r"|association|foundation|federation|bank|society|office|authority|hospital|laborator(?:y|ies)|partners|union"
    r"|organi[sz]ation|technologies|systems|industries|government|administration|museum|library|trust|fund)\b\.?",
    re.IGNORECASE,
)
_REGISTRANT = re.compile(r"exact name of (the )?registrant", re.IGNORECASE)
_FORM = re.compile(r"^form\s+[\w-]{1,8}$", re.IGNORECASE)
_BOILERPLATE = re.compile(
    r"united states$|securities and exchange commission|washington,? d\.?c|table of contents|^contents$"
    r"|^page \d+|for release|for (?:media|further|more)\b|inquiries|^by [A-Z]|confidential|copyright"
    r"|all rights reserved|^www\.|^https?:|@|^arxiv:|^preprint|^draft\b"
    r"|^(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? (?:\d{1,2}, )?\d{4}$",
    re.IGNORECASE,
)
_CITATION = re.compile(
    r"(?:recommended|suggested|preferred) citation:?\s*(?P<organisation>[^,.“\"]{3,60})[,.][^“\"]{0,60}"
    r"[“\"](?P<title>[^”\"]{5,150})[”\"]",
    re.IGNORECASE,
)
_YEAR = r"((?:19|20)\d\d)"
_FISCAL = re.compile(
    rf"(?:fiscal|financial) year(?:\s+ended|\s+ending)?[^.\d]{{0,20}}(?:\d{{1,2}},?\s*)?{_YEAR}"
    rf"|year(?:s)? end(?:ed|ing)[^.\d]{{0,20}}(?:\d{{1,2}},?\s*)?(?:\w+\s+)?{_YEAR}",
    re.IGNORECASE,
)
_DATE = re.compile(
    rf"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(?:\d{{1,2}}(?:st|nd|rd|th)?,?\s+)?{_YEAR}\b"
    rf"|\b\d{{1,2}}[./-]\d{{1,2}}[./-]{_YEAR}\b|\b(?:q[1-4]|©|copyright|\(c\)|edition|version)\s*{_YEAR}\b",
    re.IGNORECASE,
)
_ANY_YEAR = re.compile(rf"(?<![\d.,$€£-]){_YEAR}(?![\d%]|[.,]\d)")


def identify(info: FileInfo, first: Page | None) -> Identity:
    """Title, organisation and year of a document.

    The title is the metadata's unless it is junk (``Microsoft Word - x.doc``, ``untitled``, a
    number), else the largest line of the first page, else the file's name. The organisation is a
    registrant named on the first page, else the metadata's author when it reads as an organisation,
    else a line of the first page that does. The year is a fiscal year on the first page, else the
    title's, else the file name's, else a date's on the first page, else that of the file's making.

    Args:
        info: the file.
        first: its first page, or None when it could not be read.
    """
    lines = page_lines(first.words) if first is not None else []
    cited = _CITATION.search(" ".join(line.text for line in lines))
    title = (
        _title_of_metadata(info.metadata.get("title", ""))
        or (_short(cited["title"]) if cited else "")
        or _title_of_page(lines, like=0.75 if first is not None and first.ocr else 0.85)
        or _title_of_name(info.name)
    )
    organisation = (
        _registrant(lines)
        or (cited["organisation"].strip() if cited and _COMPANY.search(cited["organisation"]) else "")
        or _author(info.metadata.get("author", ""))
        or _named_on_page(lines)
    )
    return Identity(title, organisation, _year(title, info, lines))


def _title_of_metadata(raw: str) -> str:
    text = _EXTENSION.sub("", _PREFIX.sub("", " ".join(raw.split()))).strip(" -_")
    words = text.replace("_", " ").split()
    letters = sum(character.isalpha() for character in text)
    plain = re.findall(r"\w+", text.casefold())
    if len(plain) <= _FEW and all(word.isdecimal() or word in _OFFICE for word in plain):
        return ""
    named_like_a_file = _PREFIX.match(raw) is not None or _EXTENSION.search(raw) is not None
    if letters < 4 or 2 * letters < len(text.replace(" ", "")) or _JUNK.match(text) or "\ufffd" in text:
        return ""
    if named_like_a_file and len(words) < 3:
        return ""
    return _short(" ".join(words))


def _title_of_page(lines: list[Line], like: float) -> str:
    """The largest text of the first page, with the lines below it of like size.

    ``like`` is the share of the largest size a line must have: less for OCR, whose sizes are the
    heights of lines and vary with the letters in them.
    """
    candidates = [line for line in lines if _may_be_title(line.text)]
    form = next((line.text for line in lines if _FORM.match(line.text.strip())), "")
    if form:
        return "Form " + form.split()[-1].upper()
    if not candidates:
        return ""
    largest = max(line.size for line in candidates)
    chosen: list[Line] = []
    for line in candidates:
        if line.size >= like * largest and (not chosen or line.box.y0 - chosen[-1].box.y1 < 1.5 * line.size):
            chosen.append(line)
            if line.text.rstrip()[-1] in ",.;":
                break  # a title does not go on after a sentence
    text = " ".join(line.text for line in chosen[:5])
    return _short(text) if sum(c.isalpha() for c in text) >= 4 else ""


def _may_be_title(text: str) -> bool:
    letters = sum(character.isalpha() for character in text)
    return letters >= 3 and 2 * letters > len(text.replace(" ", "")) and not _BOILERPLATE.search(text.strip())


def _title_of_name(name: str) -> str:
    stem = Path(name).stem
    words = re.sub(r"[_\-.+]+|(?<=[a-z])(?=[A-Z])", " ", stem).split()
    kept = [word for word in words if not re.fullmatch(r"[0-9a-f]{16,}|\d{9,}", word)]
    return _short(" ".join(kept)) or stem


def _short(text: str) -> str:
    text = " ".join(text.split())
    if len(text) <= _LONGEST_TITLE:
        return text
    return text[:_LONGEST_TITLE].rsplit(" ", 1)[0]


def _registrant(lines: list[Line]) -> str:
    """The name above "(Exact name of registrant as specified in its charter)"."""
    for position, line in enumerate(lines):
        if _REGISTRANT.search(line.text):
            above = [
                other.text for other in lines[max(0, position - 3) : position] if _may_be_title(other.text)
            ]
            return _short(above[-1]) if above else ""
    return ""


def _author(raw: str) -> str:
    text = " ".join(raw.split())
    if not _COMPANY.search(text) or _PRODUCERS.search(text) or len(text) > 80:
        return ""
    return text


def _named_on_page(lines: list[Line]) -> str:
    for line in lines:
        words = line.text.split()
        capital = sum(word[0].isupper() for word in words)
        if (
            2 <= len(words) <= 7
            and _COMPANY.search(line.text)
            and 2 * capital > len(words)
            and _may_be_title(line.text)
            and not re.search(r"[:?!]|\d|\b(?:of|the|and|for|in|by)$", line.text.strip(), re.IGNORECASE)
        ):
            return line.text.strip(" ,;|-")
    return ""


def _year(title: str, info: FileInfo, lines: list[Line]) -> int | None:
    text = " ".join(line.text for line in lines)
    made = _made(info.metadata)
    fiscal = [int(a or b) for a, b in _FISCAL.findall(text)]
    dates = [int(next(group for group in groups if group)) for groups in _DATE.findall(text)]
    plain = [int(year) for year in _ANY_YEAR.findall(text)]
    names = [int(year) for year in re.findall(rf"(?<!\d){_YEAR}(?!\d)", info.name)]
    if made is not None:
        plain = [year for year in plain if year >= made - 3]  # older ones are history, not a date
    for years in (fiscal[:1], [int(y) for y in _ANY_YEAR.findall(title)], names, dates, plain):
        possible = [year for year in years if year <= (made or 2100) + 1]
        if possible:
            counted = Counter(possible)
            return max(possible, key=lambda year: (counted[year], year))
    return made


def _made(metadata: dict[str, str]) -> int | None:
    for key in ("creationDate", "modDate"):
        found = re.match(r"(?:D:)?((?:19|20)\d\d)", metadata.get(key, ""))
        if found:
            return int(found.group(1))
    return None
