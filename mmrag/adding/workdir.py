"""The folder for what is made on the way and not kept: PDFs of office files."""

from __future__ import annotations

import shutil
from pathlib import Path
from types import TracebackType

from mmrag.index.disk import storage_errors


class Workdir:
    """A folder that is there, and empty at first, while this is entered.

    What a run that was killed has left in it goes when the next one begins.
    """

    def __init__(self, path: Path) -> None:
        self.path = path.resolve()

    def __enter__(self) -> Workdir:
        """Raises StorageError when the disk refuses."""
        shutil.rmtree(self.path, ignore_errors=True)
        with storage_errors(self.path):
            self.path.mkdir(parents=True, exist_ok=True)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        shutil.rmtree(self.path, ignore_errors=True)

    def clean(self, made: Path) -> None:
        """Delete what a conversion made, and other files of the same stem; nothing when it is elsewhere."""
        if self.path not in made.parents:
            return
        name = Path(made.relative_to(self.path).parts[0])
        for path in self.path.iterdir():
            if path.stem == name.stem:
                _delete(path)


def _delete(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        path.unlink(missing_ok=True)
