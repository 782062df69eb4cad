"""The pages of the tiny test model: words, bars, tables and shapes on a grid, and where each of them stands.

Pure PyMuPDF. :func:`held_out` are the pages that the model was never trained on and whose title pairs it has
never seen; :func:`write_pdf` makes a file of them, the same bytes every time.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pymupdf
from tiny_vocabulary import ADJECTIVES, BODY, COLOURS, NOUNS, READ, SHAPES

WIDTH, HEIGHT = 595.0, 842.0  # A4
GRID = 16
CELL_X, CELL_Y = WIDTH / GRID, HEIGHT / GRID
JITTER = 3.0
"""Most points that a thing stands off the grid, each way."""
HELD_OUT = 200
HELD_OUT_SEED = 20_261_130
TITLE_SIZE, BODY_SIZE = 31.0, 24.0
INK = (0.08, 0.08, 0.10)
PALE = (0.93, 0.95, 0.97)

Pair = tuple[str, str]
Layout = Callable[["Sheet", random.Random, int], None]


@dataclass(frozen=True, slots=True)
class Mark:
    """Something that can be asked for: its words, and its box in points from the top left."""

    words: tuple[str, ...]
    box: tuple[float, float, float, float]
    middles: tuple[float, ...] = ()
    """Where each letter's middle is, from the left: written words only."""


@cache
def length(text: str, font: str) -> float:
    """Width of a text at size 1."""
    return float(pymupdf.get_text_length(text, fontname=font, fontsize=1))


@dataclass
class Sheet:
    """A page under the pen; ``marks`` says what was drawn where."""

    title: Pair | None
    page: pymupdf.Page
    marks: list[Mark] = field(default_factory=list)
    layout: str = ""

    def word(
        self, chance: random.Random, word: str, column: int, row: int, size: float, font: str, shown: str = ""
    ) -> int:
        """Write a word that begins at a grid position, and return the first column free behind it."""
        text = shown or word
        x = column * CELL_X + 4.5 + chance.uniform(-JITTER, JITTER)
        y = (row + 0.68) * CELL_Y + chance.uniform(-JITTER, JITTER)
        self.page.insert_text((x, y), text, fontname=font, fontsize=size, color=INK)
        ends = [x, *(x + length(text[: n + 1], font) * size for n in range(len(text)))]
        middles = tuple((left + right) / 2 for left, right in itertools.pairwise(ends))
        self.marks.append(Mark((word,), (x, y - size * 0.75, ends[-1], y + size * 0.22), middles))
        return math.ceil((ends[-1] + 5.5) / CELL_X)

    def shape(self, chance: random.Random, colour: str, shape: str, column: int, row: int) -> None:
        """Draw a shape as large as two columns of the grid."""
        reach = CELL_X * 0.95
        x = (column + 1) * CELL_X + chance.uniform(-JITTER, JITTER)
        y = (row + 1) * CELL_Y + chance.uniform(-JITTER, JITTER)
        pen = self.page.new_shape()
        if shape == "circle":
            pen.draw_circle((x, y), reach)
        elif shape == "square":
            pen.draw_rect(pymupdf.Rect(x - reach, y - reach, x + reach, y + reach))
        elif shape == "triangle":
            pen.draw_polyline([(x, y - reach), (x + reach, y + reach), (x - reach, y + reach)])
        else:
            third = reach / 3
            pen.draw_rect(pymupdf.Rect(x - reach, y - third, x + reach, y + third))
            pen.draw_rect(pymupdf.Rect(x - third, y - reach, x + third, y + reach))
        pen.finish(color=None, fill=COLOURS[colour], closePath=True, even_odd=False)
        pen.commit()
        self.marks.append(Mark((colour, shape), (x - reach, y - reach, x + reach, y + reach)))


def draw(document: pymupdf.Document, chance: random.Random, title: Pair, layout: str = "") -> Sheet:
    """Add a page with a title of two words and a body of neither adjectives nor nouns."""
    page = document.new_page(width=WIDTH, height=HEIGHT)
    sheet = Sheet(title, page, layout=layout or chance.choice(sorted(LAYOUTS)))
    row = chance.randint(0, 2)
    column = sheet.word(
        chance, title[0], chance.randint(0, 2), row, TITLE_SIZE, "hebo", title[0].capitalize()
    )
    sheet.word(chance, title[1], column, row, TITLE_SIZE, "hebo", title[1].capitalize())
    LAYOUTS[sheet.layout](sheet, chance, row + 2)
    return sheet


def draw_dense(document: pymupdf.Document, chance: random.Random) -> Sheet:
    """Add a page full of words and some shapes, for training only; some lines are set as titles are."""
    sheet = Sheet(None, document.new_page(width=WIDTH, height=HEIGHT), layout="dense")
    row = 0
    while row < GRID - 1:
        if chance.random() < 0.12 and row < GRID - 3:
            for column in range(chance.randint(0, 2), GRID - 2, 4):
                sheet.shape(chance, chance.choice(list(COLOURS)), chance.choice(SHAPES), column, row)
            row += 2
            continue
        column = chance.randint(0, 2)
        titled = chance.random() < 0.6
        while column < GRID - 4:
            word = chance.choice(NOUNS) if chance.random() < 0.55 else chance.choice(READ)
            if titled:
                column = sheet.word(chance, word, column, row, TITLE_SIZE, "hebo", word.capitalize())
            else:
                column = sheet.word(chance, word, column, row, BODY_SIZE, "helv")
            column += chance.random() < 0.3
        row += 1
    return sheet


