#!/usr/bin/env python3
"""What tuned configurations of experts changed in a real engine: tuned_gain.py FOLDER [--before default]

FOLDER: steps.csv.gz and requests.csv.gz of runs with the same seeds (their README says how). The first pass
is left out, since Triton compiles in it. Prints for each load the mean TTFT and TPOT against those before,
with a 95 % interval by drawing requests again, and for its steps of one kind (as many decoding requests, or
prompt tokens to the nearest 2,000) the median of their GPU times with one by drawing runs of RUN steps again,
since neighbours resemble one another."""

import argparse
import csv
import gzip
import random
import statistics
from pathlib import Path

DRAWS = 1000
RUN = 10  # steps
LEAST_STEPS = 20  # of a kind, on both sides


def rows_of(path):
    return [row for row in csv.DictReader(gzip.open(path, "rt")) if row["pass"] != "1"]


def interval(drawn):
    drawn.sort()
    return drawn[len(drawn) // 40], drawn[-len(drawn) // 40]


def change(before, after):
    """(change of the mean, low, high), in %."""
    rng = random.Random(1)

    def drawn_mean(values):
        return statistics.fmean(rng.choices(values, k=len(values)))

    low, high = interval([drawn_mean(after) / drawn_mean(before) for _ in range(DRAWS)])
    mean = statistics.fmean(after) / statistics.fmean(before)
    return [100 * (value - 1) for value in (mean, low, high)]


def change_of_steps(before, after):
    """(change of the median, low, high), in %, of GPU times in their order."""
    rng = random.Random(1)

    def drawn_median(values):
        runs = [values[i : i + RUN] for i in range(0, len(values), RUN)]
        return statistics.median(time for run in rng.choices(runs, k=len(runs)) for time in run)

    low, high = interval([drawn_median(after) / drawn_median(before) for _ in range(DRAWS // 4)])
    middle = statistics.median(after) / statistics.median(before)
    return [100 * (value - 1) for value in (middle, low, high)]


def kind_of(step):
    if step["prompts"] == "0":
        return "decode", int(step["decodes"])
    return "prompts", round(int(step["prompt_tokens"]) / 2000) * 2000


def print_requests(requests, sides, other):
    for load in sorted({row["load"] for row in requests}):
        of = [
            [row for row in requests if row["load"] == load and row["configurations"] == side]
            for side in sides
        ]
        if not all(of):
            continue
        for figure in ("ttft_ms", "tpot_ms"):
            mean, low, high = change(*([float(row[figure]) for row in side] for side in of))
            print(f"{other:14} {load:8} {figure[:4].upper()} {mean:+6.1f} % ({low:+.1f} .. {high:+.1f})")


def print_steps(steps, sides, other):
    times = {}
    for step in steps:
        for side, name in enumerate(sides):
            if step["configurations"] == name:
                kind = (step["load"], *kind_of(step))
                times.setdefault(kind, ([], []))[side].append(float(step["gpu_ms"]))
    for (load, kind, size), (before, after) in sorted(times.items()):
        if min(len(before), len(after)) >= LEAST_STEPS:
            middle, low, high = change_of_steps(before, after)
            print(f"{other:14} {load:8} steps of {kind} {size:5}: {statistics.median(before):7.3f} -> "
                  f"{statistics.median(after):7.3f} ms {middle:+5.1f} % ({low:+.1f} .. {high:+.1f})")


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--before", default="default")
    options = parser.parse_args()
    requests, steps = rows_of(options.folder / "requests.csv.gz"), rows_of(options.folder / "steps.csv.gz")
    for other in sorted({row["configurations"] for row in requests} - {options.before}):
        sides = (options.before, other)
        print_requests(requests, sides, other)
        print_steps(steps, sides, other)


if __name__ == "__main__":
    main()
