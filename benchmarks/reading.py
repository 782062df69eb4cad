"""What reading a page costs, stage by stage, on one core.

    python benchmarks/reading.py FOLDER_OR_FILES... [--every 3] [--ocr-pages 3]

Prints milliseconds a page of each stage for pages with a text layer, each stage's share of the
whole, and seconds a page of OCR. Ratios carry from machine to machine, milliseconds do not.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from statistics import mean, median
from typing import Any

from mmrag.ingest import Chunker, FileInfo, find_files, identify, open_file, read_page
from mmrag.ingest.files.opening import open_pdf
from mmrag.ingest.pages import ocr
from mmrag.ingest.pages.figures import find_figures
from mmrag.ingest.pages.graphics import page_graphics
from mmrag.ingest.pages.invisible import part_visible
from mmrag.ingest.pages.render import encode, render, zoom_for
from mmrag.ingest.pages.words import text_layer
from mmrag.ingest.tables.finding import find_tables
from mmrag.ingest.text.lines import page_lines
from mmrag.settings import ChunkSettings, ReadSettings

STAGES = ("graphics", "render", "webp", "words", "visible", "tables", "figures", "chunks")


def count(text: str) -> int:
    return len(re.findall(r"\w+|[^\w\s]", text))


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--every", type=int, default=3, help="read every n-th page")
    parser.add_argument("--ocr-pages", type=int, default=3, help="pages a file read by OCR")
    options = parser.parse_args()
    clock = Clock()
    scans: list[float] = []
    sizes: list[int] = []
    for path in find_files(options.paths):
        info = open_file(path)
        scans.extend(_one_file(info, clock, sizes, options.every, options.ocr_pages))
    _report(clock.spent, scans, sizes)


class Clock:
    """Processor seconds by stage: unlike wall time they don't grow when the machine is shared."""

    def __init__(self) -> None:
        self.spent: dict[str, list[float]] = defaultdict(list)

    def __call__(self, stage: str, action: Callable[..., Any], *arguments: Any) -> Any:
        start = time.process_time()
        result = action(*arguments)
        self.spent[stage].append(time.process_time() - start)
        return result


def _one_file(info: FileInfo, clock: Clock, sizes: list[int], every: int, most_scans: int) -> list[float]:
    settings = ReadSettings(ocr="off")
    document = open_pdf(info.source.path)
    identity = identify(info, read_page(info.source, info.id, 1, settings))
    chunker = Chunker(info.id, identity, info.outline, ChunkSettings(), count)
    scans: list[float] = []
    for index in range(0, info.pages, every):
        page = document[index]
        zoom = zoom_for(page.rect.width, page.rect.height, settings)
        if not page.get_text("words"):
            if len(scans) < most_scans:
                pixels = render(page, zoom)
                start = time.process_time()
                ocr.read(pixels, zoom)
                scans.append(time.process_time() - start)
            continue
        graphics = clock("graphics", page_graphics, page)
        pixels = clock("render", render, page, zoom)
        sizes.append(len(clock("webp", encode, pixels, settings.webp_quality).data))
        layer = clock("words", text_layer, page)
        words = clock("visible", part_visible, layer, pixels, zoom).seen
        lines = page_lines(words)
        tables, _ = clock("tables", find_tables, page, words, lines, graphics)
        clock("figures", find_figures, graphics, words, lines, tables, page.rect.width, page.rect.height)
        whole = clock("read_page", read_page, info.source, info.id, index + 1, settings)
        clock("chunks", chunker.feed, whole)
    document.close()
    return scans


def _report(spent: dict[str, list[float]], scans: list[float], sizes: list[int]) -> None:
    if spent["render"]:
        total = sum(mean(spent[stage]) for stage in STAGES)
        print(f"{len(spent['render'])} pages with text, ms a page")
        print(f"{'stage':<10} {'mean':>8} {'median':>8} {'largest':>8} {'share':>7}")
        for stage in (*STAGES, "read_page"):
            ms = [1000 * seconds for seconds in spent[stage]]
            share = f"{mean(ms) / total / 1000:7.0%}" if stage != "read_page" else ""
            print(f"{stage:<10} {mean(ms):8.1f} {median(ms):8.1f} {max(ms):8.1f} {share}")
        print(f"{'sum':<10} {1000 * total:8.1f}   WebP {mean(sizes) / 1024:.0f} KB a page")
    if scans:
        print(f"{len(scans)} pages read by OCR: {mean(scans):.2f} s a page, median {median(scans):.2f}")
    means = {stage: round(1000 * mean(values), 1) for stage, values in spent.items() if values}
    print(json.dumps({"ms": means, "ocr_s": round(mean(scans), 2) if scans else None}))


if __name__ == "__main__":
    main()
