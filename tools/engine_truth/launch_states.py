"""Prompts of one request in any vLLM since 0.24, round after round: what the host takes for them as its
speed changes.

launch_states.py --config CONFIG.json --model NAME --out FILE.csv [--rounds 6]
    [--turn FILE] [--kv KEY=VALUE ...]
appends to FILE.csv a row for each step: the prompt's tokens, how long the engine slept before, the time
of a loop of Python that is always the same (us), the step's wall time and the engine core's part of it
(ms). Made tests/fixtures/engine/vllm_0_33_h100_launches; prompt_launches.py reads it. --turn as
any_steps.py."""

import argparse
import csv
import os
import time

from any_steps import DEFAULTS
from engine_setup import engine_arguments, model_folder, wait_for_turn
from warploom.onboard import vllm_bench

COLUMNS = "model layers round tokens idle_s reference_us wall_ms core_ms".split()
TOKENS = (1, 16, 32, 64, 128, 200, 256, 300, 400, 512)
SLEEPS = (0, 0, 0.3)  # s


def reference_us():
    """The fastest of three passes of a loop."""
    fastest = float("inf")
    for _ in range(3):
        start, total, seen = time.perf_counter(), 0, {}
        for i in range(400):
            seen[i & 31] = total
            total += i * i % 7
        fastest = min(fastest, time.perf_counter() - start)
    return fastest * 1e6


def measure(bench, model, layers, rounds, writer):
    for tokens in TOKENS:  # Triton compiles at first use
        for _ in range(2):
            bench.add(tokens, 1)
            bench.drain()
    for at in range(rounds):
        for tokens in TOKENS:
            for sleep in SLEEPS:
                bench.add(tokens, 1)
                time.sleep(sleep)
                reference = reference_us()
                wall, core = bench.timed_step()
                bench.drain()
                writer.writerow(
                    [model, layers, at, tokens, sleep, round(reference, 1), round(wall, 2), round(core, 2)]
                )


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--config", required=True, help="the model's config.json")
    parser.add_argument("--model", required=True, help="its name in the table")
    parser.add_argument("--out", required=True, help="table that rows are added to")
    parser.add_argument("--rounds", type=int, default=6)
    parser.add_argument("--turn", help="file whose lock says which of several engines measures")
    parser.add_argument("--kv", nargs="*", default=[], help="engine arguments, KEY=VALUE")
    options = parser.parse_args()
    folder, config = model_folder(options.config, options.model)
    config = config.get("text_config", config)
    engine = vllm_bench.start_engine(folder, engine_arguments(DEFAULTS, options.kv))
    bench = vllm_bench.Bench(engine, config["vocab_size"])
    with wait_for_turn(options.turn, options.model):
        new = not os.path.exists(options.out)
        with open(options.out, "a", newline="") as file:
            writer = csv.writer(file, lineterminator="\n")
            if new:
                writer.writerow(COLUMNS)
            measure(bench, options.model, config["num_hidden_layers"], options.rounds, writer)
    os._exit(0)  # an engine in this process may not end by itself


if __name__ == "__main__":
    main()
