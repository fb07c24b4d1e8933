"""Published rows of dispatch and combine, for tools/fit_exchange: read, and what must not count left out."""

import collections
import csv
import gzip
import json
import math
import statistics
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PUBLICATIONS = ("aiconfigurator", "aisimulate")
DEEPEP_RANKS_PER_NODE = 8  # assumed by the publisher
ELEMENT_BYTES = {"bfloat16": 2.0, "default": 2.0, "fp8": 1.0, "nvfp4": 0.5, "fp4": 0.5}
# Kernels whose rows are the time of a call from Python: the host's time is in them up to a number of times
# the least of a curve. The library's own test (sglang's tables) measures 10 to 20 us where these have 60 to
# 440.
FLOORS = {"vllm_deepep_ll": 2.5, "trtllm_deepep_ll": 2.5, "vllm_deepep_v2_generation": 2.5}
FRAMEWORKS = {"deepep": "sglang", "vllm": "vllm"}  # by the first word of a kernel
Key = collections.namedtuple("Key", "gpu ranks per_domain top_k token_bytes")
Row = collections.namedtuple("Row", "kernel phase gpu version ranks per_domain top_k token_bytes tokens us")


class Refused(Exception):
    pass


def read_table(path):
    with gzip.open(path, "rt", newline="") as file:
        return list(csv.DictReader(file))


def withdrawals(table):
    corrections = json.loads((ROOT / "data" / "benchmarks" / "row_corrections.json").read_text())
    return [rule for rule in corrections["rules"] if table in rule["tables"] and rule["action"] == "withdraw"]


def is_withdrawn(rules, gpu, publication, row):
    return any(
        gpu in rule.get("gpus", [gpu])
        and publication.startswith(rule.get("published_in", ""))
        and all(row.get(column) in values for column, values in rule["where"].items())
        for rule in rules
    )


def deepep_rows(gpu, row, kernel_of):
    ranks = int(row["node_num"]) * DEEPEP_RANKS_PER_NODE
    hidden, top_k, tokens = int(row["hidden_size"]), int(row["num_topk"]), int(row["num_token"])
    for phase, time, notify, width in (
        ("dispatch", "latency_us", "dispatch_notify_us", 1.0),
        ("combine", "combine_latency_us", "combine_notify_us", 2.0),
    ):
        us = float(row[time]) + float(row.get(notify, 0))
        yield Row(
            kernel_of(row, phase),
            phase,
            gpu,
            row["version"],
            ranks,
            DEEPEP_RANKS_PER_NODE,
            top_k,
            int(hidden * width),
            tokens,
            us,
        )


def low_latency_rows(gpu, row):
    yield from deepep_rows(gpu, row, lambda row, phase: "deepep_low_latency")


def normal_rows(gpu, row):
    for each in deepep_rows(gpu, row, lambda row, phase: f"deepep_normal_sms{row[phase + '_sms']}"):
        if each.kernel == "deepep_normal_sms20":  # what engines run
            yield each


def alltoall_rows(gpu, row):
    phase = row["op_name"].removeprefix("alltoall_")
    if phase == "prepare" or int(row["moe_ep_size"]) < 2:
        return
    low = phase == "combine_low_precision"
    width = 1.0 if low else 2.0 if phase == "combine" else ELEMENT_BYTES[row["moe_dtype"]]
    name = f"{row['kernel_source']}_{row['distribution']}" + ("_low_precision" if low else "")
    ranks, hidden = int(row["moe_ep_size"]), int(row["hidden_size"])
    yield Row(
        name,
        phase.split("_")[0],
        gpu,
        row["version"],
        ranks,
        ranks,
        int(row["topk"]),
        int(hidden * width),
        int(row["num_tokens"]),
        float(row["latency_us"]),
    )


