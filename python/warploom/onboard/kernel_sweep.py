"""Times an engine's kernels one by one into FOLDER/sweep.csv, which `warploom calibrate --data` learns from,
and those on rows into FOLDER/rows.csv, which `warploom calibrate-machine --onboarded` fits.

Each is captured in a CUDA graph over copies of its weights, so that they come from memory as in a step. Rows
that the file holds are not measured again. A kernel that this engine cannot run is said once and left out."""

from __future__ import annotations

import csv
import json
import math
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

from warploom.onboard.kernel_plan import Entry

COLUMNS = "gpu framework version kernel latency_us n_samples operator".split()
ROW_COLUMNS = [*COLUMNS[:-1], "rows"]  # no table of measurements: an entry may do what two operators do
REPLAYS = 5
LEAST_US, MOST_CALLS = 2000.0, 64  # of a graph that is timed: what it takes to start is small beside it


class Timed(NamedTuple):
    kernel: str  # who computes it, by the name that the engine has for it
    us: float
    samples: int


# Gives the time of an entry; raises where the engine has no such kernel.
Timer = Callable[[Entry], Timed]


class KernelSweep:
    def __init__(
        self, folder: str, gpu: str, engine: str, version: str, name: str = "sweep.csv"
    ) -> None:
        self.path = os.path.join(folder, name)
        self.columns = ROW_COLUMNS if name == "rows.csv" else COLUMNS
        self.names = (gpu, engine, version)
        self.rows: list[list[str]] = []
        if os.path.exists(self.path):
            with open(self.path, newline="") as file:
                self.rows = [row for row in csv.reader(file)][1:]
        for row in self.rows:
            if tuple(row[:3]) != self.names:
                raise ValueError(
                    f"--out: {self.path} holds kernels of {' '.join(row[:3])}, these are of "
                    f"{' '.join(self.names)}"
                )
        self.done = {row[-1] for row in self.rows}

    def run(self, planned: Iterable[Entry], timer: Timer, deadline: float) -> list[str]:
        """Times what is not done yet until `deadline` of time.monotonic(); gives what could not be."""
        failed: dict[str, int] = {}
        left = 0
        for entry in planned:
            text = json.dumps(entry, separators=(",", ":"))
            if text in self.done:
                continue
            if time.monotonic() > deadline:
                left += 1
                continue
            try:
                timed = timer(entry)
            except Exception as problem:  # a kernel that this engine has not leaves the others
                reason = f"{entry['family']}: {type(problem).__name__}: {problem}".split("\n")[0][:200]
                failed[reason] = failed.get(reason, 0) + 1
                continue
            self._add(timed, text)
        said = [f"{count} kernels not timed: {reason}" for reason, count in failed.items()]
        return said + ([f"{left} kernels were not begun in time"] if left else [])

    def _add(self, timed: Timed, operator: str) -> None:
        self.rows.append([*self.names, timed.kernel, f"{timed.us:.4f}", str(timed.samples), operator])
        self.done.add(operator)
        part = self.path + ".part"
        with open(part, "w", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            writer.writerow(self.columns)
            writer.writerows(self.rows)
        os.replace(part, self.path)


def timed_calls(kernel: str, calls: list[Callable[[], object]], clock: Any = None) -> Timed:
    """The median over replays of one graph of all calls, by call. `clock`: warploom.timing, or a stand-in."""
    if clock is None:
        from warploom import timing as clock
    graph = clock.captured(calls)
    first = clock.queued_us(graph, len(calls))
    rounds = min(math.ceil(LEAST_US / (max(first, 1e-3) * len(calls))), MOST_CALLS // len(calls))
    if rounds > 1:
        calls = calls * rounds
        graph = clock.captured(calls)
    times = [clock.queued_us(graph, len(calls)) for _ in range(REPLAYS)]
    return Timed(kernel, statistics.median(times), len(times))


def say(lines: Iterable[str]) -> None:
    for line in lines:
        print(f"onboard: {line}", file=sys.stderr)
