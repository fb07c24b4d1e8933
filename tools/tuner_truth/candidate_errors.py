#!/usr/bin/env python3
"""How a table's estimates of a shape's likely configurations err: together, by grids of tiles, one by one.

candidate_errors.py TABLE.wlt ORACLE.csv.gz [TABLE.wlt ORACLE.csv.gz ...]

Nested variances of ln(measured / predicted) over the configurations within NEAR of the pick's time: between
shapes, between grids (tile_m x tile_n) at a shape, between configurations of a grid. A row for each pair,
and the root of the mean of squares over all: kShapeError, kTileError and kConfigError of
src/warploom/tuner/internal/expected_gain.h. Fit them on sets that nothing is judged on. Needs
libwarploom.so."""

import argparse
import csv
import gzip
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from warploom.table import Table  # noqa: E402

CONFIG = ("bm", "bn", "bk", "warps", "stages")
SHAPE = ("m", "n", "k")
NEAR = 1.4
ALL = 1000


def read_times(path):
    """{shape: {configuration: microseconds}}"""
    found = {}
    with gzip.open(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            shape, config = (tuple(int(row[name]) for name in names) for names in (SHAPE, CONFIG))
            found.setdefault(shape, {})[config] = float(row["median_us"])
    return found


def mean(values):
    return sum(values) / len(values)


def squares(values):
    centre = mean(values)
    return sum((value - centre) ** 2 for value in values)


def errors_by_grid(table, shape, times):
    """[[ln(measured / predicted) of each configuration] of each grid]"""
    timed = table.timed(*shape, ALL)
    limit, grids = NEAR * timed[0][1], {}
    for config, us in timed:
        if us <= limit and config[:5] in times:
            grids.setdefault(config[:2], []).append(math.log(times[config[:5]] / us))
    return list(grids.values())


def variances(shapes):
    """(between shapes, between grids, between configurations) of [[[errors] of grids] of shapes]."""
    grids = [grid for shape in shapes for grid in shape]
    own = sum(map(squares, grids)) / sum(len(grid) - 1 for grid in grids)
    several = [[(mean(grid), 1 / len(grid)) for grid in shape] for shape in shapes if len(shape) > 1]
    between = sum(squares([one for one, _ in shape]) for shape in several)
    between -= sum(own * mean([part for _, part in shape]) * (len(shape) - 1) for shape in several)
    tile = max(0.0, between / sum(len(shape) - 1 for shape in several))
    whole = mean([mean([one for one, _ in shape]) ** 2 for shape in several])
    noise = mean([(tile + own * mean([part for _, part in shape])) / len(shape) for shape in several])
    return max(0.0, whole - noise), tile, own


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("files", nargs="+", help="TABLE.wlt ORACLE.csv.gz, again and again")
    files = parser.parse_args().files
    if len(files) % 2:
        parser.error("expected a table and an oracle each")
    found = []
    print("oracle,shapes,between_shapes,between_grids,between_configurations")
    for path, oracle in zip(files[::2], files[1::2]):
        table, times = Table(path), read_times(oracle)
        shapes = [grids for shape, of in times.items() if (grids := errors_by_grid(table, shape, of))]
        found.append(variances(shapes))
        print(Path(oracle).name, len(shapes), *(f"{math.sqrt(one):.3f}" for one in found[-1]), sep=",")
    print("all", len(found), *(f"{math.sqrt(mean(column)):.3f}" for column in zip(*found)), sep=",")


if __name__ == "__main__":
    main()
