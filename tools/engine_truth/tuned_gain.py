#!/usr/bin/env python3
"""What tuned configurations of experts changed in a real engine: tuned_gain.py FOLDER [--before default]

FOLDER: steps.csv.gz and requests.csv.gz of runs with the same seeds (their README says how). The first pass
is left out, since Triton compiles in it. Prints for each load the mean TTFT and TPOT against those before,
with a 95 % interval by drawing requests again, and for steps of one kind the median of their GPU times."""

import argparse
import csv
import gzip
import random
import statistics
from pathlib import Path

DRAWS = 1000


def rows_of(path):
    return [row for row in csv.DictReader(gzip.open(path, "rt")) if row["pass"] != "1"]


def change(before, after):
    """(change of the mean, low, high), in %."""
    rng = random.Random(1)
    def drawn_mean(values):
        return statistics.fmean(rng.choices(values, k=len(values)))

    drawn = sorted(drawn_mean(after) / drawn_mean(before) for _ in range(DRAWS))
    mean = statistics.fmean(after) / statistics.fmean(before)
    return [100 * (value - 1) for value in (mean, drawn[DRAWS // 40], drawn[-DRAWS // 40])]


def kind_of(step):
    if step["prompts"] == "0":
        decodes = int(step["decodes"])
        return "decode", decodes if decodes < 8 else decodes // 16 * 16
    return "prompts", round(int(step["prompt_tokens"]) / 2000) * 2000


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--before", default="default")
    options = parser.parse_args()
    requests, steps = rows_of(options.folder / "requests.csv.gz"), rows_of(options.folder / "steps.csv.gz")
    others = sorted({row["configurations"] for row in requests} - {options.before})
    for other in others:
        for load in sorted({row["load"] for row in requests}):
            of = {
                name: [row for row in requests if row["load"] == load and row["configurations"] == name]
                for name in (options.before, other)
            }
            if not of[options.before]:
                continue
            for figure in ("ttft_ms", "tpot_ms"):
                values = [[float(row[figure]) for row in of[name]] for name in (options.before, other)]
                mean, low, high = change(*values)
                print(f"{other:10} {load:8} {figure[:4].upper()} {mean:+6.1f} % ({low:+.1f} .. {high:+.1f})")
        times = {}
        for step in steps:
            of_kind = times.setdefault(kind_of(step), {})
            of_kind.setdefault(step["configurations"], []).append(float(step["gpu_ms"]))
        for kind, found in sorted(times.items()):
            if min(len(found.get(name, ())) for name in (options.before, other)) >= 20:
                before, after = (statistics.median(found[name]) for name in (options.before, other))
                print(f"{other:10} steps of {kind[0]} {kind[1]:5}: {before:7.3f} -> {after:7.3f} ms "
                      f"{100 * (after / before - 1):+5.1f} %")


if __name__ == "__main__":
    main()
