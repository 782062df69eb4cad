"""What the demo documents are drawn with: text that wraps, headings, bullets, bar charts and tables."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pymupdf

NAVY, TEAL, SAND = (0.07, 0.16, 0.30), (0.10, 0.52, 0.56), (0.93, 0.90, 0.84)
BLACK, GREY, PALE, WHITE = (0.0, 0.0, 0.0), (0.42, 0.45, 0.50), (0.94, 0.96, 0.97), (1.0, 1.0, 1.0)
FONTS = {name: pymupdf.Font(name) for name in ("helv", "hebo", "tiro", "tibo")}
MADE = "D:20250314090000Z"  # a clock in the files would make every run's bytes differ

Colour = tuple[float, float, float]


@dataclass
class Pen:
    """Draws on one page; ``y`` is where the next block goes, in points from the top."""

    page: pymupdf.Page
    left: float
    width: float
    y: float
    size: float = 11.5
    font: str = "tiro"
    bold: str = "tibo"

    def put(self, x: float, y: float, text: str, font: str, size: float, colour: Colour = BLACK) -> None:
        """One line of text that begins at ``x`` on the baseline ``y``."""
        writer = pymupdf.TextWriter(self.page.rect)
        writer.append((x, y), text, font=FONTS[font], fontsize=size)
        writer.write_text(self.page, color=colour)

    def put_right(
        self, x: float, y: float, text: str, font: str, size: float, colour: Colour = BLACK
    ) -> None:
        self.put(x - FONTS[font].text_length(text, size), y, text, font, size, colour)

    def put_middle(
        self, x: float, y: float, text: str, font: str, size: float, colour: Colour = BLACK
    ) -> None:
        self.put(x - FONTS[font].text_length(text, size) / 2, y, text, font, size, colour)

    def text(self, text: str, font: str, size: float, colour: Colour = BLACK, indent: float = 0.0) -> None:
        """A paragraph, wrapped."""
        lines, line = [], ""
        for word in text.split():
            longer = f"{line} {word}".strip()
            if line and FONTS[font].text_length(longer, size) > self.width - indent:
                lines.append(line)
                longer = word
            line = longer
        for wrapped in [*lines, line]:
            self.y += size * 1.38
            self.put(self.left + indent, self.y, wrapped, font, size, colour)
        self.y += size * 0.55

    def heading(self, text: str, size: float) -> None:
        self.y += size * 0.5
        self.text(text, "hebo", size, NAVY)

    def bullet(self, text: str) -> None:
        self.page.draw_circle(
            (self.left + 7, self.y + self.size * 1.05), self.size * 0.16, color=None, fill=TEAL
        )
        self.text(text, self.font, self.size, indent=26)
        self.y += self.size * 0.45

    def flow(self, text: str, draw: Mapping[str, Callable[[Pen], None]]) -> None:
        """Blocks between empty lines: ``#`` heading, ``*`` bullet, ``**bold**``, ``{name}``: see ``draw``."""
        for block in filter(None, (block.strip() for block in text.split("\n\n"))):
            if block.startswith("{"):
                draw[block.strip("{}")](self)
            elif block.startswith("### "):
                self.caption(block[4:])
            elif block.startswith("## "):
                self.heading(block[3:], 12.5)
            elif block.startswith("# "):
                self.heading(block[2:], 15)
            elif block.startswith("* "):
                self.bullet(block[2:])
            elif block.startswith("**"):
                self.text(block.strip("*"), self.bold, self.size)
            else:
                self.text(block, self.font, self.size)

    def caption(self, text: str) -> None:
        self.y += 6
        self.text(text, "hebo", 10.5, NAVY)

    def bars(self, values: Mapping[str, float], height: float, top: int, step: int, size: float) -> None:
        """A bar chart as vectors: values from 0 to ``top``, a line every ``step``."""
        base = self.y + height
        left, right = self.left + 34, self.left + self.width
        for mark in range(0, top + 1, step):
            y = base - height * mark / top
            self.page.draw_line((left, y), (right, y), color=PALE if mark else GREY, width=0.8)
            self.put_right(left - 5, y + size * 0.35, str(mark), "helv", size, GREY)
        slot = (right - left) / len(values)
        for place, (label, value) in enumerate(values.items()):
            x = left + slot * (place + 0.5)
            y = base - height * value / top
            bar = pymupdf.Rect(x - slot * 0.28, y, x + slot * 0.28, base)
            self.page.draw_rect(bar, color=None, fill=TEAL if place < len(values) - 1 else NAVY)
            self.put_middle(x, y - 4, f"{value:g}", "hebo", size)
            self.put_middle(x, base + size * 1.4, label, "helv", size)
        self.y = base + size * 2.4

    def table(
        self, rows: Sequence[Sequence[str]], widths: Sequence[float], size: float, header: bool
    ) -> None:
        """A ruled table; columns of numbers stand to the right."""
        tall = size * 1.95
        for place, row in enumerate(rows):
            top = header and place == 0
            band = pymupdf.Rect(self.left, self.y, self.left + sum(widths), self.y + tall)
            self.page.draw_rect(band, color=None, fill=NAVY if top else (PALE if place % 2 else WHITE))
            x = self.left
            for column, (cell, width) in enumerate(zip(row, widths, strict=True)):
                self.page.draw_rect(pymupdf.Rect(x, self.y, x + width, self.y + tall), color=GREY, width=0.5)
                font, colour = ("hebo", WHITE) if top else ("helv", BLACK)
                put, edge = (
                    (self.put_right, x + width - 6) if rows[-1][column][:1].isdigit() else (self.put, x + 6)
                )
                put(edge, self.y + tall * 0.66, cell, font, size, colour)
                x += width
            self.y += tall
        self.y += size


def finish(document: pymupdf.Document, title: str = "", author: str = "", subject: str = "") -> bytes:
    """The file's bytes, the same in every run."""
    document.set_metadata(
        {"title": title, "author": author, "subject": subject, "creationDate": MADE, "modDate": MADE}
    )
    return bytes(document.tobytes(garbage=4, deflate=True, deflate_fonts=True, no_new_id=True))
