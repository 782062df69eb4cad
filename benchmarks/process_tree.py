"""A process with all its descendants: who they are and how much memory they hold together."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

PROC = Path("/proc")


def descendants(pid: int) -> list[int]:
    """The process and everything it started, directly or not; empty when it is gone."""
    parents = dict(_parents())
    if pid not in parents:
        return []
    found = [pid]
    for known in found:  # grows while it is walked
        found += [child for child, parent in parents.items() if parent == known]
    return found


def tree_mb(pid: int) -> float:
    """Megabytes held by the whole tree.

    On Linux it is the proportional set size: pages that processes share are counted once among them.
    Elsewhere it is the sum of resident sizes, which counts shared pages once a process and so errs upwards.
    """
    if (PROC / str(pid) / "smaps_rollup").exists():
        return sum(_pss_kb(member) for member in descendants(pid)) / 1024
    listed = _ps("pid=,rss=")
    sizes = {int(row[0]): int(row[1]) for row in listed}
    return sum(sizes.get(member, 0) for member in descendants(pid)) / 1024


def tree_cpu_s(pid: int) -> dict[int, float]:
    """Processor seconds by process of the tree, what has ended left out; empty where /proc is not."""
    if not PROC.is_dir():
        return {}
    spent = {}
    for member in descendants(pid):
        try:
            fields = (PROC / str(member) / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue  # it ended
        spent[member] = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    return spent


def alive(pid: int) -> bool:
    """Whether the process runs still; one that has ended and waits to be collected does not."""
    if PROC.is_dir():
        try:
            return (PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
        except OSError:
            return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _parents() -> Iterator[tuple[int, int]]:
    if not PROC.is_dir():
        yield from ((int(pid), int(parent)) for pid, parent in _ps("pid=,ppid="))
        return
    for entry in PROC.iterdir():
        if entry.name.isdigit():
            try:
                # The name in parentheses may hold spaces and parentheses itself.
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it ended while the list was read
            yield int(entry.name), int(fields[1])


def _pss_kb(pid: int) -> int:
    try:
        text = (PROC / str(pid) / "smaps_rollup").read_text()
    except OSError:
        return 0  # it ended
    return next((int(line.split()[1]) for line in text.splitlines() if line.startswith("Pss:")), 0)


def _ps(columns: str) -> list[list[str]]:
    done = subprocess.run(["ps", "-axo", columns], capture_output=True, text=True, check=True)
    return [line.split() for line in done.stdout.splitlines()]
