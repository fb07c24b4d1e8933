#!/usr/bin/env python3
"""Why a table's worst shapes are lost.

lost_shapes.py TABLE.wlt REGRET.json ORACLE.csv.gz [--below 0.92] [--attention]

REGRET.json: `warploom tune regret --json --table TABLE --oracle ORACLE`. For each shape below: pick and best,
what each took against its estimate, and the cause, the first that holds:
  noise        the least replay of the pick is within 3 % of the best's: one timing of three was slow
  narrow       K of a product is no multiple of 16: loads are narrow, and no anchor has such rows
  sweet spot   the pick was estimated too fast, its last wave nearly full: the grid spilled into one more
  pick         the pick was estimated too fast
  best         the best was estimated too slow
Needs libwarploom.so (target warploom_shared) or the compiled package."""

import argparse
import csv
import gzip
import json
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from warploom.table import Table  # noqa: E402

CONFIG = ("bm", "bn", "bk", "warps", "stages")
SHAPE = ("m", "n", "k")
SMS = 132
ALL = 1000
NOISE, NEARLY_FULL = 0.03, 0.9


def named(config):
    return "{}x{}x{}/w{}/s{}".format(*config[:5])


def read_times(path):
    """{shape: {configuration as printed: (median, least)}}"""
    found = {}
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            shape, config = (tuple(int(row[name]) for name in names) for names in (SHAPE, CONFIG))
            median = float(row["median_us"])
            times = found.setdefault(shape, {})
            times.setdefault(named(config), (median, float(row.get("low_us") or median)))
    return found


def cause(shape, pick, best, errors, keys):
    """`pick`, `best`: (median, least); `errors`: ln(measured / estimated) of both; `keys`: of attention."""
    if pick[1] <= best[1] * (1 + NOISE):
        return "noise"
    if shape[2] % 16 and not keys:
        return "narrow"
    if errors[0] < -errors[1]:
        return "best"
    return "pick"


def waves(shape, name):
    rows, columns = (int(size) for size in name.split("/")[0].split("x")[:2])
    return math.ceil(shape[0] / rows) * math.ceil(shape[1] / columns) / SMS


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    for name in ("table", "regret", "oracle"):
        parser.add_argument(name)
    parser.add_argument("--below", type=float, default=0.92)
    parser.add_argument("--attention", action="store_true", help="the table is of attention")
    options = parser.parse_args()
    times, table = read_times(options.oracle), Table(options.table)
    with open(options.regret) as file:
        rows = sorted(json.load(file)["rows"], key=lambda row: row["share"])
    print("m x n x k,share,picked,took against estimate,best,took against estimate,cause")
    for row in rows:
        if row["share"] >= options.below:
            break
        shape = tuple(row[axis] for axis in SHAPE)
        estimated = {named(config): us for config, us in table.timed(*shape, ALL)}
        pick, best = (times[shape].get(row[key]) for key in ("picked", "best"))
        if pick is None:
            print(f"{shape},{row['share']:.3f},{row['picked']},not measured,{row['best']},,not measured")
            continue
        errors = [math.log(time[0] / estimated[row[key]]) for time, key in ((pick, "picked"), (best, "best"))]
        why = cause(shape, pick, best, errors, options.attention)
        count = waves(shape, row["picked"])
        if why == "pick" and count > 1 and count % 1 > NEARLY_FULL:
            why = "sweet spot"
        print(f"{' x '.join(map(str, shape))},{row['share']:.3f},{row['picked']},{math.exp(errors[0]):.2f},"
              f"{row['best']},{math.exp(errors[1]):.2f},{why}")


if __name__ == "__main__":
    main()
