"""Office files in: unlocked, made into a PDF, with what the PDF loses read beside it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from mmrag.errors import ConversionError, CorruptFile, IngestError
from mmrag.ingest.files.containers import look_inside, unsupported
from mmrag.ingest.files.info import FileInfo, printable
from mmrag.ingest.files.kinds import DOC, PPT, PPTX, SEALED, Family, Kind, suffix_note, tell_by_head
from mmrag.ingest.files.office import convert, private_folder
from mmrag.ingest.files.pdf import encrypted, open_pdf, page_sizes, pdf_labels, pdf_metadata, pdf_outline
from mmrag.ingest.files.properties import office_properties
from mmrag.ingest.files.slides import Beside, read_slides
from mmrag.ingest.source import Source
from mmrag.ingest.text.running import scan_running
from mmrag.settings import ReadSettings

_OF_THE_CONVERSION = ("producer", "creator", "creationDate", "modDate")  # not the document's own
# Office encrypts files that are merely protected against changes with this password, known to all.
_EVERYBODYS = "VelvetSweatshop"


def open_office(
    info: FileInfo, kind: Kind, passwords: Sequence[str], workdir: Path | None, settings: ReadSettings
) -> FileInfo:
    """Complete ``info`` for an office file: its PDF, and what the PDF loses.

    Args:
        info: id, path, name and size of the file.
        kind: an office kind, or :data:`mmrag.ingest.files.kinds.SEALED`.
        passwords: tried in turn where one is needed.
        workdir: where ``<id>.pdf`` is put, and found again; None: a temporary folder.
        settings: how long a conversion may take.

    Raises:
        EncryptedFile, UnsupportedFile, CorruptFile, MissingTool, ConversionError: as
            :func:`mmrag.ingest.files.opening.open_file`.
    """
    folder = workdir if workdir is not None else Path(_temporary_folder().name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise ConversionError(
            f"there is no folder to convert it in ({error.strerror})",
            where=printable(info.path),
            remedy=f"See that {printable(folder)} can be made and written to.",
        ) from error
    with _unlocked(info, kind, passwords, folder) as (plain, inner):
        pdf = folder / f"{info.id}.pdf"
        document = _converted(plain, inner, info, pdf, settings)
        try:
            sizes = page_sizes(document)
            beside = _beside(plain, inner, info, folder, settings, sizes)
            metadata = pdf_metadata(document)
            for key in _OF_THE_CONVERSION:
                metadata.pop(key, None)
            note = suffix_note(info.name, inner)
            return replace(
                info,
                pages=len(sizes),
                metadata={**metadata, **office_properties(plain, inner)},
                outline=pdf_outline(document),
                labels=pdf_labels(document),
                kind=inner.name,
                source=Source(pdf),
                notes=(*((note,) if note else ()), *beside.notes),
                supplements=beside.supplements,
                hidden=beside.hidden,
                running=scan_running(document),
            )
        finally:
            document.close()


def _converted(plain: Path, kind: Kind, info: FileInfo, pdf: Path, settings: ReadSettings) -> Any:
    """The PDF of an office file, opened: the one that lies there when it is whole, else a new one."""
    if pdf.is_file():
        try:
            return open_pdf(pdf)
        except IngestError:
            pdf.unlink()
    convert(plain, kind, suffix=".pdf", target=pdf, seconds=settings.convert_seconds, named=info.path)
    try:
        return open_pdf(pdf)
    except IngestError as error:
        raise CorruptFile(
            f"what LibreOffice made of the {kind.name} has no pages",
            where=printable(info.path),
            remedy="Open it in its office program, see what it shows, and save it anew or print it to PDF.",
        ) from error


def _beside(
    plain: Path,
    kind: Kind,
    info: FileInfo,
    folder: Path,
    settings: ReadSettings,
    sizes: Sequence[tuple[float, float]],
) -> Beside:
    """What the picture of a deck loses; a deck that cannot be read costs a note."""
    if kind.family is not Family.SLIDES:
        return Beside()
    if kind == PPTX:
        return read_slides(plain, sizes)
    deck = folder / f"{info.id}.pptx"
    try:
        if not deck.is_file():
            seconds = settings.convert_seconds
            convert(plain, kind, suffix=".pptx", target=deck, seconds=seconds, named=info.path)
        return read_slides(deck, sizes)
    except IngestError as error:
        return Beside(notes=(f"speaker notes and charts could not be read: {error.what}",))


@contextmanager
def _unlocked(
    info: FileInfo, kind: Kind, passwords: Sequence[str], folder: Path
) -> Iterator[tuple[Path, Kind]]:
    """The file without encryption, and its kind; a decrypted copy is deleted at the end.

    Raises:
        EncryptedFile: no password fits.
        UnsupportedFile: what is inside is of no kind that is read.
    """
    if not _is_encrypted(info.path, kind):
        yield info.path, kind
        return
    with private_folder(folder) as private:
        plain = private / "plain"
        _decrypt(info.path, kind, passwords, plain)
        with plain.open("rb") as stream:
            head = stream.read(4096)
        inner = look_inside(plain, tell_by_head(head), head)
        if inner.family not in (Family.SLIDES, Family.WRITING):
            raise unsupported(inner, info.path)
        yield plain, inner


def _is_encrypted(path: Path, kind: Kind) -> bool:
    if kind not in (PPT, DOC):
        return kind == SEALED
    import msoffcrypto

    try:
        with path.open("rb") as stream:
            return bool(msoffcrypto.OfficeFile(stream).is_encrypted())
    except Exception:  # of a damaged or very old file, which LibreOffice may read all the same
        return False


def _decrypt(path: Path, kind: Kind, passwords: Sequence[str], plain: Path) -> None:
    """Write the decrypted file to ``plain``, by the methods of MS-OFFCRYPTO.

    Raises:
        EncryptedFile: no password fits.
        CorruptFile: one fits, but what is inside is damaged.
    """
    import msoffcrypto

    where = printable(path)
    tried = [password for password in dict.fromkeys(passwords) if password]
    for password in (*tried, _EVERYBODYS):
        with path.open("rb") as stream:
            try:
                file = msoffcrypto.OfficeFile(stream)
                file.load_key(password=password, verify_password=True)
            except Exception:  # a wrong password shows itself in many ways
                continue
            plain.touch(mode=0o600)
            try:
                with plain.open("wb") as output:
                    file.decrypt(output)
            except Exception as error:
                raise CorruptFile(
                    "a password fits, but what it opens is damaged", where=where, remedy="Get a fresh copy."
                ) from error
            return
    raise encrypted(kind.name if kind != SEALED else "Office file", len(tried), where)


@cache
def _temporary_folder() -> TemporaryDirectory[str]:
    """One folder a process, deleted when the interpreter ends."""
    return TemporaryDirectory(prefix="mmrag-")
