"""What serve.py wrote, as the fixtures keep it: one pass of each run, iterations told from their start.

keep.py --from DIR --to DIR --pass K [--iterations LABEL ...] RUN ...
RUN is TAG_LABEL. Writes RUN.csv.gz, RUN.json and, of the runs named, RUN.iterations.csv.gz."""

import argparse
import csv
import gzip
import json
import os

# Names of an iteration's ends, each in microseconds from schedule_start_s.
ENDS = (
    "schedule_end execute_start forward_start execute_end sample_start sample_end update_start update_end "
    "gpu_start gpu_end"
).split()
COUNTS = "prompts prompt_tokens decodes kv_usage".split()


def told_from_start(row):
    start = float(row["schedule_start_s"])
    ends = [row[name + "_s"] and str(round((float(row[name + "_s"]) - start) * 1e6)) for name in ENDS]
    counts = [row[name] and f"{float(row[name]):.4g}" for name in COUNTS]
    return [f"{start:.6f}", *ends, *counts, row["graph"][:1], row["padded_tokens"]]


def keep_iterations(source, target):
    with gzip.open(source, "rt") as read, gzip.open(target, "wt", newline="") as written:
        out = csv.writer(written, lineterminator="\n")
        out.writerow(["schedule_start_s", *[f"{e}_us" for e in ENDS], *COUNTS, "graph", "padded_tokens"])
        for row in csv.DictReader(read):
            out.writerow(told_from_start(row))


def keep_run(source, target, which):
    with open(source + ".csv") as read, gzip.open(target + ".csv.gz", "wt") as written:
        written.write(read.read())
    with open(source + ".json") as read:
        run = json.load(read)
    arrivals = json.loads(run.pop("dataset_path"))
    arrivals.pop("label", None)
    with open(target + ".json", "w") as written:
        json.dump({**run, "arrivals": arrivals, "pass": which}, written, indent=1)
        written.write("\n")


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--from", dest="source", required=True)
    a.add_argument("--to", dest="target", required=True)
    a.add_argument("--pass", dest="which", type=int, required=True)
    a.add_argument("--iterations", nargs="*", default=[])
    a.add_argument("runs", nargs="+")
    a = a.parse_args()
    os.makedirs(a.target, exist_ok=True)
    for run in a.runs:
        source = os.path.join(a.source, f"{run}.pass{a.which}")
        target = os.path.join(a.target, run)
        keep_run(source, target, a.which)
        if run in a.iterations:
            keep_iterations(source + ".iterations.csv.gz", target + ".iterations.csv.gz")


if __name__ == "__main__":
    main()
