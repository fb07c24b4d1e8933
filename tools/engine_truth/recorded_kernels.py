"""What a recorded step's kernels say of step rules: one constant of each, beside the rule's other constants.

recorded_kernels.py KERNELS.csv[.gz] --config CONFIG.json --rows N --gpu h200_sxm --like data/steps/FILE.json

KERNELS: what `python -m warploom.record` wrote of decoding steps (its `profile`), of a dense model whose
layers are all alike. Prints for each rule the microseconds of a call that were measured, those by the rules
of --like, and the constant (launch, ends or base) with which they would be the same; of products the
constant that errs least over the model's five. What one step cannot tell stays as --like has it."""

import argparse
import csv
import gzip
import json
import math
from pathlib import Path

import streams
from least_squares import search

ROOT = Path(__file__).resolve().parents[2]
# Parts of the names that SGLang 0.5.23's kernels have. What copies queries before their rotation counts
# to it.
KERNELS = {
    "norms": ["FusedAddRMSNorm"],
    "activations": ["act_and_mul"],
    "rotations": ["fused_rope", "elementwise_kernel<128, 4"],
    "cache_writes": ["store_kvcache"],
}
PRODUCTS = ("nvjet", "splitKreduce")


def read_kernels(path):
    with (gzip.open if str(path).endswith(".gz") else open)(path, "rt", newline="") as file:
        return [(row["kernel"], float(row["calls_per_step"]), float(row["us_per_step"]))
                for row in csv.DictReader(file)]


def rules_of(path):
    document = json.loads(Path(path).read_text())
    return {rule["rule"]: {name: each["value"] for name, each in rule.get("constants", {}).items()}
            for rule in document["rules"]}


def launches(kernels, config, rows, rules, memory):
    """(rule, measured us a call, us by `rules`, the launch with which they are the same)."""
    layers = config["num_hidden_layers"]
    for name, words in KERNELS.items():
        found = [each for each in kernels if any(word in each[0] for word in words) and each[1] >= layers]
        if not found:
            continue
        calls = layers * max(1, round(max(each[1] for each in found) / layers))
        us, constants = sum(each[2] for each in found) / calls, rules[name]
        point = streams.Point(rows, streams.bytes_of(name, config, rows), us)
        values = (constants["launch"], constants["share"], constants.get("per_token", 0))
        told = streams.stream_time(values, point, memory)
        yield name, us, told, constants["launch"] + us - told


def product_sizes(config):
    """Bytes of a layer's four products together, and of the one that makes logits."""
    hidden, width, d = config["hidden_size"], config["intermediate_size"], streams.head_dim(config)
    queries, keys = config["num_attention_heads"] * d, config["num_key_value_heads"] * d
    layer = hidden * (2 * queries + 2 * keys + 3 * width)
    return layer * streams.BF16, hidden * config["vocab_size"] * streams.BF16


def product_points(kernels, config, rows):
    layers, (of_layer, of_logits) = config["num_hidden_layers"], product_sizes(config)
    found = [each for each in kernels if any(word in each[0] for word in PRODUCTS)]
    of_layers = sum(us for _, calls, us in found if calls >= layers / 2) / layers
    logits = sum(us for _, calls, us in found if calls < layers / 2)
    return [streams.Point(rows, of_layer, of_layers, 4), streams.Point(rows, of_logits, logits)]


def product_time(point, ends, constants, memory):
    streamed = point.starts * ends + point.bytes / (constants["share"] * memory)
    return (1 + point.tokens / constants["rows_that_double"]) * streamed


def product_ends(points, constants, memory):
    """The `ends` that errs least, in ln, with the rule's share and rows that double."""
    def cost(values):
        return sum(math.log(product_time(p, values[0], constants, memory) / p.us) ** 2 for p in points)

    return search(cost, [constants["ends"]])[0]


def sampling_base(kernels, config, rows, constants):
    """us of what is called once a step, without the products and what logits take by themselves."""
    once = sum(us for name, calls, us in kernels
               if calls < config["num_hidden_layers"] / 2 and not any(word in name for word in PRODUCTS))
    return once, once - constants["per_logit"] * 1e-6 * rows * config["vocab_size"]


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("kernels")
    for name in ("config", "gpu", "like"):
        a.add_argument("--" + name, required=True)
    a.add_argument("--rows", type=int, required=True)
    a = a.parse_args()
    config = json.loads(Path(a.config).read_text())
    config = config.get("config", config)
    record = json.loads((ROOT / "data" / "gpus" / f"{a.gpu}.json").read_text())
    memory = record["memory_bandwidth_gb_per_s"] * 1e3  # bytes a us
    kernels, rules = read_kernels(a.kernels), rules_of(a.like)
    for name, us, told, launch in launches(kernels, config, a.rows, rules, memory):
        print(f"{name:13} measured {us:6.2f} us a call, by the rule {told:6.2f}; launch {launch:5.2f} us")
    points = product_points(kernels, config, a.rows)
    ends = product_ends(points, rules["products"], memory)
    for point, what in zip(points, ("a layer's", "logits")):
        told, fitted = (product_time(point, each, rules["products"], memory)
                        for each in (rules["products"]["ends"], ends))
        print(f"products, {what:9} measured {point.us:6.1f} us, by the rule {told:6.1f}, "
              f"fitted {fitted:6.1f}")
    print(f"products: ends {ends:.2f} us")
    once, base = sampling_base(kernels, config, a.rows, rules["sampling"])
    print(f"sampling: measured {once:.1f} us of kernels called once; base {base:.1f} us")


if __name__ == "__main__":
    main()
