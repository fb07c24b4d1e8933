#!/usr/bin/env python3
"""The rule of decoding requests' attention inside a step (decode_attention in data/steps): fit and errors.

attention.py FOLDER... --fit SET/MODEL... --share SET/MODEL     FOLDER: steps of tools/engine_truth/steps.py

ends + the larger of keys and values at a share of the memory's rate and what an SM takes for its tasks (a
request and KV head) and blocks of 128 keys. Prints ends, share and the two times of an SM by least squares of
ln over the decoding steps of the models of --fit; the share of the GPU of --share, the rest unchanged; the
mean error and bias of each model; and the interval of a price, the 80th percentile of |ln| of one fitted
model by a fit to the others, where it is largest. What the program has was printed for

  --fit vllm_0_24_h200/llama8b vllm_0_24_h200/llama8b_tp2 vllm_0_24_h200/qwen30b
  --share vllm_0_24_h100/llama8bfp8

with the steps/ of both folders of tests/fixtures/engine. Models without heads of 128 are left out."""

import argparse
import math
from pathlib import Path
from typing import NamedTuple

from least_squares import percentile, search
from step_folder import read_steps

MEMORY = {"h200": 4.9167e6, "h100": 3.35232e6}  # bytes a us, of the GPUs' records
SMS = {"h200": 132, "h100": 132}
HEAD = 128
BLOCK = 128  # keys
# us of an SM for a task and for a block of it, before they are scaled: 256 requests of 128 and 256 tokens in
# the tables.
TASK_US, BLOCK_US = 2.9, 1.95
WITHOUT_HEADS = ("dsv2lite",)
START = (12.0, 0.9, 0.9)  # ends in us, share of the memory, scale of an SM's times


class Call(NamedTuple):
    """One decoding step: tasks, keys of all tasks with half a last block, us of a layer."""

    gpu: str
    tasks: float
    keys: float
    us: float


def calls_of(steps):
    found = []
    for row in steps.rows:
        if row["kind"] != "decode":
            continue
        requests, heads = int(row["batch"].split("x")[0]), steps.model.kv_heads // steps.gpus
        times = [float(k["us"]) for k in steps.kernels_of(row)
                 if "flash" in k["kernel"].lower() and "reshape_and_cache" not in k["kernel"]]
        context = float(row["kernel_context_mean"])
        tasks = requests * heads
        found.append(Call(steps.name.split("/")[0][-4:], tasks, tasks * (context + BLOCK / 2),
                          sum(times) / steps.model.layers))
    return found


def rule(values, call):
    ends, share, scale = values
    memory = call.keys * HEAD * 2 * 2 / (share * MEMORY[call.gpu])
    processors = scale * (call.tasks * TASK_US + call.keys / BLOCK * BLOCK_US) / SMS[call.gpu]
    return ends + max(memory, processors)


def errors(values, calls):
    return [math.log(rule(values, call) / call.us) for call in calls]


def fit(calls, free=(0, 1, 2), start=START):
    """The values of least squares of ln."""
    return search(lambda values: sum(error**2 for error in errors(values, calls)), start, free)


def percentile_80(errors_of_set):
    return percentile(map(abs, errors_of_set), 0.8)


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--fit", nargs="+", required=True, help="SET/MODEL: what the rule is fitted to")
    parser.add_argument("--share", help="SET/MODEL: of which another GPU's share of its memory is")
    options = parser.parse_args()
    found = {steps.name: calls_of(steps) for folder in options.folders for steps in read_steps(folder)
             if not steps.name.split("/")[1].startswith(WITHOUT_HEADS)}
    for name in [*options.fit, *([options.share] if options.share else [])]:
        if name not in found:
            parser.error(f"no steps of {name}, only {', '.join(found)}")
    of = lambda names: [call for name in names for call in found[name]]
    values = {found[options.fit[0]][0].gpu: fit(of(options.fit))}
    ends, share, scale = next(iter(values.values()))
    print(f"{len(of(options.fit))} steps: ends {ends:.1f} us, share {share:.3f}, "
          f"task {scale * TASK_US:.2f} us, block {scale * BLOCK_US:.2f} us")
    if options.share:
        calls = found[options.share]
        values[calls[0].gpu] = fit(calls, free=(1,), start=(ends, share, scale))
        print(f"{len(calls)} steps of {options.share}: share {values[calls[0].gpu][1]:.3f}")
    for name, calls in found.items():
        if not calls or calls[0].gpu not in values:
            continue
        of_model = [math.exp(error) - 1 for error in errors(values[calls[0].gpu], calls)]
        side = "fitted" if name in options.fit else "share" if name == options.share else "judged"
        mean, bias = sum(map(abs, of_model)) / len(calls), sum(of_model) / len(calls)
        print(f"{name:28} {side} {len(calls):3} steps mean {100 * mean:4.1f} % bias {100 * bias:+5.1f} %")
    if len(options.fit) > 1:
        apart = [percentile_80(errors(fit(of([n for n in options.fit if n != name])), found[name]))
                 for name in options.fit]
        print(f"80 % of the steps of a model lie within {max(apart):.3f} in ln of a fit to the others")


if __name__ == "__main__":
    main()
