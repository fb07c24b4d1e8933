"""A tune table that measures a shape's most promising configurations once, when the shape is seen often.

The table's first pick loses 1 to 2 % to the best of it and two others. Which one to measure next follows from
what was measured so far, and ends where no further timing is worth it (`Table.next_to_time`, which
`warploom tune regret` judges). A shape that was asked for `after` times is measured by one process, under a
lock; the choice is stored for the kernel, GPU and version of `identity`, and every other rank and later run
reads it. Ranks that see the same calls switch at the same call.
"""
from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from warploom.decisions import Decisions

Shape = tuple[int, int, int]

# Repeats of one timing on an H200 differ by 0.7 % in the median: the table's pick stays within it.
NOISE = 0.01
MOST_SHAPES = 65536


class RefinedTable:
    """`table`: pick(m, n, k) and next_to_time(m, n, k, timed), as warploom.table.Table; `measure(config,
    shape)`: microseconds, infinite or an exception where a configuration does not run; `path`: the file of
    choices; `candidates`: as many are measured at most, the pick among them."""

    def __init__(
        self,
        table: Any,
        path: str | os.PathLike[str],
        identity: Any,
        measure: Callable[[tuple[int, ...], Shape], float],
        after: int = 100,
        candidates: int = 3,
    ) -> None:
        self.table, self.measure, self.after, self.candidates = table, measure, after, candidates
        self.decisions = Decisions(path, identity)
        self.measured = 0  # shapes that this process measured
        self._seen: dict[Shape, int] = {}
        self._chosen: dict[Shape, tuple[int, ...]] = {}

    def pick(self, m: int, n: int, k: int) -> tuple[int, ...]:
        shape = (m, n, k)
        chosen = self._chosen.get(shape)
        if chosen is not None:
            return chosen
        seen = self._seen.get(shape, 0) + 1
        if len(self._seen) > MOST_SHAPES:
            self._seen.clear()
        self._seen[shape] = seen
        if seen <= self.after:
            first: tuple[int, ...] = self.table.pick(m, n, k)
            return first
        stored = self.decisions.decide(repr(shape), lambda: list(self._best(shape)))
        chosen = self._chosen[shape] = tuple(stored)
        return chosen

    def _best(self, shape: Shape) -> tuple[int, ...]:
        self.measured += 1
        timed: list[tuple[tuple[int, ...], float]] = []
        while len(timed) < self.candidates:
            config = self.table.next_to_time(*shape, timed)
            if config is None:
                break
            timed.append((config, self._time(config, shape)))
        least = min(time for _, time in timed)
        return next(config for config, time in timed if time <= least * (1 + NOISE))

    def _time(self, config: tuple[int, ...], shape: Shape) -> float:
        try:
            return float(self.measure(config, shape))
        except Exception:  # out of resources, or a compiler's refusal
            return float("inf")
