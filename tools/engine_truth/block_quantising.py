"""What quantising by blocks costs inside a step: kernels of a model in fp8 beside the same model in bf16.

block_quantising.py FOLDER [--bf16 qwen8b] [--fp8 qwen8bfp8] [--gpu h100_sxm] [--json]
FOLDER: steps of any_steps.py of both on one machine. All kernels of a layer but products and attention,
in fp8 less bf16, are what its four products' activations take: a start, and time in proportion to the
elements. Prints `one_row` (us) and `clocks_per_element` of the rule `block_quantising` in data/steps,
which share them evenly among the products, and the errors of both models' difference. --warploom PROGRAM
also finds `passes_in_row`: what the products are longer as the program's tables have them than in the
steps, in its prices of quantising, the median over batches. It adds again what the program's rule takes
off."""

import argparse
import csv
import gzip
import json
import math
import re
import statistics
import subprocess
from pathlib import Path

from least_squares import search

OTHERS = ("gemm", "nvjet", "splitK", "flash")  # products and attention
PRODUCTS = 4  # of a layer


def kernels_us(folder, model):
    """(kind, batch) -> microseconds of a step's kernels but products and attention."""
    found = {}
    with gzip.open(folder / f"{model}_kernels.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            if not any(word in row["kernel"] for word in OTHERS):
                key = row["kind"], row["batch"]
                found[key] = found.get(key, 0) + float(row["us"])
    return found


def products_us(folder, model):
    """(kind, batch) -> microseconds of a step's products in fp8."""
    found = {}
    with gzip.open(folder / f"{model}_kernels.csv.gz", "rt") as file:
        for row in csv.DictReader(file):
            if "fp8_gemm" in row["kernel"]:
                key = row["kind"], row["batch"]
                found[key] = found.get(key, 0) + float(row["us"])
    return found


def passes_in_row(options, config, depths):
    """The median over batches of one kind, and its rule's constants taken off the program's prices."""
    rule = json.loads(options.rule.read_text())["rules"][0]["constants"]
    constant = {name: each["value"] for name, each in rule.items()}
    gpu = json.loads((options.gpus / f"{options.gpu}.json").read_text())
    clocks_per_us = gpu["sm_count"] * gpu["boost_clock_mhz"]
    layers = config["num_hidden_layers"]

    def ask(*arguments):
        command = [options.warploom, *arguments, "--gpu", options.gpu, "--json"]
        return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)

    found = []
    for (kind, batch), us in sorted(products_us(options.folder, options.fp8).items()):
        if kind == "mixed":
            continue
        rows = rows_of(kind, batch)
        model = str(options.folder / f"{options.fp8}_config.json")
        step = ask("step", "--model", model, "--engine-version", "0.33.0", f"--{kind}", batch)
        kernels = [each for each in step["kernels"] if re.search("(qkv|o|up|down)_proj", each["label"])]
        priced = sum(each["time_us"] for each in kernels)
        quantise = ["predict", "quantize", "--framework", "vllm", "--rows", str(rows), "--width"]
        passes = sum(ask(*quantise, str(depth))["p50_us"] for depth in depths)
        clocks = rows * sum(depths) * constant["clocks_per_element"]
        fused = PRODUCTS * constant["one_row"] + clocks / clocks_per_us
        longer = (priced - us) / layers + constant["passes_in_row"] * passes - fused
        found.append(longer / passes)
    return round(statistics.median(found), 2)


def rows_of(kind, batch):
    decoding, _, prompt = batch.partition("+")
    if kind == "prefill":
        return int(decoding.split("x")[1])
    return int(decoding.split("x")[0]) + int(prompt or 0)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--bf16", default="qwen8b")
    parser.add_argument("--fp8", default="qwen8bfp8")
    parser.add_argument("--gpu", default="h100_sxm")
    parser.add_argument("--gpus", type=Path, default=Path("data/gpus"))
    parser.add_argument("--warploom", help="the program whose prices of products are compared")
    parser.add_argument("--rule", type=Path, default=Path("data/steps/vllm_0_33_h100.json"))
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    gpu = json.loads((options.gpus / f"{options.gpu}.json").read_text())
    clocks_per_us = gpu["sm_count"] * gpu["boost_clock_mhz"]
    config = json.loads((options.folder / f"{options.fp8}_config.json").read_text())
    heads = config["num_attention_heads"] * config["head_dim"]
    depths = (config["hidden_size"], heads, config["hidden_size"], config["intermediate_size"])
    width = sum(depths)
    bf16, fp8 = kernels_us(options.folder, options.bf16), kernels_us(options.folder, options.fp8)
    points = []
    for key in sorted(bf16.keys() & fp8.keys()):
        points.append((rows_of(*key), (fp8[key] - bf16[key]) / config["num_hidden_layers"]))

    def price(values, rows):
        one_row, clocks = values
        return PRODUCTS * one_row + rows * width * clocks / clocks_per_us

    def misfit(values):
        return sum(math.log(price(values, rows) / us) ** 2 for rows, us in points)

    values = search(misfit, [2.0, 0.8])
    errors = [price(values, rows) / us - 1 for rows, us in points]
    answer = {
        "one_row": round(values[0], 2),
        "clocks_per_element": round(values[1], 3),
        "rows": (min(points)[0], max(points)[0]),
        "median_error": round(statistics.median(map(abs, errors)), 3),
        "worst_error": round(max(map(abs, errors)), 3),
        "points": [(rows, round(us, 1)) for rows, us in sorted(points)],
    }
    if options.warploom:
        answer["passes_in_row"] = passes_in_row(options, config, depths)
    print(json.dumps(answer) if options.json else "\n".join(f"{k}: {v}" for k, v in answer.items()))


if __name__ == "__main__":
    main()
