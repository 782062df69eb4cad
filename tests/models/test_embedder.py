"""Pages to a vector a word, questions to a vector a token."""

from __future__ import annotations

import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from mmrag.errors import UnknownModel
from mmrag.models import load_embedder
from mmrag.models.builtin.embedder import DIM, BuiltinEmbedder
from mmrag.models.protocols import PageEmbedder, TextEmbedder
from mmrag.records import ChunkKind, Page, PageVectors, Supplement

LEAVE = "Employees may carry over up to eight days of unused annual leave into the following year"
PUMP = "The pump is driven by a motor of four kilowatts and must be vented before the first start"

Make = Callable[..., Page]


def one(embedder: BuiltinEmbedder, page: Page) -> PageVectors:
    return embedder.embed_pages([page])[0]


def score(query: np.ndarray, page: PageVectors) -> float:
    best = (query @ page.vectors.astype(np.float32).T).max(axis=1)
    return float((np.clip(best, 0, 1) ** 4).mean())


def test_load_embedder() -> None:
    embedder = load_embedder("builtin")
    assert isinstance(embedder, PageEmbedder)
    assert isinstance(embedder, TextEmbedder)
    assert (embedder.id, embedder.dim, embedder.power) == ("builtin", 128, 4)
    assert (embedder.text_dim, embedder.text_limit) == (384, 254)
    assert embedder.revision == load_embedder("builtin").revision
    assert embedder.count_tokens("How many EL can I roll over?") == 8


def test_an_unknown_embedder_is_refused() -> None:
    with pytest.raises(
        UnknownModel, match=r"setting embedder: there is no embedder 'colbert'. Use .*builtin"
    ):
        load_embedder("colbert")


def test_naming_the_models_room_loads_no_engine() -> None:
    code = "import sys, mmrag.models; sys.exit('onnxruntime' in sys.modules or 'tokenizers' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_a_vector_a_word_with_its_box_then_the_identity(embedder: BuiltinEmbedder, page_of: Make) -> None:
    page = page_of(LEAVE, context="Leave policy, Norvane Ferries, 2025")
    made = one(embedder, page)
    assert made.vectors.shape == (16 + 5, DIM)
    assert made.vectors.dtype == np.float16
    assert made.boxes.dtype == np.float32
    np.testing.assert_array_equal(made.boxes[:16], [word.box for word in page.words])
    assert np.isnan(made.boxes[16:]).all()
    np.testing.assert_allclose(np.linalg.norm(made.vectors.astype(np.float32), axis=1), 1, atol=1e-3)


def test_a_words_vector_is_the_one_a_question_would_ask_for(embedder: BuiltinEmbedder, page_of: Make) -> None:
    page = page_of(LEAVE)
    made = one(embedder, page)
    query = embedder.embed_query("unused annual leave")  # [CLS] unused annual leave [SEP]
    best = (query[1:-1] @ made.vectors.astype(np.float32).T).argmax(axis=1)
    assert [page.words[n].text for n in best] == ["unused", "annual", "leave"]


def test_questions_find_their_page(embedder: BuiltinEmbedder, page_of: Make) -> None:
    leave, pump = embedder.embed_pages([page_of(LEAVE), page_of(PUMP)])
    for text, right, wrong in (
        ("How many vacation days can I keep for next year?", leave, pump),
        ("How strong is the engine?", pump, leave),
    ):
        query = embedder.embed_query(text)
        assert score(query, right) > score(query, wrong)


def test_the_identity_tells_look_alikes_apart(embedder: BuiltinEmbedder, page_of: Make) -> None:
    text = "Total net revenue rose to 1,284 million and the result before tax was 96 million " * 30
    names = ("Annual report, Norvane Ferries, 2024", "Annual report, Osterly Steel, 2024")
    ferries, steel = embedder.embed_pages([page_of(text, name) for name in names])
    query = embedder.embed_query("What was the revenue of Osterly Steel?")
    assert score(query, steel) > score(query, ferries) + 0.05
    # The page's own words are read without it.
    words = len(text.split())
    assert ferries.vectors.shape == steel.vectors.shape == (words + 5, DIM)
    assert np.array_equal(ferries.vectors[:words], steel.vectors[:words])


@pytest.mark.parametrize("count", [1, 200, 3000, 5000])
def test_no_word_of_a_long_page_is_lost(embedder: BuiltinEmbedder, page_of: Make, count: int) -> None:
    source = (LEAVE + " " + PUMP + " unreconfigurable CR-2032-XL").split()
    page = page_of([source[n % len(source)] for n in range(count)], context="Manual, Acme, 2024")
    made = one(embedder, page)
    assert made.boxes[:count, 0].tolist() == list(range(count))
    assert len(made.vectors) == count + 3


