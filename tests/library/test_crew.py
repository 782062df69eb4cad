"""A crew goes on when a task crashes its worker, hangs, or raises, and the right task is blamed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import crew_tasks
import pytest
import worker_state

from mmrag.crew.crew import Crew, CrewBroken, CrewStopped, TaskDied

LONG = 50.0


@pytest.mark.parametrize("workers", [1, 2])
def test_results_come_as_asked(workers: int) -> None:
    with Crew(workers) as crew:
        tickets = [crew.submit(LONG, crew_tasks.double, n) for n in range(6)]
        assert [ticket.result() for ticket in tickets] == [0, 2, 4, 6, 8, 10]


@pytest.mark.parametrize("workers", [1, 2])
def test_no_task_runs_in_this_process(workers: int) -> None:
    with Crew(workers) as crew:
        assert crew.submit(LONG, crew_tasks.slow_pid, 0.0).result() != os.getpid()


def test_what_a_task_raises_is_raised() -> None:
    with Crew(1) as crew, pytest.raises(ValueError, match="no 3"):
        crew.submit(LONG, crew_tasks.refuse, 3).result()


def test_an_error_that_cannot_cross_the_border_comes_as_its_text() -> None:
    with Crew(1) as crew:
        with pytest.raises(RuntimeError, match="Odd: 3 and 3"):
            crew.submit(LONG, crew_tasks.refuse_oddly, 3).result()
        with pytest.raises(Exception, match="pickle"):
            crew.submit(LONG, crew_tasks.answer_with_what_cannot_be_sent, 3).result()
        assert crew.submit(LONG, crew_tasks.double, 5).result() == 10


def test_what_a_task_prints_goes_nowhere(capfd: pytest.CaptureFixture[str]) -> None:
    with Crew(1) as crew:
        assert crew.submit(LONG, crew_tasks.chatter, 7).result() == 7
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    ("task", "how"), [(crew_tasks.crash, "SIGABRT"), (crew_tasks.read_nowhere, "SIGSEGV")]
)
@pytest.mark.parametrize("workers", [1, 2])
def test_a_crash_costs_only_the_task_that_crashes(workers: int, task: object, how: str) -> None:
    with Crew(workers) as crew:
        before = crew.submit(LONG, crew_tasks.double, 1)
        bad = crew.submit(LONG, task, 0)
        after = [crew.submit(LONG, crew_tasks.double, n) for n in (2, 3)]
        assert before.result() == 2
        with pytest.raises(
            TaskDied, match=f"the process that worked on it ended twice: it was ended by {how}"
        ):
            bad.result()
        assert [ticket.result() for ticket in after] == [4, 6]


@pytest.mark.parametrize("task", [crew_tasks.hang, crew_tasks.hang_natively])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_hang_costs_only_the_task_that_hangs_and_its_time_once(workers: int, task: object) -> None:
    with Crew(workers) as crew:
        crew.submit(LONG, crew_tasks.double, 1).result()
        start = time.monotonic()
        bad = crew.submit(1.0, task, 0)
        after = crew.submit(LONG, crew_tasks.double, 2)
        with pytest.raises(TaskDied, match=r"^it took more than 1 seconds$"):
            bad.result()
        assert 1.0 <= time.monotonic() - start < 30  # the task itself sleeps for 60
        assert after.result() == 4


def test_waiting_for_a_worker_is_not_running() -> None:
    with Crew(1) as crew:
        tickets = [crew.submit(1.5, crew_tasks.slow_pid, 0.8) for _ in range(4)]
        assert len({ticket.result() for ticket in tickets}) == 1


def test_a_worker_is_not_blamed_for_the_time_of_the_task_before() -> None:
    with Crew(1) as crew:
        first = crew.submit(0.6, crew_tasks.slow_pid, 0.1).result()
        assert crew.submit(LONG, crew_tasks.slow_pid, 0.8).result() == first


def test_a_program_that_a_hanging_task_started_ends_with_it(tmp_path: Path) -> None:
    marker = tmp_path / "pid"
    with Crew(1) as crew, pytest.raises(TaskDied):
        crew.submit(1.0, crew_tasks.hang_with_a_program, str(marker)).result()
    assert wait_for_the_end_of([int(marker.read_text())]) == []


def test_a_task_whose_worker_died_is_tried_again(tmp_path: Path) -> None:
    with Crew(2) as crew:
        assert crew.submit(LONG, crew_tasks.crash_once, str(tmp_path / "marker")).result() == "second time"


def test_it_is_tried_again_alone(tmp_path: Path) -> None:
    with Crew(2) as crew:
        both = [crew.submit(LONG, crew_tasks.slow_pid, 1.0) for _ in range(4)]
        assert len({ticket.result() for ticket in both}) == 2
        marker, folder = str(tmp_path / "marker"), str(tmp_path)
        again = crew.submit(LONG, crew_tasks.crash_once_then_count, marker, folder)
        others = [crew.submit(LONG, crew_tasks.at_once, folder, 0.5) for _ in range(8)]
        assert again.result() == 1
        assert max(ticket.result() for ticket in others) == 2


def test_a_killed_worker_costs_no_task() -> None:
    with Crew(2) as crew:
        victim = crew.submit(LONG, crew_tasks.slow_pid, 0.0).result()
        tickets = [crew.submit(LONG, crew_tasks.slow_pid, 0.3) for _ in range(5)]
        os.kill(victim, signal.SIGKILL)
        pids = [ticket.result() for ticket in tickets]
        assert len(pids) == 5
        assert victim not in pids


def test_work_ahead_of_time_leaves_half_of_the_workers_to_the_rest() -> None:
    with Crew(2) as crew:
        both = [crew.submit(LONG, crew_tasks.slow_pid, 1.0) for _ in range(4)]
        assert len({ticket.result() for ticket in both}) == 2
        later = [crew.submit(LONG, crew_tasks.slow_pid, 0.5, later=True) for _ in range(6)]
        now = [crew.submit(LONG, crew_tasks.slow_pid, 0.1) for _ in range(6)]
        assert len({ticket.result() for ticket in now}) <= 2
        assert sum(ticket.done() for ticket in later) <= 3
        assert len({ticket.result() for ticket in later}) == 2  # nothing else is left to do: both work ahead


def test_one_worker_works_ahead_when_nothing_else_is_left() -> None:
    with Crew(1) as crew:
        crew.submit(LONG, crew_tasks.double, 1).result()
        crew.submit(LONG, crew_tasks.slow_pid, 0.3)
        later = crew.submit(LONG, crew_tasks.slow_pid, 0.0, later=True)
        now = crew.submit(LONG, crew_tasks.slow_pid, 0.3)
        now.result()
        assert not later.done()
        assert later.result() > 0


def test_stopping_ends_what_runs_and_gives_up_what_waits() -> None:
    with Crew(1) as crew:
        crew.submit(LONG, crew_tasks.double, 1).result()
        tickets = [crew.submit(LONG, crew_tasks.hang, n) for n in range(3)]
        time.sleep(0.2)
        start = time.monotonic()
        crew.stop()
        for ticket in [*tickets, crew.submit(LONG, crew_tasks.double, 1)]:
            with pytest.raises(CrewStopped):
                ticket.result()
        assert time.monotonic() - start < 30  # each task sleeps for 60


def test_workers_are_kept_for_the_next_crew_and_follow_its_surroundings(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Crew(1) as crew:
        first = crew.submit(LONG, crew_tasks.slow_pid, 0.0).result()
    monkeypatch.setenv("A_VARIABLE_OF_THIS_TEST", "set")
    monkeypatch.chdir(tmp_path)
    with Crew(1) as crew:
        assert crew.submit(LONG, crew_tasks.slow_pid, 0.0).result() == first
        seen = crew.submit(LONG, crew_tasks.environment, "A_VARIABLE_OF_THIS_TEST").result()
    assert seen == ("set", str(tmp_path))


def test_a_kept_worker_that_died_is_replaced() -> None:
    with Crew(1) as crew:
        first = crew.submit(LONG, crew_tasks.slow_pid, 0.0).result()
    os.kill(first, signal.SIGKILL)
    with Crew(1) as crew:
        assert crew.submit(LONG, crew_tasks.slow_pid, 0.0).result() != first


def test_a_worker_that_cannot_start_is_an_error_that_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from mmrag.crew import process

    process.dismiss_all()
    monkeypatch.setattr(process, "_START", "raise SystemExit(7)")
    with Crew(1) as crew, pytest.raises(CrewBroken, match=r"cannot be started: .*it left with code 7"):
        crew.submit(LONG, crew_tasks.double, 1).result()


SCRIPT = """
import os, signal, sys, time
sys.path.insert(0, sys.argv[1])
import crew_tasks
from mmrag.crew.crew import Crew
crew = Crew(2)
tickets = [crew.submit(50.0, crew_tasks.slow_pid, 0.5) for _ in range(4)]
print(*{ticket.result() for ticket in tickets}, flush=True)
"""
ENDS = {
    "killed when idle": "os.kill(os.getpid(), signal.SIGKILL)",
    "killed at work": "crew.submit(50.0, crew_tasks.hang, 0); crew.submit(50.0, crew_tasks.hang, 0)\n"
    "time.sleep(0.5); os.kill(os.getpid(), signal.SIGKILL)",
    "killed while native code hangs": "crew.submit(1.0, crew_tasks.hang_natively, 0)\n"
    "time.sleep(0.5); os.kill(os.getpid(), signal.SIGKILL)",
    "left without closing": "",
    "left after closing": "crew.__exit__(None, None, None)",
}


@pytest.mark.parametrize("end", ENDS)
def test_workers_end_with_the_process_that_started_them(end: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT + ENDS[end], str(Path(__file__).parents[1])],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        check=False,
        timeout=60,
    )
    workers = [int(pid) for pid in done.stdout.split()]
    assert len(workers) == 2
    assert wait_for_the_end_of(workers) == []


def wait_for_the_end_of(pids: list[int]) -> list[int]:
    """Those that are there still after a while."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and any(alive(pid) for pid in pids):
        time.sleep(0.1)
    return [pid for pid in pids if alive(pid)]


def alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    status = Path(f"/proc/{pid}/stat")
    try:
        return not status.exists() or status.read_text().rpartition(")")[2].split()[0] != "Z"
    except ProcessLookupError:
        return False


def test_a_crash_writes_no_memory_to_disk() -> None:
    with Crew(1) as crew:
        assert crew.submit(LONG, worker_state.largest_core).result() == 0


def test_a_worker_is_ready_before_its_first_task() -> None:
    with Crew(1) as crew:
        assert crew.submit(LONG, worker_state.has, "mmrag.ingest").result()
