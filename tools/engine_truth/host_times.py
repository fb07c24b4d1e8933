"""Times of an engine's host from the iterations that `warploom.record` wrote, as host profiles hold them.

host_times.py --layers N ITERATIONS.csv.gz ...
Means over the iterations of all files: schedule, prepare and launch of steps that decode in one CUDA graph,
launch of steps that are graphs of parts of the model (a layer's part of it), tokens to requests after the
GPU's end (by requests) and the pause of the GPU between two decoding steps of as many requests."""

import argparse
import csv
import gzip
import statistics
from pathlib import Path

LONGEST_PAUSE_US = 1000  # longer ones are the host's, which came late


def iterations_of(path):
    with gzip.open(path, "rt") if Path(path).suffix == ".gz" else open(path) as read:
        return [row for row in csv.DictReader(read) if row["gpu_end_us"]]


def at(row, name):
    return float(row[name + "_us"])


def decodes_alone(row):
    return int(row["prompts"]) == 0


def line_through(points):
    """(at zero, slope) by least squares."""
    slope, at_zero = statistics.linear_regression(*zip(*points))
    return at_zero, slope


def pauses(rows):
    """From the GPU's end of a step to its start of the next, both decoding for the same number."""
    for before, row in zip(rows, rows[1:]):
        if not (decodes_alone(before) and decodes_alone(row) and before["decodes"] == row["decodes"]):
            continue
        apart = (float(row["schedule_start_s"]) - float(before["schedule_start_s"])) * 1e6
        pause = apart + at(row, "gpu_start") - at(before, "gpu_end")
        if 0 <= pause < LONGEST_PAUSE_US:
            yield pause


def times_of(files, layers):
    """{name of the host profile: microseconds}. `files`: lists of rows."""
    rows = [row for file in files for row in file]
    decoding = [row for row in rows if decodes_alone(row) and row["graph"] == "F"]
    pieces = [row for row in rows if row["graph"] == "P"]
    mean = statistics.fmean
    launch = mean(at(row, "execute_end") - at(row, "forward_start") for row in decoding)
    found = {
        "schedule_us": mean(at(row, "schedule_end") for row in decoding),
        "prepare_us": mean(at(row, "forward_start") - at(row, "schedule_end") for row in decoding),
        "launch_graph_us": launch,
    }
    if pieces:
        parts = mean(at(row, "execute_end") - at(row, "forward_start") for row in pieces)
        found["piece_us"] = (parts - launch) / layers
    ends = [
        (int(row["decodes"]), at(row, "update_end") - max(at(row, "gpu_end"), at(row, "update_start")))
        for row in decoding
    ]
    found["finish_us"], found["finish_per_sequence_us"] = line_through(ends)
    found["gap_us"] = statistics.median(pause for file in files for pause in pauses(file))
    return found


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--layers", type=int, required=True)
    a.add_argument("files", nargs="+")
    a = a.parse_args()
    for name, time_us in times_of([iterations_of(path) for path in a.files], a.layers).items():
        print(f"{name:24} {time_us:9.1f}")


if __name__ == "__main__":
    main()
