#!/usr/bin/env python3
"""How a table's estimates of a shape's likely configurations err: together, by grids of tiles, one by one.

candidate_errors.py TABLE.wlt ORACLE.csv.gz [TABLE.wlt ORACLE.csv.gz ...]
candidate_errors.py --warploom PROGRAM [--output data/tuner/candidate_errors.json]

Nested variances of ln(measured / predicted) over the configurations within NEAR of the pick's time: between
shapes, between grids (tile_m x tile_n) at a shape, between configurations of a grid. A row for each pair,
and the root of the mean of squares over all: what the tuner's choice of the next timing rests on
(src/warploom/tuner/internal/candidate_errors.h).

The second form makes the shipped file. Estimates of rows between two sectors are mended first
(src/warploom/tuner/internal/sector_limit.h): sector_limit.py fits how, on LIMIT_SETS. Then it fits the
tables of SETS on their anchors and takes shapes that the
trees were learned from, so that nothing is judged on them; the trees have seen them, which makes errors small
rather than large. Needs libwarploom.so."""

import argparse
import csv
import gzip
import json
import math
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from warploom.table import Table  # noqa: E402

sys.path.insert(0, str(Path(__file__).resolve().parent))
import sector_limit  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures" / "tuner"
# Each kind: what `tune fit` is asked, its samples, and the shapes that are taken (fixtures' README).
SETS = {
    "gemm": ([], ["gemm_anchors", "narrow/gemm_anchors"], ["gemm_shapes", "gemm_near_odd"]),
    "grouped": (["--kind", "grouped_gemm", "--experts", "16", "--top-k", "2", "--default", "64x64x32/w4/s3"],
                ["grouped_anchors", "narrow/grouped_anchors"], ["grouped_shapes", "grouped_near"]),
    "gemm_fp8": (["--operand-bytes", "1"], ["gemm_fp8_anchors", "narrow/gemm_fp8_anchors"],
                 ["gemm_fp8_shapes"]),
}
LIMIT_SETS = ["gemm_fp8_shapes", "odd_rows/gemm_fp8_near"]
MEASURED = {"gpu": "h200_sxm", "engine": "reference kernels (python/warploom/kernels)", "triton": "3.6",
            "torch": "2.11", "date": "2026-11-21"}

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


def deviations(pairs):
    """(between shapes, between grids, between configurations) of [(table, oracles)]; prints rows."""
    found = []
    print("oracle,shapes,between_shapes,between_grids,between_configurations")
    for path, oracles in pairs:
        table, times = Table(path), {}
        for oracle in oracles:
            for shape, of in read_times(oracle).items():
                times.setdefault(shape, {}).update(of)
        shapes = [grids for shape, of in times.items() if (grids := errors_by_grid(table, shape, of))]
        found.append(variances(shapes))
        name = "+".join(Path(oracle).name for oracle in oracles)
        print(name, len(shapes), *(f"{math.sqrt(one):.3f}" for one in found[-1]), sep=",", flush=True)
    together = [math.sqrt(mean(column)) for column in zip(*found)]
    print("all", len(found), *(f"{one:.3f}" for one in together), sep=",")
    return together


def fitted(program, scratch):
    """[(table, oracles)] of SETS, each table fitted now."""
    pairs = []
    for kind, (words, samples, oracles) in SETS.items():
        table = Path(scratch) / f"{kind}.wlt"
        files = [str(FIXTURES / f"{name}.csv.gz") for name in samples]
        fit = [program, "tune", "fit", "--gpu", "H200", *words, "--samples", *files, "--output", table]
        subprocess.run(fit, check=True, stdout=subprocess.DEVNULL)
        pairs.append((table, [FIXTURES / f"{name}.csv.gz" for name in oracles]))
    return pairs


def write(path, together, limit):
    document = {
        "schema": "warploom_candidate_errors", "version": 2,
        "created_by": "tools/tuner_truth/candidate_errors.py --warploom PROGRAM --output FILE",
        "errors": dict(zip(("shape", "tile", "config"), (round(one, 3) for one in together))),
        "between_sectors": dict(zip(sector_limit.NAMES, limit)),
        "fitted_on": {**MEASURED, "limit_sets": LIMIT_SETS,
                      "sets": [name for _, _, oracles in SETS.values() for name in oracles]},
    }  # fmt: skip
    partial = path.with_suffix(".partial")
    partial.write_text(json.dumps(document, indent=1) + "\n")
    partial.replace(path)


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("files", nargs="*", help="TABLE.wlt ORACLE.csv.gz, again and again")
    parser.add_argument("--warploom", help="the program: fits the tables of SETS")
    parser.add_argument("--output", type=Path, help="the file to write")
    options = parser.parse_args()
    files = options.files
    if (options.warploom is None) == (not files) or len(files) % 2 or (options.output and files):
        parser.error("expected a table and an oracle each, or --warploom alone")
    if files:
        deviations([(table, [oracle]) for table, oracle in zip(files[::2], files[1::2])])
        return
    with tempfile.TemporaryDirectory() as scratch:
        pairs = fitted(options.warploom, scratch)
        together = deviations(pairs)
        times = {}
        for name in LIMIT_SETS:
            times.update(read_times(FIXTURES / f"{name}.csv.gz"))
        limit = sector_limit.fit(Table(pairs[-1][0]), times)
    if options.output:
        write(options.output, together, limit)


if __name__ == "__main__":
    main()
