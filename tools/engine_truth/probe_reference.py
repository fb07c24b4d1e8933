"""What an engine's own kernels take beside what a probe of the same machine says.

probe_reference.py --warploom PROGRAM [--write data/engines/probe_reference.json] [--json]
A probe times PyTorch's products; an onboarding times the engine's, in its steps and one by one. Of every
machine of MACHINES that had both: the factors of `calibrate-machine` from each, and what rows of experts
in the onboarding's sweep take over the predictor's price. Written are, for each GPU and what limits a
kernel, the means over machines in ln, and half of what holds 80 % of machines. Each machine is judged with
the mean of the others too. A program that was built with a reference adds it: it is taken off again."""

import argparse
import csv
import gzip
import json
import math
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FIXTURES = ROOT / "tests" / "fixtures" / "engine"
RECORD = ROOT / "data" / "engines" / "probe_reference.json"
# GPU -> folder -> its onboardings.
MACHINES = {
    "h200_sxm": {
        "vllm_0_33_h200_onboarded": ["onboarded_llama8b", "onboarded_qwen8bfp8"],
        "vllm_0_33_h200_rows": ["onboarded_llama8b", "onboarded_qwen8bfp8"],
        "vllm_0_33_h200_slow_host": ["onboarded_llama8b"],
        "vllm_0_33_h200_by_chance": ["onboarded_llama8b"],
    }
}
GROUPS = ("streaming", "computing")
LIMITS = {"dram": "streaming", "l2": "streaming", "tensor": "computing"}
LEAST_TOKENS = 4  # of experts' rows: with fewer the kernel's own begin and end are most of it
TENTHS = 1.2816  # standard deviations of a normal distribution from its middle to its tenths


def factors(program, words):
    """ln of a machine's factors, by what limits a kernel."""
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "machine.json"
        subprocess.run(
            [program, "calibrate-machine", *words, "--output", target], check=True, capture_output=True
        )
        kernels = json.loads(target.read_text())["kernels"]
    return {each["group"]: math.log(each["factor"]) for each in kernels}


def read_sweep(folder):
    for path in (folder / "sweep.csv", folder / "sweep.csv.gz"):
        if path.exists():
            with gzip.open(path, "rt") if path.suffix == ".gz" else open(path) as file:
                return list(csv.DictReader(file))
    return []


def experts(program, gpu, folder):
    """GROUPS -> ln(measured / predicted) of the sweep's experts."""
    found = {group: [] for group in GROUPS}
    rows = [(row, json.loads(row["operator"])) for row in read_sweep(folder)]
    rows = [(row, op) for row, op in rows if op["family"] == "moe" and op["tokens"] >= LEAST_TOKENS]

    def price(pair):
        row, op = pair
        sizes = [f"--{key.replace('_', '-')}={value}" for key, value in op.items() if key != "family"]
        words = [program, "predict", "moe", *sizes, "--gpu", gpu, "--framework", row["framework"]]
        words += ["--framework-version", row["version"], "--json"]
        answer = json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)
        return LIMITS.get(answer["bound"]), math.log(float(row["latency_us"]) / answer["p50_us"])

    with ThreadPoolExecutor(2) as pool:
        for group, ratio in pool.map(price, rows):
            if group:
                found[group].append(ratio)
    return found


def machine(program, gpu, folder, onboardings, shipped):
    """GROUPS -> (offset, offset of experts), the mean over the machine's onboardings."""
    probe = factors(program, ["--probe", folder / "probe.json"])
    for group in GROUPS:
        probe[group] -= shipped.get("gpus", {}).get(gpu, {}).get(group, {}).get("offset", 0)
    engines = [factors(program, ["--onboarded", folder / each]) for each in onboardings]
    swept = [experts(program, gpu, folder / each) for each in onboardings]
    found = {}
    for group in GROUPS:
        ratios = [ratio for each in swept for ratio in each[group]]
        found[group] = (
            statistics.fmean(each[group] for each in engines) - probe[group],
            statistics.median(ratios) - probe[group],
        )
    return found


def reference(machines):
    """GROUPS -> means over machines, and the half-width of 80 % of them."""
    found = {}
    for group in GROUPS:
        offsets = [each[group][0] for each in machines.values()]
        found[group] = {
            "offset": round(statistics.fmean(offsets), 3),
            "experts": round(statistics.fmean(each[group][1] for each in machines.values()), 3),
            "width": round(TENTHS * statistics.stdev(offsets), 3),
        }
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--warploom", required=True)
    parser.add_argument("--write", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    shipped = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    tables = {
        gpu: {
            name: machine(options.warploom, gpu, FIXTURES / name, onboardings, shipped)
            for name, onboardings in folders.items()
        }
        for gpu, folders in MACHINES.items()
    }
    gpus = {gpu: reference(machines) for gpu, machines in tables.items()}
    record = {
        "schema": "warploom_probe_reference",
        "version": 1,
        "source": "tools/engine_truth/probe_reference.py: "
        + "; ".join(f"{gpu}: {', '.join(machines)}" for gpu, machines in tables.items()),
        "gpus": gpus,
        # Where no machine had both, as much is not known as the offsets of others come to.
        "elsewhere": {
            group: round(math.sqrt(statistics.fmean(each[group]["offset"] ** 2 for each in gpus.values())), 3)
            for group in GROUPS
        },
    }
    if options.write:
        options.write.write_text(json.dumps(record, indent=1) + "\n")
    judged = {
        name: {
            group: round(machines[name][group][0] - reference(others)[group]["offset"], 3) for group in GROUPS
        }
        for machines in tables.values()
        for name in machines
        if len(others := {key: value for key, value in machines.items() if key != name}) > 1
    }
    if options.json:
        print(json.dumps({**record, "machines": tables, "left_out": judged}, indent=1))
        return
    print(json.dumps(record["gpus"], indent=1))
    for name, errors in judged.items():
        print(f"{name}, by the others: {errors}")


if __name__ == "__main__":
    main()
