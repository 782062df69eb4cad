"""Pages of pictures, counted from headers alone."""

from __future__ import annotations

import io
import struct

import pytest
from PIL import Image

from mmrag.errors import CorruptFile
from mmrag.ingest import open_file
from mmrag.ingest.source import SourceKind


def frames(count: int) -> list[Image.Image]:
    return [Image.new("RGB", (20, 10), (number * 40, 0, 0)) for number in range(count)]


def drawn(kind: str, count: int = 1, **options: object) -> bytes:
    stream = io.BytesIO()
    first, *rest = frames(count)
    more = {"save_all": True, "append_images": rest} if rest else {}
    first.save(stream, kind, **more, **options)
    return stream.getvalue()


def opened(path, data: bytes):
    path.write_bytes(data)
    return open_file(path)


@pytest.mark.parametrize(
    ("kind", "suffix", "name"),
    [
        ("PNG", "png", "PNG picture"),
        ("JPEG", "jpg", "JPEG picture"),
        ("WEBP", "webp", "WebP picture"),
        ("TIFF", "tif", "TIFF picture"),
    ],
)
def test_a_picture_is_a_document_of_one_page(tmp_path, kind, suffix, name):
    info = opened(tmp_path / f"a.{suffix}", drawn(kind))
    assert (info.kind, info.pages, info.notes) == (name, 1, ())
    assert (info.source.kind, info.source.path) == (SourceKind.PICTURE, info.path)


def test_a_progressive_picture_is_read(tmp_path):
    assert opened(tmp_path / "a.jpg", drawn("JPEG", progressive=True)).pages == 1


def test_each_frame_of_a_tiff_is_a_page(tmp_path):
    info = opened(tmp_path / "a.tif", drawn("TIFF", 5))
    assert (info.pages, info.notes) == (5, ())
    with Image.open(tmp_path / "a.tif") as picture:
        assert picture.n_frames == 5


def test_frames_of_a_big_tiff_are_counted(tmp_path):
    data = drawn("TIFF", 3, big_tiff=True)
    assert data[2] == 43
    assert opened(tmp_path / "a.tif", data).pages == 3


@pytest.mark.parametrize("kind", ["WEBP", "PNG"])
def test_of_a_moving_picture_the_first_frame_is_read(tmp_path, kind):
    info = opened(tmp_path / f"a.{kind.lower()}", drawn(kind, 3))
    assert info.pages == 1
    assert info.notes == ("the picture moves: only its first frame is read",)


def test_a_loop_of_frames_ends(tmp_path):
    data = bytearray(drawn("TIFF", 2))
    first = struct.unpack("<I", data[4:8])[0]
    entries = struct.unpack("<H", data[first : first + 2])[0]
    second = struct.unpack("<I", data[first + 2 + 12 * entries :][:4])[0]
    entries = struct.unpack("<H", data[second : second + 2])[0]
    at = second + 2 + 12 * entries
    data[at : at + 4] = struct.pack("<I", first)
    assert opened(tmp_path / "a.tif", bytes(data)).pages == 2


def test_frames_before_a_break_in_the_chain_are_read(tmp_path):
    data = bytearray(drawn("TIFF", 2))
    first = struct.unpack("<I", data[4:8])[0]
    entries = struct.unpack("<H", data[first : first + 2])[0]
    at = first + 2 + 12 * entries
    data[at : at + 4] = struct.pack("<I", len(data) + 99)
    info = opened(tmp_path / "a.tif", bytes(data))
    assert info.pages == 1
    assert info.notes == ("the file is damaged: nothing can be found after frame 1",)


@pytest.mark.parametrize(
    ("kind", "keep", "how"),
    [
        ("PNG", 20, "cut off"),
        ("PNG", 40, "cut off"),
        ("JPEG", 30, "cut off"),
        ("TIFF", 8, "cut off"),
        ("WEBP", 40, "bytes are missing at its end"),
    ],
)
def test_a_picture_without_its_headers_is_corrupt(tmp_path, kind, keep, how):
    with pytest.raises(CorruptFile, match=how) as caught:
        opened(tmp_path / "a.bin", drawn(kind)[:keep])
    assert caught.value.remedy.endswith(".")


@pytest.mark.parametrize(
    ("data", "how"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(40), "does not begin with its size"),
        (b"\xff\xd8\xff\xd9", "its size is missing"),
        (b"\xff\xd8\xff\xe0\x00\x04aaBB", "segments do not follow"),
        (b"II*\x00\x00\x00\x00\x00", "holds no picture"),
        (b"RIFF\x10\x00\x00\x00WEBPXXXX" + bytes(20), "does not begin with a picture"),
    ],
)
def test_headers_that_make_no_sense_are_corrupt(tmp_path, data, how):
    with pytest.raises(CorruptFile, match=how):
        opened(tmp_path / "a.bin", data)


def test_a_picture_of_gigabytes_is_not_decoded_to_be_counted(tmp_path):
    """40,000 x 40,000 points in 100 bytes: reading it is for the page reader to refuse."""
    header = struct.pack(">IIBBBBB", 40_000, 40_000, 8, 2, 0, 0, 0)
    data = b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + b"IHDR" + header + bytes(4)
    data += struct.pack(">I", 0) + b"IDAT" + bytes(4)
    assert opened(tmp_path / "a.png", data).pages == 1
