"""What commands print: data on stdout, progress and messages on stderr."""

from __future__ import annotations

import json
import math
import sys
import unicodedata
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from mmrag.errors import StorageError

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress as Bars

PIPE_WIDTH = 160
"""Columns of tables that go to a file or a pipe, where there is no terminal to ask."""


_DIRECTION = {*range(0x202A, 0x202F), *range(0x2066, 0x206A)}


def clean(text: str) -> str:
    """Text without control characters and direction overrides, which could act on a terminal."""
    return "".join(" " if _acts(character) else character for character in text.replace("\r\n", "\n"))


def _acts(character: str) -> bool:
    if character == "\n":
        return False
    return unicodedata.category(character) in {"Cc", "Cs"} or ord(character) in _DIRECTION


def say(text: str) -> None:
    """A message for the person, on stderr."""
    typer.echo(clean(text), err=True)


def put(text: str) -> None:
    """A line of data, on stdout."""
    typer.echo(clean(text))


def print_json(value: Mapping[str, Any], *, err: bool = False) -> None:
    """One JSON object on one line of stdout (or stderr), in ASCII: no terminal's encoding spoils it."""
    typer.echo(json.dumps(_finite(value), allow_nan=False), err=err)


def _finite(value: Any) -> Any:
    """The value with NaN and infinities, which JSON lacks, turned into null."""
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): _finite(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(item) for item in value]
    return value


def render(item: RenderableType, *, err: bool = False) -> None:
    """A rich table or text on stdout, or on stderr."""
    from rich.console import Console

    stream = sys.stderr if err else sys.stdout
    width = None if stream.isatty() else PIPE_WIDTH
    Console(file=stream, width=width, highlight=False).print(item)


@contextmanager
def bars() -> Iterator[Bars]:
    """Progress bars on stderr: what, how many of how many, and how long."""
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[unit]}", markup=False),
        TimeElapsedColumn(),
    )
    width = None if sys.stderr.isatty() else PIPE_WIDTH
    with Progress(*columns, console=Console(file=sys.stderr, width=width)) as progress:
        yield progress


def write_file(path: Path, data: bytes) -> Path:
    """Write a file, with its folder.

    Raises:
        StorageError: the disk refused.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    except OSError as error:
        raise StorageError(
            f"the file cannot be written ({error.strerror or error})",
            where=str(path),
            remedy="Give a path that can be written to and has space.",
        ) from error
    return path
