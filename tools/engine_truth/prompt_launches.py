"""What a layer of a prompt takes of the host, by CUDA graphs of parts and kernel by kernel, and how far
that varies.

prompt_launches.py FILE.csv [--profile data/hosts/xeon_16_cores.json] [--largest-graph 256] [--json]
FILE.csv: steps of launch_states.py. What the profile has for each step is taken off, the rest is the
layers'. Hosts of virtual machines are at one of two speeds for seconds to minutes, and stall: a model
counts with the mean of its steps, each held between their 10th and 90th percentile; these over the mean,
the geometric mean over models and kinds, are `fast` and `slow`. The same mean of the loop that is always
the same, over its 10th percentile, is `launches_level`. Steps of so few tokens that they may be one graph
are left out. `run_share` is what rounds of steps, some 3.5 s, vary by, over what steps do: root mean squares
of logarithms (kHostRunShare of serving/replica/run_end.h)."""

import argparse
import csv
import json
import math
import statistics
from collections import defaultdict
from pathlib import Path

PER_STEP = "schedule_us prepare_us launch_graph_us finish_us".split()
LEAST_TOKENS = 32


def layers_us(path, largest_graph, per_step):
    """(kind, model) -> microseconds of a layer in each step, what the loop took before it; the rounds."""
    found, references, rounds = defaultdict(list), [], defaultdict(list)
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            tokens = int(row["tokens"])
            if tokens >= LEAST_TOKENS:
                kind = "layer" if tokens > largest_graph else "piece"
                us = (float(row["core_ms"]) * 1e3 - per_step) / int(row["layers"])
                found[kind, row["model"]].append(us)
                rounds[kind, row["model"], row["round"]].append(us)
                references.append(float(row["reference_us"]))
    return found, references, rounds


def held_mean(times):
    """(mean of the times held between their 10th and 90th percentile, those two)."""
    tenths = statistics.quantiles(times, n=10, method="inclusive")
    low, high = tenths[0], tenths[-1]
    return statistics.fmean(min(max(time, low), high) for time in times), low, high


def run_share(times, rounds, held):
    def spread(key, values):
        return [math.log(value / held[key][0]) for value in values]

    steps = [log for key, of in times.items() for log in spread(key, of)]
    means = [log for key, of in rounds.items() for log in spread(key[:2], [held_mean(of)[0]])]
    return statistics.pstdev(means) / statistics.pstdev(steps)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", type=Path)
    parser.add_argument("--profile", type=Path, default=Path("data/hosts/xeon_16_cores.json"))
    parser.add_argument("--largest-graph", type=int, default=256, help="tokens")
    parser.add_argument("--json", action="store_true")
    parser.add_argument(
        "--step-level", type=float, default=1, help="of what each step takes, over the profile's first entry"
    )
    options = parser.parse_args()
    engines = json.loads(options.profile.read_text())["engines"]
    host = next(engine for engine in engines if engine["engine"] == "vllm")
    per_step = options.step_level * sum(host[name] for name in PER_STEP)
    times, references, rounds = layers_us(options.table, options.largest_graph, per_step)
    held = {key: held_mean(of) for key, of in times.items()}
    answer = {
        f"{kind}_us": round(statistics.fmean(mean for (of, _), (mean, _, _) in held.items() if of == kind))
        for kind in ("piece", "layer")
    }
    for name, place in (("fast", 1), ("slow", 2)):
        ratios = [math.log(found[place] / found[0]) for found in held.values()]
        answer[name] = round(math.exp(statistics.fmean(ratios)), 2)
    mean, quiet, _ = held_mean(references)
    answer["launches_level"] = round(mean / quiet, 2)
    answer["run_share"] = round(run_share(times, rounds, held), 2)
    answer["by_model_us"] = {f"{kind} {model}": round(mean) for (kind, model), (mean, _, _) in held.items()}
    print(json.dumps(answer) if options.json else "\n".join(f"{k}: {v}" for k, v in answer.items()))


if __name__ == "__main__":
    main()
