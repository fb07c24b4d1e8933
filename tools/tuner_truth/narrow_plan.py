#!/usr/bin/env python3
"""Which configurations to time where rows of K are no multiple of 16 (narrow loads: another program).

narrow_plan.py anchors ALL.csv.gz OUTPUT.csv [--experts 16] [--sms 132]
narrow_plan.py judged ALL.csv.gz OUTPUT.csv --seed N --shapes 40 [--experts 16]
narrow_plan.py stages MEASURED.csv.gz

ALL.csv.gz: samples whose configurations are the space. Of each tile and warps one configuration stands for
all that differ in stages: that of three, or the nearest. `anchors`: the usual ones with K one less, loops of
4, 16 and 64. `judged`: those configurations at random shapes. `stages`: how far times at narrow rows differ
between stages, which is why one is enough. `python3 -m warploom.profile --plan OUTPUT.csv` times a plan."""

import argparse
import csv
import gzip
import math
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from warploom.anchors import narrow_rows, one_of_each  # noqa: E402

CONFIG = ("bm", "bn", "bk", "warps", "stages")
SHAPE = ("m", "n", "k")
MOST_PRODUCTS = 2e10  # of a judged shape: narrow loads are slow
MOST_WEIGHTS = 1e9  # elements of all experts


def rows_of(path):
    with gzip.open(path, "rt", newline="") as file:
        return [row for row in csv.DictReader(file) if int(row["bm"])]


def judged_rows(configs, options):
    draw = random.Random(options.seed)
    shapes = set()

    def size(first, last):
        return int(round(math.exp(draw.uniform(math.log(first), math.log(last)))))

    while len(shapes) < options.shapes:
        m, n, k = size(1, 8192), size(256, 16384) // 16 * 16, size(128, 16384)
        if k % 16 == 0 or m * n * k > MOST_PRODUCTS or min(options.experts, m) * n * k > MOST_WEIGHTS:
            continue
        shapes.add((m, n, k))
    return [(config, shape) for shape in shapes for config in configs]


def print_stages(rows):
    groups = {}
    for row in rows:
        if int(row["k"]) % 16:
            key = tuple(int(row[name]) for name in (*SHAPE, *CONFIG[:4]))
            groups.setdefault(key, []).append(float(row["median_us"]))
    spread = sorted(max(times) / min(times) - 1 for times in groups.values() if len(times) > 1)
    if not spread:
        sys.exit("no narrow rows that differ in stages alone")
    median, p90 = spread[len(spread) // 2], spread[len(spread) * 9 // 10]
    print(f"{len(spread)} groups: median {median:.2%}, p90 {p90:.2%}")


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("what", choices=["anchors", "judged", "stages"])
    parser.add_argument("samples")
    parser.add_argument("output", nargs="?")
    for name, usual in (("seed", 0), ("shapes", 40), ("experts", 0), ("sms", 132)):
        parser.add_argument("--" + name, type=int, default=usual)
    options = parser.parse_args()
    rows = rows_of(options.samples)
    if options.what == "stages":
        return print_stages(rows)
    if not options.output:
        parser.error("OUTPUT.csv is missing")
    configs = one_of_each({tuple(int(row[name]) for name in CONFIG) for row in rows})
    is_anchors = options.what == "anchors"
    wide_stores = (row for row in narrow_rows(configs, options.sms, options.experts) if row[1][1] % 16 == 0)
    plan = wide_stores if is_anchors else judged_rows(configs, options)
    with open(options.output, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow((*CONFIG, *SHAPE))
        writer.writerows((*config, *shape) for config, shape in sorted(set(plan)))
    return None


if __name__ == "__main__":
    main()
