#!/usr/bin/env python3
"""Times of vLLM's own Triton product of fp8 values with scales of blocks, on this machine's GPU.

block_products.py --output TIMES.csv [--seconds S] [--products N,K ...] [--tokens M ...] [--block 128]
                  [--files FOLDER ... [--device NAME]] [--judge-only]
Needs a Python with vLLM 0.33. Every configuration that its tuning script walks and the GPU holds is timed
at every shape, with the engine's default group of 32 rows of tiles, as `warploom tune regret --oracle` reads.
Goes on where it was stopped. --files: folders of files, such as `warploom tuned-files --write` makes; their
picks at the same shapes are printed beside the best and beside the engine's default.
"""
import argparse
import csv
import json
import math
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "python"))

# Qwen3-8B on one GPU (four), DeepSeek-V3 on eight (five).
PRODUCTS = ((6144, 4096), (4096, 4096), (24576, 4096), (4096, 12288), (2112, 7168), (3072, 1536),
            (7168, 2048), (4608, 7168), (7168, 2304))
TOKENS = (1, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096)
GROUP = 32
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


class BlockProduct:
    """C[m, n] = A[m, k] B[n, k]^T; scales of A by rows of `block` values, of B by squares of them."""

    kind = "gemm"
    name = "w8a8_block_fp8"

    def __init__(self, block):
        self.block = block

    def sets(self, shape):
        import torch
        from warploom.timing import copies_of

        m, n, k = shape
        parts = math.ceil(k / self.block)

        def narrow(*sizes):
            return torch.randn(*sizes, device="cuda").clamp(-4, 4).to(torch.float8_e4m3fn)

        def one():
            a, b = narrow(m, k), narrow(n, k)
            a_scales = torch.rand(m, parts, device="cuda")
            b_scales = torch.rand(math.ceil(n / self.block), parts, device="cuda")
            return a, b, torch.empty(m, n, device="cuda", dtype=torch.bfloat16), a_scales, b_scales

        return [one() for _ in range(copies_of((m + n) * k + 2 * m * n))]

    def call(self, operands, config):
        from vllm.model_executor.layers.quantization.utils import fp8_utils

        kernel = fp8_utils._w8a8_triton_block_scaled_mm
        a, b, c, a_scales, b_scales = operands
        (m, k), n = a.shape, b.shape[0]
        bm, bn, bk, warps, stages = config
        grid = (math.ceil(m / bm) * math.ceil(n / bn),)
        strides = (a.stride(0), a.stride(1), b.stride(1), b.stride(0), c.stride(0), c.stride(1))
        scales = (a_scales.stride(0), a_scales.stride(1), b_scales.stride(1), b_scales.stride(0))
        tiles = {"BLOCK_SIZE_M": bm, "BLOCK_SIZE_N": bn, "BLOCK_SIZE_K": bk, "GROUP_SIZE_M": GROUP}
        kernel[grid](a, b, c, a_scales, b_scales, m, n, k, self.block, self.block, *strides, *scales, **tiles,
                     num_warps=warps, num_stages=stages)


def shapes_to_compile(products, tokens, block):
    """A small shape (m, n, k) for each kind that Triton compiles anew among those to be timed.

    It tells an integer argument of 1, a multiple of 16 and any other apart. n and k are multiples of 16 here;
    what differs is m, and the parts of a row that have a scale: the strides of both scales.
    """
    def kind(size):
        return 1 if size == 1 else 16 if size % 16 == 0 else 8

    kinds = {(kind(m), kind(math.ceil(k / block))) for _, k in products for m in tokens}
    return [(m, 256, parts * block) for m, parts in sorted(kinds)]


def times_by_shape(path):
    found = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            config = tuple(int(row[name]) for name in ("bm", "bn", "bk", "warps", "stages"))
            shape = tuple(int(row[name]) for name in ("m", "n", "k"))
            found.setdefault(shape, {})[config] = float(row["median_us"])
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


def judge(path, folder, block, device):
    shares, gains = [], []
    default = (64, block, block, 4, 2)
    for shape, times in sorted(times_by_shape(path).items()):
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


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("--output", required=True)
    parser.add_argument("--seconds", type=float, default=400)
    parser.add_argument("--products", nargs="*", default=[f"{n},{k}" for n, k in PRODUCTS])
    parser.add_argument("--tokens", nargs="*", type=int, default=TOKENS)
    parser.add_argument("--block", type=int, default=128)
    parser.add_argument("--files", nargs="*", default=[])
    parser.add_argument("--device", default="*", help="as file names have it, where --files have several")
    parser.add_argument("--judge-only", action="store_true", help="times of --output as they are")
    options = parser.parse_args()
    if not options.judge_only:
        from warploom import profiler

        products = [tuple(int(size) for size in product.split(",")) for product in options.products]
        subject, configs = BlockProduct(options.block), configurations(options.block)
        small = shapes_to_compile(products, options.tokens, options.block)
        for refusal in profiler.compile_all(subject, configs, small):
            print(f"left out: {refusal}", file=sys.stderr)
        rows = [(config, (m, n, k)) for n, k in products for m in options.tokens for config in configs]
        told = profiler.profile(subject, rows, options.output, options.seconds)
        told["refused"] = len(told["refused"])
        print("\n" + json.dumps(told), file=sys.stderr)
    for folder in options.files:
        judge(options.output, folder, options.block, options.device)


if __name__ == "__main__":
    main()
