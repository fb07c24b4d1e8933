"""What an onboarding's factors on kernels are worth for other models, and how far such factors lie from one.

carried_factors.py --warploom PROGRAM [--predictor FOLDER ...] [--write data/engines/onboarding.json] [--json]
Every recorded step of one GPU (tools/step_accuracy) is priced with each predictor, by default the program's
own; a folder that was trained without a GPU of theirs (tools/judge_tiers) says what a stranger's GPU is like.
For each model on its machine the factors on what limits kernels are fitted as `calibrate-machine` does, then
its steps are priced with parts of the factors of each other model of that machine. Written are the part with
the least mean size of errors, in twelfths, for models that are alike (no experts, and products in the same
schemes or in others) and for those of which one has experts; the half-width that holds 80 % of a model's
mean error then; the spread of factors about one, and what a sum keeps of error at its own factors. Each
machine is judged with what the others choose, too."""

import argparse
import importlib.machinery
import importlib.util
import itertools
import json
import math
import statistics
import subprocess
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
GROUPS = ("streaming", "computing", "rows")
LIMITS = {"dram": 0, "l2": 0, "tensor": 1, "fma": 1, "xu": 1, "shared": 1}
ROWS = {"rmsnorm", "activation", "rope", "kv_write", "quantize", "elementwise"}
SCHEMES = {"llama8bfp8": "fp8", "qwen32bfp8": "fp8_block", "qwen30bfp8": "fp8_block"}
MIXTURES = {"qwen30b", "qwen30bfp8", "mixtral"}
SETS = ("h200", "h100", "h200 0.33")  # of tools/step_accuracy
MODELS = ("llama8b", "qwen14b", "llama8bfp8", "qwen32bfp8", *sorted(MIXTURES))
# Those of the first fit, whose residuals then give both; the fit is repeated with what it found.
SPREAD, NOISE, OUTLIER = (0.1, 0.1, 0.5), 0.03, 0.15
SHARES = [i / 12 for i in range(13)]
# Steps with `rows_ms`, of a model in 16 bits, whose rows are kernels of their own.
WITH_ROWS = ROOT / "tests/fixtures/engine/vllm_0_33_h200_onboarded/onboarded_llama8b/onboard_steps.csv"


