#!/usr/bin/env python3
"""What tuned files changed in a real engine: file_gain.py REQUESTS.csv.gz [--before none] [--json]
file_gain.py --from FOLDER --gpu NAME [--tags plain=none pred=predicted ...] [--pass 2] --to REQUESTS.csv.gz

The first form prints for each GPU and load the mean TTFT and TPOT with each kind of files, the TPOT of each
start in their order, and the change of both against those before, with a 95 % interval by drawing
starts and their requests again. The second adds what serve.py wrote with --tag TAG_sSTART to the file, of
one pass."""

import argparse
import csv
import gzip
import json
import random
import re
import statistics
from pathlib import Path

DRAWS = 1000
COLUMNS = ["gpu", "files", "start", "load", "input_tokens", "output_tokens", "ttft_ms", "tpot_ms"]


def request_rows(folder, gpu, tags, kept):
    for path in sorted(Path(folder).glob("*.csv")):
        found = re.fullmatch(rf"(\w+)_s(\d+)_(\w+)\.pass{kept}\.csv", path.name)
        if not found or found.group(1) not in tags:
            continue
        with open(path, newline="") as file:
            for row in csv.DictReader(file):
                first, last = float(row["first_token_s"]), float(row["last_token_s"])
                ttft = 1e3 * (first - float(row["queued_s"]))
                tpot = 1e3 * (last - first) / max(1, int(row["output_tokens"]) - 1)
                yield [gpu, tags[found.group(1)], found.group(2), found.group(3), row["input_tokens"],
                       row["output_tokens"], f"{ttft:.3f}", f"{tpot:.4f}"]


def add(options):
    tags = dict(pair.split("=") for pair in options.tags)
    path, rows = Path(options.to), []
    if path.exists():
        with gzip.open(path, "rt", newline="") as file:
            rows = list(csv.reader(file))[1:]
    rows += request_rows(getattr(options, "from"), options.gpu, tags, options.kept)
    with gzip.GzipFile(path, "wb", mtime=0) as raw:
        raw.write("\n".join(",".join(row) for row in [COLUMNS, *rows]).encode() + b"\n")
    print(f"{len(rows)} requests in {path}")


def change(before, after, name):
    """(change of the mean over starts, low, high), in %: starts drawn again, then their requests."""
    rng = random.Random(1)

    def mean(starts, drawn):
        chosen = rng.choices(starts, k=len(starts)) if drawn else starts
        values = [statistics.fmean(rng.choices(rows, k=len(rows)) if drawn else rows) for rows in chosen]
        return statistics.fmean(values)

    old, new = ([[float(row[name]) for row in rows] for rows in side.values()] for side in (before, after))
    draws = sorted(100 * (mean(new, True) / mean(old, True) - 1) for _ in range(DRAWS))
    return [100 * (mean(new, False) / mean(old, False) - 1), draws[DRAWS // 40], draws[-DRAWS // 40]]


def gains(rows, usual):
    """[{"gpu", "load", "files", "starts", "ttft_ms", "tpot_ms", "ttft_change", "tpot_change"}]."""
    groups = {}
    for row in rows:
        kind = groups.setdefault((row["gpu"], row["load"]), {}).setdefault(row["files"], {})
        kind.setdefault(row["start"], []).append(row)
    found = []
    for (gpu, load), kinds in sorted(groups.items()):
        for files, starts in kinds.items():
            one = {"gpu": gpu, "load": load, "files": files, "starts": len(starts)}
            for name in ("ttft_ms", "tpot_ms"):
                means = [statistics.fmean(float(row[name]) for row in of) for _, of in sorted(starts.items())]
                one[name] = statistics.fmean(means)
                if name == "tpot_ms":
                    one["tpot_of_starts"] = means
                if files != usual and usual in kinds:
                    one[name.replace("_ms", "_change")] = change(kinds[usual], starts, name)
            found.append(one)
    return found


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("requests", nargs="?")
    parser.add_argument("--before", default="none")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--pass", dest="kept", type=int, default=1)
    for name in ("from", "gpu", "to"):
        parser.add_argument("--" + name)
    parser.add_argument("--tags", nargs="*", default=["plain=none", "pred=predicted", "timed=timed"])
    options = parser.parse_args()
    if options.to:
        add(options)
        return
    with gzip.open(options.requests, "rt", newline="") as file:
        found = gains(list(csv.DictReader(file)), options.before)
    if options.json:
        print(json.dumps(found, indent=1))
        return
    for one in found:
        text = f"{one['gpu']:9} {one['load']:4} {one['files']:10} {one['starts']} starts "
        for name in ("ttft", "tpot"):
            text += f" {name.upper()} {one[name + '_ms']:8.2f} ms"
            if name == "tpot" and one["starts"] > 1:
                text += f" [{', '.join(f'{mean:.2f}' for mean in one['tpot_of_starts'])}]"
            if name + "_change" in one:
                text += " {:+.1f} % ({:+.1f} .. {:+.1f})".format(*one[name + "_change"])
        print(text)


if __name__ == "__main__":
    main()
