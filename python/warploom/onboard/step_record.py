"""The files of measured steps: TAG_steps.csv and TAG_kernels.csv, whole after every batch."""

from __future__ import annotations

import csv
import json
import os
import statistics
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from warploom.onboard.kernel_names import rows_us

# Sum and span of the kernels in ms a step, kernels a step, and of each name its calls and microseconds.
Profile = tuple[float, float, float, dict[str, tuple[int, float]]]

KERNELS_KEPT = 45
HEADS = {
    "steps": "kind batch wall_ms wall_min_ms kernel_sum_ms span_ms kernels context_mean kernel_context_mean "
    "core_ms rows_ms",
    "kernels": "kind batch kernel calls us",
}


class StepRecord:
    """`facts` go into TAG_steps.json. Rows that the files hold already are kept."""

    def __init__(self, folder: str, tag: str, facts: Mapping[str, Any]) -> None:
        self.folder, self.tag, self.facts = folder, tag, facts
        self.rows: dict[str, list[list[Any]]] = {name: self._rows_of(name) for name in HEADS}
        self.done = {(row[0], row[1]) for row in self.rows["steps"]}

    def path(self, name: str) -> str:
        return os.path.join(self.folder, f"{self.tag}_{name}")

    def _rows_of(self, name: str) -> list[list[Any]]:
        path = self.path(f"{name}.csv")
        if not os.path.exists(path):
            return []
        with open(path, newline="") as file:
            rows = list(csv.reader(file))[1:]
        width = len(HEADS[name].split())  # a file of an earlier version has fewer columns
        return [row + [""] * (width - len(row)) for row in rows]

    def add(
        self,
        kind: str,
        batch: str,
        times: Iterable[tuple[float, float]],
        profile: Profile,
        steps: int,
        contexts: Sequence[str] = ("", ""),
    ) -> None:
        """`times`: (whole step, the core's part) of each timed step."""
        total, span, count, by_name = profile
        walls, cores = zip(*times)
        figures = [statistics.median(walls), min(walls), total, span]
        core = f"{statistics.median(cores):.4f}"
        rows = f"{rows_us(by_name) / steps / 1e3:.4f}" if by_name else ""
        self.rows["steps"].append(
            [kind, batch, *(f"{v:.4f}" for v in figures), f"{count:.0f}", *contexts, core, rows]
        )
        longest = sorted(by_name.items(), key=lambda item: -item[1][1])[:KERNELS_KEPT]
        for name, (calls, us) in longest:
            self.rows["kernels"].append(
                [kind, batch, name[:140], round(calls / steps, 2), f"{us / steps:.2f}"]
            )
        print(
            f"{kind} {batch}: wall {figures[0]:.3f} ms, kernels {total:.3f} ms", file=sys.stderr, flush=True
        )
        self.write()

    def write(self) -> None:
        for name in ("kernels", "steps"):  # a step is done when it stands in the last of them
            path = self.path(f"{name}.csv")
            with open(path + ".part", "w", newline="") as file:
                writer = csv.writer(file, lineterminator="\n")
                writer.writerow(HEADS[name].split())
                writer.writerows(self.rows[name])
            os.replace(path + ".part", path)
        with open(self.path("steps.json.part"), "w") as file:
            json.dump(self.facts, file, indent=1)
        os.replace(self.path("steps.json.part"), self.path("steps.json"))
