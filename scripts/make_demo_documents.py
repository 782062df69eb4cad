"""Draw the demo's three documents into mmrag/demo/documents/: a report, a deck and a scan.

Everything in them is made up; their words are in scripts/demo_texts/. The same versions of PyMuPDF
and Pillow give the same bytes.
    python scripts/make_demo_documents.py [FOLDER]
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

import numpy as np
import pymupdf
from demo_drawing import GREY, NAVY, PALE, SAND, TEAL, WHITE, Pen, finish
from PIL import Image

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / "mmrag" / "demo" / "documents"
COMPANY = "Norvane Ferries"
A4 = pymupdf.Rect(0, 0, 595, 842)
SCREEN = pymupdf.Rect(0, 0, 960, 540)

PASSENGERS = {"2019": 1810.0, "2020": 940.0, "2021": 1215.0, "2022": 1690.0, "2023": 1984.0, "2024": 2096.0}
KEY_FIGURES = (("2.10 m", "passengers"), ("22", "routes"), ("51,830", "crossings"), ("643", "employees"))
ROUTE_WIDTHS = (36, 132, 66, 74, 72, 115)
SPLIT = 13  # routes on the table's first page; the header stands there alone

ENERGY = {
    "Marine gas oil, 2024": 1416.0,
    "Hybrid": 1020.0,
    "Battery, day tariff": 585.0,
    "Battery, night tariff": 472.0,
}
COSTS = (
    ("Item", "Year", "Million crowns", "Financed by"),
    ("MF Aurora", "2026", "236", "Green loan"),
    ("Charging tower, Aldervik", "2025", "38", "County grant"),
    ("Charging tower, Sanna", "2026", "41", "County grant"),
    ("Second battery ferry", "2028", "228", "Green loan"),
    ("New engines, four vessels", "2027", "74", "Own funds"),
)


def read(name: str) -> list[str]:
    """The pages of one of the texts."""
    return (HERE / "demo_texts" / name).read_text(encoding="utf-8").split("=====")


# ------------------------------------------------------------------------------------------- the report
def report() -> bytes:
    routes = [line.split(";") for line in read("routes.csv")[0].splitlines()]
    cover, *pages = read("report.txt")
    document = pymupdf.open()
    blocks = {
        "figures": key_figures,
        "chart": passenger_chart,
        "table first": lambda pen: first_routes(pen, routes[: SPLIT + 1]),
        "table rest": lambda pen: pen.table(routes[SPLIT + 1 :], ROUTE_WIDTHS, 9.5, header=False),
    }
    page = document.new_page(width=A4.width, height=A4.height)
    page.draw_rect(pymupdf.Rect(0, 0, 595, 330), color=None, fill=NAVY)
    page.draw_bezier((0, 330), (170, 270), (380, 400), (595, 318), color=TEAL, width=5)
    pen = Pen(page, 50, 495, 372, size=12)
    pen.put(50, 150, COMPANY, "hebo", 40, WHITE)
    pen.put(50, 196, "Annual Report 2024", "helv", 24, SAND)
    pen.flow(cover, blocks)
    contents = [[1, "The year in brief", 1]]
    for number, text in enumerate(pages, start=2):
        page = document.new_page(width=A4.width, height=A4.height)
        pen = Pen(page, 50, 495, 62)
        page.draw_line((50, 50), (545, 50), color=TEAL, width=1.2)
        pen.put(50, 43, f"{COMPANY} · Annual Report 2024", "helv", 8.5, GREY)
        pen.put_right(545, 812, str(number), "helv", 9, GREY)
        pen.flow(text, blocks)
        for line in text.splitlines():
            if line.startswith(("# ", "## ")):
                contents.append([line.index(" "), line.lstrip("# "), number])
    document.set_toc(contents)
    return finish(document, "Annual Report 2024", COMPANY, "Traffic, fleet, people and energy in 2024")


def key_figures(pen: Pen) -> None:
    pen.y += 16
    for place, (figure, words) in enumerate(KEY_FIGURES):
        x = 50 + place * 127
        pen.page.draw_rect(pymupdf.Rect(x, pen.y, x + 114, pen.y + 66), color=None, fill=PALE)
        pen.put(x + 12, pen.y + 34, figure, "hebo", 21, TEAL)
        pen.put(x + 12, pen.y + 53, words, "helv", 10.5, GREY)


def passenger_chart(pen: Pen) -> None:
    pen.y += 14
    pen.bars(PASSENGERS, 190, 2500, 500, 9.5)


def first_routes(pen: Pen, rows: list[list[str]]) -> None:
    """The table ends where the page does, as a table does that goes on overleaf."""
    pen.y = max(pen.y, A4.height - 62 - 9.5 * 1.95 * len(rows) - 28)
    pen.caption("Table 1. Traffic, punctuality and fuel by route, 2024")
    pen.table(rows, ROUTE_WIDTHS, 9.5, header=True)


# --------------------------------------------------------------------------------------------- the deck
def deck() -> bytes:
    document = pymupdf.open()
    page = document.new_page(width=SCREEN.width, height=SCREEN.height)
    page.draw_rect(page.rect, color=None, fill=NAVY)
    page.draw_bezier((0, 430), (300, 350), (620, 520), (960, 400), color=TEAL, width=7)
    pen = Pen(page, 72, 800, 0)
    pen.put(72, 220, "Fleet renewal 2025-2030", "hebo", 46, WHITE)
    pen.put(72, 270, f"Proposal to the board of {COMPANY}", "helv", 23, SAND)
    pen.put(72, 310, "April 2025", "helv", 18, SAND)
    for text in read("deck.txt"):
        title, _, body = text.strip().partition("\n")
        page = document.new_page(width=SCREEN.width, height=SCREEN.height)
        page.draw_rect(pymupdf.Rect(0, 0, 14, 540), color=None, fill=TEAL)
        page.draw_line((64, 96), (896, 96), color=SAND, width=2)
        pen = Pen(page, 64, 832, 118, size=23, font="helv")
        pen.put(64, 76, title.lstrip("# "), "hebo", 32, NAVY)
        pen.put(64, 518, f"{COMPANY} · Board meeting, April 2025", "helv", 11, GREY)
        pen.put_right(896, 518, str(document.page_count), "helv", 11, GREY)
        pen.flow(body, {"chart": energy_chart, "table": cost_table})
    return finish(document, "Fleet renewal 2025-2030", COMPANY, "Proposal to the board")


def energy_chart(pen: Pen) -> None:
    pen.y += 24
    pen.bars(ENERGY, 230, 1500, 500, 14)


def cost_table(pen: Pen) -> None:
    pen.y += 8
    pen.table(COSTS, (330, 100, 190, 212), 18, header=True)


# --------------------------------------------------------------------------------------------- the scan
def scan() -> bytes:
    page = pymupdf.open().new_page(width=A4.width, height=A4.height)
    pen = Pen(page, 76, 440, 172, size=13.5)
    pen.put(76, 92, COMPANY, "hebo", 20, (0.25, 0.25, 0.25))
    pen.put(76, 110, "Personnel office, Quay Street 4, Aldervik", "helv", 10.5, GREY)
    pen.put_right(516, 92, "12 December 2024", "tiro", 12)
    page.draw_line((76, 122), (516, 122), color=GREY, width=0.8)
    for paragraph in read("letter.txt")[0].split("\n\n"):
        pen.flow(paragraph, {})
        pen.y += 9
    y = pen.y  # a signature, since a letter has one
    page.draw_bezier((80, y + 30), (120, y - 20), (110, y + 60), (150, y + 18), color=NAVY, width=1.6)
    page.draw_bezier((150, y + 18), (175, y), (190, y + 40), (240, y + 12), color=NAVY, width=1.4)
    document = pymupdf.open()
    document.new_page(width=A4.width, height=A4.height).insert_image(A4, stream=photocopy(page, dpi=170))
    return finish(document)


def photocopy(page: pymupdf.Page, dpi: int) -> bytes:
    """A grey JPEG of the page as a flatbed scanner sees it: a little turned, grainy, darker at one edge."""
    pixels = page.get_pixmap(dpi=dpi, colorspace=pymupdf.csGRAY, alpha=False)
    paper = Image.frombytes("L", (pixels.width, pixels.height), pixels.samples)
    turned = paper.rotate(0.7, resample=Image.Resampling.BICUBIC, fillcolor=255)
    shades = np.asarray(turned, dtype=np.float32) * 0.93 + 8
    shades += np.random.default_rng(20241212).normal(0.0, 5.0, shades.shape)
    shades -= np.linspace(0.0, 14.0, shades.shape[1])
    packed = io.BytesIO()
    Image.fromarray(np.clip(shades, 0, 255).astype(np.uint8)).save(packed, "JPEG", quality=62, dpi=(dpi, dpi))
    return packed.getvalue()


DOCUMENTS = {"annual-report-2024.pdf": report, "fleet-renewal-deck.pdf": deck, "leave-letter-scan.pdf": scan}


def main(folder: Path = FOLDER) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name, draw in DOCUMENTS.items():
        (folder / name).write_bytes(draw())


if __name__ == "__main__":
    main(*(Path(argument) for argument in sys.argv[1:2]))
