"""Small PDFs drawn for benchmarks: the same seed draws the same pages."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pymupdf

_VOCABULARY = """
    annual battery board boiler budget cable capacity cargo charter circuit clause coating contract
    cooling corrosion crew current deck delivery depot design dividend drainage dry engine equipment
    expenses factor ferry filter flow freight fuel gauge generator governor harbour heating income
    inlet inspection insurance interest inventory invoice journey keel laboratory ladder leakage
    lease level licence liquidity load log lubricant maintenance manifold margin meter motor mount
    navigation network nominal nozzle operation outlet overhaul oxygen panel passenger payment
    permit pipe piston plan platform port pressure profit propeller pump purchase quality quarter
    range rate reactor recovery reduction relay repair report reserve revenue rotor route rudder
    safety sample schedule seal sensor service shaft shield signal site speed staff stage steel
    storage strategy supply surface survey switch tank tariff temperature terminal test tonnage
    torque track training transfer turbine turnover valve vendor vessel vibration voltage voyage
    warranty waste weld
"""
WORDS = tuple(_VOCABULARY.split())


def sentences(source: random.Random, count: int) -> str:
    """``count`` sentences of eight to eighteen words, some with a figure."""
    made = []
    for _ in range(count):
        words = source.choices(WORDS, k=source.randint(8, 18))
        if source.random() < 0.3:
            words.insert(source.randrange(len(words)), f"{source.randint(10, 9999) / 10:.1f}")
        made.append(" ".join(words).capitalize() + ".")
    return " ".join(made)


def draw_paper(path: Path, pages: int, seed: int, *, word: str = "") -> Path:
    """A PDF of small pages with a heading and two sentences; every third has a table. ``word`` is on all."""
    source = random.Random(seed)
    with pymupdf.open() as pdf:
        for number in range(1, pages + 1):
            page = pdf.new_page(width=300, height=400)
            page.insert_text((30, 50), f"{word or 'Section'} {number}", fontsize=14, fontname="hebo")
            page.insert_textbox(pymupdf.Rect(30, 65, 270, 200), sentences(source, 2), fontsize=9)
            if number % 3 == 0:
                rows = [["Item", "Load", "Rate"]] + [
                    [source.choice(WORDS), str(source.randint(1, 99)), f"{source.random():.2f}"]
                    for _ in range(4)
                ]
                draw_table(page, rows, pymupdf.Rect(30, 210, 270, 310))
        pdf.set_metadata({"title": f"Paper {seed}"})
        pdf.save(path, no_new_id=True)
    return path


def draw_table(page: pymupdf.Page, rows: list[list[str]], box: pymupdf.Rect) -> None:
    """A ruled table over the box, its first row bold."""
    height, width = box.height / len(rows), box.width / len(rows[0])
    for number, row in enumerate(rows):
        for column, text in enumerate(row):
            x, y = box.x0 + column * width, box.y0 + number * height
            page.draw_rect(pymupdf.Rect(x, y, x + width, y + height), width=0.7)
            font = "helv" if number else "hebo"
            page.insert_text((x + 4, y + height - 6), text, fontsize=8, fontname=font)


def draw_book(path: Path, pages: int, seed: int, at_once: int = 50) -> None:
    """A long PDF of varied pages, ``at_once`` of them in memory at a time."""
    with pymupdf.open() as pdf:
        _draw(pdf, range(1, min(pages, at_once) + 1), seed)
        pdf.set_metadata({"title": "Handbook of harbour operations"})
        pdf.save(path, no_new_id=True)
    for first in range(at_once + 1, pages + 1, at_once):
        with pymupdf.open(path) as pdf:
            _draw(pdf, range(first, min(pages, first + at_once - 1) + 1), seed)
            pdf.saveIncr()


def _draw(pdf: pymupdf.Document, numbers: range, seed: int) -> None:
    for number in numbers:
        source = random.Random(f"{seed} {number}")
        page = pdf.new_page(width=595, height=842)
        page.insert_text((60, 60), f"{number} {source.choice(WORDS)} {source.choice(WORDS)}", fontsize=16)
        top, box = 80.0, pymupdf.Rect(60, 560, 535, 760)
        special = number % 10 == 0 or number % 20 == 5 or number % 50 == 7
        floor = 550.0 if special else 760.0
        while top < floor - 60:
            height = source.uniform(50, 140)
            area = pymupdf.Rect(60, top, 535, min(floor, top + height))
            text = sentences(source, max(1, int(area.height / 22)))
            page.insert_textbox(area, text, fontsize=10)
            top += height + 8
        if number % 10 == 0:
            rows = [["Item", "Quarter", "Load", "Rate"]] + [
                [
                    source.choice(WORDS),
                    f"Q{source.randint(1, 4)}",
                    str(source.randint(1, 9999)),
                    f"{source.random():.2f}",
                ]
                for _ in range(8)
            ]
            draw_table(page, rows, box)
        elif number % 20 == 5:
            _drawing(page, box, source)
        elif number % 50 == 7:
            page.insert_image(box, pixmap=_picture(source))
        page.insert_text((290, 810), str(number), fontsize=9)


def _drawing(page: pymupdf.Page, box: pymupdf.Rect, source: random.Random) -> None:
    """Bars over an axis, with their names."""
    page.draw_line(box.bl, box.br)
    width = box.width / 8
    for at in range(8):
        left, height = box.x0 + at * width, source.uniform(20, box.height - 20)
        page.draw_rect(
            pymupdf.Rect(left + 6, box.y1 - height, left + width - 6, box.y1), fill=(0.3, 0.5, 0.8)
        )
        page.insert_text((left + 6, box.y1 + 10), source.choice(WORDS)[:8], fontsize=7)


def _picture(source: random.Random) -> pymupdf.Pixmap:
    """Soft waves of colour, as a photograph has; no text."""
    height, width = 300, 700
    y, x = np.mgrid[0:height, 0:width]
    layers = [
        127 + 100 * np.sin(x / source.uniform(40, 160) + y / source.uniform(40, 160) + source.random())
        for _ in range(3)
    ]
    data = np.stack(layers, axis=2).astype(np.uint8).tobytes()
    return pymupdf.Pixmap(pymupdf.csRGB, width, height, data, False)
