#!/usr/bin/env python3
"""Plans time_kernels.py: the kernels, and which rows Warploom and the wheel would give them.

kernel_plan.py --warploom PROGRAM --gpu H200 --wheel vllm-0.33.0-....whl --output PLAN.json
Rows are looked up as vLLM does: the nearest key. Model sizes: Llama-3.1-8B with adapters, Qwen3-30B-A3B,
Mamba 2 states of Nemotron 3 Nano (64 heads, 64 x 128) and Nemotron-H 56B (256 heads, 64 x 256), attention of
Qwen3-8B and Qwen3-30B-A3B."""

import argparse
import itertools
import json
import re
import subprocess
import sys
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import kernel_families  # noqa: E402

MOST_STAGES = 220 * 1024  # bytes, as in block_products.py
QKV, ONE, GATE_UP = (4096, 1024, 1024), (4096,), (14336, 14336)
# (slices, hidden) of the products that have adapters: QKV, output, gate and up, down.
PRODUCTS = {"qkv": (QKV, 4096), "o": (ONE, 4096), "gate_up": (GATE_UP, 4096), "down": (ONE, 14336)}
# The fastest and the picks at fp8's two worst shapes on an H200 (decision 0169), and their neighbours.
DENSE = [(64, 256, 64, 4, 2), (64, 256, 64, 4, 3), (64, 256, 64, 4, 4), (64, 128, 128, 4, 3),
         (64, 128, 128, 8, 3), (64, 256, 128, 4, 3), (128, 128, 64, 4, 3), (128, 128, 64, 8, 4),
         (128, 128, 128, 4, 2),
         (128, 128, 128, 4, 3), (128, 128, 128, 4, 4), (128, 128, 128, 8, 3), (128, 256, 64, 8, 3),
         (128, 256, 64, 8, 4), (128, 256, 128, 8, 2), (128, 256, 128, 8, 3), (128, 256, 128, 8, 4),
         (256, 128, 64, 8, 4), (256, 128, 64, 8, 5), (256, 128, 128, 8, 3)]


def nearest(rows, *keys):
    """The row whose keys lie nearest, one after another."""
    for key in keys:
        rows = rows.get(str(key)) or rows[min(rows, key=lambda known: abs(int(known) - key))]
    return rows


def nested(rows):
    whole = {}
    for keys, row in rows.items():
        *above, last = keys.split("/")
        place = whole
        for key in above:
            place = place.setdefault(key, {})
        place[last] = row["config"]
    return whole


class Files:
    def __init__(self, options):
        self.program, self.gpu = options.warploom, options.gpu
        self.wheel, self.asked = zipfile.ZipFile(options.wheel), {}

    def predicted(self, wanted, *words):
        """Rows of the predicted file whose name matches, as the file has them; {}: there is none."""
        if words not in self.asked:
            command = [self.program, "tuned-files", "--gpu", self.gpu, "--all", "--json", *words]
            told = subprocess.run(command, check=True, capture_output=True).stdout
            self.asked[words] = json.loads(told)["files"]
        found = [file for file in self.asked[words] if re.search(wanted, file["name"]) and file["rows"]]
        return nested(found[0]["rows"]) if found else {}

    def shipped(self, wanted):
        found = [name for name in self.wheel.namelist() if re.search(wanted, name)]
        rows = json.loads(self.wheel.read(found[0])) if found else {}
        return {key: row for key, row in rows.items() if key.isdigit()}


def entry(name, named=(), **arguments):
    return {"class": name, "arguments": arguments, "named": {role: row for role, row in named if row}}


def chosen(rows, names, *keys):
    if not rows:
        return None
    row = nearest(rows, *keys)
    return [row.get(name, 1) for name in names]


def adapters(files, kind, product, rank, loras, tokens):
    slices, hidden = PRODUCTS[product]
    names = kernel_families.Adapter.NAMES
    words = ("--model", "Llama-3.1-8B", "--lora-rank", str(rank), "--max-loras", str(loras))
    shrinks = kind == "shrink"
    rows = files.predicted("SHRINK" if shrinks else "EXPAND_TRUE", *words)
    sizes = (hidden, rank) if shrinks else (rank, max(slices))
    row = chosen(rows, names, loras + 1, len(slices), tokens, *sizes)
    return entry("Adapter", [("predicted", row)], kind=kind, tokens=tokens, rank=rank, hidden=hidden,
                 slices=slices, adapters=loras)


def states(files, heads, state, dtype, batch, model):
    names = kernel_families.State.NAMES
    word = {"bfloat16": "float16"}.get(dtype, dtype)
    rows = files.predicted(f"headdim=64,dstate={state},.*cache_dtype={word}", "--model", model)
    shipped = files.shipped(f"headdim=64,dstate={state},device_name=NVIDIA_H200,cache_dtype={word}.json")
    named = [("predicted", chosen(rows, names, batch * heads)),
             ("shipped", chosen(shipped, names, batch * heads))]
    return entry("State", named, batch=batch, heads=heads, head_dim=64, state=state, dtype=dtype)


