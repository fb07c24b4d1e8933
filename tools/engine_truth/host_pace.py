"""For how long a host keeps its speed within a run, and how much of what single steps vary by that is.

host_pace.py [--launches LAUNCHES.csv] [--iterations FOLDER...] [--json]
LAUNCHES.csv: steps of launch_states.py, whose loop that is always the same (`reference_us`) is timed before
each step. FOLDER: *.iterations.csv.gz of engine cores; taken is what making the inputs takes, from
`execute_start_us` to `forward_start_us`. `correlation` is that of the logarithms with themselves so many
seconds later: of the loop at the mean distance of so many steps, of iterations by steps of 1, 10, 100, 500.
`levels` are the loop's times in the middle of each tenth, in standard deviations of the logarithm
(`pace_levels` of data/hosts). `period_s` (`pace_period_ms` there) is the one of a host that keeps its speed
for that long and then takes another (1 - lag / period, from 0), by least squares over all;
`spread_of_iterations` is their standard deviation by machine, `pace_share` the mean over machines, the loop's
what is left when rounds take `run_share` of prompt_launches.py, over the spread of steps there."""

import argparse
import csv
import gzip
import json
import math
import statistics
from pathlib import Path

FIXTURES = Path(__file__).resolve().parent.parent.parent / "tests" / "fixtures" / "engine"
RUN_SHARE = 0.53  # prompt_launches.py
STEPS_SPREAD = math.log(1.75 / 0.64) / 2 / 1.2816  # of its `fast` and `slow`
LOOP_LAGS, ITERATION_LAGS = (1, 2, 3, 5, 10), (1, 10, 100, 500)
FEWEST_STEPS = 200
PERIODS_S = [0.01 * step for step in range(2, 200)]


def correlation(values, lag):
    mean, square = statistics.fmean(values), statistics.pvariance(values)
    products = [(a - mean) * (b - mean) for a, b in zip(values, values[lag:])]
    return statistics.fmean(products) / square


def of_loop(path):
    """(seconds, correlation) of the loop by lags of steps."""
    with open(path, newline="") as file:
        rows = list(csv.DictReader(file))
    logs = [math.log(float(row["reference_us"])) for row in rows]
    seconds = statistics.fmean(float(row["wall_ms"]) * 1e-3 + float(row["idle_s"]) for row in rows)
    return [(lag * seconds, correlation(logs, lag)) for lag in LOOP_LAGS]


def levels_of_loop(path):
    """Where the loop lay in the middle of each tenth of its times, fastest first."""
    with open(path, newline="") as file:
        times = sorted(float(row["reference_us"]) for row in csv.DictReader(file))
    logs = [math.log(times[int(len(times) * (tenth + 0.5) / 10)]) for tenth in range(10)]
    mean, deviation = statistics.fmean(logs), statistics.pstdev(logs)
    return [round((log - mean) / deviation, 2) for log in logs]


def of_iterations(path):
    with gzip.open(path, "rt", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["execute_start_us"] and row["forward_start_us"]]
    if len(rows) < FEWEST_STEPS:  # on two GPUs another process makes the inputs
        return []
    taken = [float(row["forward_start_us"]) - float(row["execute_start_us"]) for row in rows]
    logs = [math.log(max(us, 1.0)) for us in taken]
    starts = [float(row["schedule_start_s"]) for row in rows]
    step = (starts[-1] - starts[0]) / (len(starts) - 1)
    return [(lag * step, correlation(logs, lag)) for lag in ITERATION_LAGS if 2 * lag < len(logs)]


def spread_of(folder):
    """The mean over runs of what making the inputs varies by."""
    found = []
    for path in sorted(folder.glob("*.iterations.csv.gz")):
        with gzip.open(path, "rt", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["forward_start_us"]]
        taken = [float(row["forward_start_us"]) - float(row["execute_start_us"]) for row in rows]
        if len(taken) >= FEWEST_STEPS:
            found.append(statistics.pstdev(math.log(max(us, 1.0)) for us in taken))
    return statistics.fmean(found)


def period(points):
    def error(seconds):
        return sum((max(0.0, 1 - lag / seconds) - found) ** 2 for lag, found in points)

    return min(PERIODS_S, key=error)


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    launches = FIXTURES / "vllm_0_33_h100_launches" / "launches.csv"
    parser.add_argument("--launches", type=Path, default=launches)
    folders = [FIXTURES / "vllm_0_24_h200" / "serving", FIXTURES / "vllm_0_24_h100" / "serving"]
    parser.add_argument("--iterations", type=Path, nargs="*", default=folders)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = {"loop": of_loop(options.launches)}
    for folder in options.iterations:
        for path in sorted(folder.glob("*.iterations.csv.gz")):
            found[path.name.removesuffix(".iterations.csv.gz")] = of_iterations(path)
    within = math.sqrt(1 - RUN_SHARE**2) * STEPS_SPREAD
    spreads = {folder.parent.name: spread_of(folder) for folder in options.iterations}
    answer = {
        "correlation": {
            name: {f"{lag:.3f} s": round(value, 2) for lag, value in points} for name, points in found.items()
        },
        "levels": levels_of_loop(options.launches),
        "period_s": round(period([point for points in found.values() for point in points]), 2),
        "period_of_loop_s": round(period(found["loop"]), 2),
        "spread_of_iterations": {name: round(spread, 2) for name, spread in spreads.items()},
        "pace_share": round(statistics.fmean([within, *spreads.values()]) / STEPS_SPREAD, 2),
    }
    print(json.dumps(answer) if options.json else "\n".join(f"{k}: {v}" for k, v in answer.items()))


if __name__ == "__main__":
    main()
