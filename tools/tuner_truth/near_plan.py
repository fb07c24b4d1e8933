#!/usr/bin/env python3
"""Which rows to time at random shapes of one kind of rows.

near_plan.py near ALL.csv.gz OUTPUT.csv --table TABLE.wlt --rows uneven --seed N --shapes 300 [--experts 16]
near_plan.py fresh ALL.csv.gz OUTPUT.csv --rows uneven --seed N --shapes 24 [--experts 16]
near_plan.py again ALL.csv.gz OUTPUT.csv --table TABLE.wlt
near_plan.py anchors ALL.csv.gz OUTPUT.csv --rows uneven [--experts 16] [--sms 132]

ALL.csv.gz: samples whose configurations are the space. `near`, to learn from: at each shape the NEAR
configurations that the table ranks first, and RANDOM others. `fresh`, to judge on: every configuration; of
narrow loads one of each tile and warps, as narrow_plan.py has it. `again`: at each shape of ALL its fastest
configurations and the table's first picks, to be timed with many replays. `anchors`, to fit on: fewer of the
usual grids, with 16 elements less in K (in one byte every other row then starts between two sectors of 32
bytes), or with one less in K and in N (`both`). Rows of K and N:
  uneven  both multiples of 16, K hardly ever of 128
  stores  N odd, K a multiple of 16: narrow stores
  both    N and K odd: narrow loads and stores
  spill   as uneven, each expert with a few rows more than whole tiles (grouped products)
Sizes are log-uniform. `many.py` and `python3 -m warploom.profile` time a plan. Needs libwarploom.so."""

import argparse
import csv
import math
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from narrow_plan import CONFIG, MOST_WEIGHTS, SHAPE, rows_of  # noqa: E402
from warploom import anchors  # noqa: E402
from warploom.table import Table  # noqa: E402

NEAR, RANDOM = 24, 8
BEST, PICKS = 9, 3  # of `again`
WHOLE_LINES = 0.1  # of uneven shapes
MOST_PRODUCTS = {"uneven": 8e10, "stores": 8e10, "spill": 8e10, "both": 2e10}
ALL = 1000
LESS = {"uneven": (0, 16), "both": (1, 1)}  # elements of N and K, of `anchors`
WAVES, LOOPS = (0.5, 1.0, 2.0, 4.0), (16, 64)


def drawn_shape(draw, rows, experts):
    def size(first, last):
        return int(round(math.exp(draw.uniform(math.log(first), math.log(last)))))

    m, n, k = size(1, 8192), size(256, 16384), size(128, 16384)
    if rows == "spill":
        each = draw.choice((16, 32, 64, 128, 256)) * draw.randint(1, 3)
        m = experts * each + draw.randint(1, experts - 1)
    n = n // 2 * 2 + 1 if rows in ("stores", "both") else max(16, n // 16 * 16)
    if rows == "both":
        return m, n, k // 2 * 2 + 1
    k = max(16, k // 16 * 16)
    return m, n, max(128, k // 128 * 128) if draw.random() < WHOLE_LINES else k


def shapes_of(options):
    draw, found = random.Random(options.seed), []
    while len(found) < options.shapes:
        m, n, k = drawn_shape(draw, options.rows, options.experts)
        weights = min(max(1, options.experts), m) * n * k
        if m * n * k <= MOST_PRODUCTS[options.rows] and weights <= MOST_WEIGHTS and (m, n, k) not in found:
            found.append((m, n, k))
    return found, draw


def near_rows(configs, options):
    shapes, draw = shapes_of(options)
    table, known = Table(options.table), set(configs)
    for shape in shapes:
        ranked = [config[:5] for config, _ in table.timed(*shape, ALL) if config[:5] in known]
        rest = sorted(known - set(ranked[:NEAR]))
        for config in ranked[:NEAR] + draw.sample(rest, min(RANDOM, len(rest))):
            yield config, shape


def anchor_rows(configs, options):
    wide = (anchors.grouped_anchors(configs, options.sms, options.experts, WAVES, LOOPS) if options.experts
            else anchors.gemm_anchors(configs, options.sms, WAVES, LOOPS))
    less_n, less_k = LESS[options.rows]
    return [(config, (m, n - less_n, k - less_k)) for config, (m, n, k) in wide]


def again_rows(rows, options):
    table, times = Table(options.table), {}
    for row in rows:
        shape, config = (tuple(int(row[name]) for name in names) for names in (SHAPE, CONFIG))
        times.setdefault(shape, {})[config] = float(row["median_us"])
    for shape, of in times.items():
        listed = sorted(of, key=of.get)[:BEST]
        listed += [config[:5] for config in (table.pick(*shape), *table.best(*shape, PICKS))]
        for config in dict.fromkeys(listed):
            if config in of:
                yield config, shape


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("what", choices=["near", "fresh", "again", "anchors"])
    parser.add_argument("samples")
    parser.add_argument("output")
    parser.add_argument("--table")
    parser.add_argument("--rows", choices=sorted(MOST_PRODUCTS), default="uneven")
    for name, usual in (("seed", 0), ("shapes", 24), ("experts", 0), ("sms", 132)):
        parser.add_argument("--" + name, type=int, default=usual)
    options = parser.parse_args()
    if options.what in ("near", "again") and not options.table:
        parser.error("--table is missing")
    if options.what == "anchors" and options.rows not in LESS:
        parser.error(f"--rows {options.rows} has no anchors, expected one of {', '.join(LESS)}")
    rows = rows_of(options.samples)
    space = {tuple(int(row[name]) for name in CONFIG) for row in rows}
    configs = anchors.one_of_each(space) if options.rows == "both" else sorted(space)
    if options.what == "again":
        plan = again_rows(rows, options)
    elif options.what == "anchors":
        plan = anchor_rows(configs, options)
    elif options.what == "near":
        plan = near_rows(configs, options)
    else:
        plan = ((config, shape) for shape in shapes_of(options)[0] for config in configs)
    with open(options.output, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow((*CONFIG, *SHAPE))
        writer.writerows((*config, *shape) for config, shape in sorted(set(plan)))


if __name__ == "__main__":
    main()
