"""Right-to-left text in logical order: the order in which it is written and spoken.

A page's words come with places, not with directions. Within a line the rules of the Unicode
bidirectional algorithm (UAX #9) are turned round for whole words: words of the line's main direction
follow it, runs of the other direction are read against it.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby, pairwise
from typing import Any

from mmrag.records import Word

_RTL = frozenset({"R", "AL"})
_NEAR = 1.2  # font sizes between two pieces of one line
_TOUCH = 0.08  # font sizes between two pieces of one word
_STRAY = 0.05  # points of width below which a character has no width of its own

Character = tuple[str, float, float]
"""A character, its left and its right edge in points."""


def is_rtl(text: str) -> bool:
    """Whether a text has a letter of a right-to-left script."""
    return not text.isascii() and any(unicodedata.bidirectional(c) in _RTL for c in text)


def mostly_rtl(words: Sequence[Word]) -> bool:
    """Whether words have more letters of right-to-left scripts than others."""
    balance = 0
    for word in words:
        for character in word.text:
            kind = unicodedata.bidirectional(character)
            balance += (kind in _RTL) - (kind == "L")
    return balance > 0


def logical_order(words: Sequence[Word]) -> tuple[Word, ...]:
    """Words with those of right-to-left lines in logical order; pages without any stay as they are.

    The file holds a line apart at every change of font and direction, its stops and brackets often far
    from it. So the words of a block that isn't Latin are put on lines by where they stand, a wide gap
    parting two lines, and pieces of a word that touch become one word. Lines are counted anew.

    Args:
        words: in the file's order, the words of a line standing together.
    """
    if not any(is_rtl(word.text) for word in words):
        return tuple(words)
    rtl = mostly_rtl(words)
    lines: list[list[Word]] = []
    for _, members in groupby(words, key=lambda word: word.block):
        block = list(members)
        if any(is_rtl(word.text) for word in block) or not any(_has_latin(word.text) for word in block):
            lines += [_logical_line(line, rtl) for line in _lines_by_place(block, rtl)]
        else:
            lines += [list(line) for _, line in groupby(block, key=lambda word: word.line)]
    return tuple(replace(word, line=number) for number, line in enumerate(lines) for word in line)


def _lines_by_place(block: Sequence[Word], rtl: bool) -> list[list[Word]]:
    """The words of a block on lines, from top to bottom, pieces of one row apart where the gap is wide."""
    rows: list[list[Word]] = []
    for word in sorted(block, key=lambda word: (_middle(word), word.box.x0, word.text)):
        if rows and rows[-1][0].box.y0 < _middle(word) < rows[-1][0].box.y1:
            rows[-1].append(word)
        else:
            rows.append([word])
    lines: list[list[Word]] = []
    for row in rows:
        row.sort(key=lambda word: (word.box.x0 + word.box.x1, word.text))
        pieces = [[row[0]]]
        for last, word in pairwise(row):
            if word.box.x0 - last.box.x1 > _NEAR * max(word.size, last.size):
                pieces.append([])
            pieces[-1].append(word)
        lines += reversed(pieces) if rtl else pieces
    return lines


def _middle(word: Word) -> float:
    return (word.box.y0 + word.box.y1) / 2


def _logical_line(placed: Sequence[Word], page_rtl: bool) -> list[Word]:
    """One line, its words given from left to right."""
    rtl = any(is_rtl(word.text) for word in placed)
    if not rtl and any(_has_latin(word.text) for word in placed):
        return list(placed)
    ordered = _from_right(placed) if rtl and (page_rtl or mostly_rtl(placed)) else _from_left(placed)
    joined = [ordered[0]]
    for word in ordered[1:]:
        last = joined[-1]
        gap = max(last.box.x0, word.box.x0) - min(last.box.x1, word.box.x1)
        if abs(gap) <= _TOUCH * word.size and not (rtl and _has_latin(last.text) and _has_latin(word.text)):
            joined[-1] = replace(last, text=last.text + word.text, box=last.box.union(word.box))
        else:
            joined.append(word)
    return joined


def _from_right(placed: Sequence[Word]) -> list[Word]:
    """Read from right to left, runs of words of left-to-right scripts (with their figures) the other way."""
    ordered: list[Word] = []
    rest = list(reversed(placed))
    while rest:
        stop = 0
        while stop < len(rest) and not is_rtl(rest[stop].text):
            stop += 1
        if not stop:
            ordered.append(rest.pop(0))
            continue
        run, rest = rest[:stop], rest[stop:]
        # Figures and signs at the ends of a run belong to it only on the side of a Latin word.
        latin = [index for index, word in enumerate(run) if _has_latin(word.text)]
        first, last = (latin[0], latin[-1]) if latin else (len(run), len(run))
        while latin and first > 0 and _is_number(run[first - 1].text):
            first -= 1
        ordered += run[:first]
        ordered += reversed(run[first : last + 1])
        ordered += run[last + 1 :]
    return ordered


def _from_left(placed: Sequence[Word]) -> list[Word]:
    """Read from left to right, runs of right-to-left words (with figures between them) the other way."""
    ordered: list[Word] = []
    rest = list(placed)
    while rest:
        last = 0
        for index, word in enumerate(rest):
            if _has_latin(word.text) and not is_rtl(word.text):
                break
            if is_rtl(word.text):
                last = index + 1
        if is_rtl(rest[0].text):
            ordered += reversed(rest[:last])
            rest = rest[last:]
        else:
            ordered.append(rest.pop(0))
    return ordered


def _has_latin(text: str) -> bool:
    return any(unicodedata.bidirectional(character) == "L" for character in text)


def _is_number(text: str) -> bool:
    return any(unicodedata.bidirectional(character) in ("EN", "AN") for character in text)


def mend_words(raw: Sequence[Sequence[Any]], layout: Any) -> list[tuple[Any, ...]]:
    """Words as PyMuPDF gives them with the ligatures of right-to-left lines mended.

    Args:
        raw: ``page.get_text("words")``.
        layout: ``page.get_text("rawdict")`` of the same text page.
    """
    mended: list[tuple[Any, ...]] = []
    for (block, line), members in groupby(raw, key=lambda word: (word[5], word[6])):
        words = list(members)
        texts = [str(word[4]) for word in words]
        if any(is_rtl(text) for text in texts):
            spans = layout["blocks"][block]["lines"][line]["spans"]
            characters = [(c["c"], c["bbox"][0], c["bbox"][2]) for span in spans for c in span["chars"]]
            texts = mend_ligatures(texts, characters)
        mended.extend((*word[:4], text, *word[5:]) for word, text in zip(words, texts, strict=True))
    return mended


def mend_ligatures(texts: Sequence[str], characters: Sequence[Character]) -> list[str]:
    """Words of one line with the letters of right-to-left ligatures the right way round.

    MuPDF spells a ligature (lam-alef) out as several characters of which all but one have no width,
    and turns them with the line, so that they come out reversed.

    Args:
        texts: the line's words as extracted.
        characters: the same line's characters in the same order, white space among them.

    Returns:
        The words; as they were when the characters do not spell them.
    """
    kept = [(text, x0, x1) for text, x0, x1 in characters if text.strip()]
    if "".join(texts) != "".join(text for text, _, _ in kept):
        return list(texts)
    letters = [text for text, _, _ in kept]
    start = 0
    while start < len(kept):
        stop = start
        while stop < len(kept) and is_rtl(kept[stop][0]) and kept[stop][2] - kept[stop][1] < _STRAY:
            stop += 1
        # A mark over a letter has no width either, but follows the letter that it belongs to.
        marks = any(unicodedata.combining(letter) for letter in letters[start:stop])
        spelt = start < stop < len(kept) and is_rtl(kept[stop][0]) and not marks
        if spelt and abs(kept[stop][2] - kept[start][1]) < 1.0:
            letters[start : stop + 1] = reversed(letters[start : stop + 1])
        start = stop + 1
    mended, at = [], 0
    for text in texts:
        mended.append("".join(letters[at : at + len(text)]))
        at += len(text)
    return mended
