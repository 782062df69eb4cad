"""What `from mmrag import ...` offers, and what it costs."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import mmrag
from mmrag import errors, records


def test_all_is_sorted_and_whole() -> None:
    assert mmrag.__all__ == sorted(mmrag.__all__)
    assert set(mmrag.__all__) == {*mmrag._HOME_OF, "__version__"}


@pytest.mark.parametrize("name", sorted(mmrag._HOME_OF))
def test_name_comes_from_its_home(name: str) -> None:
    home = importlib.import_module(mmrag._HOME_OF[name])
    assert getattr(mmrag, name) is getattr(home, name)


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(mmrag.__file__).read_text(encoding="utf-8"))
    (block,) = [n for n in tree.body if isinstance(n, ast.If) and ast.unparse(n.test) == "TYPE_CHECKING"]
    seen = {
        alias.name: node.module
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    assert seen == mmrag._HOME_OF


@pytest.mark.parametrize("module", [errors, records])
def test_every_error_and_record_is_public(module: ModuleType) -> None:
    own = {
        name
        for name, value in inspect.getmembers(module, inspect.isclass)
        if value.__module__.startswith(module.__name__) and not name.startswith("_")
    }
    assert own <= set(mmrag.__all__)


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="module 'mmrag' has no attribute 'Libary'"):
        _ = mmrag.Libary


def test_dir_lists_what_is_not_loaded_yet() -> None:
    code = "import mmrag; print('Library' in dir(mmrag), 'Library' in vars(mmrag))"
    assert _python(code) == "True False"


def test_import_is_light() -> None:
    loaded = set(json.loads(_python("import json, sys, mmrag; print(json.dumps(list(sys.modules)))")))
    assert "mmrag" in loaded
    assert {name for name in loaded if name.startswith("mmrag.")} == set()
    roots = {name.partition(".")[0] for name in loaded}
    heavy = {
        "torch",
        "lancedb",
        "pyarrow",
        "pymupdf",
        "gradio",
        "numpy",
        "pydantic",
        "onnxruntime",
        "PIL",
        "typer",
    }
    assert roots & heavy == set()


def test_records_and_errors_stay_light_too() -> None:
    code = "import json, sys; from mmrag import Page, MmragError; print(json.dumps(list(sys.modules)))"
    roots = {name.partition(".")[0] for name in json.loads(_python(code))}
    assert roots & {"numpy", "pydantic", "lancedb", "pymupdf"} == set()


def _python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()
