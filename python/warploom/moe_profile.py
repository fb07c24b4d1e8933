"""What `warploom moe-config --profile` runs: times configurations of an expert layer on this machine's GPU.

    python3 -m warploom.moe_profile --plan plan.csv --output samples.csv --experts 128 --top-k 8 \
        --hidden 2048 --width 768

A plan's rows are kind, key, tokens, bm, bn, bk, warps, stages, group. `search` rows are timed once at
their key. `default` rows name the engines' defaults at the token counts that look a key up: there they and
the fastest of the key's search are timed again, together (see `verification`). Random routing, another for
each seed. Resumable: rows in the output are not measured again. Ends as profile.py does.
"""
from __future__ import annotations

import argparse
import csv
import functools
import os
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

if __name__ == "__main__":
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from warploom.profile import COMPLETE, NOTHING_TO_RUN_ON, OUT_OF_TIME, what_is_missing  # noqa: E402

Config = tuple[int, ...]
Key = tuple[int, Config, int, int]       # tokens, configuration, seed, rounds
PlanRow = tuple[str, int, int, Config]   # kind, key, tokens, configuration

COLUMNS = ["tokens", "bm", "bn", "bk", "warps", "stages", "group", "seed", "rounds", "median_us"]
SEARCH_SEED, VERIFY_SEED = 1, 2
SEARCH_ROUNDS, VERIFY_ROUNDS = 1, 7
VERIFIED = 3  # configurations of a key that are measured again, beside the engine's default


class Layer:
    """Weights of one expert layer on this GPU, and operands of any number of tokens."""

    def __init__(self, experts: int, top_k: int, hidden: int, width: int) -> None:
        import torch
        self.experts, self.top_k, self.hidden, self.width = experts, top_k, hidden, width

        def make(*shape: int) -> Any:
            return torch.empty(*shape, device="cuda", dtype=torch.bfloat16).normal_(std=0.05)
        self.up, self.down = make(experts, 2 * width, hidden), make(experts, hidden, width)
        self.make = make
        self.known: tuple[int | None, tuple[Any, ...]] = (None, ())
        self.aligned: dict[tuple[int, int, int], Any] = {}

    def operands(self, tokens: int) -> tuple[Any, ...]:
        import torch
        pairs = tokens * self.top_k
        return (self.make(tokens, self.hidden), self.make(pairs, 2 * self.width),
                self.make(pairs, self.width), self.make(pairs, self.hidden), torch.rand(pairs, device="cuda"))

    def calls(self, tokens: int, seed: int, config: Config) -> list[Callable[[], object]]:
        """One call a routing: both products. Routings differ, so that weights come from DRAM."""
        from warploom.kernels import fused_moe
        if self.known[0] != tokens:
            self.known = (tokens, self.operands(tokens))
            self.aligned = {}
        x, first, middle, last, weights = self.known[1]
        routings = 8 if tokens <= 48 else 4 if tokens <= 512 else 2

        def aligned(i: int) -> Any:
            key = (seed, i, config[0])
            if key not in self.aligned:
                chosen = fused_moe.random_experts(tokens, self.experts, self.top_k, 1000 * seed + i)
                self.aligned[key] = fused_moe.align(chosen, self.experts, config[0])
            return self.aligned[key]

        def call(routing: Any) -> None:
            fused_moe.launch(config, x, self.up, first, weights, routing, self.top_k, False)
            fused_moe.launch(config, middle, self.down, last, weights, routing, 1, True)
        return [functools.partial(call, aligned(i)) for i in range(routings)]


def graph_of(calls: Sequence[Callable[[], object]]) -> Callable[[], float]:
    """(replay, number of calls): replays are microseconds of one call."""
    import torch
    calls[0]()
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for call in calls:
            call()
    graph.replay()

    def replay() -> float:
        begin, end = torch.cuda.Event(True), torch.cuda.Event(True)
        begin.record()
        graph.replay()
        end.record()
        torch.cuda.synchronize()
        return float(begin.elapsed_time(end)) * 1e3 / len(calls)
    return replay


def timed(
    layer: Layer, tokens: int, seed: int, configs: Sequence[Config], rounds: int
) -> dict[Config, float | None]:
    """{config: median microseconds}, replays of all configurations interleaved; None where one is refused."""
    replays: dict[Config, Callable[[], float]] = {}
    for config in configs:
        try:
            replays[config] = graph_of(layer.calls(tokens, seed, config))
        except Exception:  # out of resources, or a compiler's refusal
            continue
    found: dict[Config, list[float]] = {config: [] for config in replays}
    for _ in range(3 * rounds):
        for config, replay in replays.items():
            found[config].append(replay())
    medians = {config: statistics.median(values) for config, values in found.items() if values}
    return {config: medians.get(config) for config in configs}


def read_samples(path: str | Path) -> dict[Key, float | None]:
    """{(tokens, config, seed, rounds): microseconds}; a last line cut short by a kill is dropped."""
    if not os.path.exists(path):
        return {}
    with open(path, newline="") as file:
        lines = file.read().split("\n")
    whole = [line for line in lines[:-1] if line.count(",") == len(COLUMNS) - 1]
    with open(path, "w", newline="") as file:
        file.writelines(line + "\n" for line in whole)
    samples: dict[Key, float | None] = {}
    for line in whole[1:]:
        cells = line.split(",")
        numbers = [int(cell) for cell in cells[:9]]
        samples[numbers[0], tuple(numbers[1:7]), numbers[7], numbers[8]] = float(cells[9])
    return samples


