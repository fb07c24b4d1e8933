#!/usr/bin/env python3
"""Steps of a serving run beside `warploom step`, by number of decoding requests and by prompts.

iterations.py RUN.json --warploom PROGRAM --host-profile FILE [--without FIELD ...]

RUN.iterations.csv.gz (serve.py, keep.py) has every iteration of the engine core. A step lasts from the moment
its output is taken, or its own scheduling where that is later, back to the same of the one before. Each is
asked of PROGRAM with the decoding requests at their mean length and its prompts, rounded so that alike steps
are asked once. Then what is missing on the average: of a decoding step for each request (the line's slope),
of a step without a graph for each collective of its two a layer and two.
--without sets fields of the host profile to 0: what they were fitted to is then missing and is printed."""

import argparse
import json
import statistics
import subprocess
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from step_folder import MODELS, read_rows

LONGEST_STEP_MS = 200  # beyond: the engine waited for requests
ROUNDED = {"context": 64, "decodes": 2, "tokens": 16}
FEW = {"decodes": 8, "tokens": 32}  # below, numbers stay as they are
BAND = 8  # decoding requests of one row of the table
COLLECTIVES_OF_LAYER, OTHER_COLLECTIVES = 2, 2  # others: of the embedding and the logits


class Step(NamedTuple):
    measured_ms: float
    decodes: int
    context: int
    prompts: int
    tokens: int


def rounded(value, to):
    return round(value / to) * to


def taken(row):
    """When the step's output was taken; nothing where it was not noted."""
    after = row["update_start_us"]
    return float(row["schedule_start_s"]) + float(after) * 1e-6 if after else None


def steps_of(rows, cached_tokens):
    """cached_tokens: of a full KV cache."""
    found = []
    for before, row in zip(rows, rows[1:]):
        decodes, tokens, prompts = int(row["decodes"]), int(row["prompt_tokens"]), int(row["prompts"])
        if decodes + tokens == 0 or taken(row) is None or taken(before) is None:
            continue
        ms = (taken(row) - max(taken(before), float(row["schedule_start_s"]))) * 1e3
        if ms <= LONGEST_STEP_MS:
            context = rounded(float(row["kv_usage"]) * cached_tokens / max(1, decodes), ROUNDED["context"])
            found.append(Step(ms, decodes, max(1, context), prompts, tokens))
    return found


def question(step):
    """The options of `step`."""
    decodes, tokens = step.decodes, step.tokens
    if decodes >= FEW["decodes"]:
        decodes = rounded(decodes, ROUNDED["decodes"])
    if tokens >= FEW["tokens"]:
        tokens = rounded(tokens, ROUNDED["tokens"])
    words = ["--decode", f"{decodes}x{step.context}"] if decodes else []
    if tokens:
        words += ["--prefill", f"{step.prompts}x{max(1, tokens // step.prompts)}"]
    return tuple(words)


def predictions(program, run, model, profile, questions):
    kwargs = run["engine_kwargs"]
    command = [program, "step", "--model", run["model"].split("/")[-1], "--gpu", run["gpu"], "--json"]
    command += ["--engine", "vllm", "--engine-version", run["vllm_version"], "--host-profile", str(profile)]
    command += ["--tp", str(kwargs.get("tensor_parallel_size", 1))]
    if kwargs.get("quantization"):
        command += ["--quantization", kwargs["quantization"]]
    if model.experts:
        command += ["--expert-routing", "uniform"]  # random weights

    def ask(words):
        result = subprocess.run([*command, *words], capture_output=True, text=True, check=False)
        if result.returncode:
            raise SystemExit(f"iterations.py: {' '.join([*command, *words])}\n{result.stderr.strip()}")
        return json.loads(result.stdout)["step_ms"]

    with ThreadPoolExecutor(2) as pool:
        return dict(zip(questions, pool.map(ask, questions)))


def changed_profile(path, without):
    """The profile with some fields at 0, by the same name."""
    profile = json.loads(path.read_text())
    for field in without:
        if not any(field in engine for engine in profile["engines"]):
            raise SystemExit(f"iterations.py: {path} has no {field}")
    profile["engines"] = [{k: 0 if k in without else v for k, v in e.items()} for e in profile["engines"]]
    return json.dumps(profile)


def slope(points):
    mean_x, mean_y = (statistics.fmean(values) for values in zip(*points))
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)


def print_row(name, pairs):
    measured, predicted = sum(m for m, _ in pairs), sum(p for _, p in pairs)
    print(f"{name:26} {len(pairs):5} steps  measured {measured / len(pairs):7.2f} ms  "
          f"predicted {predicted / len(pairs):7.2f}  {100 * (predicted / measured - 1):+5.1f} %")


def main():
    plain = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=plain)
    parser.add_argument("run", type=Path)
    parser.add_argument("--warploom", required=True)
    parser.add_argument("--host-profile", type=Path, required=True)
    parser.add_argument("--without", nargs="+", default=[])
    options = parser.parse_args()
    run = json.loads(options.run.read_text())
    model = MODELS[options.run.name.split("_")[0]]
    rows = read_rows(options.run.with_suffix(".iterations.csv.gz"))
    steps = steps_of(rows, run["num_gpu_blocks"] * run["block_size"])
    with tempfile.TemporaryDirectory() as folder:
        profile = Path(folder) / options.host_profile.name
        profile.write_text(changed_profile(options.host_profile, options.without))
        questions = sorted({question(step) for step in steps})
        answers = predictions(options.warploom, run, model, profile, questions)
    graph_tokens = run["resolved"]["max_cudagraph_capture_size"]
    bands = {}
    for step in steps:
        if not step.tokens:
            first = step.decodes // BAND * BAND
            band = (0, first, f"{first} to {first + BAND - 1} decoding")
        else:
            small = step.decodes + step.tokens <= graph_tokens
            band = (1, 0, "prompts in graphs") if small else (2, 0, "prompts without a graph")
        bands.setdefault(band, []).append((step, answers[question(step)]))
    for band in sorted(bands):
        print_row(band[2], [(step.measured_ms, predicted) for step, predicted in bands[band]])
    print_row("all", [(step.measured_ms, predicted) for of in bands.values() for step, predicted in of])
    decoding = [pair for band, of in bands.items() if band[0] == 0 for pair in of]
    missing = slope([(step.decodes, step.measured_ms - predicted) for step, predicted in decoding])
    print(f"missing for each decoding request: {1e3 * missing:.1f} us")
    ungraphed = bands.get((2, 0, "prompts without a graph"))
    if run["engine_kwargs"].get("tensor_parallel_size", 1) > 1 and ungraphed:
        gap = statistics.fmean(step.measured_ms - predicted for step, predicted in ungraphed)
        collectives = COLLECTIVES_OF_LAYER * model.layers + OTHER_COLLECTIVES
        each = 1e3 * gap / collectives
        print(f"missing for each of {collectives} collectives without a graph: {each:.0f} us")


if __name__ == "__main__":
    main()
