"""What the command line is before it does anything: light, and explained."""

import json
import subprocess
import sys

import pytest

from mmrag import __version__

COMMANDS = ("add", "search", "ask", "list", "show", "remove", "status", "demo", "eval")
HEAVY = {"lancedb", "pyarrow", "pymupdf", "onnxruntime", "rapidocr", "tokenizers", "torch", "cv2", "numpy"}


@pytest.mark.parametrize("arguments", [["--help"], ["ask", "--help"], ["--version"]])
def test_help_imports_nothing_heavy(arguments):
    program = (
        "import sys, json\n"
        "from mmrag.cli import main\n"
        f"sys.argv = ['mmrag', *{arguments!r}]\n"
        "try:\n    main()\nexcept SystemExit as leave:\n    assert not leave.code\n"
        "print(json.dumps(sorted({name.partition('.')[0] for name in sys.modules})))\n"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert HEAVY & set(json.loads(done.stdout.splitlines()[-1])) == set()


def test_help_names_every_command_and_the_exit_codes(mmrag):
    outcome = mmrag("--help")
    assert outcome.code == 0
    for command in COMMANDS:
        assert f"  {command} " in outcome.out
    for text in ("0 done", "1 nothing done", "2 the command line is wrong", "3 partly done"):
        assert text in " ".join(outcome.out.split())


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_the_exit_codes_and_json(mmrag, command):
    outcome = mmrag(command, "--help")
    assert outcome.code == 0
    assert "Exit codes:" in outcome.out
    assert "--json" in outcome.out
    assert "--library" in outcome.out


def test_the_version_is_told(mmrag):
    assert mmrag("--version").out == f"mmrag {__version__}\n"


@pytest.mark.parametrize(
    "arguments",
    [
        ["nonsense"],
        ["search"],
        ["search", " "],
        ["ask", ""],
        ["search", "q", "-k", "0"],
        ["search", "q", "-k", "many"],
        ["search", "q", "--reader", ""],
        ["search", "q", "--reader", "acme:"],
        ["search", "q", "--reader", "acme:a,,b"],
        ["show", "doc", "0"],
        ["show", "doc", "1", "--box", "1,2,3"],
        ["show", "doc", "1", "--box", "9,2,3,4"],
        ["ask", "q", "--in", "a.pdf", "--library", "b"],
        ["add"],
    ],
)
def test_a_wrong_command_line_ends_with_2(mmrag, arguments):
    outcome = mmrag(*arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert "Usage:" in outcome.err


def test_the_module_runs_as_the_script_does():
    done = subprocess.run([sys.executable, "-m", "mmrag.cli", "--version"], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, f"mmrag {__version__}\n")


def test_the_docs_are_in_step_with_the_code():
    done = subprocess.run(
        [sys.executable, "scripts/generate_docs.py", "--check"], capture_output=True, text=True, cwd=_top()
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_check_of_the_docs_shows_what_lags(tmp_path):
    import shutil

    shutil.copytree(_top() / "docs", tmp_path / "docs")
    (tmp_path / "scripts").mkdir()
    script = shutil.copy(_top() / "scripts" / "generate_docs.py", tmp_path / "scripts")
    page = tmp_path / "docs" / "settings.md"
    page.write_text(page.read_text().replace("long side in pixels", "long side in inches"))
    check = [sys.executable, script, "--check"]
    done = subprocess.run(check, capture_output=True, text=True, cwd=_top())
    assert done.returncode == 1
    assert "-" in done.stdout and "long side in inches" in done.stdout
    assert "generate_docs.py" in done.stderr
    subprocess.run([sys.executable, script], check=True, capture_output=True, cwd=_top())
    assert subprocess.run(check, capture_output=True, cwd=_top()).returncode == 0
    assert page.read_text() == (_top() / "docs" / "settings.md").read_text()


def _top():
    from pathlib import Path

    return Path(__file__).resolve().parents[2]