def expert_candidates(tokens, scheme):
    rows = (16, 32) if tokens <= 64 else (16, 32, 64) if tokens <= 256 else (64, 128)
    columns = (32, 64, 128, 256) if tokens <= 64 else (64, 128, 256)
    depths = (32, 64, 128) if "a16" in scheme else (64, 128)
    warps, value_bytes = (4,) if tokens <= 256 else (4, 8), 1 if scheme in ("fp8_blocks", "int8") else 2
    sizes = itertools.product(rows, columns, depths, warps, (3, 4, 5) if tokens <= 64 else (3, 4))
    group = 1 if tokens <= 16 or scheme != "fp8_blocks" else 32
    return [(*one, group) for one in sizes
            if (one[0] + one[1]) * one[2] * one[4] * value_bytes <= MOST_STAGES
            and (one[3] == 8 or one[0] * one[1] < 128 * 256)]


def experts(files, scheme, tokens):
    names = kernel_families.Experts.NAMES
    asked = {"bf16": (), "fp8_blocks": ("--quantization", "fp8_block"), "int8": ("--quantization", "int8"),
             "int8_w8a16": ("--quantization", "int8_wo"), "int4_w4a16": ("--quantization", "int4_wo")}[scheme]
    rows = files.predicted("^E=", "--model", "Qwen/Qwen3-30B-A3B", *asked)
    ends = {"bf16": r"\.json", "fp8_blocks": r",dtype=fp8_w8a8,block_shape=\[128,128\]\.json"}.get(scheme)
    shipped = files.shipped(f"E=128,N=768,device_name=NVIDIA_H200{ends}$") if ends else {}
    named = [("predicted", chosen(rows, names, tokens)), ("shipped", chosen(shipped, names, tokens))]
    return entry("Experts", named, scheme=scheme, tokens=tokens, experts=128, top_k=8, width=768, hidden=2048,
                 configs=expert_candidates(tokens, scheme))


def states_of(files):
    nano, large = "nvidia/NVIDIA-Nemotron-3-Nano-30B-A3B-BF16", "nemotron-h-56b-base-8k"
    for dtype in ("float32", "bfloat16"):
        for batch in (1, 8, 64, 256):
            yield states(files, 64, 128, dtype, batch, nano)
    for batch in (1, 8, 64):
        yield states(files, 256, 256, "float32", batch, large)


def adapters_of(files, rank, loras, tokens, products):
    for count in tokens:
        for product in products:
            yield adapters(files, "shrink", product, rank, loras, count)
            if product != "down":  # it expands as "o" does
                yield adapters(files, "expand", product, rank, loras, count)


def dense():
    for k, larger in ((672, 3056), (1344, 6096)):
        for m in (425, 512, 256):
            yield entry("Dense", m=m, n=14160, k=k, bytes_of=1, configs=DENSE)
        for m in (367, 512, 128):
            yield entry("Dense", m=m, n=10272, k=larger, bytes_of=1, configs=DENSE)
    for n, k in ((10272, 6144), (8208, 6096), (16896, 6096)):  # rows on whole lines; fewer, more tiles
        yield entry("Dense", m=367, n=n, k=k, bytes_of=1, configs=DENSE)


def attention(kv, shapes):
    for sequences, queries, keys in shapes:
        yield entry("Attention", sequences=sequences, queries=queries, keys=keys, heads=32, kv_heads=kv)


def plan(files):
    yield from states_of(files)
    yield from adapters_of(files, 16, 1, (16, 1024), PRODUCTS)
    yield from dense()
    yield from attention(8, ((16, 1, 1024), (64, 1, 1024), (1, 2048, 2048), (8, 1, 8192), (1, 512, 4096),
                             (128, 1, 2048), (4, 512, 512)))
    for scheme in ("fp8_blocks", "bf16"):
        for tokens in (16, 64, 256, 1024, 4096, 1):
            yield experts(files, scheme, tokens)
    yield from adapters_of(files, 16, 1, (128, 4096, 1), PRODUCTS)
    for tokens in (16, 64, 256, 1024, 4096, 1):
        yield experts(files, "int8", tokens)
    yield from adapters_of(files, 16, 8, (64, 1024), ("qkv",))
    yield from attention(4, ((64, 1, 1024), (1, 2048, 2048), (8, 1, 8192)))
    for scheme in ("int4_w4a16", "int8_w8a16"):
        for tokens in (256, 1024):
            yield experts(files, scheme, tokens)
    yield from adapters_of(files, 64, 1, (16, 1024), ("qkv", "down"))


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    for name in ("warploom", "gpu", "wheel", "output"):
        parser.add_argument("--" + name, required=True)
    options = parser.parse_args()
    found = list(plan(Files(options)))
    lines = ",\n".join(json.dumps(one) for one in found)
    Path(options.output).write_text(f"[\n{lines}\n]\n")
    print(f"{len(found)} subjects in {options.output}")


if __name__ == "__main__":
    main()
