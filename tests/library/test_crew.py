"""A crew goes on when a task crashes its worker, hangs, or raises."""

from __future__ import annotations

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
        with pytest.raises(TaskDied, match="crashed"):
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
