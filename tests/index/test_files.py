"""Files that could not be opened are kept in mind until they are in, or gone."""

from __future__ import annotations

from dataclasses import replace

from drawn_store import RECIPE, batch, document

from mmrag.index.store import Store
from mmrag.index.writer import Writer, open_writer
from mmrag.records import FileNote, Reader
from mmrag.status import status_of

LOCKED = FileNote(
    path="/papers/it's \u00e9 \U0001f4c4.pdf",
    name="it's \u00e9 \U0001f4c4.pdf",
    status="encrypted",
    reason="it needs a password. Add it with --password.",
    tenant="public",
    seen="2026-01-01T00:00:00.000000+00:00",
)


def test_a_refused_file_is_seen(store: Store, writer: Writer) -> None:
    before = store.snapshot()
    writer.refuse(LOCKED)
    writer.flush()
    assert store.snapshot().files == (LOCKED,)
    assert before.files == ()
    assert writer.refused() == {(LOCKED.path, "public"): LOCKED}


def test_one_note_a_path_and_tenant_the_latest(store: Store, writer: Writer) -> None:
    writer.refuse(LOCKED)
    writer.flush()
    later = replace(LOCKED, status="corrupt", reason="torn", seen="2026-01-02T00:00:00.000000+00:00")
    writer.refuse(later)
    writer.flush()
    writer.refuse(replace(LOCKED, tenant="acme"))
    writer.flush()
    assert store.snapshot().files == (replace(LOCKED, tenant="acme"), later)


def test_the_notes_outlive_the_writer(store: Store) -> None:
    with open_writer(store) as writer:
        writer.refuse(LOCKED)
        writer.flush()
    with open_writer(store) as writer:
        assert writer.refused() == {(LOCKED.path, "public"): LOCKED}
        assert writer.accept(LOCKED.path, "acme") is False
        assert writer.accept(LOCKED.path, "public") is True
        assert writer.accept(LOCKED.path, "public") is False
    assert store.snapshot().files == ()


def test_a_document_that_is_in_lifts_the_note_on_its_file(store: Store, writer: Writer) -> None:
    held = document("a.pdf", 1, path=LOCKED.path)
    writer.refuse(LOCKED)
    writer.flush()
    writer.begin(held, RECIPE)
    writer.write(held, batch(held, ["apples"]))
    assert store.snapshot().files == (LOCKED,)
    writer.commit(held, RECIPE)
    assert store.snapshot().files == ()


def test_a_name_that_is_no_text_is_kept_in_ascii(store: Store, writer: Writer) -> None:
    writer.refuse(replace(LOCKED, path="/papers/\udcff.pdf", name="\udcff.pdf"))
    writer.flush()
    assert [note.path for note in store.snapshot().files] == ["/papers/\\udcff.pdf"]
    assert writer.accept("/papers/\udcff.pdf", "public") is True


def test_status_tells_a_reader_of_its_tenant_s_files(store: Store, writer: Writer) -> None:
    writer.refuse(LOCKED)
    writer.flush()
    writer.refuse(replace(LOCKED, tenant="acme"))
    writer.flush()
    assert [note.tenant for note in status_of(store, "drawn", None).files] == ["acme", "public"]
    assert [note.tenant for note in status_of(store, "drawn", Reader("acme")).files] == ["acme"]


def test_optimizing_keeps_the_notes(store: Store, writer: Writer) -> None:
    writer.refuse(LOCKED)
    writer.flush()
    writer.optimize()
    assert store.snapshot().files == (LOCKED,)
