"""Times a plan of (configuration, shape) rows into a CSV that `warploom tune fit` reads.

Resumable: rows already in the file are skipped, each shape is written as soon as it is done, so that a run
may be killed at any moment. A configuration that the compiler or the GPU refuses is noted with no row.
"""
from __future__ import annotations

import csv
import fcntl
import functools
import multiprocessing
import os
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, Protocol

import torch

from warploom.anchors import Config, Row
from warploom.tiling import Shape
from warploom.timing import SteadyClock, graph_us

class Subject(Protocol):
    """What can be profiled, see warploom.subjects."""

    def sets(self, shape: Shape) -> Sequence[Any]: ...

    def call(self, operands: Any, config: Config) -> object: ...


COLUMNS = ["bm", "bn", "bk", "warps", "stages", "m", "n", "k", "median_us", "low_us"]


def columns_of(config: Config) -> list[str]:
    """The columns of a file of such configurations: those with a split have one more."""
    return COLUMNS if len(config) == 5 else [*COLUMNS[:5], "split_k", *COLUMNS[5:]]


def read_done(path: str | Path) -> set[tuple[int, ...]]:
    """Keys of complete rows; a last line cut short by a kill is removed from the file."""
    if not os.path.exists(path):
        return set()
    with open(path, newline="") as file:
        lines = file.read().split("\n")
    columns = lines[0].count(",")
    whole = [line for line in lines[:-1] if line.count(",") == columns]
    with open(path, "w", newline="") as file:
        file.writelines(line + "\n" for line in whole)
    return {tuple(int(cell) for cell in line.split(",")[:columns - 1]) for line in whole[1:]}


def _compile_one(task: tuple[Subject, Config, Shape]) -> str | None:
    subject, config, shape = task
    try:
        subject.call(subject.sets(shape)[0], config)
        torch.cuda.synchronize()
    except Exception as error:  # out of resources, or a compiler's refusal
        return f"{config} at {shape}: {type(error).__name__}"
    return None


def compile_all(
    subject: Subject, configs: Iterable[Config], shapes: Iterable[Shape], workers: int | None = None
) -> list[str]:
    """Fills Triton's cache in parallel: each configuration at each (small) shape. Returns the refusals.

    One shape of each kind that the compiler tells apart is enough: multiples of 16, and other sizes.
    """
    workers = workers or max(1, (os.cpu_count() or 2) - 1)
    tasks = [(subject, config, shape) for shape in shapes for config in configs]
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        return [refusal for refusal in pool.map(_compile_one, tasks, chunksize=4) if refusal]


def print_progress(done: int, total: int, started: float, already: int) -> None:
    spent = time.time() - started
    fresh = max(1, done - already)
    left = spent / fresh * (total - done)
    text = f"\r{done} of {total} timings, {spent:.0f} s, about {left:.0f} s left "
    print(text, end="", file=sys.stderr, flush=True)


def profile(
    subject: Subject, rows: Sequence[Row], path: str | Path, seconds: float = float("inf"),
    progress: Callable[[int, int, float, int], object] = print_progress,
    clock: SteadyClock | None = None, replays: int = 3,
) -> dict[str, Any]:
    """Times `rows` of (config, shape), shape by shape in the order given.

    Returns {"done", "total", "seconds", "refused", "warnings", "complete"}.
    """
    by_shape: dict[Shape, list[Config]] = {}
    for config, shape in rows:
        by_shape.setdefault(shape, []).append(config)
    lock = open(f"{path}.lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise RuntimeError(f"{path}: another process measures into this file") from None
    planned = {(*config, *shape) for config, shape in rows}
    done = read_done(path) & planned
    already, started = len(done), time.time()
    clock = clock or SteadyClock()
    refused: list[tuple[Config, Shape, str]] = []
    warnings: list[str] = []
    checked, complete = started, True
    with open(path, "a", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        if file.tell() == 0:
            writer.writerow(columns_of(rows[0][0]) if rows else COLUMNS)
        for shape, group in by_shape.items():
            configs = [config for config in group if (*config, *shape) not in done]
            if not configs:
                continue
            if time.time() - started > seconds:
                complete = False
                break
            try:
                sets = subject.sets(shape)
            except torch.cuda.OutOfMemoryError as error:  # a GPU that others use too
                refused.extend((config, shape, type(error).__name__) for config in configs)
                continue
            for config in configs:
                try:
                    calls = [functools.partial(subject.call, each, config) for each in sets]
                    median, low = graph_us(calls, replays)
                except Exception as error:  # out of resources, or a compiler's refusal
                    refused.append((config, shape, type(error).__name__))
                    continue
                writer.writerow([*config, *shape, round(median, 3), round(low, 3)])
                done.add((*config, *shape))
            file.flush()
            progress(len(done), len(rows), started, already)
            if time.time() - checked > 20:
                checked = time.time()
                warning = clock.warning()
                if warning:
                    warnings.append(warning)
                    print("\n" + warning, file=sys.stderr)
    return {"done": len(done), "total": len(rows), "seconds": time.time() - started, "refused": refused,
            "warnings": warnings, "complete": complete}
