#!/usr/bin/env python3
"""What the GPU pauses between the kernels of a decoding step's graph, by model.

pauses.py FOLDER...      FOLDER: steps of tools/engine_truth/steps.py

GPU time (CUDA events around a step) less the sum of its kernels, us a layer: the median over decoding steps.
Events and kernels are of two passes with requests of different lengths, so the keys that the first pass
reads more are taken off at the rate that attention reaches. Steps over several GPUs have no events."""

import argparse
import statistics
from pathlib import Path

from contexts import TIMED
from step_folder import read_steps

# Bytes a us that attention of many keys reaches: attention.py's shares of the memory's rate.
READING = {"h200": 0.853 * 4.9167e6, "h100": 0.902 * 3.35232e6}
BYTES_OF_KEY = 2 * 128 * 2  # key and value of a head of 128 in bf16
BYTES_OF_LATENT_KEY = 576 * 2
LATENT = ("dsv2lite",)


def pauses(steps):
    """(batch, us a layer) of each decoding step."""
    found, (folder, tag) = [], steps.name.split("/")
    bytes_of_key = BYTES_OF_LATENT_KEY if tag.startswith(LATENT) else steps.model.kv_heads * BYTES_OF_KEY
    for row in steps.rows:
        if row["kind"] != "decode" or not row["gpu_ms"]:
            continue
        timed_context = float(row["context_mean"]) - TIMED / 2
        keys = int(row["batch"].split("x")[0]) * (timed_context - float(row["kernel_context_mean"]))
        pause = (float(row["gpu_ms"]) - float(row["kernel_sum_ms"])) * 1e3 / steps.model.layers
        found.append((row["batch"], pause - keys * bytes_of_key / READING[folder[-4:]]))
    return found


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("folders", nargs="+", type=Path)
    for folder in parser.parse_args().folders:
        for steps in read_steps(folder):
            if found := pauses(steps):
                middle = statistics.median(us for _, us in found)
                each = " ".join(f"{batch}:{us:.1f}" for batch, us in found)
                print(f"{steps.name:28} {middle:4.1f} us a layer in {len(found)} steps  {each}")


if __name__ == "__main__":
    main()
