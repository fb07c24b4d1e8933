"""How many experts a step of a mixture can have read at most, from the time of its experts' kernels.

asked_experts.py KERNELS.csv[.gz] --config CONFIG.json --gpu h200_sxm [--json]

KERNELS: what any_steps.py wrote of a mixture whose experts are Triton's `fused_moe_kernel`. Of each batch: us
a layer, the experts whose weights the GPU's memory gives in that time at the rate of its data sheet, and how
many would be asked for if each token chose by chance. Where the first is below the second, tokens of the
batch chose alike: with random weights those of one prompt do, and greedy answers too. Batches whose experts
compute for longer than their weights take to be read say nothing: theirs is above the number of experts."""

import argparse
import csv
import gzip
import json
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KERNEL = "fused_moe_kernel"
PRODUCTS_OF_A_LAYER = 2  # gate and up in one, then down
MATRICES = 3  # of an expert: gate, up and down


def tokens_of(batch):
    """Tokens of AxT, or of BxC+T: B decoding requests and a prompt."""
    decoding, _, prompt = batch.partition("+")
    count, length = map(int, re.fullmatch(r"(\d+)x(\d+)", decoding).groups())
    return count, length, int(prompt or 0)


def tokens_in_step(kind, batch):
    count, length, prompt = tokens_of(batch)
    return count * length if kind == "prefill" else count + prompt


def expert_bytes(config):
    bytes_each = 1 if "quantization_config" in config else 2
    return MATRICES * config["hidden_size"] * config["moe_intermediate_size"] * bytes_each


def by_chance(config, tokens):
    experts, chosen = config["num_experts"], config["num_experts_per_tok"]
    return experts * (1 - (1 - chosen / experts) ** tokens)


def asked(path, config, bytes_a_us):
    """[{"kind", "batch", "us_a_layer", "at_most", "by_chance"}] in the file's order."""
    found = []
    with (gzip.open if str(path).endswith(".gz") else open)(path, "rt", newline="") as file:
        for row in csv.DictReader(file):
            if row["kernel"] != KERNEL:
                continue
            us = float(row["us"]) / (float(row["calls"]) / PRODUCTS_OF_A_LAYER)
            found.append({
                "kind": row["kind"],
                "batch": row["batch"],
                "us_a_layer": us,
                "at_most": us * bytes_a_us / expert_bytes(config),
                "by_chance": by_chance(config, tokens_in_step(row["kind"], row["batch"])),
            })
    return found


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("kernels")
    for name in ("config", "gpu"):
        a.add_argument("--" + name, required=True)
    a.add_argument("--json", action="store_true")
    a = a.parse_args()
    config = json.loads(Path(a.config).read_text())
    record = json.loads((ROOT / "data" / "gpus" / f"{a.gpu}.json").read_text())
    found = asked(a.kernels, config, record["memory_bandwidth_gb_per_s"] * 1e3)
    if a.json:
        print(json.dumps(found, indent=1))
        return
    for one in found:
        mark = "  fewer than by chance" if one["at_most"] < one["by_chance"] else ""
        print(f"{one['kind']:8} {one['batch']:12} {one['us_a_layer']:7.1f} us a layer, "
              f"at most {one['at_most']:5.0f} experts read, by chance {one['by_chance']:5.1f}{mark}")


if __name__ == "__main__":
    main()
