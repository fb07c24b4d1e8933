#!/usr/bin/env python3
"""Every configuration at every judged shape, the quiet times where there are some (needs no GPU).

joined.py JUDGED.csv.gz QUIET.csv.gz OUTPUT.csv.gz: for `warploom tune regret --oracle` of tables whose picks
quiet.py did not know. What was timed in JUDGED alone counts as that time by the median of QUIET / JUDGED
over the shape's configurations in both, and never as faster than the shape's fastest quiet one: JUDGED is
noisy, and the least of many noisy times looks faster than it is."""

import argparse
import csv
import gzip
import statistics

CONFIG = ("bm", "bn", "bk", "warps", "stages")
SHAPE = ("m", "n", "k")


def read_times(path):
    """{shape: {configuration: microseconds}}"""
    found = {}
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            shape, config = (tuple(int(row[name]) for name in names) for names in (SHAPE, CONFIG))
            found.setdefault(shape, {})[config] = float(row["median_us"])
    return found


def joined(judged, quiet):
    """{configuration: microseconds} of one shape."""
    ratio = statistics.median(quiet[config] / judged[config] for config in quiet if config in judged)
    least = min(quiet.values())
    return {**{config: max(least, time * ratio) for config, time in judged.items()}, **quiet}


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    for name in ("judged", "quiet", "output"):
        parser.add_argument(name)
    options = parser.parse_args()
    judged, quiet = read_times(options.judged), read_times(options.quiet)
    with gzip.open(options.output, "wt", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow([*CONFIG, *SHAPE, "median_us"])
        for shape, times in quiet.items():
            for config, time in sorted(joined(judged[shape], times).items()):
                out.writerow([*config, *shape, f"{time:.3f}"])


if __name__ == "__main__":
    main()
