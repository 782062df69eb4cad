"""The options that commands share, and how their values are read."""

from __future__ import annotations

import getpass
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from mmrag.library import Library
    from mmrag.records import Box, Reader

LibraryOption = Annotated[
    Path | None,
    typer.Option(
        "--library", metavar="FOLDER", help="The library's folder. By default the setting `library`."
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Make the last line of output one JSON object.", show_default=False)
]
ReaderOption = Annotated[
    str,
    typer.Option(
        "--reader",
        metavar="TENANT[:GROUP,GROUP]",
        help="Who asks. Only documents this reader may read are seen.",
    ),
]
WhereOption = Annotated[
    str | None,
    typer.Option(
        "--where",
        metavar="EXPR",
        help="Only documents or pages that match, e.g. \"year >= 2020 and tag = 'finance'\". Fields: "
        "document, name, title, organisation, year, tag, path, added, pages, page.",
    ),
]
PagesOption = Annotated[
    int | None,
    typer.Option(
        "-k", metavar="N", min=1, max=1000, help="Pages to find. By default the setting `search.k`."
    ),
]
PasswordOption = Annotated[
    list[str] | None,
    typer.Option(
        "--password",
        metavar="SECRET",
        help="A password to try on files that need one; repeatable. With - it is asked for on the terminal, "
        "or read from the first line of stdin, so that no shell keeps it. It is stored nowhere.",
    ),
]
PUBLIC = "public"
ASKED = "-"


def reader_from(text: str) -> Reader:
    """The reader that ``tenant`` or ``tenant:group,group`` names.

    Raises:
        typer.BadParameter: the tenant or a group is empty.
    """
    from mmrag.records import Reader

    tenant, colon, groups = text.partition(":")
    names = tuple(group.strip() for group in groups.split(",")) if colon else ()
    if not tenant.strip() or not all(names):
        raise typer.BadParameter(
            f"{text!r} is not tenant or tenant:group,group, e.g. acme:finance,legal", param_hint="--reader"
        )
    return Reader(tenant=tenant.strip(), groups=names)


def passwords_from(given: Sequence[str] | None) -> tuple[str, ...]:
    """The passwords, the one to be asked for among them once, however often it stands there.

    Raises:
        typer.BadParameter: one is empty.
    """
    passwords = [password for password in given or () if password != ASKED]
    if given and ASKED in given:
        if sys.stdin.isatty():
            passwords.append(getpass.getpass("Password: "))
        else:
            passwords.append(sys.stdin.readline().rstrip("\r\n"))
    if not all(passwords):
        raise typer.BadParameter("a password is empty", param_hint="--password")
    return tuple(passwords)


def boxes_from(texts: Sequence[str]) -> list[Box]:
    """The boxes that ``x0,y0,x1,y1`` texts name, in page points.

    Raises:
        typer.BadParameter: a text does not hold four numbers in order.
    """
    from mmrag.records import Box

    boxes: list[Box] = []
    for text in texts:
        try:
            x0, y0, x1, y1 = (float(part) for part in text.split(","))
        except ValueError:
            raise typer.BadParameter(f"{text!r} is not x0,y0,x1,y1 in points", param_hint="--box") from None
        if not (x0 <= x1 and y0 <= y1):
            raise typer.BadParameter(f"{text!r} must have x0 <= x1 and y0 <= y1", param_hint="--box")
        boxes.append(Box(x0, y0, x1, y1))
    return boxes


def open_library(path: Path | None, *, create: bool = False) -> Library:
    """The library at ``path``, or where the settings say."""
    from mmrag.library import Library
    from mmrag.settings import Settings

    settings = Settings.load()
    return Library.open(path or settings.library, settings=settings, create=create)
