"""The command line as a process: its streams, its exit code, and an interrupt."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest


def test_the_script_itself_ends_as_documented(papers, tmp_path):
    """In a process of its own: stdout is data, stderr progress, and the exit code is the process's."""
    environment = {**os.environ, "MMRAG_LIBRARY": str(tmp_path / "library")}

    def run(*arguments):
        return subprocess.run(
            [sys.executable, "-m", "mmrag.cli", *map(str, arguments)],
            capture_output=True,
            text=True,
            env=environment,
            cwd=tmp_path,
            timeout=120,
        )

    missing = run("search", "pump")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr.startswith("Error: ") and "Traceback" not in missing.stderr
    added = run("add", papers, tmp_path / "no.pdf", "--json")
    assert added.returncode == 3, added.stderr
    assert json.loads(added.stdout)["statuses"] == {"indexed": 3}
    assert "3/3" in added.stderr
    found = run("search", "blocked inlet filter", "-k", 1)
    assert found.returncode == 0 and found.stdout.startswith("1. manual.pdf, page 1")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for one process")
def test_an_interrupt_ends_adding_without_a_traceback_and_adding_again_does_the_rest(mmrag, tmp_path):
    import pymupdf

    document = pymupdf.open()
    for number in range(60):  # long enough that the interrupt comes before the end
        document.new_page().insert_text((72, 90), f"Page {number} of the log book")
    document.save(tmp_path / "log.pdf")
    place = tmp_path / "library"
    # One process: an interrupt must not depend on how fast workers start.
    child = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "mmrag.cli",
            "add",
            str(tmp_path / "log.pdf"),
            "--library",
            str(place),
            "--json",
        ],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "MMRAG_WORKERS": "1"},
        # A shell that runs the tests in the background has them, and so their children, ignore interrupts.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 60
    # The first stored page shows that the work is under way.
    while time.monotonic() < deadline and child.poll() is None and not any(place.rglob("*.webp")):
        time.sleep(0.02)
    assert child.poll() is None, "it ended before it could be interrupted"
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (130, ""), err
    assert "Interrupted: " in err and "Traceback" not in err
    rest = mmrag("add", tmp_path / "log.pdf", "--library", place, "--json")
    assert rest.code == 0, rest.err
    assert mmrag("status", "--library", place, "--json").json["statuses"] == {"indexed": 60}
