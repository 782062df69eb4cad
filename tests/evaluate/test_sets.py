import hashlib
import json

import pytest

from mmrag.errors import EvaluationError
from mmrag.evaluate.sets import load_set
from mmrag.records import Box

GOOD = {
    "id": "q1",
    "question": "How many?",
    "answer": "three",
    "doc": "a.pdf",
    "pages": [2, 1, 2],
    "modalities": ["table", "text"],
    "answerable": True,
    "visual_only": True,
    "boxes": [{"page": 2, "page_size": [612.0, 792.0], "bbox": [1, 2, 3.5, 4]}],
    "answer_format": "Int",
}


def write(folder, rows, files=("a.pdf",)):
    (folder / "docs").mkdir()
    for name in files:
        (folder / "docs" / name).write_bytes(name.encode())
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    (folder / "questions.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder


def test_a_set_is_read_whole(tmp_path):
    no = {"id": "q2", "question": "Why?", "answer": "Not answerable", "doc": "b.pdf", "answerable": False}
    loaded = load_set(write(tmp_path, [GOOD, "", no], files=("b.pdf", "a.pdf", ".hidden")))
    first, second = loaded.questions
    assert first.pages == (2, 1)
    assert first.modalities == ("table", "text")
    assert first.visual_only and first.answerable
    assert [(gold.page, gold.box) for gold in first.boxes] == [(2, Box(1.0, 2.0, 3.5, 4.0))]
    assert second.pages == () and not second.answerable
    assert loaded.answerable == (first,)
    assert list(loaded.documents) == ["a.pdf", "b.pdf"]
    assert loaded.ids["a.pdf"] == hashlib.sha256(b"a.pdf").hexdigest()[:32]


def test_pages_of_an_unanswerable_question_do_not_count(tmp_path):
    loaded = load_set(write(tmp_path, [GOOD | {"answerable": False}]))
    assert loaded.questions[0].pages == ()


def test_text_may_hold_other_line_separators(tmp_path):
    row = json.dumps(GOOD | {"question": "one\u2028two"}, ensure_ascii=False)
    assert load_set(write(tmp_path, [row])).questions[0].question == "one\u2028two"


def test_the_sha_tells_sets_apart(tmp_path):
    sets = {}
    for name, rows, text in (
        ("one", [GOOD], b"a"),
        ("same", [GOOD], b"a"),
        ("asked", [GOOD | {"answer": "4"}], b"a"),
        ("doc", [GOOD], b"b"),
    ):
        (tmp_path / name).mkdir()
        write(tmp_path / name, rows)
        (tmp_path / name / "docs" / "a.pdf").write_bytes(text)
        sets[name] = load_set(tmp_path / name).sha
    assert sets["one"] == sets["same"]
    assert len({sets["one"], sets["asked"], sets["doc"]}) == 3


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"id": ""}, "id must be a text"),
        ({"question": None}, "question must be a text"),
        ({"answer": 3}, "answer must be a text"),
        ({"doc": "z.pdf"}, r"doc 'z.pdf' is not in docs/"),
        ({"pages": []}, "needs at least one page"),
        ({"pages": [0]}, "page numbers from 1"),
        ({"pages": [True]}, "page numbers from 1"),
        ({"pages": ["2"]}, "page numbers from 1"),
        ({"pages": 2}, "pages must be a list"),
        ({"modalities": [1]}, "modalities must hold texts"),
        ({"answerable": "yes"}, "answerable must be true or false"),
        ({"visual_only": 1}, "visual_only must be true or false"),
        ({"boxes": [3]}, "a box must be an object"),
        ({"boxes": [{"page": 1, "bbox": [1, 2, 3]}]}, "bbox must be"),
        ({"boxes": [{"page": 1, "bbox": [1, 2, 3, "4"]}]}, "bbox must hold numbers"),
        ({"boxes": [{"page": 1, "bbox": [5, 2, 3, 4]}]}, "x0 <= x1"),
        ({"boxes": [{"bbox": [1, 2, 3, 4]}]}, "a box's page"),
    ],
)
def test_a_wrong_field_is_named_with_file_and_line(tmp_path, change, says):
    folder = write(tmp_path, [GOOD | {"id": "q0"}, GOOD | change])
    with pytest.raises(EvaluationError, match=says) as caught:
        load_set(folder)
    assert caught.value.where == f"{folder / 'questions.jsonl'}, line 2"
    assert caught.value.remedy


@pytest.mark.parametrize(("line", "says"), [("{", "not JSON"), ("[1]", "not a JSON object")])
def test_a_line_that_is_no_object_is_named(tmp_path, line, says):
    with pytest.raises(EvaluationError, match=says) as caught:
        load_set(write(tmp_path, [GOOD, line]))
    assert caught.value.where.endswith("line 2")


def test_an_id_is_used_once(tmp_path):
    with pytest.raises(EvaluationError, match="'q1' was used in line 1"):
        load_set(write(tmp_path, [GOOD, GOOD]))


def test_missing_pieces_of_a_set_are_named(tmp_path):
    with pytest.raises(EvaluationError, match="cannot be read") as caught:
        load_set(tmp_path / "nowhere")
    assert caught.value.where.endswith("questions.jsonl")
    (tmp_path / "questions.jsonl").write_text("\n\n")
    with pytest.raises(EvaluationError, match="no such folder") as caught:
        load_set(tmp_path)
    assert caught.value.where.endswith("docs")
    (tmp_path / "docs").mkdir()
    with pytest.raises(EvaluationError, match="no questions"):
        load_set(tmp_path)
