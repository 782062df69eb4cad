"""A full disk: a clear error, and what was added before stays."""

from __future__ import annotations

import errno
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from drawn_store import MODEL, document, put

from mmrag.errors import StorageError
from mmrag.index.disk import storage_errors
from mmrag.index.store import Store


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MB; needs root, so elsewhere the simulated test below stands alone."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(tmp_path)]
    try:
        done = subprocess.run(mount, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        pytest.skip("no mount command here")
    if done.returncode:
        pytest.skip(f"no file system may be mounted here: {done.stderr.strip()}")
    yield tmp_path
    subprocess.run(["umount", "-l", str(tmp_path)], check=True)


def test_a_disk_that_fills_up(small_disk: Path) -> None:
    store = Store.open(small_disk / "library", MODEL, language="English", create=True)
    put(store, document("first.pdf", 1), ["apples"])
    with pytest.raises(StorageError, match="the disk is full") as caught:
        for number in range(100):
            put(store, document(f"{number}.pdf", 100), ["apples " * 300] * 100, seed=number)
    assert "Free some space and run the same command again" in str(caught.value)
    again = Store.open(small_disk / "library", MODEL, language="English", create=False)
    names = [held.name for held in again.snapshot().documents.values()]
    assert "first.pdf" in names
    assert all(held.statuses == {"indexed": held.pages} for held in again.snapshot().documents.values())


def test_a_disk_that_is_full_by_simulation(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    put(store, document("first.pdf", 1), ["apples"])
    second = document("second.pdf", 1)

    def full(path: Path, data: bytes) -> int:
        raise OSError(28, "No space left on device", str(path))

    with monkeypatch.context() as patched, pytest.raises(StorageError, match="the disk is full"):
        patched.setattr(Path, "write_bytes", full)
        put(store, second, ["pears"], seed=1)
    assert [held.name for held in store.snapshot().documents.values()] == ["first.pdf"]
    put(store, second, ["pears"], seed=1)
    assert sorted(held.name for held in store.snapshot().documents.values()) == ["first.pdf", "second.pdf"]


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT, errno.EFBIG])
def test_every_way_of_having_no_room_is_said(tmp_path: Path, number: int) -> None:
    with pytest.raises(StorageError, match="the disk is full, or a limit"), storage_errors(tmp_path):
        raise OSError(number, "no room")
