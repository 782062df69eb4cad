"""Pictures as pages: every kind of pixel, upright, at their own size, within bounds."""

from __future__ import annotations

import subprocess
import sys
import zlib
from pathlib import Path

import numpy as np
import pymupdf
import pytest
from PIL import Image

from mmrag.ingest import Source, SourceKind, close_files, read_page
from mmrag.ingest.pages import pictures
from mmrag.records import Page, PageStatus, WordSource
from mmrag.settings import ReadSettings

from .conftest import pixels_of

LINES = ["The harbour opened in 1912", "and moved 48,300 tonnes", "of grain in its first year."]


def sheet(*, width: int = 420, height: int = 300, zoom: float = 2.0) -> Image.Image:
    document = pymupdf.open()
    page = document.new_page(width=width, height=height)
    for number, line in enumerate(LINES):
        page.insert_text((60, 90 + 40 * number), line, fontsize=16)
    pixmap = page.get_pixmap(matrix=pymupdf.Matrix(zoom, zoom), alpha=False)
    return Image.frombytes("RGB", (pixmap.width, pixmap.height), pixmap.samples)


def read(path: Path, number: int = 1, **settings: object) -> Page:
    return read_page(Source(path, SourceKind.PICTURE), "d" * 32, number, ReadSettings(**settings))


def frame(path: Path, number: int = 1, most: int = 16_000_000) -> pictures.Frame:
    return pictures.read_frame(Source(path, SourceKind.PICTURE), number, most)


@pytest.mark.parametrize("name", ["a.png", "a.jpg", "a.tif", "a.webp", "wrong suffix.pdf"])
def test_a_picture_is_a_page_read_by_ocr(tmp_path, name):
    path = tmp_path / name
    sheet().save(path, {"a.jpg": "JPEG", "a.tif": "TIFF", "a.webp": "WEBP"}.get(name, "PNG"))
    page = read(path)
    assert (page.status, page.reason, page.number, page.rotation) == (PageStatus.INDEXED, "", 1, 0)
    assert " ".join(w.text for w in page.words) == " ".join(LINES)
    assert all(w.source is WordSource.OCR for w in page.words)
    assert page.notes == ("read by OCR: the page has no text layer",)
    assert (page.image.width, page.image.height) == (840, 600)
    assert (page.width, page.height) == pytest.approx((840 * 0.48, 600 * 0.48))
    ink = 255 - pixels_of(page).astype(float)
    for word in page.words:
        x0, y0, x1, y1 = (round(value / 0.48) for value in word.box)
        assert ink[y0:y1, x0:x1].mean() > 15


@pytest.mark.parametrize("orientation", range(1, 9))
def test_orientation_from_the_metadata_is_applied(tmp_path, orientation):
    stored = sheet()
    undo = {2: 0, 3: 3, 4: 1, 5: 5, 6: 2, 7: 6, 8: 4}
    if orientation in undo:
        stored = stored.transpose(Image.Transpose(undo[orientation]))
    exif = Image.Exif()
    exif[0x0112] = orientation
    stored.save(tmp_path / "turned.jpg", exif=exif, quality=95, dpi=(144, 144))
    found = frame(tmp_path / "turned.jpg")
    assert found.pixels.shape == (600, 840, 3)
    assert (found.width, found.height) == (420, 300)
    assert np.abs(found.pixels.astype(int) - np.asarray(sheet())).mean() < 3


def grey_ramp() -> np.ndarray:
    return np.tile(np.linspace(0, 255, 64).astype(np.uint8), (32, 1))


@pytest.mark.parametrize(
    ("name", "image"),
    [
        ("sixteen.png", Image.fromarray(grey_ramp().astype(np.uint16) * 257)),
        ("sixteen.tif", Image.fromarray(grey_ramp().astype(np.uint16) * 257)),
        ("float.tif", Image.fromarray(grey_ramp().astype(np.float32) / 255)),
        ("grey.png", Image.fromarray(grey_ramp())),
        ("palette.png", Image.fromarray(grey_ramp()).convert("P")),
        ("cmyk.tif", Image.fromarray(grey_ramp()).convert("CMYK")),
        ("lab.tif", None),
    ],
)
def test_every_kind_of_pixel_becomes_rgb(tmp_path, name, image):
    if image is None:
        from PIL import ImageCms

        rgb = Image.fromarray(grey_ramp()).convert("RGB")
        profiles = ImageCms.createProfile("sRGB"), ImageCms.createProfile("LAB")
        image = ImageCms.profileToProfile(rgb, *profiles, outputMode="LAB")
    image.save(tmp_path / name)
    pixels = frame(tmp_path / name).pixels
    assert pixels.shape == (32, 64, 3)
    assert np.abs(pixels.astype(int) - grey_ramp()[:, :, None]).max() <= 6


def test_one_bit_is_black_and_white(tmp_path):
    dots = Image.fromarray(np.indices((20, 20)).sum(axis=0) % 2 == 0)
    dots.save(tmp_path / "dots.tif")
    assert set(np.unique(frame(tmp_path / "dots.tif").pixels)) == {0, 255}
    small = frame(tmp_path / "dots.tif", most=100).pixels
    assert small.shape == (10, 10, 3)
    assert np.abs(small.astype(int) - 127).max() <= 2  # greys, not every second pixel


@pytest.mark.parametrize("mode", ["RGBA", "LA", "P"])
def test_what_is_transparent_lies_over_white(tmp_path, mode):
    image = Image.new("RGBA", (10, 10), (200, 0, 0, 0))
    image.putpixel((0, 0), (0, 0, 0, 255))
    path = tmp_path / "clear.png"
    if mode == "P":
        palette = Image.new("P", (10, 10), 1)
        palette.putpalette([0, 0, 0, 200, 0, 0])
        palette.putpixel((0, 0), 0)
        palette.save(path, transparency=1)
    else:
        image.convert(mode).save(path)
    pixels = frame(path).pixels
    assert tuple(pixels[0, 0]) == (0, 0, 0)
    assert (pixels[1:, 1:] == 255).all()


