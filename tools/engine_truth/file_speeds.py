#!/usr/bin/env python3
"""What timed tuned files gain: the table of decision 0143 from answers of `tuned-files --profile --json`.

file_speeds.py ANSWER.json...

One row a file that was timed: the geometric mean over its keys of the default's time over the pick's,
that of the first key (one token) and the largest. Files without timed rows are named below the table with
what the answer says of them."""

import json
import statistics
import sys
from pathlib import Path


def middle(speed):
    """A speedup is a number or an interval."""
    return speed["p50"] if isinstance(speed, dict) else speed


def timed_speeds(file):
    """By ascending keys; rows whose pick is the default have 1."""
    rows = sorted((file.get("rows") or {}).items(), key=lambda item: int(item[0]))
    return [middle(row["speedup"]) for _, row in rows if row.get("speedup") is not None]


def main(paths):
    print("| engine | model, GPU | kernel | file | keys | speed | one token | most |")
    print("|---|---|---|---|---|---|---|---|")
    others = []
    for path in paths:
        answer = json.loads(Path(path).read_text())
        engine = f"{answer['engine']} {answer['engine_version']}"
        for file in answer["files"]:
            short = file["name"].split(",device_name")[0]
            speeds = timed_speeds(file)
            if file["state"] != "timed" or not speeds:
                others.append(f"{engine}: {file['kernel']} {short}: {file['state']}")
                continue
            figures = (statistics.geometric_mean(speeds), speeds[0], max(speeds))
            shown = " | ".join(f"{one:.2f}" for one in figures)
            where = f"{answer['model']}, {answer['gpu']}"
            print(f"| {engine} | {where} | {file['kernel']} | {short} | {len(speeds)} | {shown} |")
    for line in sorted(set(others)):
        print(f"not timed: {line}")


if __name__ == "__main__":
    if len(sys.argv) < 2 or sys.argv[1].startswith("-"):
        sys.exit(__doc__)
    main(sys.argv[1:])
