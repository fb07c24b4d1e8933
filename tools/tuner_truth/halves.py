#!/usr/bin/env python3
"""A table's shares, the best of one half of replays judged by the other: halves.py REGRET.json QUIET.csv.gz

REGRET.json: `warploom tune regret --json --table TABLE --oracle QUIET.csv.gz`; QUIET.csv.gz: what quiet.py
wrote. The best of many noisy times looks faster than it is; the best of the first half, timed by the second,
does not."""

import argparse
import csv
import gzip
import json
import math
import statistics

CONFIG = ("bm", "bn", "bk", "warps", "stages")
SHAPE = ("m", "n", "k")
HALVES = ("first_us", "second_us")


def read_halves(path):
    """{shape: {configuration as the program prints it: (first, second)}}"""
    found = {}
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            name = "{}x{}x{}/w{}/s{}".format(*(row[column] for column in CONFIG))
            shape = tuple(int(row[column]) for column in SHAPE)
            found.setdefault(shape, {})[name] = tuple(float(row[half]) for half in HALVES)
    return found


def share(times, picked):
    """Shares of the best, both ways round."""
    shares = []
    for choose, judge in ((0, 1), (1, 0)):
        best = min(times.values(), key=lambda halves: halves[choose])
        shares.append(best[judge] / times[picked][judge])
    return math.sqrt(shares[0] * shares[1])


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("regret")
    parser.add_argument("quiet")
    options = parser.parse_args()
    with open(options.regret) as file:
        rows = json.load(file)["rows"]
    times = read_halves(options.quiet)
    shares = sorted(share(times[tuple(row[axis] for axis in SHAPE)], row["picked"]) for row in rows)
    print(f"{len(shares)} shapes: {100 * statistics.geometric_mean(shares):.1f} % of the best, "
          f"p10 {100 * shares[len(shares) // 10]:.1f}, worst {100 * shares[0]:.1f}; "
          f"below 95 %: {sum(value < 0.95 for value in shares)}")


if __name__ == "__main__":
    main()
