"""The examples of README.md run, in order, in a folder that holds the demo's documents."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from mmrag import demo

README = Path(__file__).resolve().parent.parent / "README.md"
FENCE = re.compile(r"(?:<!-- (?P<mark>[^\n]+) -->\n)?```(?P<language>\w*)\n(?P<code>.*?)```", re.DOTALL)


class Example(NamedTuple):
    mark: str
    language: str
    code: str


def examples(text: str) -> list[Example]:
    return [Example(m["mark"] or "", m["language"], m["code"]) for m in FENCE.finditer(text)]


EXAMPLES = examples(README.read_text(encoding="utf-8"))


def run(example: Example, folder: Path) -> str:
    command = ["bash", "-euo", "pipefail", "-c"] if example.language == "bash" else [sys.executable, "-c"]
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    settings = {name: value for name, value in os.environ.items() if not name.startswith("MMRAG_")}
    done = subprocess.run(
        [*command, example.code],
        cwd=folder,
        env={**settings, "PATH": path},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    assert done.returncode == 0, f"{example.code}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("reader of the readme")
    (folder / "documents").mkdir()
    for path in demo.documents():
        shutil.copy(path, folder / "documents")
    return folder


def test_every_example_says_whether_it_runs() -> None:
    for example in EXAMPLES:
        assert example.language in {"bash", "python"}, example
        assert example.mark == "run" or example.mark.startswith("not run: "), example
    assert [example.language for example in EXAMPLES if example.mark == "run"] == ["bash", "python"]


def test_the_command_line_as_shown(folder: Path) -> None:
    (shell,) = [example for example in EXAMPLES if example.mark == "run" and example.language == "bash"]
    output = run(shell, folder)
    assert "eight days" in output
    assert "leave-letter-scan.pdf" in output
    assert "14 May 2026" in output
    assert (folder / "mmrag-library").is_dir()
    assert list((folder / "crops").glob("*.png"))
    assert list(folder.glob("fleet-renewal-deck*.png"))


def test_python_as_shown(folder: Path) -> None:
    (script,) = [example for example in EXAMPLES if example.mark == "run" and example.language == "python"]
    output = run(script, folder)
    assert "97.4" in output
    assert "On time (%)" in output  # the header, from the page before
    assert "annual-report-2024.pdf 4" in output
    assert "fleet-renewal-deck.pdf" in output


def test_the_extractor_reads_marks_and_code() -> None:
    text = "x\n<!-- not run: why -->\n```bash\na\nb\n```\ny\n```python\nc\n```\n"
    assert examples(text) == [Example("not run: why", "bash", "a\nb\n"), Example("", "python", "c\n")]
    with pytest.raises(AssertionError, match="broken"):
        run(Example("run", "bash", "echo broken >&2; false; true"), Path.cwd())
