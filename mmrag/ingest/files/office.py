"""Office files to PDF, by LibreOffice without a window: each conversion shut in and bounded in time."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from mmrag.errors import ConversionError, MissingTool
from mmrag.ingest.files.info import printable
from mmrag.ingest.files.kinds import Family, Kind

_NAMES = ("soffice", "libreoffice")
_PLACES = (
    "/Applications/LibreOffice.app/Contents/MacOS/soffice",
    r"C:\Program Files\LibreOffice\program\soffice.com",
    r"C:\Program Files (x86)\LibreOffice\program\soffice.com",
    "/usr/lib/libreoffice/program/soffice",
    "/opt/libreoffice/program/soffice",
    "/snap/bin/libreoffice",
)
_INSTALL = (
    "Install it (Debian and Ubuntu: apt-get install libreoffice-impress libreoffice-writer; "
    "elsewhere: https://www.libreoffice.org) and add the file again."
)
_BY_HAND = "Open it in its office program, export it to PDF and add that file."
_MOST_MEMORY = 8 << 30  # address space of one conversion, where the system can bound it

# The private profile: nothing runs, nothing is fetched, nothing is asked. Hidden slides are exported.
# Names and values are those of LibreOffice's configuration schema (org.openoffice.*).
_PROFILE = (
    ("Office.Common/Security/Scripting", "MacroSecurityLevel", "3"),
    ("Office.Common/Security/Scripting", "DisableMacrosExecution", "true"),
    ("Office.Common/Security/Scripting", "BlockUntrustedRefererLinks", "true"),
    ("Office.Common/Security/Scripting", "DisableActiveContent", "true"),
    ("Office.Writer/Content/Update", "Link", "0"),
    ("Office.Writer/Content/Update", "Field", "false"),
    ("Inet/Settings", "ooInetProxyType", "2"),  # a proxy where nobody listens
    ("Inet/Settings", "ooInetHTTPProxyName", "127.0.0.1"),
    ("Inet/Settings", "ooInetHTTPProxyPort", "9"),
    ("Inet/Settings", "ooInetHTTPSProxyName", "127.0.0.1"),
    ("Inet/Settings", "ooInetHTTPSProxyPort", "9"),
    ("Inet/Settings", "ooInetNoProxy", ""),
    ("Office.Common/Filter/PDF/Export", "ExportHiddenSlides", "true"),
    ("Office.Common/Filter/PDF/Export", "ExportBookmarks", "true"),
    ("Office.Common/Filter/PDF/Export", "ExportNotes", "false"),
    # Pictures stay as they are: resampling them took four fifths of a conversion and made them larger.
    ("Office.Common/Filter/PDF/Export", "ReduceImageResolution", "false"),
    ("Office.Common/Misc", "FirstRun", "false"),
    ("Office.Recovery/AutoSave", "Enabled", "false"),
    ("Office.Recovery/RecoveryInfo", "Enabled", "false"),
)

# Runs LibreOffice in its own process group and ends the group when the parent is gone, killed or not:
# the pipe on standard input then ends. Without it a conversion that hangs would outlive a kill -9.
_KEEPER = """
import os, signal, subprocess, sys, threading
def watch():
    os.read(0, 1)
    os.killpg(0, signal.SIGKILL)
threading.Thread(target=watch, daemon=True).start()
os._exit(subprocess.call(sys.argv[1:], stdin=subprocess.DEVNULL) % 256)
"""


def find_office() -> Path | None:
    """LibreOffice's program: the one on PATH, else at a usual place; None when it is not installed."""
    for name in _NAMES:
        found = shutil.which(name)
        if found:
            return Path(found)
    return next((Path(place) for place in _PLACES if os.access(place, os.X_OK)), None)


