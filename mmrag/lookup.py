"""Which documents a person may see, and which of them is meant."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mmrag.errors import DocumentNotFound
from mmrag.filters import Filter
from mmrag.index.codec import storable

if TYPE_CHECKING:
    from mmrag.index.snapshot import Snapshot
    from mmrag.records import Document, FileNote, Reader

SHORTEST_ID = 4


def visible(snapshot: Snapshot, reader: Reader, where: Filter | None = None) -> list[Document]:
    """What a reader sees, by name and id."""
    scope = snapshot.scope(reader, where)
    found = [snapshot.documents[key] for key in scope.documents]
    return sorted(found, key=lambda document: (document.name, document.id))


def parsed(where: Filter | str | None) -> Filter | None:
    """A filter from its text, or as it is."""
    return Filter.parse(where) if isinstance(where, str) else where


def named(documents: Sequence[Document], name: str) -> list[Document]:
    """The documents of that id, path, name or beginning of an id; the first of these that any has."""
    path = storable(os.path.realpath(name)) if "\0" not in name else ""
    for matches in (
        [d for d in documents if d.id == name],
        [d for d in documents if d.path == path],
        [d for d in documents if d.name == name],
        [d for d in documents if len(name) >= SHORTEST_ID and d.id.startswith(name)],
    ):
        if matches:
            return matches
    return []


def resolve(documents: Sequence[Document], name: str) -> Document:
    """The one document of that name.

    Raises:
        DocumentNotFound: there is none, or more than one.
    """
    matches = named(documents, name)
    if len(matches) == 1:
        return matches[0]
    if matches:
        ids = ", ".join(document.id[:12] for document in matches)
        raise DocumentNotFound(
            f"{len(matches)} documents go by that name", where=name, remedy=f"Use an id: {ids}."
        )
    raise DocumentNotFound(
        "there is no such document", where=name, remedy="`mmrag list` shows what is there."
    )


def removable(snapshot: Snapshot, reader: Reader, name: str) -> Document | FileNote:
    """What of a reader's goes by that name: a document, one whose adding was cut off, or a refused file.

    Raises:
        DocumentNotFound: there is none, or more than one document.
    """
    whole = visible(snapshot, reader)
    if not named(whole, name):
        half = [document for document in snapshot.interrupted if reader.may_read(document.access)]
        if found := named(half, name):
            return found[0]
        path = storable(os.path.realpath(name)) if "\0" not in name else ""
        notes = [note for note in snapshot.files if reader.may_read(note.access)]
        for note in (*(n for n in notes if n.path == path), *(n for n in notes if n.name == name)):
            return note
    return resolve(whole, name)
