"""What sglang_serve.py wrote, as the fixtures keep it: the recording cut by the loads of its plan.

keep_recorded.py --from DIR --to DIR --plan PLAN.json --tag TAG --pass K LABEL ...
Of each label of the plan: TAG_LABEL.csv.gz, times from the first arrival, .json with the load, and
.iterations.csv.gz, the engine's steps while any of those requests was there."""

import argparse
import csv
import gzip
import json
import os


def rows_of(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path, names, rows):
    with gzip.open(path, "wt", newline="") as file:
        writer = csv.DictWriter(file, names, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def from_zero(row, zero):
    """`row` with its times told from `zero`; of iterations only the start is a time."""
    return {name: f"{float(value) - zero:.6f}" if name.endswith("_s") and value else value
            for name, value in row.items()}


def with_clients(requests, clients):
    """`requests`, each with the client of a closed loop that sent it; empty where loads arrive alone."""
    return [dict(row, client=clients.get(row["request_id"], "")) for row in requests]


def keep(requests, iterations, run, target):
    zero = min(float(row["arrival_s"]) for row in requests)
    end = max(float(row["last_token_s"]) for row in requests)
    write_rows(target + ".csv.gz", list(requests[0]), [from_zero(row, zero) for row in requests])
    seen = [row for row in iterations if zero <= float(row["schedule_start_s"]) <= end]
    write_rows(target + ".iterations.csv.gz", list(iterations[0]), [from_zero(row, zero) for row in seen])
    with open(target + ".json", "w") as file:
        json.dump(dict(run, num_requests=len(requests)), file, indent=1)
        file.write("\n")


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("--from", dest="source", required=True)
    for name in ("to", "plan", "tag"):
        a.add_argument("--" + name, required=True)
    a.add_argument("--pass", dest="which", type=int, required=True)
    a.add_argument("labels", nargs="+")
    a = a.parse_args()
    os.makedirs(a.to, exist_ok=True)
    recording = os.path.join(a.source, "recording")
    with open(os.path.join(recording, "run.json")) as file:
        run = json.load(file)
    with open(a.plan) as file:
        loads = {load.pop("label"): load for load in json.load(file)}
    requests = rows_of(os.path.join(recording, "requests.csv"))
    iterations = rows_of(os.path.join(recording, "iterations.csv"))
    clients = {row["request_id"]: row["client"] for row in rows_of(os.path.join(a.source, "client.csv"))}
    requests = with_clients(requests, clients)
    for label in a.labels:
        name = f"{label}.pass{a.which}-"
        own = [row for row in requests if row["request_id"].startswith(name)]
        target = os.path.join(a.to, f"{a.tag}_{label}")
        keep(own, iterations, dict(run, arrivals=loads[label]), target)
        print(f"{target}: {len(own)} requests")


if __name__ == "__main__":
    main()
