"""Write docs/cli.md from the command line and docs/settings.md from the settings tree.

What stands above the mark in a page is written by hand and kept; what is below it is written here.

python scripts/generate_docs.py            write both
python scripts/generate_docs.py --check    change nothing; exit 1 and show the difference when they lag
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from mmrag.cli.app import app
from mmrag.settings import Settings

DOCS = Path(__file__).resolve().parent.parent / "docs"
MARK = "<!-- From here on written by scripts/generate_docs.py: change the code, then run it. -->"


def cli_page() -> str:
    """The commands with their arguments and options."""
    root: Any = typer.main.get_command(app)
    return "\n".join(_command(name, command) for name, command in root.commands.items())


def _command(name: str, command: Any) -> str:
    arguments = [p for p in command.params if p.param_type_name == "argument"]
    options = [p for p in command.params if p.param_type_name == "option"]
    usage = " ".join(["mmrag", name, "[OPTIONS]", *(_argument_name(a) for a in arguments)])
    lines = [f"## mmrag {name}", "", f"```\n{usage}\n```", "", _paragraphs(command.help), ""]
    rows = [(f"`{_argument_name(a)}`", _line(a.help)) for a in arguments]
    rows += [(_option_name(o), _line(o.help) + _default(o)) for o in options]
    lines += ["| argument or option | meaning |", "|---|---|"]
    lines += [f"| {left} | {right} |" for left, right in rows]
    return "\n".join(lines) + "\n"


def _argument_name(argument: Any) -> str:
    return str(argument.metavar or argument.name.upper())


def _option_name(option: Any) -> str:
    names = ", ".join(f"`{opt}`" for opt in [*option.opts, *option.secondary_opts])
    return names if option.is_flag else f"{names} `{option.metavar or 'VALUE'}`"


def _default(option: Any) -> str:
    if option.is_flag and not option.secondary_opts:
        return ""
    value = option.default
    if callable(value) or value is None or value == ():
        return ""
    shown = option.opts[0] if value is True else value
    return f" Default: `{shown}`."


def _line(text: str | None) -> str:
    return " ".join((text or "").split()).replace("|", "\\|")


def _paragraphs(text: str | None) -> str:
    return "\n\n".join(" ".join(part.split()) for part in (text or "").split("\n\n"))


def settings_page() -> str:
    """The table of settings."""
    lines = ["| setting | environment | values | default | meaning |", "|---|---|---|---|---|"]
    for name, field, default in _leaves(Settings, ()):
        variable = "MMRAG_" + "__".join(name).upper()
        meaning = field.description or ""
        lines.append(
            f"| `{'.'.join(name)}` | `{variable}` | {_values(field)} | `{default}` | {_line(meaning)} |"
        )
    return "\n".join(lines) + "\n"


def _leaves(
    model: type[BaseModel], path: tuple[str, ...]
) -> Iterator[tuple[tuple[str, ...], FieldInfo, object]]:
    for name, field in model.model_fields.items():
        kind = field.annotation
        if isinstance(kind, type) and issubclass(kind, BaseModel):
            yield from _leaves(kind, (*path, name))
        else:
            shown = str(field.default).lower() if kind is bool else field.default
            yield (*path, name), field, shown


def _values(field: FieldInfo) -> str:
    if field.annotation is bool:
        return "`true` or `false`"
    choices = getattr(field.annotation, "__args__", None)
    if choices:
        return " or ".join(f"`{choice}`" for choice in choices)
    bounds: dict[str, object] = {}
    for rule in field.metadata:
        for bound in ("ge", "gt", "le", "lt"):
            if getattr(rule, bound, None) is not None:
                bounds[bound] = getattr(rule, bound)
    kind = getattr(field.annotation, "__name__", str(field.annotation))
    kind = {"int": "whole number", "float": "number", "str": "text", "Path": "path"}.get(kind, kind)
    words = {"ge": "from", "gt": "over", "le": "to", "lt": "under"}
    return " ".join([kind, *(f"{words[bound]} {value}" for bound, value in bounds.items())])


PAGES = {"cli.md": cli_page, "settings.md": settings_page}


def main(arguments: list[str] | None = None) -> int:
    """Write the pages, or with --check compare them; the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--check", action="store_true", help="change nothing; fail when a page lags")
    check = parser.parse_args(arguments).check
    lagging = 0
    for name, page in PAGES.items():
        path = DOCS / name
        current = path.read_text(encoding="utf-8") if path.exists() else ""
        wanted = f"{current.partition(MARK)[0].rstrip()}\n\n{MARK}\n\n{page()}"
        if current == wanted:
            continue
        lagging += 1
        if check:
            sys.stdout.writelines(
                difflib.unified_diff(
                    current.splitlines(keepends=True),
                    wanted.splitlines(keepends=True),
                    f"docs/{name}",
                    f"docs/{name} as the code says",
                )
            )
        else:
            path.write_text(wanted, encoding="utf-8")
            print(f"wrote docs/{name}")
    if check and lagging:
        print("Run: python scripts/generate_docs.py", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