def test_a_word_reads_the_same_wherever_the_window_ends(embedder: BuiltinEmbedder, page_of: Make) -> None:
    sentence = PUMP.split()
    made = one(embedder, page_of(sentence * 100)).vectors.astype(np.float32).reshape(100, len(sentence), DIM)
    middle = made[10:90]
    likeness = (middle * middle.mean(axis=0) / np.linalg.norm(middle.mean(axis=0), axis=-1)[:, None]).sum(
        axis=-1
    )
    assert likeness.min() > 0.75
    assert likeness.mean() > 0.95


def test_a_page_does_not_depend_on_its_neighbours(embedder: BuiltinEmbedder, page_of: Make) -> None:
    pages = [page_of(LEAVE * 20, "A report"), page_of(PUMP), page_of("x")]
    together = embedder.embed_pages(pages)
    for page, made in zip(pages, together, strict=True):
        again = one(embedder, page)
        assert np.array_equal(again.vectors, made.vectors)
        assert np.array_equal(again.boxes, made.boxes, equal_nan=True)


@pytest.mark.parametrize(
    "words",
    [
        ["שלום", "مرحبا", "नमस्ते", "东京都", "😀😀", "ﬁnance", "İstanbul", "e\u0301tude"],
        ["𐍈𐌰", "☃", "a\ufffd", "b\ud800", "c\ud800\ud801\ud802\ud803", "z"],
        ["two words", "x" * 5000, "." * 3000, "東" * 700, "-", "1,234.5"],
        ["[SEP]", "[PAD]", "##ing", "</s>"],
    ],
)
def test_odd_words_have_vectors(embedder: BuiltinEmbedder, page_of: Make, words: list[str]) -> None:
    made = one(embedder, page_of(words, context="Report 東京 ☃"))
    assert made.boxes[: len(words), 0].tolist() == list(range(len(words)))
    vectors = made.vectors.astype(np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)


def test_words_with_nothing_to_encode_have_none(embedder: BuiltinEmbedder, page_of: Make) -> None:
    made = one(embedder, page_of(["", "a", " ", "\x00", "b", "\u200b\u200b", "\ud800", "\ufffd"]))
    assert made.boxes[:, 0].tolist() == [1, 4]


@pytest.mark.parametrize("words", [[], [""], ["\x00", " "]])
def test_a_page_without_anything_to_see(embedder: BuiltinEmbedder, page_of: Make, words: list[str]) -> None:
    made = one(embedder, page_of(words, context="Annual report"))
    assert made.vectors.shape == (0, DIM)
    assert made.boxes.shape == (0, 4)


def test_a_long_identity_leaves_room_for_the_page(embedder: BuiltinEmbedder, page_of: Make) -> None:
    made = one(embedder, page_of(LEAVE.split() * 40, context="supercalifragilistic " * 200))
    assert (~np.isnan(made.boxes[:, 0])).sum() == 16 * 40
    assert 0 < np.isnan(made.boxes[:, 0]).sum() < 64


@pytest.mark.parametrize("text", ["How many EL can I roll over?", "the of", "", "7", "why " * 2000, "東京 ☃"])
def test_queries_have_rows_of_unit_length(embedder: BuiltinEmbedder, text: str) -> None:
    rows = embedder.embed_query(text)
    assert rows.dtype == np.float32
    assert rows.shape[1] == DIM
    assert len(rows) >= embedder.count_tokens(text) + 2
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_it_crosses_a_process_border(embedder: BuiltinEmbedder) -> None:
    again = pickle.loads(pickle.dumps(embedder))
    assert again.revision == embedder.revision
    assert np.array_equal(again.embed_query("leave"), embedder.embed_query("leave"))


def test_the_projection_is_fixed(embedder: BuiltinEmbedder) -> None:
    # Stored vectors outlive numpy versions: these figures may only change with the revision.
    row = embedder.embed_query("annual leave")[1, :4]
    np.testing.assert_allclose(row, [-0.0473, 0.0179, -0.0322, 0.1545], atol=0.01)


def test_words_beside_the_picture_have_vectors_that_look_at_no_place(
    embedder: BuiltinEmbedder, page_of: Make
) -> None:
    notes = Supplement(ChunkKind.NOTES, "Speaker notes", "The ferry sails")
    vectors = one(embedder, replace(page_of("Fleet"), supplements=(notes,)))
    assert np.isnan(vectors.boxes[:, 0]).tolist() == [False, True, True, True, True, True]


def test_a_slide_without_words_is_found_by_its_notes(embedder: BuiltinEmbedder, page_of: Make) -> None:
    empty = replace(page_of(""), supplements=(Supplement(ChunkKind.NOTES, text="annual leave"),))
    vectors = one(embedder, empty)
    assert vectors.vectors.shape == (2, 128)
    assert score(embedder.embed_query("annual leave"), vectors) > 0.5