# -------------------------------------------------------------------------------------------- layouts
def prose(sheet: Sheet, chance: random.Random, top: int) -> None:
    for row in range(top, top + chance.randint(5, 11)):
        column = chance.randint(0, 1)
        while column < GRID - 4:
            column = sheet.word(chance, chance.choice(BODY), column, row, BODY_SIZE, "helv")


def bars(sheet: Sheet, chance: random.Random, top: int) -> None:
    base = (top + 7) * CELL_Y
    sheet.page.draw_line((CELL_X, base), (WIDTH - CELL_X, base), color=INK, width=1)
    colour = COLOURS[chance.choice(list(COLOURS))]
    for place, word in enumerate(chance.sample(BODY, 3)):
        column = 1 + 5 * place
        height = chance.uniform(0.8, 5.5) * CELL_Y
        left = column * CELL_X + 6
        bar = pymupdf.Rect(left, base - height, left + CELL_X * 2.2, base)
        sheet.page.draw_rect(bar, color=None, fill=colour)
        sheet.page.insert_text(
            (left + 8, bar.y0 - 6), str(chance.randint(10, 99)), fontname="helv", fontsize=18, color=INK
        )
        sheet.word(chance, word, column, top + 7, BODY_SIZE, "helv")


def table(sheet: Sheet, chance: random.Random, top: int) -> None:
    for row in range(top, top + chance.randint(4, 8)):
        band = pymupdf.Rect(CELL_X * 0.8, row * CELL_Y, WIDTH - CELL_X * 0.8, (row + 1) * CELL_Y)
        sheet.page.draw_rect(band, color=(0.55, 0.58, 0.62), fill=PALE if row == top else None, width=0.6)
        sheet.word(chance, chance.choice(BODY), 1, row, BODY_SIZE, "helv")
        for column in (7, 11):
            text = chance.choice(BODY) if row == top else str(chance.randint(100, 9999))
            if row == top:
                sheet.word(chance, text, column, row, BODY_SIZE, "helv")
            else:
                point = (column * CELL_X + 4, (row + 0.68) * CELL_Y)
                sheet.page.insert_text(point, text, fontname="helv", fontsize=22, color=INK)


def shapes(sheet: Sheet, chance: random.Random, top: int) -> None:
    for place in range(chance.randint(1, 3)):
        row = top + 1 + 4 * place
        sheet.shape(chance, chance.choice(list(COLOURS)), chance.choice(SHAPES), chance.choice((1, 2)), row)
        sheet.word(chance, chance.choice(BODY), 6, row, BODY_SIZE, "helv")


LAYOUTS: dict[str, Layout] = {"bars": bars, "prose": prose, "shapes": shapes, "table": table}


# ----------------------------------------------------------------------------------- what is held out
def held_out_pairs() -> tuple[Pair, ...]:
    """The titles of the held-out pages: every noun once, so that one word names one page."""
    chance = random.Random(HELD_OUT_SEED)
    nouns = chance.sample(NOUNS, HELD_OUT)
    return tuple((chance.choice(ADJECTIVES), noun) for noun in nouns)


def held_out(document: pymupdf.Document) -> list[Sheet]:
    """Add the held-out pages to a document."""
    chance = random.Random(HELD_OUT_SEED + 1)
    return [draw(document, chance, pair) for pair in held_out_pairs()]


def write_pdf(path: Path) -> tuple[Pair, ...]:
    """Write the held-out pages as a PDF, and return their titles in the order of the pages."""
    with pymupdf.open() as document:
        sheets = held_out(document)
        path.write_bytes(document.tobytes(garbage=4, deflate=True, no_new_id=True))
    return tuple(sheet.title for sheet in sheets if sheet.title is not None)


def patches(mark: Mark) -> Sequence[tuple[int, float]]:
    """The grid positions that a mark covers (row by row) and how much of it counts there."""
    x0, y0, x1, y1 = mark.box
    row = min(GRID - 1, int((y0 + y1) / 2 / CELL_Y))
    if len(mark.words) > 1:  # a shape: its four cells
        column, row = round(x0 / CELL_X), round((y0 + y1) / 2 / CELL_Y) - 1
        return [((row + down) * GRID + column + right, 1.0) for down in (0, 1) for right in (0, 1)]
    first = max(0, int((x0 + JITTER) / CELL_X))
    found = [(row * GRID + first, 1.0)]
    for column in range(first + 1, min(GRID, math.ceil(x1 / CELL_X))):
        covered = (min(x1, (column + 1) * CELL_X) - column * CELL_X) / CELL_X
        if covered >= 0.6:
            found.append((row * GRID + column, 0.3))
    return found
