#!/usr/bin/env python3
"""What a repeated measurement allows a tuner to reach: repeated.py FIRST.csv.gz [SECOND.csv.gz]

Both: every configuration at every shape, as `warploom tune regret --oracle` reads it, measured apart. Without
SECOND: FIRST is what quiet.py wrote, and the halves of its replays are the two. Of shapes in both: how far
two times of one configuration differ, and the share of the best of SECOND that the best of FIRST has there,
and the reverse. No pick is surely better than that. Needs no GPU."""

import argparse
import csv
import gzip
import math

CONFIG = ("bm", "bn", "bk", "warps", "stages")
SHAPE = ("m", "n", "k")
# Configurations of a shape in both; quiet sets have the leading ones alone.
FEWEST = {False: 100, True: 5}


def read_times(path, column="median_us"):
    """{shape: {configuration: microseconds}}; the library's times have no tile."""
    found = {}
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            shape, config = (tuple(int(row[name]) for name in names) for names in (SHAPE, CONFIG))
            if config[0] > 0:
                found.setdefault(shape, {}).setdefault(config, float(row[column]))
    return found


def compare(first, second, fewest):
    """(differences in ln, shares), of every shape in both, both ways round."""
    apart, shares = [], []
    for shape in first.keys() & second.keys():
        both = sorted(first[shape].keys() & second[shape].keys())
        if len(both) < fewest:
            continue
        apart += [abs(math.log(first[shape][one] / second[shape][one])) for one in both]
        for choose, judge in ((first[shape], second[shape]), (second[shape], first[shape])):
            shares.append(min(judge[one] for one in both) / judge[min(both, key=choose.get)])
    return sorted(apart), sorted(shares)


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("first")
    parser.add_argument("second", nargs="?")
    options = parser.parse_args()
    quiet = options.second is None
    first = read_times(options.first, "first_us" if quiet else "median_us")
    second = read_times(options.first, "second_us") if quiet else read_times(options.second)
    apart, shares = compare(first, second, FEWEST[quiet])
    if not shares:
        raise SystemExit("no shape stands in both with enough configurations")
    over = sum(one > 0.05 for one in apart) / len(apart)
    mean = math.exp(sum(map(math.log, shares)) / len(shares))
    print(f"{len(shares) // 2} shapes, {len(apart)} configurations timed twice: they differ by "
          f"{100 * apart[len(apart) // 2]:.1f} % in the median, p90 "
          f"{100 * apart[int(0.9 * len(apart))]:.1f}, {100 * over:.1f} % of them by more than 5 %")
    print(f"the best of one is {100 * mean:.1f} % of the best in the other, worst {100 * shares[0]:.1f} %")


if __name__ == "__main__":
    main()
