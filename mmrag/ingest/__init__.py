"""Files in, pages and chunks out. Knows nothing of models or of how pages are stored."""

from mmrag.ingest.chunks.chunker import Chunker
from mmrag.ingest.files.identity import identify
from mmrag.ingest.files.opening import FileInfo, OutlineEntry, file_id, find_files, open_file
from mmrag.ingest.pages.page import close_files, read_page
from mmrag.ingest.source import Source, SourceKind
from mmrag.ingest.tables.continuation import link_tables

__all__ = [
    "Chunker",
    "FileInfo",
    "OutlineEntry",
    "Source",
    "SourceKind",
    "close_files",
    "file_id",
    "find_files",
    "identify",
    "link_tables",
    "open_file",
    "read_page",
]
