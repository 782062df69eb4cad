"""The house stands: imports run one way, doors lead where they say, files stay short."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from house_rules import ARROWS, EXCEPTIONS, LONGEST, violations

import mmrag

TOP = Path(__file__).resolve().parent.parent
PUBLIC = mmrag._HOME_OF
FILES = sorted((TOP / "mmrag").rglob("*.py"))


def module_of(path: Path) -> str:
    parts = path.relative_to(TOP).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


@pytest.mark.parametrize("path", FILES, ids=module_of)
def test_module_keeps_the_rules(path: Path) -> None:
    assert violations(module_of(path), path.read_text(encoding="utf-8"), PUBLIC) == []


def test_the_rules_look_at_every_room() -> None:
    seen = {module_of(path) for path in FILES}
    assert {"mmrag.ingest", "mmrag.models", "mmrag.index", "mmrag.library", "mmrag.retrieve"} <= seen
    assert {"mmrag.answer", "mmrag.evaluate", "mmrag.ui", "mmrag.demo"} <= seen


@pytest.mark.parametrize(
    ("module", "source", "complaint"),
    [
        (
            "mmrag.ingest.files",
            "from mmrag.models import load_embedder\n",
            "ingest may not import mmrag.models",
        ),
        ("mmrag.ingest.files", "def f():\n    import mmrag.index.store\n", "files:2: ingest may not import"),
        ("mmrag.models.x", "from mmrag import Library\n", "models may not import mmrag.library"),
        ("mmrag.models.x", "import pymupdf\n", "pymupdf is imported in ingest alone"),
        ("mmrag.index.x", "from mmrag.ingest import Chunker\n", "index may not import mmrag.ingest"),
        ("mmrag.index.x", "from mmrag import models\n", "index may not import mmrag.models"),
        ("mmrag.retrieve.x", "import mmrag.library\n", "retrieve may not import mmrag.library"),
        ("mmrag.retrieve.x", "from mmrag.answer import budget\n", "retrieve may not import mmrag.answer"),
        ("mmrag.library", "import lancedb.table\n", "lancedb is imported in index alone"),
        ("mmrag.library", "from mmrag.cli import app\n", "library may not import mmrag.cli"),
        ("mmrag.cli.x", "from mmrag.index.maxsim import maxsim\n", "cli may not import mmrag.index"),
        ("mmrag.library", "import mmrag.evaluate.run\n", "library may not import mmrag.evaluate"),
        ("mmrag.retrieve.x", "import rich.table\n", "rich is imported in cli, evaluate alone"),
        ("mmrag.records", "import mmrag.ingest.files\n", "records may not import mmrag.ingest"),
        ("mmrag.index.x", "from . import store\n", "relative import"),
        ("mmrag.index.x", "print('done')\n", "index.x:1: print outside cli/"),
        ("mmrag.attic.x", "import os\n", "the room attic has no arrows"),
        ("mmrag.index.x", "\n" * (LONGEST + 1), f"more than {LONGEST}"),
    ],
)
def test_the_rules_bite(module: str, source: str, complaint: str) -> None:
    assert any(complaint in found for found in violations(module, source, PUBLIC)), complaint


@pytest.mark.parametrize(
    ("module", "source"),
    [
        (
            "mmrag.ingest.x",
            "import pymupdf\nfrom mmrag.records import Page\nfrom mmrag.ingest.files import f\n",
        ),
        ("mmrag.library", "from mmrag.retrieve import find\nfrom mmrag.index.store import Store\n"),
        ("mmrag.cli.x", "import rich\nfrom mmrag import Library, demo\nprint('data')\n"),
        ("mmrag.evaluate.x", "from mmrag import Library, Reader\n"),
        ("mmrag.index.x", "from mmrag import __version__\n"),
        ("mmrag.index.x", "\n" * LONGEST),
    ],
)
def test_the_rules_let_through(module: str, source: str) -> None:
    assert violations(module, source, PUBLIC) == []


def test_exceptions_are_in_use_and_reasoned() -> None:
    for (module, name), reason in EXCEPTIONS.items():
        path = TOP / Path(*module.split(".")).with_suffix(".py")
        assert name in path.read_text(encoding="utf-8")
        assert len(reason) > 20
    assert all(target in ARROWS for targets in ARROWS.values() for target in targets)


@pytest.mark.parametrize("name", ["ingest", "models", "index", "ui"])
def test_root_links_are_doors_into_the_package(name: str) -> None:
    door = TOP / name
    assert door.is_symlink()
    assert os.readlink(door) == f"mmrag/{name}"  # relative: a clone elsewhere still opens it
    assert (door / "__init__.py").is_file()


def test_no_machine_paths_or_crlf_in_what_is_committed() -> None:
    homes = ("/" + "root/", "/" + "home/", "/" + "tmp/")
    texts = [*FILES, *(TOP / "scripts").glob("*"), *TOP.glob("*.md"), TOP / "pyproject.toml", TOP / "NOTICE"]
    for path in texts:
        if path.is_file():
            text = path.read_bytes().decode("utf-8")
            assert "\r" not in text, path
            assert not [home for home in homes if home in text], path


@pytest.mark.parametrize("page", sorted(TOP.glob("*.md")), ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)", page.read_text(encoding="utf-8"))
    assert not [to for to in targets if "://" not in to and not (page.parent / to).exists()]
