"""The shell scripts: that they run from anywhere, install once, and say what is missing."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

TOP = Path(__file__).resolve().parent.parent
SCRIPTS = [TOP / "scripts" / name for name in ("setup", "demo", "test", "check")] + [TOP / ".ci" / "run"]

pytestmark = pytest.mark.skipif(shutil.which("bash") is None, reason="no bash on this machine")


def bash(code: str, cwd: Path, top: Path = TOP, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run code after sourcing scripts/setup."""
    return subprocess.run(
        ["bash", "-c", f'. "{top}/scripts/setup"\n{code}'],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )


@pytest.fixture
def house(tmp_path: Path) -> Path:
    """A small copy of the project, in a folder with a space in its name, with an environment that works."""
    top = tmp_path / "my house"
    (top / "scripts").mkdir(parents=True)
    shutil.copy(TOP / "scripts" / "setup", top / "scripts" / "setup")
    (top / "mmrag" / "inner").mkdir(parents=True)
    (top / "mmrag" / "inner" / "a.py").write_text("a = 1\n")
    (top / "pyproject.toml").write_text("[project]\n")
    (top / "env" / "bin").mkdir(parents=True)
    (top / "env" / "bin" / "python").symlink_to(sys.executable)
    return top


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda path: path.name)
def test_script_parses_stops_on_errors_and_is_executable(script: Path) -> None:
    subprocess.run(["bash", "-n", str(script)], check=True)
    assert "set -euo pipefail" in script.read_text(encoding="utf-8")
    assert os.access(script, os.X_OK)


def test_sourced_from_anywhere_it_knows_its_house(house: Path, tmp_path: Path) -> None:
    assert bash('printf %s "$ROOT"', tmp_path, house).stdout == str(house.resolve())


INSTALL = (
    'VENV="$ROOT/env"; note() { echo installed; }; install_when_changed core pyproject.toml mmrag -- note'
)


def test_installs_once_and_again_when_the_code_changed(house: Path, tmp_path: Path) -> None:
    assert bash(INSTALL, tmp_path, house).stdout == "installed\n"
    assert bash(INSTALL, tmp_path, house).stdout == ""
    cache = house / "mmrag" / "inner" / "__pycache__"
    cache.mkdir()
    (cache / "a.pyc").write_bytes(b"compiled")
    assert bash(INSTALL, tmp_path, house).stdout == ""  # what Python writes is no change
    (house / "mmrag" / "inner" / "a.py").write_text("a = 2\n")
    assert bash(INSTALL, tmp_path, house).stdout == "installed\n"
    (house / "mmrag" / "inner" / "a.py").rename(house / "mmrag" / "b.py")
    assert bash(INSTALL, tmp_path, house).stdout == "installed\n"
    assert bash(INSTALL.replace("core", "development"), tmp_path, house).stdout == "installed\n"


def test_an_install_that_failed_is_tried_again(house: Path, tmp_path: Path) -> None:
    assert bash(INSTALL, tmp_path, house).stdout == "installed\n"
    (house / "pyproject.toml").write_text("[project]\nname = 'x'\n")
    assert bash(INSTALL.replace("echo installed", "exit 1"), tmp_path, house).returncode == 1
    (house / "pyproject.toml").write_text("[project]\n")  # as it was when the last one succeeded
    assert bash(INSTALL, tmp_path, house).stdout == "installed\n"


def test_old_python_is_named_with_the_remedy(tmp_path: Path) -> None:
    done = bash("new_enough() { false; }; find_python", tmp_path)
    assert done.returncode == 1
    assert "needs Python 3.11 or newer; python3 here is 3." in done.stderr
    assert "PYTHON=" in done.stderr


def test_without_venv_it_says_what_to_install(tmp_path: Path) -> None:
    python = tmp_path / "python without venv"
    python.write_text(
        f'#!/bin/sh\ncase "$2" in *ensurepip*) exit 1;; esac\nexec "{sys.executable}" "$@"\n',
        encoding="utf-8",
    )
    python.chmod(0o755)
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    refused = "install_system() { return 1; }; make_venv ./env"
    done = bash(refused, tmp_path, PYTHON=str(python))
    assert done.returncode == 1
    assert f"apt-get install python{version}-venv" in done.stderr
    assert not (tmp_path / "env").exists()
    asked = bash('install_system() { echo "$*"; exit 7; }; make_venv ./env', tmp_path, PYTHON=str(python))
    assert (asked.stdout, asked.returncode) == (f"python{version}-venv\n", 7)


def test_a_folder_of_somebody_elses_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letters").mkdir()
    (tmp_path / "letters" / "dear.txt").write_text("keep me")
    done = bash("make_venv ./letters", tmp_path)
    assert done.returncode == 1
    assert "is in the way" in done.stderr
    assert [path.name for path in (tmp_path / "letters").iterdir()] == ["dear.txt"]


def test_pip_failure_tells_how_to_go_on(house: Path, tmp_path: Path) -> None:
    done = bash('VENV="$ROOT/env"; pip_install "$ROOT/no such thing"', tmp_path, house)
    assert done.returncode == 1
    assert "run the same command again" in done.stderr