@pytest.mark.parametrize(
    ("dpi", "points"),
    [((300, 300), 144), ((100, 100), 432), (None, 288), ((1, 1), 288), ((72, 300), 288), ((5000, 5000), 288)],
)
def test_size_in_points_from_a_sane_resolution(tmp_path, dpi, points):
    path = tmp_path / "sized.png"
    Image.new("L", (600, 300), 255).save(path, **({"dpi": dpi} if dpi else {}))
    found = frame(path)
    assert (found.width, found.height) == pytest.approx((points, points / 2), rel=0.001)


def test_a_resolution_that_makes_no_page_is_not_believed(tmp_path):
    Image.new("L", (4000, 3000), 255).save(tmp_path / "camera.jpg", dpi=(72, 72))
    assert frame(tmp_path / "camera.jpg").width == pytest.approx(4000 * 0.48)


def test_small_pictures_are_not_blown_up_and_large_ones_scaled_down(tmp_path):
    Image.new("RGB", (30, 20), "red").save(tmp_path / "small.png")
    page = read(tmp_path / "small.png")
    assert (page.image.width, page.image.height, page.status) == (30, 20, PageStatus.BLANK)
    sheet(zoom=8).save(tmp_path / "large.png")
    page = read(tmp_path / "large.png")
    assert (page.image.width, page.image.height) == (1600, 1143)
    assert " ".join(w.text for w in page.words) == " ".join(LINES)


def test_small_print_on_a_large_picture_is_read(tmp_path):
    large = Image.new("RGB", (4000, 5000), "white")
    large.paste(sheet(zoom=1.2), (3000, 4400))
    large.save(tmp_path / "wall.png")
    page = read(tmp_path / "wall.png")
    assert " ".join(w.text for w in page.words) == " ".join(LINES)
    assert all(w.box.x0 > 3000 * 0.48 and w.box.y0 > 4400 * 0.48 for w in page.words)


def test_jpegs_are_decoded_small_where_that_is_enough(tmp_path, monkeypatch):
    Image.new("RGB", (4000, 3000), "white").save(tmp_path / "huge.jpg")
    monkeypatch.setattr(pictures, "MOST_PICTURE_BYTES", 15_000_000)
    found = frame(tmp_path / "huge.jpg", most=800_000)
    assert found.pixels.shape[0] * found.pixels.shape[1] <= 800_000
    assert found.width == pytest.approx(4000 * 0.48)


def test_a_picture_beyond_all_measure_is_too_large_before_it_is_decoded(tmp_path):
    path = tmp_path / "bomb.png"
    Image.new("1", (8, 8)).save(path)
    data = bytearray(path.read_bytes())
    data[16:24] = (100_000).to_bytes(4, "big") * 2
    data[29:33] = zlib.crc32(data[12:29]).to_bytes(4, "big")
    path.write_bytes(data)
    page = read(path)
    assert page.status is PageStatus.TOO_LARGE
    assert "the picture takes 10.0 GB unpacked" in page.reason
    assert "Reduce it to below 1.5 GB" in page.reason


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "TIFF", "WEBP"])
def test_a_picture_cut_short_is_corrupt(tmp_path, kind):
    path = tmp_path / "short"
    Image.fromarray(np.random.default_rng(1).integers(0, 255, (200, 200, 3), dtype=np.uint8)).save(path, kind)
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    page = read(path)
    assert page.status is PageStatus.CORRUPT
    assert "picture" in page.reason
    assert "save it anew" in page.reason


def test_rubbish_and_missing_frames_are_corrupt(tmp_path):
    (tmp_path / "rubbish.png").write_bytes(b"no picture at all")
    assert read(tmp_path / "rubbish.png").status is PageStatus.CORRUPT
    Image.new("L", (9, 9)).save(tmp_path / "one.tif")
    page = read(tmp_path / "one.tif", 2)
    assert (page.status, "no such frame" in page.reason) == (PageStatus.CORRUPT, True)
    assert read(tmp_path / "gone.png").status is PageStatus.FAILED


def test_each_frame_of_a_tiff_is_a_page_and_memory_stays_flat(tmp_path):
    path = tmp_path / "long.tif"
    frames = [Image.new("L", (1000, 800), 255 - number // 2) for number in range(300)]
    frames[0].save(path, save_all=True, append_images=frames[1:])
    assert [int(frame(path, number).pixels[0, 0, 0]) for number in (1, 2, 150, 300)] == [255, 255, 181, 106]
    close_files()
    code = (
        "import resource, sys; from pathlib import Path\n"
        "from mmrag.ingest import Source, SourceKind\n"
        "from mmrag.ingest.pages import pictures\n"
        "source = Source(Path(sys.argv[1]), SourceKind.PICTURE)\n"
        "peaks = []\n"
        "for number in range(1, 301):\n"
        "    pictures.read_frame(source, number, 16_000_000)\n"
        "    peaks.append(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)\n"
        "print(peaks[-1] - peaks[2])\n"
    )
    told = subprocess.run([sys.executable, "-c", code, str(path)], capture_output=True, text=True, check=True)
    assert int(told.stdout) < 20_000  # KB; the frames together are 240 MB


def test_a_blank_picture(tmp_path):
    Image.new("RGB", (300, 300), "white").save(tmp_path / "blank.png")
    page = read(tmp_path / "blank.png")
    assert (page.status, page.reason) == (PageStatus.BLANK, "nothing is on the page")
