"""Words of the text layer that the page does not show, told from those it does.

Hidden text is a way to smuggle words past whoever reads the page: a prompt in white on white. But words
without ink may be legitimate: scanners lay what they read invisibly over (or under) the picture of the page.
Those have ink beneath them that reads the same, and that is what is checked here.

Measured on 43 born-digital pages turned into JPEG scans of 130 dpi with their words laid over them:
0.46 s of one core a page; a line smuggled in at a random height was found on 43 of 43; 1% of 17,933
true words were dropped, nearly all on three pages of print too small for that resolution. Pages that
lose a tenth are read by OCR instead (see reading.py). On 22 real documents: of a scan with an OCR layer
(21 pages, 0.95 s each, most lines read since its recogniser was poor) 98 of 6,239 words are dropped,
most of them noise; of 576 pages of 20 others 3 words, each in a box without contrast. The 22nd is
gibberish without a mapping.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from mmrag.ingest.pages.covers import LEAST_PIXELS, has_colour, is_ground, on_its_colour, word_pixels
from mmrag.ingest.pages.recogniser import is_known, read_line
from mmrag.ingest.pages.words import TextLayer
from mmrag.records import Box, Word

LEAST_SIZE = 1.0
"""Points below which print is not meant to be read."""

LINES_CHECKED = 12
"""Lines without ink of their own that are compared with the picture on each page, at 20 ms a line; when one
of them reads otherwise, all are."""

MOST_LINES_CHECKED = 120
"""Most lines compared on a page once one reads otherwise."""

AGREES = 0.5
"""Share of a line's character pairs that must be read in the picture for it to be what the picture says."""

WORD_AGREES = 0.34
"""The same for one word of a line that agrees otherwise; what either reader misread passes."""

_CONTRAST = 6  # grey levels of 255 below which nothing can be seen
_LEGIBLE = 16.0  # pixels of height from which a line can be read by the recogniser
_SURE = 0.9  # a line that scores above this is read as it is
_FEWEST = 4  # letters and digits below which a line tells nothing

_CONTRADICTED = "without ink, and the picture beneath reads otherwise"
_AS_GROUND = "in the colour of the ground"
_LOOK_ALIKE = str.maketrans("lio", "110")

Look = Callable[[Box, float], NDArray[np.uint8]]
"""Renders a part of the page, given its box in points and pixels a point: RGB."""


@dataclass(frozen=True, slots=True)
class Parted:
    """Words that can be seen, words that cannot, and for each reason how many."""

    seen: tuple[Word, ...]
    hidden: tuple[Word, ...] = ()
    reasons: tuple[tuple[str, int], ...] = ()

    @property
    def contradicted(self) -> float:
        """Share of the layer's words that the picture beneath contradicts, 0 to 1."""
        return dict(self.reasons).get(_CONTRADICTED, 0) / max(1, len(self.seen) + len(self.hidden))

    @property
    def note(self) -> str:
        """One sentence for the page's notes; "" when nothing is hidden."""
        if not self.hidden:
            return ""
        why = ", ".join(f"{count} {reason}" for reason, count in self.reasons)
        many = len(self.hidden)
        words = "1 word of the text layer is" if many == 1 else f"{many} words of the text layer are"
        return f"{words} invisible on the page and left out: {why}"


