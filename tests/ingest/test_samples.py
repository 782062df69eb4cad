"""Real files that break readers: nothing crashes, every page has a status, the rest goes on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mmrag.errors import CorruptFile, EncryptedFile, IngestError
from mmrag.ingest import Chunker, find_files, identify, open_file, read_page
from mmrag.records import PageStatus
from mmrag.settings import ChunkSettings, ReadSettings

from .conftest import count

FOLDER = Path(__file__).parents[3] / "shared" / "samples" / "robust"
present = pytest.mark.skipif(not FOLDER.is_dir(), reason=f"the sample files are not here ({FOLDER})")


@present
def test_every_page_of_every_odd_file_has_a_status():
    told = {}
    for line in (FOLDER / "index.jsonl").read_text().splitlines():
        entry = json.loads(line)
        told[entry["file"]] = entry
    for path in find_files([FOLDER]):
        entry = told[path.name]
        passwords = [entry["password"]] if entry["password"] else []
        if passwords:
            with pytest.raises(EncryptedFile) as refused:
                open_file(path)
            assert "--password" in refused.value.remedy
        try:
            info = open_file(path, passwords=passwords)
        except IngestError as error:
            assert error.remedy
            assert not isinstance(error, EncryptedFile)
            assert ("pages0" in entry["tags"]) <= isinstance(error, CorruptFile)
            continue
        made: Chunker | None = None
        for number in range(1, info.pages + 1):
            # OCR has its own tests; without it these files take seconds.
            page = read_page(info.source, info.id, number, ReadSettings(ocr="off"))
            made = made or Chunker(
                info.id, identify(info, page), info.outline, ChunkSettings(), count, running=info.running
            )
            chunks = made.feed(page)
            assert page.number == number
            assert (page.status is PageStatus.INDEXED) == (page.reason == "")
            assert (page.status is PageStatus.INDEXED) == bool(chunks)
            assert page.status is not PageStatus.FAILED
            text = "".join(chunk.text.replace(" ", "").replace("\n", "") for chunk in chunks)
            for word in page.words:
                plain = word.text.rstrip("-")
                in_margin = word.box.y1 < 0.12 * page.height or word.box.y0 > 0.88 * page.height
                assert plain.replace("|", "\\|") in text or plain in text or in_margin, (path.name, number)
