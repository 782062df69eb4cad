"""How long `import mmrag` takes, beside numpy: medians of fresh processes, in one run.

python benchmarks/import_time.py [RUNS]
"""

from __future__ import annotations

import statistics
import subprocess
import sys

CODE = "import time; start = time.perf_counter(); import {}; print((time.perf_counter() - start) * 1000)"


def milliseconds(module: str, runs: int) -> float:
    """Median time of importing ``module`` in a process of its own."""
    command = [sys.executable, "-c", CODE.format(module)]
    return statistics.median(
        float(subprocess.run(command, capture_output=True, text=True, check=True).stdout) for _ in range(runs)
    )


def main(runs: int = 9) -> None:
    times = {module: milliseconds(module, runs) for module in ("mmrag", "mmrag.records", "numpy")}
    for module, took in times.items():
        print(f"import {module:14} {took:7.1f} ms   {took / times['numpy']:5.2f} of numpy's")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:2]))
