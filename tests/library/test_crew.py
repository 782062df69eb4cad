"""A crew goes on when a task crashes its worker, hangs, or raises."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import crew_tasks
import pytest

from mmrag.crew import Crew, TaskDied


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_in_the_order_asked(workers: int) -> None:
    with Crew(workers) as crew:
        tickets = [crew.submit(crew_tasks.double, n) for n in range(6)]
        assert [ticket.result() for ticket in tickets] == [0, 2, 4, 6, 8, 10]


@pytest.mark.parametrize("workers", [1, 2])
def test_what_a_task_raises_is_raised(workers: int) -> None:
    with Crew(workers) as crew, pytest.raises(ValueError, match="no 3"):
        crew.submit(crew_tasks.refuse, 3).result()


def test_a_crash_costs_only_the_task_that_crashes() -> None:
    with Crew(2) as crew:
        before = crew.submit(crew_tasks.double, 1)
        bad = crew.submit(crew_tasks.crash, 0)
        after = [crew.submit(crew_tasks.double, n) for n in (2, 3)]
        assert before.result() == 2
        with pytest.raises(TaskDied, match="ended thrice"):
            bad.result()
        assert [ticket.result() for ticket in after] == [4, 6]
        assert crew.submit(crew_tasks.double, 5).result() == 10


def test_a_hang_costs_only_the_task_that_hangs() -> None:
    with Crew(2, seconds=4.0) as crew:
        bad = crew.submit(crew_tasks.hang, 0)
        after = crew.submit(crew_tasks.double, 2)
        with pytest.raises(TaskDied, match="more than 4 seconds"):
            bad.result()
        assert after.result() == 4
        assert crew.submit(crew_tasks.double, 5).result() == 10


def test_a_task_that_was_lost_with_another_s_crash_is_tried_again(tmp_path: Path) -> None:
    with Crew(2) as crew:
        assert crew.submit(crew_tasks.crash_once, str(tmp_path / "marker")).result() == "second time"


def test_a_killed_worker_costs_no_task() -> None:
    with Crew(2) as crew:
        victim = crew.submit(crew_tasks.slow_pid, 0.0).result()
        tickets = [crew.submit(crew_tasks.slow_pid, 0.3) for _ in range(5)]
        os.kill(victim, signal.SIGKILL)
        pids = [ticket.result() for ticket in tickets]
        assert len(pids) == 5
        assert victim not in pids[-1:]
        assert crew.submit(crew_tasks.double, 4).result() == 8


ORPHANED = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
import crew_tasks
from mmrag.crew import Crew
crew = Crew(2)
print(*{ticket.result() for ticket in [crew.submit(crew_tasks.slow_pid, 0.3) for _ in range(4)]}, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def test_workers_end_with_the_process_that_started_them() -> None:
    tests = str(Path(__file__).parents[1])
    # Not a pipe for stderr: the workers would hold it open for as long as they live.
    done = subprocess.run(
        [sys.executable, "-c", ORPHANED, tests],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
        timeout=60,
    )
    workers = [int(pid) for pid in done.stdout.split()]
    assert workers
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and any(alive(pid) for pid in workers):
        time.sleep(0.2)
    assert [pid for pid in workers if alive(pid)] == []


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
