"""Pictures to train on, each drawn, rendered and compressed as the library does it with a user's pages."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator
from dataclasses import dataclass

import pymupdf
import torch
from colpali_engine.models import ColModernVBertProcessor
from PIL import Image
from tiny_pages import CELL_X, CELL_Y, GRID, Sheet, draw, draw_dense, held_out_pairs, patches
from tiny_vocabulary import ADJECTIVES, NOUNS, READ

QUALITY, METHOD = 75, 2  # of mmrag/ingest/render.py
DPI, LONG_SIDE = 150, 1600
TRAINED_DPI = (48, 60, 72, 96)
CHUNK = 50
SLOTS = 4
NUMBER = {word: place for place, word in enumerate(READ)}


@dataclass
class Pool:
    """``pixels`` is uint8 ``(n, 3, 256, 256)``; ``labels`` has, a page, (grid position, word, weight).

    ``letters`` has, a page, grid position and the letters that stand there, the first four of them.
    """

    pixels: torch.Tensor
    titles: list[tuple[str, str] | None]
    labels: list[list[tuple[int, int, float]]]
    shapes: list[list[tuple[str, ...]]]
    letters: list[list[tuple[int, tuple[int, ...]]]]


def picture(page: pymupdf.Page, dpi: int, quality: int = QUALITY) -> Image.Image:
    """The page as ``mmrag add`` keeps it, at a resolution of choice."""
    zoom = min(dpi / 72, LONG_SIDE / max(page.rect.width, page.rect.height))
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), alpha=False)
    stream = io.BytesIO()
    drawn = Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples)
    drawn.save(stream, "WEBP", quality=quality, method=METHOD)
    stream.seek(0)
    return Image.open(stream).convert("RGB")


def resized(process: ColModernVBertProcessor, pictures: list[Image.Image]) -> torch.Tensor:
    """The processor's own two resizings, ``(n, 3, 256, 256)`` uint8."""
    made = process.image_processor(
        [[picture] for picture in pictures], do_rescale=False, do_normalize=False, return_tensors="pt"
    )
    return made["pixel_values"][:, 0].round().clamp(0, 255).to(torch.uint8)


def titles(chance: random.Random, count: int) -> Iterator[tuple[str, str]]:
    """Pairs that no held-out page has, every noun as often as any other."""
    kept_out = set(held_out_pairs())
    nouns: list[str] = []
    while count:
        nouns = nouns or chance.sample(NOUNS, len(NOUNS))
        pair = (chance.choice(ADJECTIVES), nouns[-1])
        if pair not in kept_out:
            nouns.pop()
            count -= 1
            yield pair


def draw_pool(process: ColModernVBertProcessor, seed: int, titled: int, dense: int) -> Pool:
    """Draw ``titled`` pages with a title and then ``dense`` pages full of words."""
    chance = random.Random(seed)
    pool = Pool(torch.empty(titled + dense, 3, 256, 256, dtype=torch.uint8), [], [], [], [])
    pairs = [*titles(chance, titled), *[None] * dense]
    for start in range(0, len(pairs), CHUNK):
        with pymupdf.open() as document:
            sheets = [
                draw(document, chance, pair) if pair else draw_dense(document, chance)
                for pair in pairs[start : start + CHUNK]
            ]
            pictures = [picture(page, chance.choice(TRAINED_DPI)) for page in document]
            pool.pixels[start : start + len(sheets)] = torch.cat(
                [resized(process, [one]) for one in pictures]
            )
            for sheet in sheets:
                pool.titles.append(sheet.title)
                pool.labels.append(labels(sheet))
                pool.letters.append(letters(sheet))
                pool.shapes.append([mark.words for mark in sheet.marks if len(mark.words) > 1])
    return pool


def labels(sheet: Sheet) -> list[tuple[int, int, float]]:
    """Grid position, word and weight of everything on the page; a shape has its colour and its form."""
    found = []
    for mark in sheet.marks:
        for place, weight in patches(mark):
            found.extend((place, NUMBER[word], weight) for word in mark.words)
    return found


def letters(sheet: Sheet) -> list[tuple[int, tuple[int, ...]]]:
    """Grid positions and the letters whose middles they hold, a = 1, filled up with 0."""
    found: list[tuple[int, tuple[int, ...]]] = []
    for mark in sheet.marks:
        at: dict[int, list[int]] = {}
        row = int((mark.box[1] + mark.box[3]) / 2 / CELL_Y)
        for letter, middle in zip(mark.words[0], mark.middles, strict=False):
            at.setdefault(row * GRID + min(GRID - 1, int(middle / CELL_X)), []).append(ord(letter) - 96)
        found.extend((place, (*here, 0, 0, 0, 0)[:SLOTS]) for place, here in at.items() if mark.middles)
    return found