def step_accuracy():
    loader = importlib.machinery.SourceFileLoader("step_accuracy", str(ROOT / "tools/step_accuracy"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("step_accuracy", loader))
    loader.exec_module(module)
    return module


def groups_of(answer):
    """Microseconds of kernels by GROUPS, and of those that are not scaled."""
    sums = [0.0] * len(GROUPS)
    for kernel in answer["kernels"]:
        limit = LIMITS.get(kernel["bound"])
        if limit is not None:
            sums[2 if kernel["family"] in ROWS else limit] += kernel["time_us"]
    return sums, 1e3 * answer["gpu_ms"]["p50"] - sum(sums)


def priced_steps(program, predictor):
    """(machine, model) -> [(measured us, sums by group, other)]."""
    steps = step_accuracy()
    jobs = []
    for name in SETS:
        chosen, folder = steps.SETS[name], steps.FIXTURES / steps.FOLDERS[name] / "steps"
        for tag in MODELS:
            if not (folder / f"{tag}_steps.csv").exists():
                continue
            for row in steps.measured_steps(folder, tag):
                words = ["step", "--gpu", chosen.gpu, "--engine", "vllm", "--engine-version", chosen.version]
                words += [*steps.options_of(folder, tag), *steps.batch_options(row), "--json"]
                words += ["--predictor", predictor] if predictor else []
                jobs.append(((name, tag), float(row["kernel_sum_ms"]) * 1e3, words))

    def run(job):
        done = subprocess.run([program, *job[2]], capture_output=True, text=True, check=True)
        return job[0], job[1], *groups_of(json.loads(done.stdout))

    found = {}
    with ThreadPoolExecutor(2) as pool:
        for key, measured, sums, other in pool.map(run, jobs):
            found.setdefault(key, []).append((measured, sums, other))
    return found


def rows_noise(program, predictor):
    """The standard deviation of ln(predicted / measured) of what works on rows, over the steps of a model."""
    steps = step_accuracy()
    ratios = []
    for row in steps.read_rows(WITH_ROWS):
        words = ["step", "--gpu", "H200", "--engine", "vllm", "--engine-version", "0.33.0"]
        words += [*steps.options_of(WITH_ROWS.parent, "llama8b"), *steps.batch_options(row), "--json"]
        words += ["--predictor", predictor] if predictor else []
        done = subprocess.run([program, *words], capture_output=True, text=True, check=True)
        kernels = json.loads(done.stdout)["kernels"]
        predicted = sum(kernel["time_us"] for kernel in kernels if kernel["family"] in ROWS)
        ratios.append(math.log(predicted / 1e3 / float(row["rows_ms"])))
    return statistics.stdev(ratios)


def at(step, logs):
    return step[2] + sum(us * math.exp(log) for us, log in zip(step[1], logs))


def fit(steps, spread, noise):
    """Logarithms of factors, as app/runs/machine_fit.cpp finds them."""
    logs = [0.0] * len(GROUPS)
    for _, group in itertools.product(range(40), range(len(GROUPS))):
        curve = 1 / spread[group] ** 2
        slope = logs[group] * curve
        for step in steps:
            now = at(step, logs)
            error = math.log(now / step[0])
            share = step[1][group] * math.exp(logs[group]) / now
            weight = min(1.0, OUTLIER / max(abs(error), 1e-12)) / noise**2
            slope += weight * error * share
            curve += weight * share * share
        logs[group] -= slope / curve
    return logs


def errors(steps, logs, share):
    return [math.log(at(step, [share * log for log in logs]) / step[0]) for step in steps]


def quantile(values, q):
    values = sorted(values)
    place = q * (len(values) - 1)
    low = int(place)
    return values[low] + (place - low) * (values[min(low + 1, len(values) - 1)] - values[low])


def root_mean_square(values):
    return math.sqrt(statistics.fmean(value * value for value in values))


def pairs_of(tables):
    """kind -> [(steps of the judged model, factors of the other)]."""
    kinds = {"alike": [], "alike_another_scheme": [], "unlike": []}
    for table, logs in tables:
        for one, other in itertools.permutations(table, 2):
            if one[0] != other[0]:
                continue
            if {one[1], other[1]} & MIXTURES:
                kind = "unlike"
            else:
                same = SCHEMES.get(one[1]) == SCHEMES.get(other[1])
                kind = "alike" if same else "alike_another_scheme"
            kinds[kind].append((table[other], logs[one]))
    return kinds


def carried(pairs):
    sizes = {share: mean_error(pairs, share) for share in SHARES}
    best = min(sizes, key=sizes.get)
    means = [abs(statistics.fmean(errors(steps, logs, best))) for steps, logs in pairs]
    return {
        "pairs": len(pairs),
        "share": round(best, 2),
        "width": round(quantile(means, 0.8), 3),
        "errors": {f"{share:.2f}": round(size, 4) for share, size in sizes.items()},
    }


def mean_error(pairs, share):
    return statistics.fmean(statistics.fmean(map(abs, errors(steps, logs, share))) for steps, logs in pairs)


def left_out(tables):
    """Machine and kind -> the share that the others choose, and errors of its own pairs with it."""
    found = {}
    for machine in sorted({key[0] for table, _ in tables for key in table}):
        def part(wanted, machine=machine):
            return pairs_of(
                [
                    ({key: table[key] for key in table if (key[0] == machine) == wanted}, logs)
                    for table, logs in tables
                ]
            )

        others, own = part(False), part(True)
        for kind in own:
            if own[kind] and others[kind]:
                share = carried(others[kind])["share"]
                shares = {"nothing": 0, "all": 1, "with it": share}
                sizes = {name: round(mean_error(own[kind], each), 4) for name, each in shares.items()}
                found[f"{machine}, {kind}"] = {"share": share, "pairs": len(own[kind])} | sizes
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--warploom", required=True)
    parser.add_argument("--predictor", nargs="*", default=[])
    parser.add_argument("--write", type=Path)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    spread, noise = SPREAD, NOISE
    priced = [priced_steps(options.warploom, predictor) for predictor in ["", *options.predictor]]
    for _ in range(2):
        tables = [
            (table, {key: fit(steps, spread, noise) for key, steps in table.items()}) for table in priced
        ]
        logs = [each for _, found in tables for each in found.values()]
        spread = [root_mean_square([each[group] for each in logs]) for group in range(len(GROUPS))]
        rest = [quantile([abs(e) for e in errors(t[key], f[key], 1)], 0.5) for t, f in tables for key in t]
        noise = statistics.median(rest) / 0.6745  # of the median size, as of a normal distribution
    of_rows = statistics.fmean(rows_noise(options.warploom, each) for each in ["", *options.predictor])
    kinds = {kind: carried(pairs) for kind, pairs in pairs_of(tables).items()}
    names = ", ".join(["the program's own tables", *(Path(p).name for p in options.predictor)])
    found = {
        "schema": "warploom_onboarding_fit",
        "version": 1,
        "source": "tools/engine_truth/carried_factors.py: recorded steps of "
        f"{len(priced[0])} models on their machines (vLLM 0.24.0 and 0.33.0, H200 and H100), with {names}; "
        "rows_noise: rows_ms of Llama-3.1-8B in vllm_0_33_h200_onboarded",
        "noise": round(noise, 3),
        "rows_noise": round(of_rows, 3),
        "spread": {name: round(value, 3) for name, value in zip(GROUPS, spread)},
        "carried": [
            {"models": kind, "share": each["share"], "width": each["width"]} for kind, each in kinds.items()
        ],
    }
    if options.write:
        options.write.write_text(json.dumps(found, indent=1) + "\n")
    if options.json:
        print(json.dumps({**found, "kinds": kinds, "left_out": left_out(tables)}, indent=1))
        return
    print(json.dumps({key: found[key] for key in ("noise", "rows_noise", "spread")}))
    for name, each in [*kinds.items(), *left_out(tables).items()]:
        print(f"{name}: {each}")


if __name__ == "__main__":
    main()