def a2a_rows(gpu, row):
    backend, phase = row["comm_backend"], row["phase"]
    # What comes back is bf16 whatever is named; vLLM's high-throughput dispatch sends bf16 too.
    width = 2.0 if phase == "combine" else ELEMENT_BYTES[row["comm_dtype"]]
    if backend.endswith("ll") and backend.startswith("deepep") and phase == "dispatch":
        width = 1.0
    name = backend if backend.startswith("trtllm") else f"vllm_{backend}"
    ranks, hidden = int(row["ep_size"]), int(row["hidden_size"])
    yield Row(
        name,
        phase,
        gpu,
        row["version"],
        ranks,
        ranks // int(row["node_num"]),
        int(row["topk"]),
        int(hidden * width),
        int(row["num_tokens"]),
        float(row["latency_us"]) + float(row["notify_us"]),
    )


TABLES = {
    "deepep_ll": low_latency_rows,
    "deepep_normal": normal_rows,
    "trtllm_alltoall": alltoall_rows,
    "moe_a2a": a2a_rows,
}


def copies(tables):
    """{(table, gpu, version): gpu copied from}: every time of many equal to a row of another GPU."""
    fewest = 20
    times = collections.defaultdict(dict)
    for (table, gpu), rows in tables.items():
        for row in rows:
            key = tuple(
                value for column, value in row.items() if "latency" not in column and column != "n_samples"
            )
            times[(table, row["framework"], row["version"]), gpu][key] = tuple(
                value for column, value in row.items() if "latency" in column
            )
    found = {}
    for (source, gpu), own in times.items():
        for (other_source, other), theirs in times.items():
            if source != other_source or gpu <= other:
                continue
            common = own.keys() & theirs.keys()
            if len(common) >= fewest and all(own[key] == theirs[key] for key in common):
                found[(source[0], gpu, source[2])] = other
    return found


def read_rows(data):
    tables = {}
    for table in TABLES:
        for publication in PUBLICATIONS:
            for path in sorted((data / publication / table).glob("*.csv.gz")):
                tables.setdefault((table, path.name.removesuffix(".csv.gz")), []).extend(
                    dict(row, publication=publication) for row in read_table(path)
                )
    if not tables:
        raise Refused(
            f"{data}: no tables of exchanges, expected {PUBLICATIONS[0]}/deepep_ll/*.csv.gz and its like"
        )
    copied = copies(tables)
    times, refused = collections.defaultdict(list), collections.Counter()
    for (table, gpu), rows in tables.items():
        rules = withdrawals(table)
        for row in rows:
            if (table, gpu, row["version"]) in copied:
                refused[f"a copy of {copied[table, gpu, row['version']]}"] += 1
            elif is_withdrawn(rules, gpu, row["publication"], row):
                refused["withdrawn by row_corrections.json"] += 1
            else:
                for each in TABLES[table](gpu, row):
                    times[each._replace(us=0)].append(each.us)
    return (
        [key._replace(us=statistics.median(all_us)) for key, all_us in sorted(times.items())],
        copied,
        refused,
    )


def without_floors(rows, refused):
    least = {}
    for row in rows:
        curve = row._replace(tokens=0, us=0)
        least[curve] = min(least.get(curve, math.inf), row.us)
    kept = []
    for row in rows:
        if row.us < FLOORS.get(row.kernel, 0) * least[row._replace(tokens=0, us=0)]:
            refused["the host's time"] += 1
        else:
            kept.append(row)
    return kept


def key_of(row):
    return Key(row.gpu, row.ranks, row.per_domain, row.top_k, row.token_bytes)


def version_order(version):
    return [int(part) if part.isdigit() else 0 for part in version.replace("rc", ".").split(".")]


def newest_of_each(rows):
    """Rows of the newest version alone, for each question's GPU, ranks and shape."""
    newest = {}
    for row in rows:
        key = (row.kernel, row.phase, key_of(row))
        if key not in newest or version_order(row.version) > version_order(newest[key]):
            newest[key] = row.version
    return [row for row in rows if newest[row.kernel, row.phase, key_of(row)] == row.version]
