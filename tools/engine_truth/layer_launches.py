"""What a layer takes of the host where its kernels are launched one by one: experts beside a dense model.

layer_launches.py FOLDER [--profile data/hosts/xeon_16_cores.json] [--json]
FOLDER: steps of any_steps.py of four models on one machine: qwen8b, qwen8bfp8, qwen30b, qwen30bfp8. Steps
above the largest CUDA graph whose kernels take less than BOUND of their wall wait for the host. Hosts of
virtual machines stall, so a step counts with its fastest run, and a model with the median of its steps.
What the profile takes for each step is taken off. Machines differ, so experts are told in dense layers of
the same machine, times what the profile's newest entry has for one: experts_us and block_fp8_experts_us
of such a host."""

import argparse
import csv
import json
import statistics
from pathlib import Path

BOUND = 0.6
PER_STEP = "schedule_us prepare_us launch_graph_us finish_us".split()


def tokens_of(row):
    if row["kind"] == "prefill":
        return int(row["batch"].split("x")[1])
    decoding, prompt = row["batch"].split("+")
    return int(decoding.split("x")[0]) + int(prompt)


def layer_us(folder, model, largest_graph, per_step):
    """Microseconds of a layer, and how many steps say so."""
    config = json.loads((folder / f"{model}_config.json").read_text())
    walls = []
    with open(folder / f"{model}_steps.csv", newline="") as file:
        for row in csv.DictReader(file):
            wall, kernels = float(row["wall_min_ms"]), float(row["kernel_sum_ms"])
            if row["kind"] != "decode" and tokens_of(row) > largest_graph and kernels < BOUND * wall:
                walls.append(wall * 1e3)
    return (statistics.median(walls) - per_step) / config["num_hidden_layers"], len(walls)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--profile", type=Path, default=Path("data/hosts/xeon_16_cores.json"))
    parser.add_argument("--largest-graph", type=int, default=256, help="tokens")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    engines = json.loads(options.profile.read_text())["engines"]
    host = {}
    for engine in engines:
        if engine["engine"] == "vllm":
            host.update(engine)
    per_step = sum(host[name] for name in PER_STEP)
    models = ("qwen8b", "qwen8bfp8", "qwen30b", "qwen30bfp8")
    found = {model: layer_us(options.folder, model, options.largest_graph, per_step) for model in models}
    us = {model: layer for model, (layer, _) in found.items()}
    dense = statistics.fmean((us["qwen8b"], us["qwen8bfp8"]))
    to_profile = host["layer_us"] / dense
    experts = (us["qwen30b"] - dense) * to_profile
    answer = {
        "layer_us_here": {model: round(layer) for model, layer in us.items()},
        "steps": {model: steps for model, (_, steps) in found.items()},
        "experts_us": round(experts),
        "block_fp8_experts_us": round((us["qwen30bfp8"] - dense) * to_profile - experts),
    }
    print(json.dumps(answer) if options.json else "\n".join(f"{k}: {v}" for k, v in answer.items()))


if __name__ == "__main__":
    main()