def part_visible(
    layer: TextLayer,
    pixels: NDArray[np.uint8],
    zoom: float,
    *,
    covered: Collection[int] = (),
    outlined: Callable[[], Collection[int]] = tuple,
    look: Look | None = None,
) -> Parted:
    """Part a text layer into what the page shows and what it does not.

    Args:
        layer: the text layer, boxes in points.
        pixels: the rendered page, RGB ``(height, width, 3)``.
        zoom: pixels a point.
        covered: indices of words that something opaque may be painted over.
        outlined: tells the indices of words whose letters have outlines in another colour; asked only
            where words have the colour of the ground.
        look: renders parts of the page for the recogniser; None: lines are not read, and ink beneath
            a word is enough.
    """
    why: dict[int, str] = {}
    doubtful: list[int] = []
    pale: list[int] = []
    for index, word in enumerate(layer.words):
        unpainted = index in layer.unpainted
        reason = _hidden(word, layer.colours[index], unpainted, pixels, zoom)
        if reason:
            why[index] = reason
            continue
        if not unpainted and on_its_colour(word.box, layer.colours[index], pixels, zoom):
            pale.append(index)
        if unpainted or (index in covered and not has_colour(word.box, layer.colours[index], pixels, zoom)):
            doubtful.append(index)
    if pale:
        why.update(dict.fromkeys(set(pale).difference(outlined()), _AS_GROUND))
    doubtful = [index for index in doubtful if index not in why]
    if doubtful and look is not None:
        unpainted_ones = [index for index in doubtful if index in layer.unpainted]
        others = [index for index in doubtful if index not in layer.unpainted]
        for index in _contradicted(layer.words, unpainted_ones, look, zoom):
            why[index] = _CONTRADICTED
        for index in _contradicted(layer.words, others, look, zoom):
            why[index] = "painted over"
    hidden = [word for index, word in enumerate(layer.words) if index in why]
    counts = Counter(why[index] for index in sorted(why))
    if layer.outside:
        counts["outside the page"] = len(layer.outside)
    return Parted(
        tuple(word for index, word in enumerate(layer.words) if index not in why),
        (*hidden, *layer.outside),
        tuple(counts.items()),
    )


def _hidden(word: Word, colour: int, unpainted: bool, pixels: NDArray[np.uint8], zoom: float) -> str:
    """Why a word cannot be seen; "" when it can, or when only what stands beneath can tell."""
    if word.size < LEAST_SIZE and min(word.box.x1 - word.box.x0, word.box.y1 - word.box.y0) < 2 * LEAST_SIZE:
        return "under 1 point in size"
    if min(word.box.x1 - word.box.x0, word.box.y1 - word.box.y0) * zoom < LEAST_PIXELS:
        return ""  # too small to tell at this resolution
    patch = word_pixels(word.box, pixels, zoom)
    # Every second pixel tells nearly always and is cheaper; look at all before calling it hidden.
    if patch.size == 0 or (_flat(patch[::2, ::2]) and _flat(patch)):
        return "without ink" if unpainted else "without contrast to the ground or painted over"
    if not unpainted and is_ground(patch, colour):
        return _AS_GROUND
    return ""


def _flat(patch: NDArray[np.uint8]) -> bool:
    flat = patch.reshape(-1, 3)
    return bool((np.ptp(flat, axis=0) <= _CONTRAST).all())


