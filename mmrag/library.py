"""The library: add files, ask questions, know what is in it."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Sequence
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from mmrag.adding.handle import Adding
from mmrag.adding.opening import Passwords
from mmrag.adding.pipeline import Pipeline
from mmrag.adding.telling import Emit
from mmrag.asking import answer
from mmrag.errors import DocumentNotFound
from mmrag.filters import Filter
from mmrag.index.codec import document_key
from mmrag.index.passages import fetch_pages
from mmrag.index.schema import ModelIdentity
from mmrag.index.store import Store
from mmrag.index.vectors import VectorCache
from mmrag.index.writer import open_writer
from mmrag.lookup import parsed, removable, resolve, visible
from mmrag.models import load_embedder
from mmrag.overlay import draw_boxes, page_image
from mmrag.records import Access, FileNote, Reader
from mmrag.retrieve.search import search
from mmrag.settings import Settings
from mmrag.status import LibraryStatus, status_of

if TYPE_CHECKING:
    from mmrag.index.snapshot import Snapshot
    from mmrag.models import Embedder
    from mmrag.records import AddReport, Answer, Box, Document, Page, SearchResult

PUBLIC = Reader()
MOST_PAGES = 100_000


class Library:
    """A folder of documents to search and ask. Open it with :meth:`open`; it is a context manager.

    One process adds or removes at a time; any number search and ask meanwhile.
    """

    def __init__(self, store: Store, embedder: Embedder, settings: Settings) -> None:
        self._store = store
        self._embedder = embedder
        self._settings = settings
        self._cache = VectorCache(settings.search.page_cache_mb)
        self._adding: Adding | None = None
        self._guard = threading.Lock()

    @classmethod
    def open(
        cls, path: str | Path | None = None, *, settings: Settings | None = None, create: bool = True
    ) -> Library:
        """Open the library in the folder ``path``; make an empty one when there is none.

        Args:
            path: the folder; ``settings.library`` when None.
            settings: the settings tree; :meth:`Settings.load` when None.
            create: whether to make a library where there is none.

        Raises:
            LibraryNotFound: there is none and ``create`` is false, or the folder holds other things.
            LibraryMismatch: its vectors were made by another embedder.
            StorageError: the disk refuses.
            UnknownModel, ModelFileError: the embedder cannot be loaded.
        """
        settings = settings or Settings.load()
        embedder = load_embedder(settings.embedder)
        model = ModelIdentity(embedder.id, embedder.revision, embedder.dim, embedder.text_dim, embedder.power)
        root = Path(path) if path is not None else settings.library
        store = Store.open(root, model, language=settings.search.language, create=create)
        return cls(store, embedder, settings)

    @property
    def path(self) -> Path:
        """The folder."""
        return self._store.root

    @property
    def settings(self) -> Settings:
        """The settings it was opened with."""
        return self._settings

    def __enter__(self) -> Library:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if kind is None:
            self.close()
        else:
            self._stop()

    def close(self) -> None:
        """Wait for files that are still being added."""
        self._settle()

    def _stop(self) -> None:
        with self._guard:
            adding, self._adding = self._adding, None
        if adding is not None:
            adding.cancel()

    def add(
        self,
        paths: str | Path | Iterable[str | Path],
        *,
        access: Access | None = None,
        tags: Sequence[str] = (),
        passwords: Passwords = (),
        prune: bool = False,
    ) -> Adding:
        """Add files, and the documents and pictures in folders; work starts at once.

        Iterate what is returned for :class:`Progress` events, call it for the :class:`AddReport`, or
        drop it: the next call on the library waits for it. A file whose bytes are known is skipped; a
        new file under a known path takes the old one's place when it is whole.

        Args:
            paths: one path or several.
            access: who may read them. When it names no groups, a new version keeps those of the one it
                replaces; a new document is open to all of its tenant.
            tags: words to filter by; a new version keeps those of the one it replaces.
            passwords: to try on files that need one, or a mapping of path to password; nothing keeps them.
            prune: also drop what came from files under these paths that are gone. A folder that is not
                there, or cannot be listed, drops nothing.

        Raises:
            LibraryLocked: somebody else is writing.
            StorageError: the disk refuses (raised by the returned object).
        """
        self._settle()
        listed = [paths] if isinstance(paths, str | Path) else list(paths)
        words = (tags,) if isinstance(tags, str) else tuple(tags)
        with ExitStack() as stack:
            writer = stack.enter_context(open_writer(self._store))
            pipeline = Pipeline(writer, self._embedder, self._settings, self._store.root / "work")
            held = stack.pop_all()

        def work(emit: Emit) -> AddReport:
            with held:
                return pipeline.run(listed, access, words, emit, passwords=passwords, prune=prune)

        self._adding = Adding(work, pipeline.cancel)
        return self._adding

    def search(
        self,
        question: str,
        *,
        k: int | None = None,
        where: Filter | str | None = None,
        reader: Reader = PUBLIC,
    ) -> SearchResult:
        """The ``k`` best pages (``settings.search.k`` when None), each with its rank in every leg.

        Args:
            question: plain words; identifiers are matched whole.
            k: pages wanted, at least 1.
            where: a filter, or its text (see :mod:`mmrag.filters`); every leg applies it before its top k.
            reader: who asks; pages it may not read are never searched.

        Raises:
            FilterError: the filter cannot be understood.
            ValueError: the question is empty or ``k`` is less than 1.
        """
        self._settle()
        return self._search(self._store.snapshot(), question, k, where, reader)

    def ask(
        self,
        question: str,
        *,
        k: int | None = None,
        where: Filter | str | None = None,
        reader: Reader = PUBLIC,
    ) -> Answer:
        """An answer that quotes the pages it rests on, or an abstention that says where to look.

        Args and errors are those of :meth:`search`.
        """
        self._settle()
        snapshot = self._store.snapshot()
        result = self._search(snapshot, question, k, where, reader)
        return answer(question, result, snapshot, reader, self._cache, self._embedder, self._settings.answer)

    def documents(self, *, where: Filter | str | None = None, reader: Reader = PUBLIC) -> list[Document]:
        """The documents ``reader`` may see, by name and id.

        Raises:
            FilterError: the filter cannot be understood.
        """
        self._settle()
        return visible(self._store.snapshot(), reader, parsed(where))

    def remove(self, document: str, *, reader: Reader = PUBLIC) -> Document | FileNote:
        """Remove a document, every row and image of it, also one whose adding was interrupted.

        Args:
            document: its id, the beginning of its id, its name or its path; name or path of a file that
                could not be opened removes the note on it.
            reader: must be one that may read it.

        Raises:
            DocumentNotFound: there is none, or more than one.
            LibraryLocked: somebody else is writing.
        """
        self._settle()
        with open_writer(self._store) as writer:
            found = removable(self._store.snapshot(), reader, document)
            if isinstance(found, FileNote):
                writer.accept(found.path, found.tenant)
                return found
            writer.remove(document_key(found.id, found.access.tenant))
            writer.accept(found.path, found.access.tenant)
        return found

    def status(self, *, reader: Reader | None = None) -> LibraryStatus:
        """Counts, every page that is not indexed and why, and what was interrupted.

        Args:
            reader: whose documents to tell of; None, for those who keep the library, tells of all.
        """
        self._settle()
        name = f"{self._embedder.id} ({self._embedder.revision})"
        return status_of(self._store, name, reader)

    def page(self, document: str, number: int, *, reader: Reader = PUBLIC) -> Page:
        """One page with its words, tables and image.

        Raises:
            DocumentNotFound: no such document, or no such page in it, for this reader.
        """
        self._settle()
        snapshot = self._store.snapshot()
        found = resolve(visible(snapshot, reader), document)
        if not 1 <= number <= found.pages:
            raise DocumentNotFound(
                f"there is no page {number}", where=found.name, remedy=f"It has pages 1 to {found.pages}."
            )
        key = snapshot.key(found.id, found.access.tenant)
        page = fetch_pages(snapshot, {(key, number)})[(key, number)]
        return page_image(page, self._store.image_path(key, number))

    def overlay(
        self,
        document: str,
        number: int,
        boxes: Sequence[Box] = (),
        *,
        reader: Reader = PUBLIC,
        crop: bool = False,
    ) -> bytes:
        """The page's picture as PNG with boxes drawn on it; with ``crop`` only the lines around them.

        Args:
            document: as for :meth:`remove`.
            number: the page, from 1.
            boxes: in page points.
            reader: who asks.
            crop: cut to the boxes, over the whole width of the page, with some lines above and below.

        Raises:
            DocumentNotFound: no such document or page, or it has no picture.
        """
        return draw_boxes(self.page(document, number, reader=reader), boxes, crop=crop)

    def _search(
        self, snapshot: Snapshot, question: str, k: int | None, where: Filter | str | None, reader: Reader
    ) -> SearchResult:
        # Half a surrogate pair, as broken input leaves it, has no encoding.
        question = question.encode("utf-8", "replace").decode()
        if not question.strip():
            raise ValueError("the question is empty")
        wanted = self._settings.search.k if k is None else k
        if not isinstance(wanted, int) or wanted < 1:
            raise ValueError(f"k is {k} and must be a whole number of at least 1")
        return search(
            question,
            snapshot=snapshot,
            cache=self._cache,
            embedder=self._embedder,
            settings=self._settings.search,
            k=min(wanted, MOST_PAGES),
            where=parsed(where),
            reader=reader,
        )

    def _settle(self) -> None:
        with self._guard:
            adding, self._adding = self._adding, None
        if adding is not None:
            adding.settle()
