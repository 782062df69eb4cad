"""Chunks as such: numbered, with the document's identity and the section before what is indexed."""

from __future__ import annotations

from collections.abc import Callable

from mmrag.ingest.chunks.pieces import fitted
from mmrag.records import Box, Chunk, ChunkKind, DocumentId, Page
from mmrag.settings import ChunkSettings

PREFIX = 94
"""Most tokens of document title and section path before a text: with the default 160 tokens of text this
makes 254, the length that the built-in text embedder was trained on."""

_SHARE = 0.25
"""Share of an embedder's limit that is kept for title and section path."""


class ChunkMaker:
    """Makes the chunks of one document, numbered from 0.

    Args:
        document: its id.
        label: its title, organisation and year on one line.
        settings: most tokens of a chunk's own text.
        count: tokens of a text, as the text embedder counts them.
        limit: most tokens that the text embedder takes at once; 0 when it takes any number.
    """

    def __init__(
        self,
        document: DocumentId,
        label: str,
        settings: ChunkSettings,
        count: Callable[[str], int],
        limit: int = 0,
    ) -> None:
        self._document = document
        self._label = label
        self._limit = limit
        self._order = 0
        self._measured = ("", count(label))
        self.count = count
        self.overlap = settings.overlap
        self.tokens = settings.tokens
        """Most tokens of a chunk's text, such that title and section path fit before it."""
        if limit:
            self.tokens = min(settings.tokens, max(16, limit - int(_SHARE * limit)))

    def make(
        self,
        kind: ChunkKind,
        page: Page,
        text: str,
        section: str,
        boxes: tuple[Box, ...],
        *,
        indexed: str | None = None,
        header_repeated: bool = False,
        rows: tuple[int, int] | None = None,
    ) -> Chunk:
        """The next chunk.

        Args:
            kind: what it holds.
            page: where it stands.
            text: for reading.
            section: its section path.
            boxes: its places on the page.
            indexed: for the index, where it isn't the same; at most :attr:`tokens` long.
            header_repeated: whether a table's header was brought here from elsewhere.
            rows: body rows of a piece of a table.
        """
        indexed = text if indexed is None else indexed
        tokens = self.count(indexed)
        chunk = Chunk(
            document=self._document,
            order=self._order,
            kind=kind,
            text=text,
            index_text="\n".join((*self._prefix(section, tokens), indexed)),
            pages=(page.number,),
            boxes=boxes,
            box_pages=(page.number,) * len(boxes),
            tokens=tokens,
            section=section,
            header_repeated=header_repeated,
            rows=rows,
        )
        self._order += 1
        return chunk

    def _prefix(self, section: str, tokens: int) -> list[str]:
        """Title and section path, shortened where they would take more than their share."""
        room = min(PREFIX, self._limit - tokens) if self._limit else PREFIX
        whole = [part for part in (self._label, section) if part]
        # Chunks come section by section, so the last one's measure mostly serves.
        if self._measured[0] != section:
            self._measured = section, sum(map(self.count, whole))
        if self._measured[1] <= room:
            return whole
        if not section:
            return [fitted(self._label, room, self.count)]
        path = self._short_path(section, room // 2)
        title = fitted(self._label, room - self.count(path), self.count)
        return [part for part in (title, path) if part]

    def _short_path(self, section: str, room: int) -> str:
        """The innermost headings of a path that fit."""
        if self.count(section) <= room:
            return section
        steps = section.split(" > ")
        for start in range(1, len(steps)):
            path = " > ".join(("…", *steps[start:]))
            if self.count(path) <= room:
                return path
        return fitted(steps[-1], room, self.count)
