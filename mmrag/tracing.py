"""What each stage of a question did, and how long it took."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from mmrag.records import TraceEntry


@dataclass(slots=True)
class _Stage:
    outputs: Sequence[tuple[str, float]] = ()
    tokens: int = 0


@dataclass(slots=True)
class Tracer:
    """Collects one :class:`TraceEntry` a stage."""

    entries: list[TraceEntry] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str, inputs: Sequence[str] = ()) -> Iterator[_Stage]:
        """Time a stage; the body sets ``outputs`` and ``tokens`` on what it is given."""
        stage = _Stage()
        start = time.perf_counter()
        yield stage
        ms = (time.perf_counter() - start) * 1000
        self.entries.append(TraceEntry(name, tuple(inputs), tuple(stage.outputs), round(ms, 3), stage.tokens))
