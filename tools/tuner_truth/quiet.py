#!/usr/bin/env python3
"""The leading configurations of exhaustively measured shapes once more, quietly (needs torch, triton, a GPU).

quiet.py --kind gemm --judged JUDGED.csv.gz --table TABLE.wlt --output QUIET.csv.gz
JUDGED: every configuration at every shape, as `warploom tune regret --oracle` reads it. At each shape the
BEST fastest, the FASTEST_LEAST by their least replay, what the table picks, its FIRST first and --default
are compiled in processes, then timed in this one alone: graphs over operands that rotate out of L2, replays
of all configurations in turn, in another order each time. QUIET has median and least of the replays and the
medians of their two halves."""

import argparse
import csv
import gzip
import multiprocessing
import os
import random
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

BEST, FASTEST_LEAST, FIRST = 12, 2, 3
REPLAYS = 31
CONFIG = ("bm", "bn", "bk", "warps", "stages")
SHAPE = ("m", "n", "k")
TIMES = ("median_us", "low_us", "first_us", "second_us")


def subject_of(kind):
    import torch
    from warploom import subjects

    made = {
        "gemm": lambda: subjects.Gemm(torch.bfloat16),
        "fp8": lambda: subjects.Gemm(torch.float8_e4m3fn),
        "grouped": lambda: subjects.GroupedGemm(16, 2),
        "attention": lambda: subjects.Attention(128, 4, True),
    }
    return made[kind]()


def candidates(judged, table, default):
    """{shape: [configurations]}, of those that were measured at the shape."""
    from warploom.table import Table

    measured, picks = {}, Table(table)
    with gzip.open(judged, "rt", newline="") as file:
        for row in csv.DictReader(file):
            shape, config = (tuple(int(row[name]) for name in names) for names in (SHAPE, CONFIG))
            measured.setdefault(shape, {})[config] = (float(row["median_us"]), float(row["low_us"]))
    found = {}
    for shape, times in measured.items():
        listed = sorted(times, key=lambda config: times[config][0])[:BEST]
        listed += sorted(times, key=lambda config: times[config][1])[:FASTEST_LEAST]
        listed += [picks.pick(*shape)[:5], *(config[:5] for config in picks.best(*shape, FIRST))]
        listed += [default] if default else []
        found[shape] = [config for config in dict.fromkeys(listed) if config in times]
    return found


def compile_one(task):
    import torch
    from warploom import subjects

    subjects.copies_of = lambda _: 1  # one set of operands will do
    kind, config, shape = task
    subject = subject_of(kind)
    subject.call(subject.sets(shape)[0], config)
    torch.cuda.synchronize()


def compile_all(kind, found):
    """Fills Triton's cache: each configuration at the smallest of the shapes that are one to the compiler."""
    smallest = {}
    for shape, configs in found.items():
        alike = tuple((size % 16 == 0, size == 1) for size in shape)
        for config in configs:
            smallest.setdefault((config, alike), []).append(shape)
    tasks = [(kind, config, min(shapes, key=sum)) for (config, _), shapes in smallest.items()]
    with multiprocessing.get_context("spawn").Pool(max(1, (os.cpu_count() or 2) - 1)) as pool:
        pool.map(compile_one, tasks, chunksize=4)


def replays_of(subject, shape, configs, rng):
    """{config: [microseconds of one call], replay by replay}."""
    import torch

    sets, graphs = subject.sets(shape), {}
    for config in configs:
        subject.call(sets[0], config)
        torch.cuda.synchronize()
        graphs[config] = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graphs[config]):
            for operands in sets:
                subject.call(operands, config)
        graphs[config].replay()
    torch.cuda.synchronize()
    times = {config: [] for config in configs}
    for _ in range(REPLAYS):
        for config in rng.sample(configs, len(configs)):
            begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
            begin.record()
            graphs[config].replay()
            end.record()
            torch.cuda.synchronize()
            times[config].append(begin.elapsed_time(end) * 1e3 / len(sets))
    return times


def told(times):
    half = (len(times) + 1) // 2
    first, second = times[:half], times[half:]
    told = (statistics.median(times), min(times), statistics.median(first), statistics.median(second))
    return [f"{time:.3f}" for time in told]


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--kind", choices=("gemm", "fp8", "grouped", "attention"), required=True)
    for name in ("judged", "table", "output"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--default", help="BMxBNxBK/wWARPS/sSTAGES")
    options = parser.parse_args()
    parts = options.default.replace("/", "x").split("x") if options.default else []
    default = tuple(int(part.lstrip("ws")) for part in parts)
    found = candidates(options.judged, options.table, default)
    compile_all(options.kind, found)
    rng, started = random.Random(2), time.time()
    with gzip.open(options.output, "wt", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([*CONFIG, *SHAPE, *TIMES])
        for shape, configs in found.items():
            times = replays_of(subject_of(options.kind), shape, configs, rng)
            out.writerows([*config, *shape, *told(times[config])] for config in sorted(configs))
    print(f"{len(found)} shapes in {time.time() - started:.0f} s")


if __name__ == "__main__":
    main()
