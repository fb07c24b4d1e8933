"""Fits the quantiles of a request trace: python3 data/traces/fit_workload.py TRACE.csv.gz NAME SOURCE > NAME.json

The trace has the columns arrived_at, num_prefill_tokens, num_decode_tokens; without the first, arrivals are Poisson,
one a second. Only quantiles are kept.
"""
import csv
import gzip
import json
import math
import sys

STEPS = 500


def quantiles(values, digits):
    values = sorted(values)
    last = len(values) - 1
    found = []
    for i in range(STEPS + 1):
        position = last * i / STEPS
        low = int(position)
        high = min(low + 1, last)
        found.append(round(values[low] + (values[high] - values[low]) * (position - low), digits))
    return found


def main():
    path, name, source = sys.argv[1:4]
    with gzip.open(path, "rt") as file:
        rows = list(csv.DictReader(file))
    if "arrived_at" in rows[0]:
        arrivals = [float(row["arrived_at"]) for row in rows]
        gaps = [b - a for a, b in zip(arrivals, arrivals[1:])]
    else:
        gaps = [-math.log1p(-i / len(rows)) for i in range(len(rows))]
    mean_gap = sum(gaps) / len(gaps)
    gap_quantiles = quantiles([gap / mean_gap for gap in gaps], 9)
    # Straight lines between quantiles overstate the mean of a convex tail: scale it back to 1.
    mean = sum((a + b) / 2 for a, b in zip(gap_quantiles, gap_quantiles[1:])) / STEPS
    print(json.dumps({
        "schema": "warploom.fitted_workload",
        "version": 1,
        "name": name,
        "source": source,
        "request_rate_per_s": round(1 / mean_gap, 6) if "arrived_at" in rows[0] else 1.0,
        "input_tokens": quantiles([int(row["num_prefill_tokens"]) for row in rows], 1),
        "output_tokens": quantiles([int(row["num_decode_tokens"]) for row in rows], 1),
        "arrival_gap": [round(gap / mean, 6) for gap in gap_quantiles],
    }))


main()
