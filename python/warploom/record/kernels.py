"""GPU kernels of a few steps, by name, on demand: create DIR/profile, its text the steps (default 3), as
"3", or "3 after 20": those after the next twenty."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from warploom.record.folder import write_whole

COLUMNS = "kernel calls_per_step us_per_step in_graph".split()
MOST_STEPS = 100


def sum_by_name(events: Iterable[tuple[str, int, bool]], steps: int) -> list[list[str | int]]:
    """Rows of COLUMNS, longest first. `events`: (name, nanoseconds, launched by a graph) of each kernel."""
    sums: dict[tuple[str, bool], list[int]] = {}
    for name, nanoseconds, in_graph in events:
        entry = sums.setdefault((name, bool(in_graph)), [0, 0])
        entry[0] += 1
        entry[1] += nanoseconds
    rows: list[list[str | int]] = []
    for (name, in_graph), (calls, total) in sorted(sums.items(), key=lambda item: (-item[1][1], item[0])):
        rows.append([name, f"{calls / steps:.3f}", f"{total / steps * 1e-3:.2f}", int(in_graph)])
    return rows


def events_of(torch: Any, profiler: Any) -> list[tuple[str, int, bool]]:
    """What sum_by_name takes, of a torch.profiler run."""
    device: list[tuple[str, int, int]] = []
    launcher: dict[int, str] = {}
    for event in profiler.profiler.kineto_results.events():
        if event.device_type() == torch.autograd.DeviceType.CUDA:
            if event.duration_ns() > 0:
                device.append((event.name(), event.duration_ns(), event.correlation_id()))
        else:
            launcher[event.correlation_id()] = event.name()
    return [(name, time, "GraphLaunch" in launcher.get(by, "")) for name, time, by in device]


class KernelWatch:
    """Profiles the steps that come after somebody asked. The profiler slows the steps it watches."""

    def __init__(self, folder: str | Path, torch: Any) -> None:
        self.folder, self.torch = Path(folder), torch
        self.profiler: Any = None
        self.left, self.steps, self.skipped = 0, 0, 0
        self.count = 0

    def _asked(self) -> bool:
        """Whether the steps to watch begin with the next one."""
        request = self.folder / "profile"
        if self.skipped > 0:
            self.skipped -= 1
            return self.skipped == 0
        if not request.exists():
            return False
        text = request.read_text().strip()
        request.unlink()
        steps, _, after = (text or "3").partition(" after ")
        if not steps.isdigit() or (after and not after.isdigit()):
            write_whole(
                self.folder / "profile.error",
                f"profile: is '{text}', expected a number of steps, or '3 after 20'\n",
            )
            return False
        self.steps = max(1, min(int(steps), MOST_STEPS))
        self.skipped = int(after or 0)
        return self.skipped == 0

    def before_step(self) -> None:
        if self.profiler is not None or not self._asked():
            return
        self.left = self.steps
        from torch.profiler import ProfilerActivity, profile

        self.torch.cuda.synchronize()
        self.profiler = profile(activities=[ProfilerActivity.CUDA])
        self.profiler.__enter__()

    def after_step(self) -> None:
        if self.profiler is None:
            return
        self.left -= 1
        if self.left > 0:
            return
        self.torch.cuda.synchronize()
        profiler, self.profiler = self.profiler, None
        profiler.__exit__(None, None, None)
        self.count += 1
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(sum_by_name(events_of(self.torch, profiler), self.steps))
        write_whole(self.folder / f"kernels_{self.count}.csv", text.getvalue())
