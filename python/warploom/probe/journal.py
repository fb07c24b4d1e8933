"""What was measured, line by line as it comes, so that a probe that was cut off goes on where it ended."""

from __future__ import annotations

import json
import os
import statistics
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

Line = dict[str, Any]


class Journal:
    """Lines of FILE.part: {"name", "round", "at", ...}. A line cut short by a kill is left out."""

    def __init__(self, path: str | Path, machine: Any) -> None:
        self.path = Path(f"{path}.part")
        self.lines: list[Line] = []
        if self.path.exists():
            for line in self.path.read_text().splitlines():
                try:
                    self.lines.append(json.loads(line))
                except ValueError:
                    continue
        if self.lines and self.lines[0].get("machine") != machine:
            raise ValueError(
                f"{self.path}: was begun on another machine or with other packages; remove it to begin anew"
            )
        self.path.write_text("".join(json.dumps(line) + "\n" for line in self.lines))
        if not self.lines:
            self.add({"machine": machine})
        self.done = {(line["name"], line["round"]) for line in self.lines if "name" in line}

    def add(self, line: Line) -> None:
        self.lines.append(line)
        with open(self.path, "a") as file:
            file.write(json.dumps(line) + "\n")
        if "name" in line:
            self.done.add((line["name"], line["round"]))

    def named(self, name: str) -> list[Line]:
        return [line for line in self.lines if line.get("name") == name]

    def remove(self) -> None:
        os.unlink(self.path)


def quantile(values: Iterable[float], share: float) -> float:
    """By straight lines between the sorted values."""
    ordered = sorted(values)
    at = share * (len(ordered) - 1)
    low = int(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def summary(samples: Sequence[float]) -> dict[str, Any]:
    """One measurement: the median and mean, percentiles, and half of their distance to the median."""
    low, high = quantile(samples, 0.1), quantile(samples, 0.9)
    middle = statistics.median(samples)
    return {
        "median_us": middle,
        "mean_us": statistics.fmean(samples),
        "p10_us": low,
        "p90_us": high,
        "spread": (high - low) / 2 / middle if middle else 0.0,
        "samples": [round(value, 4) for value in samples],
    }