def read_plan(path: str | Path) -> list[PlanRow]:
    """[(kind, key, tokens, config)]; `default` rows stand at each token count that their key serves."""
    with open(path, newline="") as file:
        return [(row["kind"], int(row["key"]), int(row["tokens"]),
                 tuple(int(row[name]) for name in COLUMNS[1:7])) for row in csv.DictReader(file)]


def verification(
    plan: Sequence[PlanRow], samples: Mapping[Key, float | None]
) -> list[tuple[int, list[Config]]]:
    """[(tokens, [configs])] of the second round: for each key its fastest of the search beside the default,
    at each token count where the plan names a default."""
    searched: dict[int, list[tuple[float, Config]]] = {}
    defaults: dict[tuple[int, int], list[Config]] = {}
    counts: dict[int, list[int]] = {}
    for kind, key, tokens, config in plan:
        us = samples.get((tokens, config, SEARCH_SEED, SEARCH_ROUNDS))
        if kind == "search" and us is not None:
            searched.setdefault(key, []).append((us, config))
        if kind == "default":
            defaults.setdefault((key, tokens), []).append(config)
            counts.setdefault(key, []).append(tokens)
    rows = []
    for key, found in sorted(searched.items()):
        best = [config for _, config in sorted(found)[:VERIFIED]]
        for tokens in sorted(set(counts.get(key, []))):
            rows.append((tokens, list(dict.fromkeys(best + defaults[key, tokens]))))
    return rows


class Recorder:
    def __init__(self, layer: Layer, path: str | Path, seconds: float) -> None:
        self.layer, self.path, self.samples = layer, path, read_samples(path)
        self.end = time.time() + seconds
        self.file = open(path, "a", newline="")
        self.writer = csv.writer(self.file, lineterminator="\n")
        if self.file.tell() == 0:
            self.writer.writerow(COLUMNS)

    def measure(self, tokens: int, seed: int, configs: Sequence[Config], rounds: int) -> bool:
        """False when time is up. Configurations are timed anew together, unless all are known."""
        missing = [c for c in configs if (tokens, c, seed, rounds) not in self.samples]
        if not missing:
            return True
        if time.time() > self.end:
            return False
        for config, us in timed(self.layer, tokens, seed, missing if rounds == SEARCH_ROUNDS else configs,
                                rounds).items():
            self.samples[tokens, config, seed, rounds] = us
            self.writer.writerow([tokens, *config, seed, rounds, -1 if us is None else round(us, 3)])
        self.file.flush()
        return True


def profile(layer: Layer, plan: Sequence[PlanRow], path: str | Path, seconds: float = float("inf")) -> bool:
    """Both rounds. True when the plan was measured to its end."""
    recorder = Recorder(layer, path, seconds)
    by_tokens: dict[int, list[Config]] = {}
    for kind, _, tokens, config in plan:
        if kind == "search":
            by_tokens.setdefault(tokens, []).append(config)
    for tokens, configs in sorted(by_tokens.items()):
        if not recorder.measure(tokens, SEARCH_SEED, list(dict.fromkeys(configs)), SEARCH_ROUNDS):
            return False
        print(f"\rsearched {tokens} tokens ", end="", file=sys.stderr, flush=True)
    known = {key: us for key, us in recorder.samples.items() if us is not None and us > 0}
    for tokens, configs in verification(plan, known):
        if not recorder.measure(tokens, VERIFY_SEED, configs, VERIFY_ROUNDS):
            return False
        print(f"\rverified at {tokens} tokens ", end="", file=sys.stderr, flush=True)
    return True


def _compile_one(task: tuple[Config, bool]) -> str | None:
    import torch
    config, weighted = task
    from warploom.kernels import fused_moe
    try:
        a = torch.zeros(16, 256, device="cuda", dtype=torch.bfloat16)
        b, c = a.new_zeros(2, 256, 256), a.new_zeros(16, 256)
        aligned = fused_moe.align(torch.zeros(16, dtype=torch.int64, device="cuda"), 2, config[0])
        fused_moe.launch(config, a, b, c, torch.zeros(16, device="cuda"), aligned, 1, weighted)
        torch.cuda.synchronize()
    except Exception as error:  # out of resources, or a compiler's refusal
        return f"{config}: {type(error).__name__}"
    return None


def compile_all(configs: Iterable[Config], workers: int | None = None) -> list[str]:
    """Fills Triton's cache in parallel; configurations that differ in their group alone are one. Returns the
    refusals."""
    import multiprocessing
    from concurrent.futures import ProcessPoolExecutor
    distinct = sorted({(*config[:5], 1) for config in configs})
    tasks = [(config, weighted) for config in distinct for weighted in (False, True)]
    workers = workers or max(1, (os.cpu_count() or 2) - 1)
    with ProcessPoolExecutor(workers, mp_context=multiprocessing.get_context("spawn")) as pool:
        return [refusal for refusal in pool.map(_compile_one, tasks, chunksize=4) if refusal]


def main(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python3 -m warploom.moe_profile")
    for name in ("plan", "output"):
        parser.add_argument("--" + name, required=True)
    for name in ("experts", "top-k", "hidden", "width"):
        parser.add_argument("--" + name, type=int, required=True)
    parser.add_argument("--seconds", type=float, default=240)
    options = parser.parse_args(words)
    missing = what_is_missing()
    if missing:
        print(f"warploom: moe-config --profile: {missing}", file=sys.stderr)
        return NOTHING_TO_RUN_ON
    started, plan = time.time(), read_plan(options.plan)
    for refusal in compile_all([config for *_, config in plan]):
        print(f"left out: {refusal}", file=sys.stderr)
    layer = Layer(options.experts, options.top_k, options.hidden, options.width)
    done = profile(layer, plan, options.output, options.seconds - (time.time() - started))
    return COMPLETE if done else OUT_OF_TIME


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