def convert(path: Path, kind: Kind, *, suffix: str, target: Path, seconds: float, named: Path) -> None:
    """Turn an office file into a PDF, or into a presentation that python-pptx reads.

    The file is copied under a plain name, so neither its name nor its suffix matters; ``target``
    appears whole or not at all. Whatever LibreOffice started is ended before this returns, and its
    private profile is deleted.

    Args:
        path: the file, readable by anyone who may read its bytes (decrypted when it was encrypted).
        kind: what it is.
        suffix: what to make: ``.pdf`` or ``.pptx``.
        target: the file to write; its folder exists.
        seconds: the longest it may take.
        named: the path that errors name.

    Raises:
        MissingTool: LibreOffice, or its part for this kind of file, is not installed.
        ConversionError: it failed, took too long, or the disk is full.
    """
    program = find_office()
    where = printable(named)
    if program is None:
        raise MissingTool(
            f"LibreOffice is not installed, and a file of this kind ({kind.name}) needs it",
            where=where,
            remedy=_INSTALL,
        )
    try:
        with private_folder(target.parent) as folder:
            made = _run(program, path, kind, folder, suffix, seconds, where)
            made.chmod(0o600)  # it may have been encrypted
            os.replace(made, target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ConversionError(
            f"the {kind.name} could not be converted ({reason})",
            where=where,
            remedy="Check that the disk has room and that the folder may be written to.",
        ) from error


def _run(
    program: Path, path: Path, kind: Kind, folder: Path, suffix: str, seconds: float, where: str
) -> Path:
    source = folder / f"in{kind.suffixes[0]}"
    shutil.copyfile(path, source)
    source.chmod(0o600)
    out = folder / "out"
    out.mkdir()
    profile = folder / "profile"
    (profile / "user").mkdir(parents=True)
    (profile / "user" / "registrymodifications.xcu").write_text(_profile(), encoding="utf-8")
    command = [
        str(program),
        f"-env:UserInstallation={profile.as_uri()}",
        *("--headless", "--invisible", "--norestore", "--nologo", "--nodefault", "--nolockcheck"),
        *("--convert-to", suffix[1:], "--outdir", str(out), str(source)),
    ]
    log = folder / "log"
    if not _ended_in_time(command, folder, log, seconds):
        raise ConversionError(
            f"LibreOffice did not convert the {kind.name} within {seconds:g} seconds",
            where=where,
            remedy=f"Raise read.convert_seconds. Or: {_BY_HAND[0].lower()}{_BY_HAND[1:]}",
        )
    made = out / f"in{suffix}"
    if made.is_file() and made.stat().st_size:
        return made
    if _lacks_part(program, kind):
        part = "Impress" if kind.family is Family.SLIDES else "Writer"
        raise MissingTool(
            f"LibreOffice is installed without {part}, and a file of this kind ({kind.name}) needs it",
            where=where,
            remedy=_INSTALL,
        )
    said = " ".join(log.read_text(encoding="utf-8", errors="replace").replace(str(folder), "").split())
    reason = said.rpartition("Error: ")[2][:200] if "Error: " in said else "it wrote no file"
    raise ConversionError(
        f"LibreOffice could not convert the {kind.name} ({reason})", where=where, remedy=_BY_HAND
    )


def _ended_in_time(command: list[str], folder: Path, log: Path, seconds: float) -> bool:
    """Run a command by itself, bounded; nothing it started is left when this returns."""
    home = folder / "home"
    home.mkdir()
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("MMRAG_", "XDG_"))},
        **dict.fromkeys(("HOME", "TMPDIR", "TMP", "TEMP"), str(home)),
        "SAL_USE_VCLPLUGIN": "svp",  # draws without a display
    }
    kept = os.name == "posix"
    with log.open("wb") as output:
        process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _KEEPER, *command] if kept else command,
            stdin=subprocess.PIPE if kept else subprocess.DEVNULL,
            stdout=output,
            stderr=output,
            cwd=home,
            env=environment,
            start_new_session=kept,
        )
        try:
            _bound_memory(process)
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        finally:  # also when the run is cancelled
            _end(process)
    return True


def _bound_memory(process: subprocess.Popen[Any]) -> None:
    try:
        import resource

        resource.prlimit(process.pid, resource.RLIMIT_AS, (_MOST_MEMORY, _MOST_MEMORY))
    except (ImportError, AttributeError, OSError, ValueError):
        return  # only Linux can; elsewhere the time limit alone holds


def _end(process: subprocess.Popen[Any]) -> None:
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        subprocess.run(["taskkill", "/F", "/T", "/PID", str(process.pid)], capture_output=True, check=False)
    process.wait()
    if process.stdin is not None:
        process.stdin.close()


@contextmanager
def private_folder(parent: Path) -> Iterator[Path]:
    """A folder that only this user may enter; it goes with all that is in it."""
    folder = Path(tempfile.mkdtemp(prefix="convert-", dir=parent))
    try:
        yield folder.resolve()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _profile() -> str:
    items = "".join(
        f'<item oor:path="/org.openoffice.{path}"><prop oor:name="{name}" oor:op="fuse">'
        f"<value>{value}</value></prop></item>\n"
        for path, name, value in _PROFILE
    )
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<oor:items xmlns:oor="http://openoffice.org/2001/registry" '
        'xmlns:xs="http://www.w3.org/2001/XMLSchema" '
        f'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">\n{items}</oor:items>\n'
    )


def _lacks_part(program: Path, kind: Kind) -> bool:
    """Whether the part for this kind is missing (Debian packages them apart), as far as can be seen."""
    folder = program.resolve().parent
    part = "libsdlo.so" if kind.family is Family.SLIDES else "libswlo.so"
    return (folder / "libmergedlo.so").exists() and not (folder / part).exists()
