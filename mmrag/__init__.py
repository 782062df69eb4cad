"""Ask your PDFs and slides, and see the document, the page and the box each answer rests on.

::

    from mmrag import Library

    with Library.open("mmrag-library") as library:
        library.add(["report.pdf"])
        print(library.ask("How many days can I carry over?").text)

Names are imported when first used (PEP 562): ``import mmrag`` itself loads no other module.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mmrag.adding.handle import Adding
    from mmrag.errors import (
        AccessError,
        Cancelled,
        ConversionError,
        CorruptFile,
        DocumentNotFound,
        EmptyFile,
        EncryptedFile,
        EvaluationError,
        FilterError,
        IngestError,
        LibraryError,
        LibraryLocked,
        LibraryMismatch,
        LibraryNotFound,
        MissingFile,
        MissingTool,
        MmragError,
        ModelError,
        ModelFileError,
        SettingsError,
        StorageError,
        UnknownModel,
        UnsupportedFile,
    )
    from mmrag.filters import Filter
    from mmrag.library import Library
    from mmrag.records import (
        Access,
        AddReport,
        Answer,
        Box,
        Cell,
        Chunk,
        ChunkKind,
        Citation,
        Document,
        DocumentId,
        Draft,
        Evidence,
        Figure,
        FileNote,
        Hit,
        Identity,
        LegRank,
        Page,
        PageImage,
        PageStatus,
        PageVectors,
        Passage,
        Progress,
        Quote,
        Reader,
        SearchResult,
        Supplement,
        Table,
        TraceEntry,
        Usage,
        Word,
        WordSource,
    )
    from mmrag.settings import (
        AnswerSettings,
        ChunkSettings,
        FusionWeights,
        ReadSettings,
        SearchSettings,
        Settings,
    )
    from mmrag.status import (
        LibraryStatus,
        PageNote,
    )

__version__ = "0.1.0"

__all__ = [
    "Access",
    "AccessError",
    "AddReport",
    "Adding",
    "Answer",
    "AnswerSettings",
    "Box",
    "Cancelled",
    "Cell",
    "Chunk",
    "ChunkKind",
    "ChunkSettings",
    "Citation",
    "ConversionError",
    "CorruptFile",
    "Document",
    "DocumentId",
    "DocumentNotFound",
    "Draft",
    "EmptyFile",
    "EncryptedFile",
    "EvaluationError",
    "Evidence",
    "Figure",
    "FileNote",
    "Filter",
    "FilterError",
    "FusionWeights",
    "Hit",
    "Identity",
    "IngestError",
    "LegRank",
    "Library",
    "LibraryError",
    "LibraryLocked",
    "LibraryMismatch",
    "LibraryNotFound",
    "LibraryStatus",
    "MissingFile",
    "MissingTool",
    "MmragError",
    "ModelError",
    "ModelFileError",
    "Page",
    "PageImage",
    "PageNote",
    "PageStatus",
    "PageVectors",
    "Passage",
    "Progress",
    "Quote",
    "ReadSettings",
    "Reader",
    "SearchResult",
    "SearchSettings",
    "Settings",
    "SettingsError",
    "StorageError",
    "Supplement",
    "Table",
    "TraceEntry",
    "UnknownModel",
    "UnsupportedFile",
    "Usage",
    "Word",
    "WordSource",
    "__version__",
]

# Where each public name lives.
_HOMES = {
    "mmrag.adding.handle": ("Adding",),
    "mmrag.errors": (
        "AccessError",
        "Cancelled",
        "ConversionError",
        "CorruptFile",
        "DocumentNotFound",
        "EmptyFile",
        "EncryptedFile",
        "EvaluationError",
        "FilterError",
        "IngestError",
        "LibraryError",
        "LibraryLocked",
        "LibraryMismatch",
        "LibraryNotFound",
        "MissingFile",
        "MissingTool",
        "MmragError",
        "ModelError",
        "ModelFileError",
        "SettingsError",
        "StorageError",
        "UnknownModel",
        "UnsupportedFile",
    ),
    "mmrag.filters": ("Filter",),
    "mmrag.library": (
        "Library",
        "LibraryStatus",
        "PageNote",
    ),
    "mmrag.records": (
        "Access",
        "AddReport",
        "Answer",
        "Box",
        "Cell",
        "Chunk",
        "ChunkKind",
        "Citation",
        "Document",
        "DocumentId",
        "Draft",
        "Evidence",
        "Figure",
        "FileNote",
        "Hit",
        "Identity",
        "LegRank",
        "Page",
        "PageImage",
        "PageStatus",
        "PageVectors",
        "Passage",
        "Progress",
        "Quote",
        "Reader",
        "SearchResult",
        "Supplement",
        "Table",
        "TraceEntry",
        "Usage",
        "Word",
        "WordSource",
    ),
    "mmrag.settings": (
        "AnswerSettings",
        "ChunkSettings",
        "FusionWeights",
        "ReadSettings",
        "SearchSettings",
        "Settings",
    ),
    "mmrag.status": ("LibraryStatus", "PageNote"),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

if not TYPE_CHECKING:  # to a type checker a name that isn't listed above is a mistake

    def __getattr__(name: str) -> object:
        home = _HOME_OF.get(name)
        if home is None:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        value = getattr(import_module(home), name)
        globals()[name] = value  # the next look-up does not come here
        return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
