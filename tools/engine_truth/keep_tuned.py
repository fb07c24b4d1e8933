"""What serve.py wrote with several configurations of experts, as tuned_gain.py reads it.

keep_tuned.py --from DIR --to DIR TAG ...
TAG is serve.py's --tag, here the name of the configurations. Writes requests.csv.gz (TTFT from the queue to
the first token) and steps.csv.gz (the GPU's time of each iteration, by CUDA events), of every pass."""

import argparse
import csv
import gzip
import json
import re
from pathlib import Path

STEP_COUNTS = ("prompts", "prompt_tokens", "decodes", "graph")


def runs_of(folder, tag):
    """(load, pass, path without its ending) of what was served with the tag."""
    for path in sorted(folder.glob(f"{tag}_*.pass*.json")):
        load = json.loads(json.loads(path.read_text())["dataset_path"])["label"]
        found = re.fullmatch(re.escape(f"{tag}_{load}") + r"\.pass(\d+)", path.stem)
        if found:  # else of a longer tag
            yield load, found.group(1), path.with_suffix("")


def request_rows(path):
    with open(f"{path}.csv", newline="") as file:
        for row in csv.DictReader(file):
            first, last = float(row["first_token_s"]), float(row["last_token_s"])
            following = max(1, int(row["output_tokens"]) - 1)
            yield [
                row["input_tokens"],
                row["output_tokens"],
                f"{1e3 * (first - float(row['queued_s'])):.3f}",
                f"{1e3 * (last - first) / following:.4f}",
            ]


def step_rows(path):
    with gzip.open(f"{path}.iterations.csv.gz", "rt", newline="") as file:
        for row in csv.DictReader(file):
            if row["gpu_start_s"] and row["gpu_end_s"]:
                gpu_ms = 1e3 * (float(row["gpu_end_s"]) - float(row["gpu_start_s"]))
                yield [*(row[name] for name in STEP_COUNTS), f"{gpu_ms:.3f}"]


def keep(folder, tags, path, columns, rows_of):
    with gzip.open(path, "wt", newline="") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(["configurations", "load", "pass", *columns])
        for tag in tags:
            for load, which, run in runs_of(folder, tag):
                out.writerows([tag, load, which, *row] for row in rows_of(run))


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--from", dest="source", type=Path, required=True)
    parser.add_argument("--to", dest="target", type=Path, required=True)
    parser.add_argument("tags", nargs="+")
    options = parser.parse_args()
    for tag in options.tags:
        if not any(runs_of(options.source, tag)):
            parser.error(f"{options.source}: no TAG_LOAD.passK.json of the tag '{tag}'")
    options.target.mkdir(parents=True, exist_ok=True)
    lengths = ["input_tokens", "output_tokens", "ttft_ms", "tpot_ms"]
    keep(options.source, options.tags, options.target / "requests.csv.gz", lengths, request_rows)
    keep(options.source, options.tags, options.target / "steps.csv.gz", [*STEP_COUNTS, "gpu_ms"], step_rows)


if __name__ == "__main__":
    main()
