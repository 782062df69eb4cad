"""Every error mmrag raises on purpose.

::

    MmragError
    ├── SettingsError            a setting is unknown or out of range
    ├── FilterError              a --where expression cannot be understood
    ├── AccessError              a tenant or group has no usable name
    ├── IngestError              one file or page cannot be read (path, page)
    │   ├── MissingFile          no file at that path
    │   ├── EmptyFile            zero bytes
    │   ├── UnsupportedFile      not a kind mmrag reads
    │   ├── EncryptedFile        a password is needed or wrong
    │   ├── MissingTool          LibreOffice or Poppler is not installed
    │   ├── ConversionError      LibreOffice could not make a PDF of it
    │   └── CorruptFile          damaged beyond repair
    ├── ModelError               a model cannot be used
    │   ├── UnknownModel         no such embedder or answerer
    │   └── ModelFileError       its files are missing or not the published ones
    ├── LibraryError             the library on disk
    │   ├── LibraryNotFound      nothing there to open
    │   ├── LibraryLocked        another process is writing
    │   ├── LibraryMismatch      made by another embedder or a newer mmrag
    │   ├── Cancelled            adding was cancelled
    │   ├── StorageError         the disk refused a write (full, read-only)
    │   └── DocumentNotFound     no such document or page for this reader
    └── EvaluationError          an evaluation set cannot be used

Each message says what happened, where, and what to do about it.
"""

from __future__ import annotations


class MmragError(Exception):
    """Base of every error mmrag raises on purpose.

    Args:
        what: what happened, one clause without a full stop.
        where: the file, page, setting or table it happened at ("" when there is none).
        remedy: what the reader can do now, one sentence.
    """

    def __init__(self, what: str, *, where: str = "", remedy: str = "") -> None:
        self.what = what
        self.where = where
        self.remedy = remedy
        text = f"{where}: {what}" if where else what
        super().__init__(f"{text}. {remedy}" if remedy else text)

    def __reduce__(self) -> tuple[object, ...]:
        # Errors cross process borders during ingestion; keyword-only arguments need help there.
        return (_rebuild, (type(self), self.what, self.where, self.remedy))


def _rebuild(kind: type[MmragError], what: str, where: str, remedy: str) -> MmragError:
    return kind(what, where=where, remedy=remedy)


class SettingsError(MmragError):
    """A setting is unknown, of the wrong type or out of range."""


class FilterError(MmragError):
    """A filter expression cannot be understood."""


class AccessError(MmragError):
    """The name of a tenant or group cannot be used."""


class IngestError(MmragError):
    """One file or page cannot be read; the rest of the batch goes on."""


class MissingFile(IngestError):
    """There is no file at the path."""


class EmptyFile(IngestError):
    """The file has zero bytes."""


class UnsupportedFile(IngestError):
    """The file's content is not of a kind mmrag reads."""


class EncryptedFile(IngestError):
    """The file needs a password, or the one given is wrong."""


class MissingTool(IngestError):
    """A program that this kind of file needs is not installed."""


class ConversionError(IngestError):
    """The office suite could not turn the file into pages, or not in time."""


class CorruptFile(IngestError):
    """The file is damaged beyond what the readers can repair."""


class ModelError(MmragError):
    """A model cannot be used."""


class UnknownModel(ModelError):
    """No embedder or answerer goes by that name."""


class ModelFileError(ModelError):
    """A model's files are missing or are not the published ones."""


class LibraryError(MmragError):
    """Something about the library on disk."""


class LibraryNotFound(LibraryError):
    """There is no library at the path."""


class LibraryLocked(LibraryError):
    """Another process holds the library's write lock."""


class LibraryMismatch(LibraryError):
    """The library was made by another embedder or a newer mmrag."""


class Cancelled(LibraryError):
    """Adding was cancelled; documents that were finished are kept."""


class StorageError(LibraryError):
    """The disk refused a write."""


class DocumentNotFound(LibraryError):
    """No such document or page is visible to this reader."""


class EvaluationError(MmragError):
    """An evaluation set cannot be used."""
