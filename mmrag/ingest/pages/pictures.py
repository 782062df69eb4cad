"""Pictures as pages: one frame of a PNG, JPEG, TIFF or WebP file, upright, in RGB, no larger than needed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, UnidentifiedImageError

from mmrag.errors import CorruptFile, IngestError
from mmrag.ingest.pages.opened import opened
from mmrag.ingest.source import Source

MOST_PICTURE_BYTES = 1_500_000_000
"""Unpacked size of one picture above which it is not decoded: unpacking takes some 5 s a GB."""

PLAIN_DPI = 150
"""Resolution taken for granted where a picture tells none, or one that makes no page (a camera's 72)."""

MOST_POINTS = 2400.0
"""Long side in points (33 inches) above which a picture's own resolution is not believed."""

_BAND = 16_000_000  # pixels converted at a time
_ORIENTATION = 0x0112
_TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
_ON_THE_SIDE = tuple(_TURNS[value] for value in (5, 6, 7, 8))
_ANEW = "Open the picture in a viewer and save it anew, or get a fresh copy, then add that file"


class PictureTooLarge(IngestError):
    """The picture does not fit into memory once unpacked."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One decoded frame.

    ``pixels`` are RGB, ``(height, width, 3)``, upright; ``width`` and ``height`` its size in points.
    """

    pixels: NDArray[np.uint8]
    width: float
    height: float


def read_frame(source: Source, number: int, most_pixels: int) -> Frame:
    """Decode one frame of a picture.

    The size is checked from the header before anything is decoded; JPEG is decoded at an eighth, a
    quarter or half of its size where that is enough. Alpha lies over white.

    Args:
        source: the picture.
        number: frame, from 1.
        most_pixels: the frame is scaled down to at most so many pixels, never up.

    Raises:
        CorruptFile: no picture, cut short, or without this frame.
        PictureTooLarge: more than :data:`MOST_PICTURE_BYTES` once unpacked.
    """
    where = f"{source.path} frame {number}"
    with _any_size():
        try:
            if number > 1:
                return _frame(opened(source, _open), number, most_pixels, where)
            with Image.open(source.path) as image:
                return _frame(image, number, most_pixels, where)
        except EOFError as error:
            raise CorruptFile("the picture has no such frame", where=where, remedy=f"{_ANEW}.") from error
        except UnidentifiedImageError as error:
            raise CorruptFile("the picture cannot be read", where=where, remedy=f"{_ANEW}.") from error
        except FileNotFoundError:
            raise
        except (OSError, ValueError, SyntaxError, TypeError, KeyError, IndexError, ArithmeticError) as error:
            # What Pillow's decoders raise on damaged files.
            text = " ".join(str(error).split())[:120] or type(error).__name__
            raise CorruptFile(
                f"the picture is damaged or cut short ({text})", where=where, remedy=f"{_ANEW}."
            ) from error


def _open(source: Source) -> Any:
    return Image.open(source.path)


def _frame(image: Any, number: int, most_pixels: int, where: str) -> Frame:
    image.seek(number - 1)
    width, height = _check_size(image, most_pixels, where)
    resolution = _resolution(image, (width, height))
    turn = _TURNS.get(image.getexif().get(_ORIENTATION, 1))
    upright = _scaled(image, most_pixels)
    if turn is not None:
        upright = upright.transpose(turn)
        if turn in _ON_THE_SIDE:
            width, height = height, width
    pixels = np.asarray(upright, dtype=np.uint8)
    return Frame(pixels, width * 72 / resolution, height * 72 / resolution)


@contextmanager
def _any_size() -> Iterator[None]:
    """Pillow's own limit is off: the size is checked here, by what decoding would really take."""
    before = Image.MAX_IMAGE_PIXELS
    Image.MAX_IMAGE_PIXELS = None
    try:
        yield
    finally:
        Image.MAX_IMAGE_PIXELS = before


def _check_size(image: Any, most_pixels: int, where: str) -> tuple[int, int]:
    width, height = int(image.width), int(image.height)
    if image.format in ("JPEG", "MPO"):
        # The decoder scales by 1/8, 1/4 or 1/2, never below what is asked for.
        scale = min(1.0, (most_pixels / (width * height)) ** 0.5)
        image.draft("RGB", (max(1, int(width * scale)), max(1, int(height * scale))))
    weight = image.width * image.height * _bytes_a_pixel(image.mode)
    if weight > MOST_PICTURE_BYTES:
        raise PictureTooLarge(
            f"the picture takes {weight / 1e9:.1f} GB unpacked",
            where=where,
            remedy=f"Reduce it to below {MOST_PICTURE_BYTES / 1e9:.1f} GB and add the file again.",
        )
    return width, height


def _bytes_a_pixel(mode: str) -> int:
    return {"1": 1, "L": 1, "P": 1, "LA": 2, "PA": 4, "I;16": 2, "RGB": 4, "F": 4, "I": 4}.get(mode, 4)


def _resolution(image: Any, size: tuple[int, int]) -> float:
    """Pixels an inch, from the metadata where they make a page of it."""
    found = image.info.get("dpi")
    try:
        across, down = (float(value) for value in found)
    except (TypeError, ValueError):
        return PLAIN_DPI
    sane = 50 <= across <= 1200 and abs(across - down) <= 0.02 * across
    return across if sane and max(size) * 72 / across <= MOST_POINTS else PLAIN_DPI


def _scaled(image: Any, most_pixels: int) -> Any:
    """The frame in RGB, scaled down to the limit band by band, so that no second full copy is made."""
    width, height = image.size
    scale = min(1.0, (most_pixels / (width * height)) ** 0.5)
    shrink = int(1 / scale)
    white = _white(image)
    step = max(1, _BAND // (width * shrink)) * shrink
    bands = []
    for top in range(0, height, step):
        whole = top == 0 and step >= height
        band = image if whole else image.crop((0, top, width, min(height, top + step)))
        plain = _rgb(band, white)
        bands.append(plain.reduce(shrink) if shrink > 1 else plain)
    result = bands[0]
    if len(bands) > 1:
        result = Image.new("RGB", (bands[0].width, sum(band.height for band in bands)))
        top = 0
        for band in bands:
            result.paste(band, (0, top))
            top += band.height
    if result.width * result.height > most_pixels:
        scale = (most_pixels / (result.width * result.height)) ** 0.5
        size = (max(1, int(result.width * scale)), max(1, int(result.height * scale)))
        result = result.resize(size, Image.Resampling.LANCZOS)
    return result


def _white(image: Any) -> tuple[float, float]:
    """Values of black and white: 16 bits have fixed ones, wider and floating ones what they hold."""
    if not image.mode.startswith(("I", "F")):
        return 0.0, 255.0
    low, high = (float(value) for value in image.getextrema())
    if image.mode.startswith("I;16") or 255 < high <= 65535:
        return 0.0, 65535.0
    return min(0.0, low), max(high, 1e-9)


def _rgb(image: Any, white: tuple[float, float]) -> Any:
    mode = image.mode
    if mode.startswith(("I", "F")):
        low, high = white
        grey = (np.asarray(image).astype(np.float32) - low) * (255.0 / (high - low))
        return Image.fromarray(np.clip(np.nan_to_num(grey), 0, 255).astype(np.uint8)).convert("RGB")
    if mode == "LAB":
        from PIL import ImageCms

        lab, srgb = ImageCms.createProfile("LAB"), ImageCms.createProfile("sRGB")
        return ImageCms.profileToProfile(image, lab, srgb, outputMode="RGB")
    if image.has_transparency_data:
        over = image.convert("RGBA")
        ground = Image.new("RGBA", over.size, (255, 255, 255, 255))
        return Image.alpha_composite(ground, over).convert("RGB")
    return image.convert("RGB")
