"""Whose a document is, who may read it, and how adding went."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from mmrag.errors import AccessError

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")

DocumentId = str
"""First 32 hexadecimal digits of the SHA-256 of the file's bytes: same bytes, same document."""


@dataclass(frozen=True, slots=True)
class Identity:
    """Whose document it is: title, organisation and year, each empty or None when unknown."""

    title: str
    organisation: str = ""
    year: int | None = None

    def label(self) -> str:
        """One line that rides on everything indexed, e.g. ``Annual report, Acme, 2024``."""
        parts = [self.title]
        if self.organisation and self.organisation.casefold() not in self.title.casefold():
            parts.append(self.organisation)
        if self.year is not None and str(self.year) not in self.title:
            parts.append(str(self.year))
        return ", ".join(part for part in parts if part)


def check_names(tenant: str, groups: tuple[str, ...]) -> None:
    """Names of tenants and groups stand in keys, paths and predicates, so they are plain.

    Raises:
        AccessError: one is not letters, digits, ``.``, ``_`` and ``-``, beginning with a letter or digit.
    """
    for kind, name in (("tenant", tenant), *(("group", group) for group in groups)):
        if not _NAME.fullmatch(name):
            raise AccessError(
                f"{name!r} is no name of a {kind}",
                remedy="Use 1 to 64 letters, digits, dots, hyphens and underscores, first a letter or digit.",
            )


@dataclass(frozen=True, slots=True)
class Access:
    """Who may read a document: readers of ``tenant``, and of one of ``groups`` when any is named."""

    tenant: str = "public"
    groups: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raises AccessError as :func:`check_names` does."""
        check_names(self.tenant, self.groups)


@dataclass(frozen=True, slots=True)
class Reader:
    """Who asks. The default reader sees what is public and open to all groups."""

    tenant: str = "public"
    groups: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Raises AccessError as :func:`check_names` does."""
        check_names(self.tenant, self.groups)

    def may_read(self, access: Access) -> bool:
        """Whether a document with this access is visible to the reader."""
        if access.tenant != self.tenant:
            return False
        return not access.groups or bool(set(access.groups) & set(self.groups))


@dataclass(frozen=True, slots=True)
class Document:
    """A document in a library.

    ``pages`` counts the pages of the file and ``statuses`` how many ended with each status.
    ``added`` is an ISO 8601 UTC time. ``version`` counts the files seen at ``path`` from 1.
    """

    id: DocumentId
    name: str
    path: str
    identity: Identity
    pages: int
    statuses: Mapping[str, int]
    access: Access
    tags: tuple[str, ...]
    added: str
    version: int
    size: int

    @property
    def title(self) -> str:
        """The identity's title."""
        return self.identity.title


@dataclass(frozen=True, slots=True)
class FileNote:
    """A file that was handed in and could not be opened, so that none of its pages is in the library.

    ``status`` is a page status in words (``encrypted``, ``corrupt``, ``unsupported``, ``too_large`` or
    ``failed``), ``reason`` says why and what to do; ``seen`` is an ISO 8601 UTC time.
    """

    path: str
    name: str
    status: str
    reason: str
    tenant: str
    seen: str
    groups: tuple[str, ...] = ()

    @property
    def access(self) -> Access:
        """Who may know of it: those who could read the document it would have been."""
        return Access(self.tenant, self.groups)


@dataclass(frozen=True, slots=True)
class Progress:
    """One step of adding files.

    ``kind`` is ``files_found | file_started | page_done | file_done | file_skipped | file_failed |
    file_pruned | finished``. ``files`` counts the files that were found; ``page`` and ``pages`` count
    within the file; ``status`` and ``reason`` are the page's or the file's; ``seconds`` is the work of
    the page, or the wall time of the file.
    """

    kind: str
    path: str
    document: DocumentId = ""
    page: int = 0
    pages: int = 0
    status: str = ""
    reason: str = ""
    seconds: float = 0.0
    ocr: bool = False
    files: int = 0


@dataclass(frozen=True, slots=True)
class AddReport:
    """What adding came to: documents added, skipped as known, and files that failed with reasons.

    ``pruned`` are the paths of files that are gone, with whatever was kept of them.
    """

    added: tuple[DocumentId, ...] = ()
    skipped: tuple[DocumentId, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()
    pages: int = 0
    statuses: Mapping[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    pruned: tuple[str, ...] = ()