def _contradicted(words: Sequence[Word], doubtful: Sequence[int], look: Look, zoom: float) -> set[int]:
    """Those of the doubtful words whose line reads otherwise in the picture.

    A sample of lines is read; where all of it agrees, so does the page, else every line is read. Lines
    that cannot be judged (a page number, a script the recogniser lacks) follow the majority.
    """
    groups: dict[tuple[int, int], list[int]] = {}
    for index in doubtful:
        groups.setdefault((words[index].block, words[index].line), []).append(index)
    lines = [line for line in groups.values() if _can_be_judged(words, line)]
    if not lines:
        return set()
    # Suspects first, then evenly over the page: a line laid over other print overlaps the words of that, and
    # has ink between its own.
    crowded = _crowded(words)
    suspicion = [
        2 * sum(index in crowded for index in line) / len(line) + _misfit(words, line, look, zoom)
        for line in lines
    ]
    ranked = sorted(range(len(lines)), key=lambda number: -suspicion[number])
    half = LINES_CHECKED // 2
    step = max(1, len(lines) // half)
    chosen = dict.fromkeys((*ranked[:half], *range(0, len(lines), step)))
    verdicts = {n: _misread(words, lines[n], look, zoom) for n in list(chosen)[:LINES_CHECKED]}
    if any(verdicts.values()):
        rest = [number for number in ranked if number not in verdicts]
        verdicts.update((n, _misread(words, lines[n], look, zoom)) for n in rest[:MOST_LINES_CHECKED])
    wrong = {index for misread in verdicts.values() for index in misread}
    if 2 * sum(len(misread) == len(lines[n]) for n, misread in verdicts.items()) > len(verdicts):
        judged = {index for number in verdicts for index in lines[number]}
        wrong |= set(doubtful) - judged
    return wrong


def _can_be_judged(words: Sequence[Word], line: Sequence[int]) -> bool:
    letters = [character for index in line for character in _folded(words[index].text)]
    return len(letters) >= _FEWEST and sum(map(is_known, letters)) >= 0.8 * len(letters)


def _frame(words: Sequence[Word], line: Sequence[int]) -> Box:
    box = words[line[0]].box
    for index in line[1:]:
        box = box.union(words[index].box)
    return box


def _seen(box: Box, look: Look, zoom: float) -> NDArray[np.uint8]:
    height = min(box.x1 - box.x0, box.y1 - box.y0)
    room = 0.15 * height
    around = Box(box.x0 - room, box.y0 - room, box.x1 + room, box.y1 + room)
    return look(around, max(zoom, _LEGIBLE / max(height, 0.1)))


def _misread(words: Sequence[Word], line: Sequence[int], look: Look, zoom: float) -> set[int]:
    """Words of a line that the picture does not say: all when the line reads otherwise as a whole."""
    told = "".join(words[index].text for index in line)
    text = ""
    for closer in (1.0, 2.5):  # small or blurred print may be misread at first
        text, sureness = read_line(_seen(_frame(words, line), look, closer * zoom))
        if likeness(told, text) >= AGREES or sureness >= _SURE:
            break
    if likeness(told, text) < AGREES:
        return set(line)
    return {
        index
        for index in line
        if len(_folded(words[index].text)) >= _FEWEST and likeness(words[index].text, text) < WORD_AGREES
    }


def _crowded(words: Sequence[Word]) -> set[int]:
    """Words that another word of the layer overlaps by a third of the smaller."""
    boxes = np.array([word.box for word in words])
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    crowded: set[int] = set()
    for index, (x0, y0, x1, y1) in enumerate(boxes):
        across = np.minimum(boxes[:, 2], x1) - np.maximum(boxes[:, 0], x0)
        down = np.minimum(boxes[:, 3], y1) - np.maximum(boxes[:, 1], y0)
        # Boxes reach from ascender to descender: neighbouring lines share a little of their height.
        shared = np.maximum(across, 0) * np.maximum(down, 0) > 0.35 * np.minimum(areas, areas[index])
        shared[index] = False
        if shared.any():
            crowded.add(index)
    return crowded


def _misfit(words: Sequence[Word], line: Sequence[int], look: Look, zoom: float) -> float:
    """Share of a line's gaps between words that are inked all along."""
    boxes = sorted((words[index].box for index in line), key=lambda box: box.x0)
    gaps = [Box(one.x1, one.y0, other.x0, one.y1) for one, other in pairwise(boxes) if other.x0 - one.x1 > 1]
    busy = 0
    for gap in gaps[:8]:
        patch = look(gap, zoom)
        busy += bool(patch.size and (np.ptp(patch[:, :, 1], axis=0) > 60).all())
    return busy / len(gaps[:8]) if gaps else 0.0


def likeness(one: str, other: str) -> float:
    """Share of the first text's pairs of letters that the second has too, 0 to 1; spaces don't count."""
    pairs, others = _pairs(one), _pairs(other)
    total = sum(pairs.values())
    return sum((pairs & others).values()) / total if total else 1.0


def _pairs(text: str) -> Counter[str]:
    folded = _folded(text).translate(_LOOK_ALIKE)  # the slips of recognisers
    return Counter(folded[at : at + 2] for at in range(len(folded) - 1))


def _folded(text: str) -> str:
    return "".join(c for c in unicodedata.normalize("NFKC", text).casefold() if c.isalnum())
