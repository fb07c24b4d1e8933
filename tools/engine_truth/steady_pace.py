"""What a decoding step of a served run takes beside its kernels, from requests alone.

steady_pace.py --warploom PROGRAM RUN... [--words WORD...] [--fit] [--json]
RUN: a recorded run without .json (serve.py), RUN.csv.gz beside it. Of each request the time from its first
token to its last, without the spans in which prompts of others were computed, is shared out over its tokens;
beside it stands what `step` says kernels take for as many requests of as many tokens as ran meanwhile. The
median of the difference is what a step pauses beyond its kernels: negative where kernels of a graph overlap,
which the sum of their times, one by one, does not know.
--words go to `step` (--machine FILE: kernels of that machine).
--fit: experts_pause_us and block_fp8_experts_pause_us of a host profile of --host NAME: what its gap and
layer_pause_us leave of the difference, for each layer with experts, the mean over the runs."""

import argparse
import csv
import gzip
import json
import statistics
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LEAST_TOKENS = 30  # of an answer that is looked at
CONTEXT_STEP = 250  # tokens to which contexts are rounded, so that few steps are priced


class Prices:
    """What kernels of a decoding step take, ms."""

    def __init__(self, program, run, words):
        self.words = [program, "step", "--model", run["model"], "--gpu", run["gpu"], "--engine", "vllm"]
        self.words += ["--engine-version", run["vllm_version"], "--json", *words]
        self.known = {}
        answer = self.ask(1, 500, [])
        if any(kernel["family"] == "moe" for kernel in answer["kernels"]):
            self.words += ["--expert-routing", "uniform"]
        self.layers = round(max(each["calls"] for each in answer["kernels"] if each["label"] == "o_proj"))

    def ask(self, requests, context, more):
        words = [*self.words, "--decode", f"{requests}x{context}", *more]
        return json.loads(subprocess.run(words, check=True, capture_output=True, text=True).stdout)

    def __call__(self, requests, context):
        low = int(requests)
        at_low, at_high = (self.whole(each, context) for each in (max(low, 1), low + 1))
        return at_low + (requests - low) * (at_high - at_low)

    def whole(self, requests, context):
        key = requests, max(round(context / CONTEXT_STEP), 1) * CONTEXT_STEP
        if key not in self.known:
            self.known[key] = self.ask(*key, [])["gpu_ms"]["p50"]
        return self.known[key]


def covered(spans, begin, end):
    """(time, number) of what the spans cover between two moments, overlaps once."""
    time, count, last = 0.0, 0, begin
    for low, high in sorted((max(low, begin), min(high, end)) for low, high in spans):
        if high > max(low, last):
            time, count, last = time + high - max(low, last), count + 1, high
    return time, count


def differences(requests, prices):
    """(requests that ran, ms of a step beyond its kernels, ms of its kernels) of each request."""
    found = []
    for mine in requests:
        begin, end = mine["first"], mine["last"]
        if mine["output"] < LEAST_TOKENS:
            continue
        others = [(each["scheduled"], each["first"]) for each in requests if each is not mine]
        prompts, steps_with = covered(others, begin, end)
        shares = [
            (max(0.0, min(end, each["last"]) - max(begin, each["first"])), each["input"] + each["output"] / 2)
            for each in requests
        ]
        busy = sum(share for share, _ in shares)
        running, context = busy / (end - begin), sum(share * tokens for share, tokens in shares) / busy
        steps = mine["output"] - 1 - steps_with
        if steps > 0:
            kernels = prices(running, context)
            found.append((running, 1e3 * (end - begin - prompts) / steps - kernels, kernels))
    return found


def read_requests(path):
    with gzip.open(path, "rt") as file:
        return [
            {
                "scheduled": float(row["scheduled_s"]),
                "first": float(row["first_token_s"]),
                "last": float(row["last_token_s"]),
                "input": int(row["input_tokens"]),
                "output": int(row["output_tokens"]),
            }
            for row in csv.DictReader(file)
        ]


def look(program, path, words):
    run = json.loads(Path(f"{path}.json").read_text())
    prices = Prices(program, run, words)
    found = differences(read_requests(f"{path}.csv.gz"), prices)
    middle = [statistics.median(each[part] for each in found) for part in range(3)]
    return {
        "run": Path(path).name,
        "requests": len(found),
        "running": round(middle[0], 1),
        "beyond_kernels_ms": round(middle[1], 3),
        "kernels_ms": round(middle[2], 3),
        "share": round(statistics.median(each[1] / each[2] for each in found), 4),
        "layers": prices.layers,
        "block_fp8": "FP8" in run["model"],
    }


def host_entry(name):
    """Constants of vLLM's newest entry, each from the entry before where it states none."""
    entry = {}
    for each in json.loads((ROOT / "data" / "hosts" / f"{name}.json").read_text())["engines"]:
        if each["engine"] == "vllm":
            entry.update(each)
    return entry


def fit(runs, host):
    """us a layer with experts that the entry's own pauses leave, without and with block-scaled fp8."""
    entry = host_entry(host)

    def left(run):
        own = entry["gap_us"] + entry.get("gap_per_sequence_us", 0) * run["running"]
        return (1e3 * run["beyond_kernels_ms"] - own) / run["layers"] - entry.get("layer_pause_us", 0)

    plain = statistics.fmean(left(run) for run in runs if not run["block_fp8"])
    blocks = statistics.fmean(left(run) for run in runs if run["block_fp8"])
    return {
        "experts_pause_us": round(plain, 1),
        "block_fp8_experts_pause_us": round(blocks - plain, 1),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--warploom", required=True)
    parser.add_argument("--words", nargs=argparse.REMAINDER, default=[])
    parser.add_argument("--host", default="xeon_16_cores")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    runs = [look(options.warploom, path, options.words) for path in options.runs]
    found = {"runs": runs, "fit": fit(runs, options.host) if options.fit else None}
    if options.json:
        print(json.dumps(found, indent=1))
        return
    for run in runs:
        print(
            f"{run['run']}: {run['requests']} requests, {run['running']} running, beyond kernels "
            f"{run['beyond_kernels_ms']:+.3f} ms ({100 * run['share']:+.1f} %) of {run['kernels_ms']:.3f} ms"
        )
    if found["fit"]:
        print(json.dumps(found["fit"]))


if __name__ == "__main__":
    main()
