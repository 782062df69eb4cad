"""How many pages a picture file has, from its headers alone: nothing is decoded."""

from __future__ import annotations

import os
import struct
from pathlib import Path
from typing import BinaryIO

from mmrag.errors import CorruptFile
from mmrag.ingest.files.info import printable
from mmrag.ingest.files.kinds import JPEG, PNG, TIFF, Kind

_MOST_FRAMES = 100_000  # directories a TIFF is followed through
_DAMAGED = "Open it in a picture program and save it anew, or get a fresh copy."
_MOVING = "the picture moves: only its first frame is read"
_NO_FRAME = frozenset({0xC4, 0xC8, 0xCC})  # JPEG markers C0 to CF that do not start a frame


def count_frames(path: Path, kind: Kind) -> tuple[int, tuple[str, ...]]:
    """Pages of a picture, and what a reader should know of it.

    Every frame of a TIFF is a page: page ``n`` is frame ``n - 1`` as Pillow counts. Other kinds are one
    page; of one that moves (WebP, animated PNG), the first frame.

    Raises:
        CorruptFile: the headers are cut off or make no sense.
        OSError: the file cannot be read.
    """
    try:
        with path.open("rb") as stream:
            if kind == TIFF:
                return _tiff_frames(stream)
            moving = {PNG: _png_moves, JPEG: _jpeg_moves}.get(kind, _webp_moves)(stream)
    except (ValueError, OverflowError, struct.error) as error:
        how = str(error) if isinstance(error, _Damage) else "its headers are cut off"
        raise CorruptFile(
            f"the {kind.name} is damaged: {how}", where=printable(path), remedy=_DAMAGED
        ) from error
    return 1, (_MOVING,) if moving else ()


class _Damage(ValueError):
    """What is wrong with the headers."""


def _png_moves(stream: BinaryIO) -> bool:
    """Whether there is an animation chunk before the picture's data."""
    stream.seek(8)
    size, name, width, height = struct.unpack(">I4sII", stream.read(16))
    if name != b"IHDR" or not width or not height:
        raise _Damage("it does not begin with its size")
    stream.seek(8 + 12 + size)
    moves = False
    while True:
        size, name = struct.unpack(">I4s", stream.read(8))
        if name == b"IDAT":
            return moves
        if name == b"acTL":
            (frames,) = struct.unpack(">I", stream.read(4))
            moves = frames > 1
            size -= 4
        stream.seek(size + 4, os.SEEK_CUR)


def _jpeg_moves(stream: BinaryIO) -> bool:
    """Never; raises unless the picture's size stands before its data."""
    stream.seek(2)
    while True:
        (lead,) = struct.unpack("B", stream.read(1))
        if lead != 0xFF:
            raise _Damage("its segments do not follow one another")
        marker = lead
        while marker == 0xFF:
            (marker,) = struct.unpack("B", stream.read(1))
        if marker in (0xD9, 0xDA):
            raise _Damage("its size is missing")
        if marker == 0x01 or 0xD0 <= marker <= 0xD8:
            continue
        (size,) = struct.unpack(">H", stream.read(2))
        if 0xC0 <= marker <= 0xCF and marker not in _NO_FRAME:
            _, _, width = struct.unpack(">BHH", stream.read(5))
            if not width:
                raise _Damage("its width is zero")
            return False
        stream.seek(size - 2, os.SEEK_CUR)


def _webp_moves(stream: BinaryIO) -> bool:
    """Whether the extended header says so."""
    _, size, _, chunk = struct.unpack("<4sI4s4s", stream.read(16))
    if chunk not in (b"VP8 ", b"VP8L", b"VP8X"):
        raise _Damage("it does not begin with a picture")
    end = stream.seek(0, os.SEEK_END)
    if size + 8 > end + 1:  # some programs leave out the last padding byte
        raise _Damage(f"{size + 8 - end:,} bytes are missing at its end")
    stream.seek(20)
    (flags,) = struct.unpack("B", stream.read(1))
    return chunk == b"VP8X" and bool(flags & 0x02)


def _tiff_frames(stream: BinaryIO) -> tuple[int, tuple[str, ...]]:
    """Directories in the chain (TIFF 6.0, section 2; BigTIFF has wider fields), and where it breaks off."""
    order = "<" if stream.read(2) == b"II" else ">"
    (version,) = struct.unpack(order + "H", stream.read(2))
    big = version == 43
    if big:
        stream.seek(8)
    count, pointer, entry_size = (order + "Q", order + "Q", 20) if big else (order + "H", order + "I", 12)
    offset = _unpack(stream, pointer)
    seen: set[int] = set()
    while offset and offset not in seen and len(seen) < _MOST_FRAMES:
        try:
            stream.seek(offset)
            size = _unpack(stream, count) * entry_size
            stream.seek(size, os.SEEK_CUR)
            following = _unpack(stream, pointer)
        except (ValueError, OverflowError, OSError, struct.error):
            if not seen:
                raise
            return len(seen), (f"the file is damaged: nothing can be found after frame {len(seen)}",)
        seen.add(offset)
        offset = following
    if not seen:
        raise _Damage("it holds no picture")
    return len(seen), ()


def _unpack(stream: BinaryIO, layout: str) -> int:
    (value,) = struct.unpack(layout, stream.read(struct.calcsize(layout)))
    return int(value)
