#!/usr/bin/env python3
"""Times of every configuration of an engine's Triton products of fp8 values with scales of blocks.

block_products.py --output TIMES.csv [--seconds S] [--products N,K ...] [--experts E,TOP_K,WIDTH,HIDDEN ...]
                  [--tokens M ...] [--block 128] [--engine vllm|sglang] [--judge-only]
                  [--files FOLDER ... --usual BM,BN,BK,WARPS,STAGES [--device NAME]]
On this GPU. Needs a Python with vLLM 0.33 or SGLang 0.5.23. Times what its tuning script walks and the GPU
holds, as warploom.tuned_profile does, in the engine's default groups of rows of tiles. Goes on where it was
stopped.
--files: folders of files, such as `warploom tuned-files --write` makes; their picks of products at the same
shapes are printed beside the best and beside --usual, the engine's default (the row `engine_default` of
`warploom tuned-files --json`, whose rule is fused_moe/engine_default.h).
"""
import argparse
import functools
import json
import math
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))
from warploom import tuned_profile  # noqa: E402

# Qwen3-8B on one GPU.
PRODUCTS = ((6144, 4096), (4096, 4096), (24576, 4096), (4096, 12288))
TOKENS = (1, 16, 64, 256, 1024, 4096)
PRODUCT_GROUP = 32
KEYS = ("BLOCK_SIZE_M", "BLOCK_SIZE_N", "BLOCK_SIZE_K", "num_warps", "num_stages")
# bytes: of a block's shared memory less what the compiler puts beside the stages
MOST_STAGES = 220 * 1024


def configurations(block):
    found = []
    for bm in (16, 32, 64, 128, 256):
        for bn in (32, 64, 128, 256):
            for bk in {min(64, block), block}:
                for warps in (4, 8):
                    for stages in (2, 3, 4, 5):
                        area = bm * bn
                        fits = (bm + bn) * bk * stages <= MOST_STAGES and area <= 128 * 256
                        few = (warps == 8 and area < 64 * 64) or (warps == 4 and area == 128 * 256)
                        if fits and area / (32 * warps) <= 255 and not few:
                            found.append((bm, bn, bk, warps, stages))
    return sorted(found)


def plan_of(products, experts, tokens, block):
    """As tuned_profile.read_plan gives it."""
    plan, configs = {}, configurations(block)
    for n, k in products:
        sizes = ("block_fp8_product", 1, 0, 0, n, k, block, block)
        plan[sizes] = {m: [(*config, PRODUCT_GROUP) for config in configs] for m in tokens}
    for count, top_k, width, hidden in experts:
        sizes = ("fused_moe", 1, count, top_k, width, hidden, block, block)
        plan[sizes] = {m: [(*config, 1 if m <= 16 else 32) for config in configs] for m in tokens}
    return plan


def product_times(path):
    """{(tokens, n, k): {configuration without its group: us}} of the products that were timed."""
    import csv
    found = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            us = float(row["median_us"])
            if row["kernel"] == "block_fp8_product" and us > 0:
                config = tuple(int(row[name]) for name in ("bm", "bn", "bk", "warps", "stages"))
                found.setdefault(tuple(int(row[name]) for name in ("tokens", "n", "k")), {})[config] = us
    return found


def picked(folder, shape, block, device):
    """The configuration that the engine takes from the folder's file for these products; None: no file."""
    m, n, k = shape
    blocks = f"[[]{block},*{block}].json"
    sizes = f"N={n},K={k},device_name={device},dtype=fp8_w8a8"
    names = sorted(Path(folder).rglob(f"{sizes},block_shape={blocks}"))
    if not names:
        return None
    rows = {int(tokens): row for tokens, row in json.loads(names[0].read_text()).items()}
    row = rows[min(rows, key=lambda tokens: abs(tokens - m))]
    return tuple(row[name] for name in KEYS)


def judge(path, folder, block, device, default):
    shares, gains = [], []
    for shape, times in sorted(product_times(path).items()):
        config = picked(folder, shape, block, device)
        if config is None:
            continue
        best = min(times.values())
        us = times.get(config, max(times.values()))
        shares.append(best / us)
        gains.append(times[default] / us if default in times else 1.0)
        note = "" if config in times else " (not timed: the slowest is taken)"
        print(f"{shape}: pick {config} {us:.1f} us, best {best:.1f}, share {100 * best / us:.1f} %, "
              f"default / pick {gains[-1]:.3f}{note}")
    if shares:
        share, gain = (math.exp(sum(map(math.log, values)) / len(values)) for values in (shares, gains))
        print(f"{folder}: {len(shares)} shapes, share of the best {100 * share:.1f} %, worst "
              f"{100 * min(shares):.1f} %; against the engine's default {gain:.3f}, least {min(gains):.3f}")


def numbers(text):
    return tuple(int(size) for size in text.split(","))


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--output", required=True)
    parser.add_argument("--seconds", type=float, default=400)
    parser.add_argument("--products", nargs="*", type=numbers, default=PRODUCTS)
    parser.add_argument("--experts", nargs="*", type=numbers, default=[])
    parser.add_argument("--tokens", nargs="*", type=int, default=TOKENS)
    parser.add_argument("--block", type=int, default=128)
    parser.add_argument("--engine", choices=["vllm", "sglang"], default="vllm")
    parser.add_argument("--files", nargs="*", default=[])
    parser.add_argument("--usual", type=numbers, help="the engine's default, needed by --files")
    parser.add_argument("--device", default="*", help="as file names have it, where --files have several")
    parser.add_argument("--judge-only", action="store_true", help="times of --output as they are")
    options = parser.parse_args()
    if options.files and (options.usual is None or len(options.usual) != len(KEYS)):
        parser.error("--files: expected --usual with five numbers")
    if not options.judge_only:
        import torch
        started = time.time()
        plan = plan_of(options.products, options.experts, options.tokens, options.block)
        for refusal in tuned_profile.compile_all(plan, options.engine):
            print(f"left out: {refusal}", file=sys.stderr)
        left = options.seconds - (time.time() - started)
        subjects = functools.partial(tuned_profile.subject_of, engine=options.engine)
        whole = tuned_profile.profile(plan, options.output, torch.cuda.get_device_name(), left, subjects)
        print("\nall timed" if whole else "\nout of time: run again to go on", file=sys.stderr)
    for folder in options.files:
        judge(options.output, folder, options.block, options.device, options.usual)


if __name__ == "__main__":
    main()
