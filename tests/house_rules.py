"""The rules of the house, over the text of one module. test_house.py applies them to every file of mmrag/."""

from __future__ import annotations

import ast
from collections.abc import Iterator

# What each room may import of mmrag. Arrows run one way:
#   ui, serve, evaluate, cli -> library -> retrieve, answer -> index, models, ingest
LEAVES = frozenset({"records", "errors", "settings", "filters", "tracing", "markdown", "unspaced"})
LIBRARY = frozenset({"adding", "asking", "crew", "library", "lookup", "overlay", "status"})
FOUNDATIONS = frozenset({"index", "models", "ingest"})
ARROWS: dict[str, frozenset[str]] = {
    **dict.fromkeys(FOUNDATIONS | LEAVES, frozenset()),
    "retrieve": FOUNDATIONS,
    "answer": FOUNDATIONS,
    **dict.fromkeys(LIBRARY, LIBRARY | FOUNDATIONS | {"retrieve", "answer"}),
    "demo": frozenset(),
    # It measures parts as well as the whole: how files are read, what fusion would have made of the legs.
    "evaluate": LIBRARY | FOUNDATIONS | {"retrieve", "answer"},
    "serve": LIBRARY,
    "ui": LIBRARY,
    "cli": LIBRARY | {"evaluate", "serve", "ui", "demo"},
}

# Packages that have a home, and the rooms that are it.
HOMES: dict[str, tuple[str, ...]] = {
    "lancedb": ("index",),
    "pymupdf": ("ingest",),
    "fitz": ("ingest",),
    "rapidocr": ("ingest",),
    "cv2": ("ingest",),
    "pdf2image": ("ingest",),
    "pptx": ("ingest",),
    "lxml": ("ingest",),
    "olefile": ("ingest",),
    "msoffcrypto": ("ingest",),
    "tokenizers": ("models",),
    "torch": ("models",),
    "transformers": ("models",),
    "colpali_engine": ("models",),
    "gradio": ("ui",),
    "fastapi": ("serve",),
    "typer": ("cli",),
    "rich": ("cli", "evaluate"),
}

LONGEST = 320

# (module, what it imports): why it may.
EXCEPTIONS: dict[tuple[str, str], str] = {}


def room(module: str) -> str:
    """``mmrag.index.store`` -> ``index``; ``mmrag`` itself -> ``""``."""
    return module.partition(".")[2].partition(".")[0]


def imports(module: str, source: str, public: dict[str, str]) -> Iterator[tuple[int, str]]:
    """Line and absolute name of everything imported, wherever in the file it stands.

    ``public`` says which module each name of ``mmrag`` itself comes from.
    """
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                yield node.lineno, f"relative import in {module}"
            elif node.module == "mmrag":
                for alias in node.names:
                    own = alias.name.startswith("__")  # __version__ lives in mmrag itself
                    yield node.lineno, "mmrag" if own else public.get(alias.name, f"mmrag.{alias.name}")
            else:
                yield node.lineno, node.module or ""


def violations(module: str, source: str, public: dict[str, str]) -> list[str]:
    """What is wrong with a module, each with its line."""
    here = room(module)
    found = []
    if here and here not in ARROWS and here not in LEAVES:
        found.append(f"{module}: the room {here} has no arrows: add it to house_rules.py")
    for line, name in imports(module, source, public):
        if (module, name) in EXCEPTIONS:
            continue
        package = name.partition(".")[0]
        if name.startswith("relative"):
            found.append(f"{module}:{line}: {name}: spell it out")
        elif package == "mmrag" and here:
            there = room(name)
            if there and there != here and there not in LEAVES | ARROWS.get(here, frozenset()):
                found.append(f"{module}:{line}: {here} may not import {name}")
        elif here not in HOMES.get(package, (here,)):
            found.append(f"{module}:{line}: {package} is imported in {', '.join(HOMES[package])} alone")
    for node in ast.walk(ast.parse(source)):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "print"
            and here != "cli"
        ):
            found.append(f"{module}:{node.lineno}: print outside cli/")
    if (lines := source.count("\n")) > LONGEST:
        found.append(f"{module}: {lines} lines, more than {LONGEST}: one job each?")
    return found
