"""Tasks that worker processes import by name."""

from __future__ import annotations

import ctypes
import functools
import os
import subprocess
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from mmrag.adding.tasks import open_file as real_open_file
from mmrag.adding.tasks import read_page as real_read_page
from mmrag.ingest import FileInfo, Source
from mmrag.records import Page


def double(number: int) -> int:
    return 2 * number


def crash(number: int) -> int:
    os.abort()


def read_nowhere(number: int) -> int:
    """A segmentation fault in native code."""
    ctypes.string_at(0)
    return number


def hang(number: int) -> int:
    time.sleep(60)
    return number


def hang_natively(number: int) -> int:
    """Sleep in native code that holds the interpreter, so that no other thread of the process runs."""
    ctypes.PyDLL(None).sleep(60)
    return number


def hang_with_a_program(marker: str) -> int:
    """Start a program that outlives its starter, write its number down, and hang."""
    program = subprocess.Popen(["sleep", "60"])
    Path(marker).write_text(str(program.pid))
    time.sleep(60)
    return 0


def refuse(number: int) -> int:
    raise ValueError(f"no {number}")


class Odd(Exception):
    """An error that cannot be unpickled."""

    def __init__(self, first: int, second: int) -> None:
        super().__init__(f"{first} and {second}")


def refuse_oddly(number: int) -> int:
    raise Odd(number, number)


def answer_with_what_cannot_be_sent(number: int) -> object:
    return lambda: number


def chatter(number: int) -> int:
    """What a library prints must not get between the answers."""
    os.write(1, b"progress: 50%\n")
    print("done")
    return number


def crash_once(marker: str) -> str:
    if not os.path.exists(marker):
        open(marker, "w").close()
        os.abort()
    return "second time"


def slow_pid(seconds: float) -> int:
    time.sleep(seconds)
    return os.getpid()


def at_once(folder: str, seconds: float) -> int:
    """How many tasks of this kind run at the same moment, this one included."""
    mine = Path(folder) / str(os.getpid())
    mine.touch()
    time.sleep(seconds)
    count = len(list(Path(folder).glob("[0-9]*")))
    mine.unlink()
    return count


def crash_once_then_count(marker: str, folder: str) -> int:
    crash_once(marker)
    return at_once(folder, 0.2)


def environment(name: str) -> tuple[str | None, str]:
    return os.environ.get(name), os.getcwd()


def read_page_or(fault: str, number: int) -> Callable[..., Page]:
    """A task in the place of mmrag.adding.tasks.read_page: one page has the fault, the others are read."""
    return functools.partial(_read_page_or, fault, number)


def _read_page_or(fault: str, bad: int, source: Source, document: str, number: int, *rest: Any) -> Page:
    if number == bad:
        globals()[fault](number)
    return real_read_page(source, document, number, *rest)


def open_file_or(fault: str, name: str) -> Callable[..., FileInfo]:
    """A task in the place of mmrag.adding.tasks.open_file: a file of that name has the fault."""
    return functools.partial(_open_file_or, fault, name)


def _open_file_or(fault: str, bad: str, path: Path, *rest: Any) -> FileInfo:
    if path.name == bad:
        globals()[fault](0)
    return real_open_file(path, *rest)


def open_slowly(seconds: float, name: str) -> Callable[..., FileInfo]:
    """A task in the place of mmrag.adding.tasks.open_file: a file of that name takes its time."""
    return functools.partial(_open_slowly, seconds, name)


def _open_slowly(seconds: float, slow: str, path: Path, *rest: Any) -> FileInfo:
    if path.name == slow:
        time.sleep(seconds)
    return real_open_file(path, *rest)


def open_as_if_converted(path: Path, passwords: Any, workdir: Path, settings: Any) -> FileInfo:
    """As an office file is opened: its pages come from a PDF that was made of it in the work folder."""
    folder = Path(tempfile.mkdtemp(dir=workdir))
    made = folder / "made.pdf"
    made.write_bytes(path.read_bytes())
    info = real_open_file(path, passwords, workdir, settings)
    seen = Path(os.environ["MADE"])
    seen.write_text(seen.read_text() + f"{path.name} {len(list(workdir.iterdir()))}\n")
    return replace(info, source=replace(info.source, path=made))


def open_without_office(*args: Any) -> FileInfo:
    """Where LibreOffice is installed, its usual places are looked at too: here there is none."""
    from mmrag.ingest.files import office

    office._NAMES, office._PLACES, names, places = (), (), office._NAMES, office._PLACES
    try:
        return real_open_file(*args)
    finally:
        office._NAMES, office._PLACES = names, places
